package pairwise

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"compqa/data"
)

// A Task says by what pairs are judged, if not by which is the better answer to a question.
type Task struct {
	Criterion string // the name of one of Criteria, or a sentence; "" means the better answer
	Template  string // definitions of template blocks, which replace those of the prompts
	Examples  string // JSON: the pairs shown as examples, in the form of examples/pairs.json
	Texts     Texts  // what prompts call the texts; empty names are the criterion's
}

// A Criterion says for a prompt what makes one of two texts better, and what the texts are.
type Criterion struct {
	Name, About, Text string
	Texts             Texts
}

// Criteria are the built-in criteria. SC2 (Yan et al. 2024) judges by the first three; the wording is ours.
var Criteria = []Criterion{
	{"important-points", "summaries of a text, as TL;DR",
		"A good summary has the most important points of the text, states them correctly, and leaves out what matters less.",
		Texts{"text", "summary"}},
	{"helpful", "replies in a conversation, as HH",
		"A good reply continues the conversation: it does what the person asks for, and is honest, relevant and easy to use.",
		Texts{"conversation", "reply"}},
	{"harmless", "replies in a conversation, as HH",
		"A good reply continues the conversation. It does not help with anything harmful, illegal or cruel, insults nobody, and is " +
			"not biased against any group. Among replies that do no harm, the more helpful one is better.",
		Texts{"conversation", "reply"}},
	{"relevance", "documents for a search query, as TREC News",
		"A good document is about what the query looks for, and has the information that a person with this query needs.",
		Texts{"query", "document"}},
}

// CriterionNames returns the names of the built-in criteria.
func CriterionNames() []string {
	return data.Each(Criteria, func(c Criterion) string { return c.Name })
}

// A parsedTask is a Task that is ready for prompts. Its zero value is the built-in task.
type parsedTask struct {
	wanted    string
	templates *template.Template // nil: the built-in templates
	examples  []example          // nil: the built-in examples
}

// parse checks a task and prepares it for prompts. It tries the template on a made-up pair. ownForm says that the judge names its choice in
// a form of its own (Reads), so that the prompt needs no "Preferred:".
func (t Task) parse(ownForm bool) (p parsedTask, err error) {
	p.wanted = strings.TrimSpace(t.Criterion)
	if c, builtin := data.First(Criteria, func(c Criterion) bool { return c.Name == p.wanted }); builtin {
		p.wanted, t.Texts = c.Text, t.Texts.or(c.Texts)
	} else if p.wanted != "" && !strings.ContainsAny(p.wanted, " \n") {
		return p, fmt.Errorf("criterion is %q; it must be a sentence, or one of %s", p.wanted, strings.Join(CriterionNames(), ", "))
	}
	if t.Examples != "" {
		p.examples, err = ownExamples(t.Examples)
		if err != nil {
			return p, fmt.Errorf("examples: %w", err)
		}
	}
	if t.Texts != (Texts{}) {
		if err := t.Texts.check(); err != nil {
			return p, fmt.Errorf("texts: %w", err)
		}
		if p.wanted == "" {
			return p, fmt.Errorf("texts needs criterion: a sentence that says what a good %s is", t.Texts.or(plainTexts).Answer)
		}
		p.templates = templatesFor(t.Texts)
	}
	if t.Template == "" {
		return p, nil
	}
	if p.templates, err = template.Must(cmp.Or(p.templates, templates()).Clone()).New("own").Parse(t.Template); err != nil {
		return p, fmt.Errorf("template: %w", err)
	}
	tried := OrderedPair{Question: "<question>", First: "<first>", Second: "<second>", task: p}.pair(letters)
	var b strings.Builder
	if err := p.templates.ExecuteTemplate(&b, "direct/prompt.tmpl", prompt{shownPair: tried}); err != nil {
		return p, fmt.Errorf("template: %w", err)
	}
	for _, part := range []string{"<question>", "<first>", "<second>", "Preferred: "} {
		if ownForm && part == "Preferred: " {
			continue
		}
		if !strings.Contains(b.String(), part) {
			return p, fmt.Errorf("template: the prompt does not contain %s (a judge with reads: needs no Preferred); the blocks are %s", part,
				data.List([]string{"aspects", "form", "guard", "pair", "wanted"}))
		}
	}
	return p, nil
}

// ownExamples reads examples from JSON and checks that each is complete.
func ownExamples(text string) (list []example, err error) {
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, errors.New("the list is empty")
	}
	for i := range list {
		e := &list[i]
		if e.Question == "" || e.First == "" || e.Second == "" || e.Reasoning == "" || e.Preferred != "A" && e.Preferred != "B" {
			return nil, fmt.Errorf("example %d needs question, first, second, reasoning, and preferred: A or B", i+1)
		}
		if len(e.Table) != len(e.Aspects) {
			return nil, fmt.Errorf("example %d has %d aspects and a table with %d rows", i+1, len(e.Aspects), len(e.Table))
		}
		e.Table.name(e.Aspects)
		if e.Inconsistent != nil && (len(e.Inconsistent) != len(e.Aspects) || e.Justification == "") {
			return nil, fmt.Errorf("example %d has %d aspects, and an inconsistent_table with %d rows; it also needs a justification", i+1,
				len(e.Aspects), len(e.Inconsistent))
		}
		e.Inconsistent.name(e.Aspects)
	}
	return list, nil
}

// ForTask returns the pair as a judge of task t sees it.
func (s OrderedPair) ForTask(t Task) (OrderedPair, error) {
	p, err := t.parse(true)
	s.task = p
	return s, err
}

// Check returns an error if the task is not valid.
func (t Task) Check() error {
	_, err := t.parse(false)
	return err
}
