// Package scenarios says how a question is asked and how it is answered without
// a model. A scenario is a template in a file: its block "user" is the prompt,
// its block "system", if there is one, the role. The built-in four carry every
// requirement of the CompQA paper's prompts (Nikishina et al., Figure 4) in our
// words; a configuration may name others by path.
//
// A template may use .Object1, .Object2, .Aspect, .Question and .Arguments, and
// the function numbered, which lists arguments as "1. …". What it uses is tried
// when it is loaded: a field that is not there is an error before the first
// call, not at call 1,000.
package scenarios

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"text/template"

	"compqa/data"
)

//go:embed templates/*.tmpl
var builtin embed.FS

// BuiltinIDs are the ids of the paper's four scenarios.
var BuiltinIDs = []string{"1", "2", "3", "4"}

// A Scenario renders the prompt for a question. NeedsArguments says that the
// prompt shows the question's arguments, so that a question without any cannot
// be asked; Hash is the SHA-256 of the template's text.
type Scenario struct {
	ID             string
	NeedsArguments bool
	Hash           string
	Source         string
	prompt         *template.Template
}

// A Prompt is what a model is told: its role, which may be empty, and the task.
type Prompt struct {
	System string
	User   string
}

// fields is what a template may use.
type fields struct {
	Object1, Object2, Aspect, Question string
	Arguments                          []data.Argument
}

// Builtin is one of the paper's scenarios, "1" to "4".
func Builtin(id string) (Scenario, error) {
	text, err := builtin.ReadFile("templates/" + id + ".tmpl")
	if err != nil {
		return Scenario{}, fmt.Errorf("scenario %q is not built in (%s are); give {id: %s, template: path} for one of your own", id, strings.Join(BuiltinIDs, ", "), id)
	}
	return parse(id, "built-in template "+id, string(text))
}

// Load reads a scenario's template from a file.
func Load(id, path string) (Scenario, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Scenario{}, fmt.Errorf("scenario %q: cannot read its template: %w", id, err)
	}
	return parse(id, path, string(text))
}

// Parse is a scenario by its template's text, as a record keeps it.
func Parse(id, text string) (Scenario, error) { return parse(id, "recorded template "+id, text) }

func parse(id, name, text string) (Scenario, error) {
	funcs := template.FuncMap{"numbered": numbered}
	prompt, err := template.New(name).Funcs(funcs).Option("missingkey=error").Parse(text)
	if err != nil {
		return Scenario{}, fmt.Errorf("scenario %q: %w", id, err)
	}
	if prompt.Lookup("user") == nil {
		return Scenario{}, fmt.Errorf(`scenario %q: %s defines no block "user" ({{define "user"}}…{{end}})`, id, name)
	}
	sum := sha256.Sum256([]byte(text))
	s := Scenario{ID: id, Source: text, Hash: hex.EncodeToString(sum[:]), prompt: prompt}
	return s.try()
}

// try renders the scenario for questions that have and lack everything a
// question may lack, and finds out whether the arguments are shown.
func (s Scenario) try() (Scenario, error) {
	const marker = "an argument to look for"
	empty := false
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
		return s, fmt.Errorf(`scenario %q: the block "user" is empty, for some questions at least`, s.ID)
	}
	return s, nil
}

// Render is the prompt for a question. The paper's scenarios do not carry the
// aspect; withAspect adds it.
func (s Scenario) Render(q data.Question, withAspect bool) (Prompt, error) {
	f := fields{q.Object1, q.Object2, "", q.Text, q.Arguments}
	if withAspect {
		f.Aspect = q.Aspect
	}
	var p Prompt
	for name, into := range map[string]*string{"system": &p.System, "user": &p.User} {
		if s.prompt.Lookup(name) == nil {
			continue
		}
		var text strings.Builder
		if err := s.prompt.ExecuteTemplate(&text, name, f); err != nil {
			return p, fmt.Errorf("scenario %q: %w", s.ID, err)
		}
		*into = strings.TrimSpace(text.String())
	}
	return p, nil
}

// numbered lists arguments as models are to cite them: "1. …", one a line.
func numbered(arguments []data.Argument) string {
	var b strings.Builder
	for i, a := range arguments {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%d. %s", i+1, a.Text)
	}
	return b.String()
}
