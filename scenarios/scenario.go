// Package scenarios makes prompts from questions, and answers questions without a model. A scenario is a template in a file:
// its block "user" is the prompt, its optional block "system" the role. The four built-in scenarios have all the
// requirements of the CompQA paper's prompts (Nikishina et al., Figure 4), in our words; a configuration may use others by
// path.
//
// A template may use .Object1, .Object2, .Aspect, .Question and .Arguments, and the
// function numbered, which lists arguments as "1. …". Each template is tested when it is
// loaded, so that an unknown field is an error before the first call. Rendering is bounded.
package scenarios

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"strings"
	"text/template"

	"compqa/data"
)

//go:embed templates/*.tmpl
var builtin embed.FS

// BuiltinIDs are the ids of the paper's four scenarios.
var BuiltinIDs = []string{"1", "2", "3", "4"}

// QuestionAlone is the id of the built-in scenario whose prompt is only the question's text.
const QuestionAlone = "question"

// A Scenario renders the prompt for a question. NeedsArguments says that the prompt shows the question's arguments, so that it cannot be
// used for a question without arguments. NeedsObjects says that the prompt names the two objects even if the question has none. Hash is the
// SHA-256 of the template's text.
type Scenario struct {
	ID             string
	NeedsArguments bool
	NeedsObjects   bool
	Hash           string
	Source         string
	prompt         *template.Template
}

// A Prompt is the system message, which may be empty, and the user's message.
type Prompt struct {
	System string
	User   string
}

// fields are the values that a template can use.
type fields struct {
	Object1, Object2, Aspect, Question string
	Arguments                          []data.Argument
}

// Builtin returns one of the paper's scenarios, "1" to "4".
func Builtin(id string) (Scenario, error) {
	text, err := builtin.ReadFile("templates/" + id + ".tmpl")
	if err != nil {
		return Scenario{}, fmt.Errorf("scenario %q is not built in (built in: %s, %s); use {id: %s, template: path} for your own", id,
			strings.Join(BuiltinIDs, ", "), QuestionAlone, id)
	}
	return parse(id, "built-in template "+id, string(text))
}

// Load reads a scenario's template from a file. Errors name the file and the line.
func Load(id, path string) (Scenario, error) {
	text, _, err := data.ReadText(path)
	if err != nil {
		return Scenario{}, fmt.Errorf("scenario %q: cannot read its template: %w", id, err)
	}
	return parse(id, path, string(text))
}

// Parse makes a scenario from a template's text that a record holds.
func Parse(id, text string) (Scenario, error) { return parse(id, "recorded template "+id, text) }

// parse checks a template and makes a scenario of it. name stands for the template in errors.
func parse(id, name, text string) (Scenario, error) {
	if len(text) > mostTemplate {
		return Scenario{}, fmt.Errorf("scenario %q: %s has %d bytes; at most %d are allowed", id, name, len(text), mostTemplate)
	}
	prompt, err := template.New(name).Funcs(functions()).Option("missingkey=error").Parse(text)
	if err != nil {
		return Scenario{}, fmt.Errorf("scenario %q: %w; %s", id, err, offered)
	}
	for _, t := range prompt.Templates() {
		if err := bounded(t.Root); err != nil {
			return Scenario{}, fmt.Errorf("scenario %q: %s: %w", id, name, err)
		}
	}
	if prompt.Lookup("user") == nil {
		return Scenario{}, fmt.Errorf(`scenario %q: %s defines no block "user" ({{define "user"}}…{{end}})`, id, name)
	}
	return Scenario{ID: id, Source: text, Hash: fmt.Sprintf("%x", sha256.Sum256([]byte(text))), prompt: prompt}.checkRenders()
}

// checkRenders renders the scenario for questions with and without aspect, arguments and objects. It returns an error if a prompt is empty,
// and sets NeedsArguments and NeedsObjects.
func (s Scenario) checkRenders() (Scenario, error) {
	const marker, object = "an argument to look for", "an object to look for"
	empty := false
	with, err := s.Render(data.Question{Object1: object, Object2: object, Text: "A or B?"}, false)
	if err != nil {
		return s, err
	}
	without, err := s.Render(data.Question{Text: "A or B?"}, false)
	if err != nil {
		return s, err
	}
	if shown := with.System + with.User; strings.Contains(shown, object) { // other words may depend on the objects, too
		words := func(text string) string { return strings.Join(strings.Fields(text), " ") }
		s.NeedsObjects = words(strings.ReplaceAll(shown, object, "")) == words(without.System+without.User)
	}
	for _, aspect := range []string{"", "speed"} {
		for _, arguments := range [][]data.Argument{nil, {{Text: marker, Favours: data.Object1, Aspect: "speed"}}} {
			p, err := s.Render(data.Question{Object1: "A", Object2: "B", Aspect: aspect, Text: "A or B?", Arguments: arguments}, true)
			if err != nil {
				return s, err
			}
			empty = empty || p.User == ""
			if strings.Contains(p.System+p.User, marker) {
				s.NeedsArguments = true
			}
		}
	}
	if empty {
		return s, fmt.Errorf(`scenario %q: the block "user" is empty for some questions`, s.ID)
	}
	return s, nil
}

// Render returns the prompt for a question. The paper's scenarios do not use the question's aspect; withAspect adds it.
func (s Scenario) Render(q data.Question, withAspect bool) (Prompt, error) {
	f := fields{q.Object1, q.Object2, "", q.Text, q.Arguments}
	if withAspect {
		f.Aspect = q.Aspect
	}
	var p Prompt
	if work(len(s.Source), q.Arguments) > mostWork {
		return p, fmt.Errorf("scenario %q: %w", s.ID, errWork)
	}
	for name, into := range map[string]*string{"system": &p.System, "user": &p.User} {
		if s.prompt.Lookup(name) == nil {
			continue
		}
		var text limited
		if err := s.prompt.ExecuteTemplate(&text, name, f); err != nil {
			return p, fmt.Errorf("scenario %q: %w; %s", s.ID, err, offered)
		}
		*into = strings.TrimSpace(text.String())
	}
	return p, nil
}

// offered tells in errors what a template can use.
const offered = "a template can use .Object1, .Object2, .Aspect, .Question, .Arguments (a list of {.Text, .Favours, .Aspect}) and " +
	"{{numbered .Arguments}}"

// numbered lists arguments with the numbers by which models cite them, one in each line: "1. …".
func numbered(arguments []data.Argument) string {
	lines := make([]string, len(arguments))
	for i, a := range arguments {
		lines[i] = fmt.Sprintf("%d. %s", i+1, a.Text)
	}
	return strings.Join(lines, "\n")
}
