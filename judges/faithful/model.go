package faithful

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"text/template"

	"compqa/data"
	"compqa/judges/scoring"
	"compqa/llm"
	"compqa/llm/structured"
)

var (
	//go:embed templates/claims.tmpl
	promptText string
	prompts    = template.Must(template.New("claims.tmpl").Parse(promptText))
)

// parserVersion is raised when some reply is read differently.
const parserVersion = 2

// A Model labels claims with a model. The claims and the choice are read offline, so that the model and the offline reader label the same
// claims.
type Model struct {
	Model          string
	Options, Extra map[string]any
	Repair         int // how often a faulty reply is shown to the model again
}

// Identity returns everything that the labels depend on besides the server, as JSON.
func (m Model) Identity() string {
	text, _ := json.Marshal([]any{promptText, m, parserVersion, Version}) // options come from YAML
	return string(text)
}

// Labelled is the labels of an answer, or a status and the reason why there are none.
type Labelled = structured.Result[data.Claims, data.Status]

// Label asks for a label and a quote for each claim. While repairs are left, it shows the model a faulty reply and asks again. A claim is
// unsupported if its quote is still not in its argument after the repairs. An answer without claims is skipped, and so is a question
// without arguments.
func (m Model) Label(ctx context.Context, q data.Question, answer string, ask scoring.Ask) Labelled {
	claims := Read(q, answer)
	read := claims.Claims
	if len(q.Arguments) == 0 || len(read) == 0 {
		return Labelled{Status: data.Skipped, Reason: "the question has no arguments, or the answer makes no claims"}
	}
	r := structured.Query[[]data.Claim, data.Status]{Request: m.request(q, read), Repairs: m.Repair,
		Read:          func(reply string) ([]data.Claim, data.Status, string) { return labelsIn(reply, q, read) },
		RepairMessage: func(reason string) string { return structured.Render(prompts, "repair", reason) }}.Do(ctx, ask)
	l := Labelled{Status: r.Status, Reason: r.Reason, Raw: r.Raw}
	if l.Status == data.Valid {
		claims.Claims = r.Value
		l.Value = claims
	}
	return l
}

// request returns the request for the labels of all claims.
func (m Model) request(q data.Question, claims []data.Claim) llm.Request {
	numbered := func(n int, text func(int) string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%d. %s\n", i+1, structured.OneLine(text(i)))
		}
		return b.String()
	}
	fields := struct{ Object1, Object2, Arguments, Claims, Mark string }{structured.OneLine(q.Object1), structured.OneLine(q.Object2),
		numbered(len(q.Arguments), func(i int) string { return q.Arguments[i].Text }),
		numbered(len(claims), func(i int) string { return claims[i].Text }), ""}
	fields.Mark = structured.Mark(fields.Object1, fields.Object2, fields.Arguments, fields.Claims)
	label := claimLabel{structured.EnumOf([]data.ClaimLabel{data.Supported, data.Contradicted, data.Unsupported}), 0, ""}
	schema := structured.Schema(structured.Keys(structured.Numbers(len(claims)), func(int) any { return label }))
	return llm.Request{Model: m.Model, Options: m.Options, Extra: m.Extra, Schema: schema, SchemaName: Kind,
		Messages: []llm.Message{{Role: "system", Shared: structured.Render(prompts, "system", nil)},
			structured.User(structured.Render(prompts, "prompt", fields), fields.Mark)}}
}

// claimLabel is the JSON form of the label of a claim.
type claimLabel struct {
	Label    structured.Enum `json:"label"`
	Argument int             `json:"argument"`
	Quote    string          `json:"quote"`
}

// labelsIn reads the labels from a reply. The status is Valid, with a reason, if only a quote is not in its argument.
func labelsIn(reply string, q data.Question, claims []data.Claim) (list []data.Claim, status data.Status, reason string) {
	list, fault := structured.Entries[data.Claim](reply, len(claims), nil, "claim", "label, argument and quote", structured.Material{})
	if fault.Status != "" {
		return nil, data.Status(fault.Status), fault.Reason
	}
	var without []string
	for i, c := range list {
		decided := c.Label == data.Supported || c.Label == data.Contradicted
		switch {
		case !decided && c.Label != data.Unsupported:
			return nil, data.OutOfRange, fmt.Sprintf("claim %d has the label %q; it takes supported, contradicted or unsupported",
				i+1, data.Clip(string(c.Label)))
		case decided && (c.Argument < 1 || c.Argument > len(q.Arguments)):
			return nil, data.OutOfRange, fmt.Sprintf("claim %d names argument %d; there are 1 to %d", i+1, c.Argument, len(q.Arguments))
		case decided && !quoted(c.Quote, q.Arguments[c.Argument-1].Text):
			without = append(without, strconv.Itoa(i+1))
			c = data.Claim{Label: data.Unsupported}
		case !decided:
			c = data.Claim{Label: data.Unsupported}
		}
		c.Text = claims[i].Text
		list[i] = c
	}
	if without != nil {
		reason = "the quote is not in its argument: claim " + strings.Join(without, ", ")
	}
	return list, data.Valid, reason
}

// quoted reports whether an argument contains a quote of at least two words, or is equal to it. White space does not count.
func quoted(quote, argument string) bool {
	quote = structured.OneLine(quote)
	argument = structured.OneLine(argument)
	return quote != "" && strings.Contains(argument, quote) && (strings.Contains(quote, " ") || quote == argument)
}
