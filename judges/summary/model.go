package summary

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"

	"compqa/data"
	"compqa/judges/scoring"
	"compqa/llm"
	"compqa/llm/structured"
)

// The prompts ask in our words for what Gunel et al. describe in section 4 and appendix A. What is the same in every call comes first, so
// that servers can cache it.
var (
	//go:embed templates/summary.tmpl
	promptText string
	prompts    = template.Must(template.New("summary.tmpl").Parse(promptText))
)

// parserVersion is raised when some reply is read differently.
const parserVersion = 2

// Options say which model labels, and how its requests are made.
type Options struct {
	Model          string
	Options, Extra map[string]any
	Repair         int // how often a faulty reply is shown to the judge again
	Examples       int `json:",omitempty"` // number of made-up examples in the prompt, 0 to MostExamples

	preferred []string // names of the Options that are this package's defaults
}

// Model returns a judge that is a model. The identity is everything that its labels depend on besides the server, as JSON.
func Model(o Options) (Judge, string, error) {
	o.Options, o.Extra = maps.Clone(o.Options), maps.Clone(o.Extra)
	const temperature = "temperature" // 0, as in the paper, unless the user sets another value, or null to send none
	given := o.Options
	if value, set := given[temperature]; !set {
		o.Options = map[string]any{temperature: 0}
		o.preferred = []string{temperature}
		maps.Copy(o.Options, given)
	} else if value == nil {
		delete(o.Options, temperature)
	}
	parts := []any{promptText, o, parserVersion}
	if o.Examples > 0 {
		parts = append(parts, string(examplesText))
	}
	identity, err := json.Marshal(parts)
	if err != nil {
		return nil, "", fmt.Errorf("the judge's options: %w", err)
	}
	return o.label, string(identity), nil
}

// label asks for the labels of one kind. While repairs are left, it shows the judge a faulty reply and asks again.
func (o Options) label(ctx context.Context, q data.Question, t data.ContrastTable, kind string, ask scoring.Ask) (l Labelled) {
	if len(t.Rows) == 0 {
		l.Status, l.Reason = data.Labels{}.Check(kind, t)
		return l
	}
	task := messagesFor(q, t, kind)
	req := llm.Request{Model: o.Model, Options: o.Options, Extra: o.Extra, Preferred: o.preferred,
		Messages: slices.Insert(task, 1, shots(kind, o.Examples)...), Schema: schemaOf(t, kind), SchemaName: kind}
	return structured.Query[data.Labels, data.Status]{Request: req, Repairs: o.Repair,
		Read:          func(reply string) (data.Labels, data.Status, string) { return read(reply, t, kind) },
		RepairMessage: func(reason string) string { return structured.Render(prompts, "repair", reason) }}.Do(ctx, ask)
}

// messagesFor returns the system message and the message with the question and the table.
func messagesFor(q data.Question, t data.ContrastTable, kind string) []llm.Message {
	if strings.TrimSpace(q.Text) == "" {
		q.Text = data.DefaultQuestion(q.Object1, q.Object2, q.Aspect)
	}
	line := structured.OneLine
	fields := struct{ Kind, Question, Object1, Object2, Aspect, Table, Mark string }{
		kind, line(q.Text), line(q.Object1), line(q.Object2), line(q.Aspect), tableText(t, kind), ""}
	fields.Mark = structured.Mark(fields.Question, fields.Object1, fields.Object2, fields.Aspect, fields.Table)
	text := structured.Render(prompts, "prompt", fields)
	return []llm.Message{{Role: "system", Shared: structured.Render(prompts, "system", nil)}, structured.User(text, fields.Mark)}
}

// tableText returns a table with numbered rows and values. It leaves out what the kind of labels does not need: values or quotes.
func tableText(t data.ContrastTable, kind string) string {
	var b strings.Builder
	for i, row := range t.Rows {
		fmt.Fprintf(&b, "Row %d: %s\n", i+1, structured.OneLine(row.Attribute))
		if kind == data.LabelPartition {
			continue
		}
		for k, values := range row.Cells() {
			fmt.Fprintf(&b, "  object%d:\n", k+1)
			for j, v := range values {
				fmt.Fprintf(&b, "    %d. %s\n", j+1, structured.OneLine(v.Value))
				for _, e := range v.Evidence {
					if kind != data.LabelConsistent {
						fmt.Fprintf(&b, "       quote: %q\n", structured.OneLine(e.Quote))
					}
				}
			}
			if len(values) == 0 {
				b.WriteString("    (no value)\n")
			}
		}
	}
	return b.String()
}
