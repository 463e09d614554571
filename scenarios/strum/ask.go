package strum

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"compqa/llm"
)

//go:embed templates
var files embed.FS

// stagesVersion is increased when replies are used differently.
const stagesVersion = 1

var templates = template.Must(template.ParseFS(files, "templates/*.tmpl"))

func mustRead(path string) string {
	text, err := files.ReadFile(path)
	if err != nil {
		panic(fmt.Sprintf("the embedded files: %v", err))
	}
	return string(text)
}

// schemas are the JSON Schemas of replies, by template.
var schemas = map[string]string{
	"extract":         listOf("values", textField("attribute")+","+textField("value")+","+textField("quote")+","+numberField("source"), `"attribute","value","quote","source"`),
	"critique-values": listOf("faults", numberField("number")+","+textField("reason"), `"number","reason"`),
	"revise-values":   listOf("values", numberField("number")+","+textField("attribute")+","+textField("value")+","+textField("quote")+","+numberField("source"), `"number","attribute","value","quote","source"`),
	"attributes":      listOf("groups", numberField("center")+","+numbersField("members"), `"center","members"`),
	"values":          listOf("groups", numberField("center")+","+numbersField("members")+","+numbersField("contradicted_by"), `"center","members","contradicted_by"`),
	"contrast":        listOf("rows", numberField("row")+`,"kind":{"type":"string","enum":["contrast","important","neither"]},"level":{"type":"integer","enum":[0,1,2,3]}`, `"row","kind","level"`),
	"critique-rows":   listOf("faults", numberField("number")+","+textField("reason"), `"number","reason"`),
	"revise-rows":     listOf("rows", numbersField("replaces")+","+textField("attribute")+","+cellField("object1")+","+cellField("object2"), `"replaces","attribute","object1","object2"`),
	"useful":          listOf("rows", numberField("row")+`,"useful":{"type":"boolean"}`, `"row","useful"`),
}

func listOf(name, fields, required string) string {
	return `{"type":"object","properties":{"` + name + `":{"type":"array","items":` + object(fields, required) + `}},"required":["` + name + `"],"additionalProperties":false}`
}

func object(fields, required string) string {
	return `{"type":"object","properties":{` + fields + `},"required":[` + required + `],"additionalProperties":false}`
}

func textField(name string) string   { return `"` + name + `":{"type":"string"}` }
func numberField(name string) string { return `"` + name + `":{"type":"integer"}` }
func numbersField(name string) string {
	return `"` + name + `":{"type":"array","items":{"type":"integer"}}`
}
func cellField(name string) string {
	return `"` + name + `":{"type":"array","items":` + object(textField("value")+","+numbersField("from"), `"value","from"`) + `}`
}

// A prompt is the data of the templates; each template uses a part of it.
type prompt struct {
	Mark          string
	Object, Other string
	Fault         string
	Texts         []shownText
	Values        []shownValue
	Rows          []shownRow
	Faults        []fault
}

type shownText struct {
	Number int
	Text   string
}

type shownValue struct {
	Number           int
	Attribute, Value string
	Support          string
}

type shownRow struct {
	Number    int
	Attribute string
	Cells     [2]shownCell
}

type shownCell struct {
	Object string
	Values []shownValue
}

// A fault is a line of a critique.
type fault struct {
	Number int    `json:"number"`
	Reason string `json:"reason"`
}

// render fills a template. What is before the line with the objects' names is the same in
// every prompt, so that servers can cache it, except for the mark.
func render(name string, p prompt) []llm.Message {
	var texts []string
	for _, t := range p.Texts {
		texts = append(texts, t.Text)
	}
	for _, v := range p.Values {
		texts = append(texts, v.Attribute, v.Value)
	}
	for _, r := range p.Rows {
		texts = append(texts, r.Attribute)
		for _, c := range r.Cells {
			for _, v := range c.Values {
				texts = append(texts, v.Value)
			}
		}
	}
	p.Mark = llm.UnusedMark(texts, 6)
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, name+".tmpl", p); err != nil {
		panic(fmt.Sprintf("the embedded template %s: %v", name, err))
	}
	text := strings.TrimSpace(b.String())
	first := max(0, strings.Index(text, p.Mark))
	own := strings.LastIndexByte(text[:first], '\n') + 1
	return []llm.Message{{Role: "user", Shared: text[:own], Content: text[own:]}}
}

// ErrReply reports a reply that a stage cannot use.
var ErrReply = errors.New("the reply cannot be used")

// A Stopped ends a table without a result.
type Stopped struct {
	Stage string
	Reply string // the last one
	Err   error  // of the call, or ErrReply
}

func (e *Stopped) Error() string { return e.Stage + ": " + e.Err.Error() }
func (e *Stopped) Unwrap() error { return e.Err }

// call asks for a list by a template. accept checks and takes its items; its error describes
// what is wrong with them, and the model is asked again as often as repairs are allowed.
func call[Item any](ctx context.Context, s *Live, ask Ask, role Role, stage, name string, p prompt, accept func([]Item) error) error {
	m := s.o.Models[role]
	req := llm.Request{Model: m.Name, Options: m.Options, Extra: m.Extra, Schema: json.RawMessage(schemas[name]), SchemaName: strings.ReplaceAll(name, "-", "_"), Messages: render(name, p)}
	for repairs := 0; ; repairs++ {
		reply, err := ask(ctx, role, req)
		if err != nil {
			return &Stopped{stage, reply.Text, err}
		}
		list, err := items[Item](reply.Text)
		if err == nil {
			err = accept(list)
		}
		if err == nil {
			return nil
		}
		if repairs >= s.o.Repair {
			return &Stopped{stage, reply.Text, fmt.Errorf("%w: %w", ErrReply, err)}
		}
		shown := reply.Text
		if strings.TrimSpace(shown) == "" {
			shown = "(nothing)"
		}
		req.Messages = append(req.Messages, llm.Message{Role: "assistant", Content: shown},
			llm.Message{Role: "user", Content: "This reply cannot be used: " + err.Error() + ". Reply again, in JSON of the form above."})
	}
}

// items are those of the last object in a reply that has one list.
func items[Item any](reply string) (list []Item, err error) {
	objects := llm.Objects(reply)
	if len(objects) == 0 {
		return nil, errors.New("there is no JSON object in it")
	}
	last := objects[len(objects)-1]
	for name, raw := range last {
		if len(last) > 1 {
			return nil, errors.New("the object has more than one list")
		}
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, fmt.Errorf("%s is not a list of that form", name)
		}
	}
	return list, nil
}
