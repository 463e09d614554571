package summary

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"text/template"

	"compqa/data"
	"compqa/judges/scoring"
	"compqa/llm"
)

// The prompts ask for what Gunel et al. describe in section 4 and appendix A, in our words.
// What is the same in every call comes first, so that servers can cache it.
var (
	//go:embed templates/summary.tmpl
	promptText string
	prompts    = template.Must(template.New("summary.tmpl").Parse(promptText))
)

// parserVersion is raised when a reply is read differently.
const parserVersion = 1

// Options say which model labels, and how it is asked.
type Options struct {
	Model          string
	Options, Extra map[string]any
	Repair         int // times a faulty reply is shown to the judge again
}

// Model is a judge that is a model. The identity is of all that its labels depend on beside
// the server.
func Model(o Options) (Judge, string, error) {
	o.Options, o.Extra = maps.Clone(o.Options), maps.Clone(o.Extra)
	identity, err := json.Marshal([]any{promptText, o, parserVersion})
	if err != nil {
		return nil, "", fmt.Errorf("the judge's options: %w", err)
	}
	return o.label, string(identity), nil
}

// label asks for the labels of one kind and, while repairs are left, for corrected ones.
func (o Options) label(ctx context.Context, q data.Question, t data.ContrastTable, kind string, ask scoring.Ask) (l Labelled) {
	if len(t.Rows) == 0 {
		l.Status, l.Reason = data.Labels{}.Check(kind, t)
		return l
	}
	messages, err := messagesFor(q, t, kind)
	if err != nil {
		return Labelled{Status: data.Failed, Reason: err.Error()}
	}
	req := llm.Request{Model: o.Model, Options: o.Options, Extra: o.Extra, Messages: messages, Schema: schemaOf(t, kind), SchemaName: kind}
	got := scoring.AskRepaired(ctx, ask, req, o.Repair, func(reply string) (status data.Status, reason string) {
		l.Labels, status, reason = read(reply, t, kind)
		return status, reason
	}, complaint)
	if l.Status, l.Reason, l.Raw = got.Status, got.Reason, got.Raw; l.Status != data.Valid {
		l.Labels = data.Labels{}
	}
	return l
}

func complaint(reason string) (llm.Message, error) {
	text, err := block("repair", reason)
	return llm.Message{Role: "user", Content: text}, err
}

func messagesFor(q data.Question, t data.ContrastTable, kind string) ([]llm.Message, error) {
	if strings.TrimSpace(q.Text) == "" {
		q.Text = data.DefaultQuestion(q.Object1, q.Object2, q.Aspect)
	}
	fields := struct{ Kind, Question, Object1, Object2, Aspect, Table, Mark string }{kind, oneLine(q.Text), oneLine(q.Object1), oneLine(q.Object2), oneLine(q.Aspect), tableText(t, kind), ""}
	fields.Mark = llm.UnusedMark([]string{fields.Question, fields.Object1, fields.Object2, fields.Aspect, fields.Table}, 8)
	var texts [3]string
	for i, name := range []string{"system", "task", "shown"} {
		var err error
		if texts[i], err = block(name, fields); err != nil {
			return nil, err
		}
	}
	return []llm.Message{{Role: "system", Shared: texts[0]}, {Role: "user", Shared: texts[1], Content: texts[2]}}, nil
}

// tableText is a table with numbered rows and values. Quotes are shown where they decide.
func tableText(t data.ContrastTable, kind string) string {
	var b strings.Builder
	for i, row := range t.Rows {
		fmt.Fprintf(&b, "Row %d: %s\n", i+1, oneLine(row.Attribute))
		if kind == data.LabelPartition {
			continue
		}
		for k, values := range row.Cells() {
			fmt.Fprintf(&b, "  object%d:\n", k+1)
			for j, v := range values {
				fmt.Fprintf(&b, "    %d. %s\n", j+1, oneLine(v.Value))
				for _, e := range v.Evidence {
					if kind != data.LabelConsistent {
						fmt.Fprintf(&b, "       quote: %q\n", oneLine(e.Quote))
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

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func block(name string, fields any) (string, error) {
	var b strings.Builder
	if err := prompts.ExecuteTemplate(&b, name, fields); err != nil {
		return "", fmt.Errorf("writing the judge's prompt: %w", err)
	}
	return b.String(), nil
}
