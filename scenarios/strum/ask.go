package strum

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"compqa/data"
	"compqa/llm"
	"compqa/llm/structured"
)

//go:embed templates
var files embed.FS

// stagesVersion is increased when replies are used differently.
const stagesVersion = 3

var templates = template.Must(template.ParseFS(files, "templates/*.tmpl"))

// A form describes the calls with one template: the role whose model is asked, and the list in the reply, by its name and the form of an
// item.
type form struct {
	role Role
	list string
	item any
}

// forms has the form of each call, by the name of its template.
var forms = map[string]form{
	"extract":         {RoleExtract, "values", extracted},
	"critique-values": {RoleExtract, "faults", fault{}},
	"revise-values":   {RoleExtract, "values", append(structured.Fields{{Name: "number", Value: 0}}, extracted...)},
	"attributes":      {RoleContrast, "groups", structured.Fields{{Name: "center", Value: 0}, {Name: "members", Value: []int{}}}},
	"values":          {RoleContrast, "groups", grouping{}},
	"contrast": {RoleContrast, "rows", structured.Fields{{Name: "row", Value: 0}, {Name: "kind", Value: structured.EnumOf(rowKinds)},
		{Name: "level", Value: structured.Enum{0, 1, 2, 3}}}},
	"critique-rows": {RoleContrast, "faults", fault{}},
	"revise-rows":   {RoleContrast, "rows", revised{}},
	"useful":        {RoleContrast, "rows", structured.Fields{{Name: "row", Value: 0}, {Name: "useful", Value: false}}},
}

var extracted = structured.Fields{
	{Name: "attribute", Value: ""}, {Name: "value", Value: ""}, {Name: "quote", Value: ""}, {Name: "source", Value: 0},
}

// rowKinds are the possible kinds of a row in a reply.
var rowKinds = []string{data.RowContrast, data.RowImportant, neither}

func (f form) schema() json.RawMessage {
	return structured.Schema(structured.Fields{{Name: f.list, Value: []any{f.item}}})
}

// listIn returns the list in an object of a reply. If the list is the object's only member, it can have any name. The result has no Items
// without a list.
func (f form) listIn(v structured.Value) structured.Value {
	list, named := v.Get(f.list)
	if (!named || list.Items == nil) && len(v.Members) == 1 {
		return v.Members[0].Value
	}
	return list
}

// A prompt holds the fields of all templates. Each template uses some of them.
type prompt struct {
	Mark          string
	Object, Other string
	Fault         string
	Texts         []shownText
	Values        []shownValue
	Rows          []shownRow
	Faults        []fault
}

// A shownText is a source's text, or a part of it, as a prompt shows it.
type shownText struct {
	Number int
	Title  string // "" if the source has no title
	Text   string
}

// A shownValue is a value as a prompt shows it. Support says how many sources support and contradict it.
type shownValue struct {
	Number           int
	Attribute, Value string
	Support          string
}

// A shownRow is a row of a table as a prompt shows it, with a cell for each object.
type shownRow struct {
	Number    int
	Attribute string
	Cells     [2]shownCell
}

// A shownCell is the values of one object in a row, as a prompt shows them.
type shownCell struct {
	Object string
	Values []shownValue
}

// A fault is the JSON form of one fault that a critique finds: the number of a value or row, and the reason.
type fault struct {
	Number int    `json:"number"`
	Reason string `json:"reason"`
}

// text returns the text that must not repeat the prompt.
func (f fault) text() string { return f.Reason }

// texts returns the texts that a prompt shows, which come from sources or from models.
func (p prompt) texts() []string {
	var texts []string
	for _, t := range p.Texts {
		texts = append(texts, t.Text, t.Title)
	}
	for _, v := range p.Values {
		texts = append(texts, v.Attribute, v.Value)
	}
	for _, f := range p.Faults {
		texts = append(texts, f.Reason)
	}
	for _, r := range p.Rows {
		texts = append(texts, r.Attribute)
		for _, c := range r.Cells {
			for _, v := range c.Values {
				texts = append(texts, v.Value)
			}
		}
	}
	return texts
}

// ErrReply is the error if a stage cannot use a reply.
var ErrReply = errors.New("the reply cannot be used")

// A Stopped is the error that ends the making of a table.
type Stopped struct {
	Stage string
	Reply string // the last reply
	Err   error  // the error of the call, or ErrReply
}

func (e *Stopped) Error() string { return e.Stage + ": " + e.Err.Error() }
func (e *Stopped) Unwrap() error { return e.Err }

// call renders a template, asks a model, and passes the list in the reply to accept, which checks it. If accept returns an error, the model
// is told the error and asked again, while repairs are left. An error of call is a *Stopped.
func call[Item any](ctx context.Context, s *tableBuild, stage, name string, p prompt, accept func([]Item) error) error {
	f, texts := forms[name], p.texts()
	m := s.o.Models[f.role]
	p.Mark = structured.Mark(texts...)
	text := structured.Render(templates, name+".tmpl", p)
	material := structured.MaterialOf(texts...)
	bare := prompt{Mark: p.Mark, Object: p.Object, Other: p.Other, Fault: p.Fault}
	instructions := structured.InstructionsOf(structured.Render(templates, name+".tmpl", bare), p.Mark)
	r := structured.Query[struct{}, string]{
		Request: llm.Request{Model: m.Name, Options: m.Options, Extra: m.Extra,
			Schema: f.schema(), SchemaName: strings.ReplaceAll(name, "-", "_"),
			Messages: append(shots(name, m.Examples), structured.User(text, p.Mark))},
		Repairs: s.o.Repair,
		Read: func(reply string) (none struct{}, _, reason string) {
			list, err := items[Item](reply, f, material)
			for _, item := range list {
				if texted, is := any(item).(interface{ text() string }); is && err == nil && texted.text() != "" &&
					instructions.Repeats(texted.text()) {
					err = fmt.Errorf("an item of %s repeats the prompt", f.list)
				}
			}
			if err == nil {
				err = accept(list)
			}
			if err != nil {
				reason = err.Error()
			}
			return none, "", reason
		},
		RepairMessage: func(reason string) string {
			return "This reply cannot be used: " + reason + ". Reply again, in JSON of the form above."
		},
	}.Do(ctx, func(ctx context.Context, r llm.Request) (llm.Reply, error) { return s.ask(ctx, f.role, r) })
	switch {
	case r.Err != nil:
		return &Stopped{stage, r.Reply.Text, r.Err}
	case r.Reason != "":
		return &Stopped{stage, r.Raw, fmt.Errorf("%w: %s", ErrReply, r.Reason)}
	}
	return nil
}

// items returns the items of the list that the form names, from a JSON object in a reply.
func items[Item any](reply string, f form, material structured.Material) (list []Item, err error) {
	v, err := structured.Object(reply, func(v structured.Value) bool { return f.listIn(v).Items != nil }, material)
	if err != nil {
		return nil, fmt.Errorf("of JSON objects with a list %s: %w", f.list, err)
	}
	if err := f.listIn(v).Decode(&list); err != nil {
		return nil, fmt.Errorf("%s is not a list of that form", f.list)
	}
	return list, nil
}

// MostExamples is the maximum number of examples in a prompt.
const MostExamples = 2

//go:embed examples.json
var examplesText []byte

// An example is a made-up task of a stage, with the right reply.
type example struct {
	Prompt prompt          `json:"prompt"`
	Reply  json.RawMessage `json:"reply"`
}

// examples has the examples by the name of the template. Critiques and revisions have none.
var examples = data.Must(data.Decoded[map[string][]example](examplesText))

// shots returns the first n examples of a template as turns of a conversation, to come before the task.
func shots(name string, n int) (turns []llm.Message) {
	for _, e := range examples[name][:min(n, len(examples[name]))] {
		e.Prompt.Mark = structured.Mark(e.Prompt.texts()...)
		turns = append(turns, structured.User(structured.Render(templates, name+".tmpl", e.Prompt), e.Prompt.Mark),
			llm.Message{Role: "assistant", Content: string(e.Reply)})
	}
	return turns
}
