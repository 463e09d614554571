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
)

var (
	//go:embed templates/claims.tmpl
	promptText string
	prompts    = template.Must(template.New("claims.tmpl").Parse(promptText))
)

// parserVersion is raised when a reply is read differently.
const parserVersion = 1

// A Model labels claims in place of the offline reader. Claims and the choice are read
// offline, so that a model and the reader label the same claims.
type Model struct {
	Model          string
	Options, Extra map[string]any
	Repair         int // times a faulty reply is shown to the model again
}

// Identity is of all that the labels depend on beside the server.
func (m Model) Identity() string {
	text, _ := json.Marshal([]any{promptText, m, parserVersion, Version}) // options come from YAML
	return string(text)
}

// A Labelled is the labels of an answer, or a status that says why there are none. Raw is
// the model's reply.
type Labelled struct {
	Status      data.Status
	Claims      data.Claims
	Reason, Raw string
}

// Label asks for a label and a quote for each claim and, while repairs are left, for
// corrected ones. A claim whose quote is not in its argument, after the repairs, is
// unsupported. An answer without claims, and a question without arguments, are skipped.
func (m Model) Label(ctx context.Context, q data.Question, answer string, ask scoring.Ask) Labelled {
	l := Labelled{Claims: Read(q, answer)}
	if len(q.Arguments) == 0 || len(l.Claims.Claims) == 0 {
		return Labelled{Status: data.Skipped, Reason: "the question has no arguments, or the answer makes no claims"}
	}
	req, err := m.request(q, l.Claims.Claims)
	if err != nil {
		return Labelled{Status: data.Failed, Reason: err.Error()}
	}
	read := l.Claims
	o := scoring.AskRepaired(ctx, ask, req, m.Repair, func(reply string) (status data.Status, reason string) {
		l.Claims.Claims, status, reason = labelsIn(reply, q, read.Claims)
		return status, reason
	}, func(reason string) (llm.Message, error) {
		text, err := block("repair", reason)
		return llm.Message{Role: "user", Content: text}, err
	})
	if l.Status, l.Reason, l.Raw = o.Status, o.Reason, o.Raw; l.Status != data.Valid {
		l.Claims = data.Claims{}
	}
	return l
}

func block(name string, fields any) (string, error) {
	var b strings.Builder
	err := prompts.ExecuteTemplate(&b, name, fields)
	return b.String(), err
}

// request is the first request for labels. What is the same in every call comes first, so
// that servers can cache it.
func (m Model) request(q data.Question, claims []data.Claim) (llm.Request, error) {
	numbered := func(n int, text func(int) string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%d. %s\n", i+1, oneLine(text(i)))
		}
		return b.String()
	}
	fields := struct{ Object1, Object2, Arguments, Claims, Mark string }{oneLine(q.Object1), oneLine(q.Object2),
		numbered(len(q.Arguments), func(i int) string { return q.Arguments[i].Text }), numbered(len(claims), func(i int) string { return claims[i].Text }), ""}
	fields.Mark = llm.UnusedMark([]string{fields.Object1, fields.Object2, fields.Arguments, fields.Claims}, 8)
	var texts [3]string
	for i, name := range []string{"system", "task", "shown"} {
		var err error
		if texts[i], err = block(name, fields); err != nil {
			return llm.Request{}, fmt.Errorf("writing the prompt: %w", err)
		}
	}
	return llm.Request{Model: m.Model, Options: m.Options, Extra: m.Extra, Schema: schemaOf(len(claims)), SchemaName: Kind,
		Messages: []llm.Message{{Role: "system", Shared: texts[0]}, {Role: "user", Shared: texts[1], Content: texts[2]}}}, nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// schemaOf is the JSON Schema of the labels of n claims. A model writes keys in the order
// of the schema's text.
func schemaOf(n int) json.RawMessage {
	const claim = `{"type":"object","properties":{"label":{"type":"string","enum":["supported","contradicted","unsupported"]},"argument":{"type":"integer"},"quote":{"type":"string"}},"required":["label","argument","quote"],"additionalProperties":false}`
	fields, names := make([]string, n), make([]string, n)
	for i := range n {
		names[i] = strconv.Quote(strconv.Itoa(i + 1))
		fields[i] = names[i] + ":" + claim
	}
	return json.RawMessage(`{"type":"object","properties":{` + strings.Join(fields, ",") + `},"required":[` + strings.Join(names, ",") + `],"additionalProperties":false}`)
}

// labelsIn reads the labels from a reply: its last JSON object. Labels that are valid but
// for quotes have a reason, too.
func labelsIn(reply string, q data.Question, claims []data.Claim) (list []data.Claim, status data.Status, reason string) {
	objects := llm.Objects(reply)
	if len(objects) == 0 {
		return nil, data.Unparsed, "there is no JSON object in the reply"
	}
	o := objects[len(objects)-1]
	var without []string
	for i := range claims {
		key := strconv.Itoa(i + 1)
		raw, has := o[key]
		if !has {
			return nil, data.Incomplete, "claim " + key + " is missing"
		}
		var c data.Claim
		if json.Unmarshal(raw, &c) != nil {
			return nil, data.Unparsed, "claim " + key + " is no object with label, argument and quote"
		}
		decided := c.Label == data.Supported || c.Label == data.Contradicted
		switch {
		case !decided && c.Label != data.Unsupported:
			return nil, data.OutOfRange, fmt.Sprintf("claim %s has the label %q; it takes supported, contradicted or unsupported", key, data.Clip(string(c.Label)))
		case decided && (c.Argument < 1 || c.Argument > len(q.Arguments)):
			return nil, data.OutOfRange, fmt.Sprintf("claim %s names argument %d; there are 1 to %d", key, c.Argument, len(q.Arguments))
		case decided && !quoted(c.Quote, q.Arguments[c.Argument-1].Text):
			without = append(without, key)
			c = data.Claim{Label: data.Unsupported}
		case !decided:
			c = data.Claim{Label: data.Unsupported}
		}
		c.Text = claims[i].Text
		list = append(list, c)
	}
	if len(o) > len(claims) {
		return nil, data.OutOfRange, fmt.Sprintf("there are labels of %d claims; claims are 1 to %d", len(o), len(claims))
	}
	if without != nil {
		reason = "the quote is not in its argument: claim " + strings.Join(without, ", ")
	}
	return list, data.Valid, reason
}

// quoted reports whether an argument has a quote of two words or more, or of all of it.
// White space does not count.
func quoted(quote, argument string) bool {
	quote, argument = oneLine(quote), oneLine(argument)
	return quote != "" && strings.Contains(argument, quote) && (strings.Contains(quote, " ") || quote == argument)
}
