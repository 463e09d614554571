package pairwise

import (
	"cmp"
	"embed"
	"io/fs"
	"strings"
	"sync"
	"text/template"

	"compqa/data"
	"compqa/llm"
	"compqa/llm/structured"
)

//go:embed templates examples
var files embed.FS

// templates returns all prompt templates, named by their path below the folder templates.
var templates = sync.OnceValue(func() *template.Template { return templatesFor(Texts{}) })

// templatesFor returns all prompt templates, with t in place of "question" and "answer".
func templatesFor(t Texts) *template.Template {
	all := template.New("").Funcs(template.FuncMap{"ordinal": func(i int) int { return i + 1 }})
	for _, path := range templatePaths() {
		template.Must(all.New(strings.TrimPrefix(path, "templates/")).Parse(t.renameIn(mustRead(path))))
	}
	return all
}

func templatePaths() []string { return data.Must(fs.Glob(files, "templates/*/*.tmpl")) }

func mustRead(path string) string { return string(data.Must(files.ReadFile(path))) }

// A shownPair is the part of a prompt that shows a pair. Mark is a number that does not occur in the shown texts, to mark where they begin
// and end.
type shownPair struct {
	Question              string
	First, Second         string
	FirstName, SecondName string
	Mark                  string
	Advice                string // see Shown
	Wanted                string // what a good answer is; "" means the prompt's own words
	task                  parsedTask
}

// A shownExample is an example in a prompt: a pair with a known choice.
type shownExample struct {
	shownPair
	Aspects              []string
	Table, TableJSON     string
	Reasoning, Preferred string
}

// A shownDuel is an example for SC2's comparator: two tables on one pair, with the decision.
type shownDuel struct {
	shownPair
	TableA, TableB            string
	Consistent, Justification string
}

// A prompt holds the fields of all templates. Each template uses some of them.
type prompt struct {
	shownPair
	Aspects        []string
	Limit          int
	Counted        []string
	FormJSON       string
	Table          string
	TableA, TableB string
	Better, Worse  string
	Judgment       string
	Examples       []shownExample
	Duels          []shownDuel
	Abstain, Ties  bool
	Candidates     []string
}

// letters and digits are what a prompt can call the two answers.
var (
	letters = [2]string{"A", "B"}
	digits  = [2]string{"1", "2"}
)

// pair returns the pair as a prompt shows it, with these names of the answers. further are other texts in the prompt, which Mark must not
// be in.
func (s OrderedPair) pair(names [2]string, further ...string) shownPair {
	p := shownPair{Question: strings.TrimSpace(s.Question), First: strings.TrimSpace(s.First), Second: strings.TrimSpace(s.Second),
		FirstName: names[0], SecondName: names[1]}
	p.Advice = strings.TrimSpace(s.Advice)
	p.Wanted = s.task.wanted
	p.task = s.task
	p.Mark = structured.Mark(append([]string{p.Question, p.First, p.Second, p.Advice}, further...)...)
	return p
}

// material returns the texts that a prompt shows. A judge may quote them, and quotes are not read as its decision.
func (s OrderedPair) material(further ...string) structured.Material {
	return structured.MaterialOf(append(further, s.Question, s.First, s.Second, s.Advice)...)
}

// render fills a template and returns the user's message. The text before p.Mark is the same in every prompt of the template, so that
// servers can cache it: the instructions, and the examples with marks of their own.
func render(name string, p prompt) []llm.Message {
	return []llm.Message{structured.User(p.text(name), p.Mark)}
}

func (p prompt) text(name string) string {
	return structured.Render(cmp.Or(p.task.templates, templates()), name, p)
}

// instructions returns the instructions of a prompt, without examples and the texts of the pair.
func instructions(name string, p prompt) structured.Instructions {
	p.Examples = nil
	p.Duels = nil
	p.Question = ""
	p.First = ""
	p.Second = ""
	p.Advice = ""
	p.Aspects = nil
	p.Counted = nil
	p.Table = ""
	p.TableA = ""
	p.TableB = ""
	p.Candidates = nil
	return structured.InstructionsOf(p.text(name), p.Mark)
}

// An example is a pair with a known choice and everything that a prompt can show of it.
type example struct {
	Question, First, Second string
	Aspects                 []string
	Table                   Table
	Reasoning, Preferred    string
	// A less consistent table of the same pair, and why it is less consistent. An example that has both also serves SC2's comparator.
	Inconsistent  Table `json:"inconsistent_table"`
	Justification string
}

// A duel is a built-in example for SC2's comparator: two tables on the example pair with index Pair.
type duel struct {
	Pair                      int
	TableA                    Table `json:"table_a"`
	TableB                    Table `json:"table_b"`
	Consistent, Justification string
}

// MostShots is the number of built-in examples.
const MostShots = 5

var examples = sync.OnceValue(func() []example { return data.Must(ownExamples(mustRead("examples/pairs.json"))) })

var duels = sync.OnceValue(func() []duel {
	list := data.Must(data.Decoded[[]duel]([]byte(mustRead("examples/comparator.json"))))
	for _, d := range list {
		d.TableA.name(examples()[d.Pair].Aspects)
		d.TableB.name(examples()[d.Pair].Aspects)
	}
	return list
})

func (e example) orderedPair() OrderedPair {
	return OrderedPair{Question: e.Question, First: e.First, Second: e.Second}
}

// shots returns the first n examples, of the task if it has some, whose question is not the one asked.
func shots(n int, s OrderedPair) (list []shownExample) {
	shown := examples()
	task := parsedTask{} // the built-in examples have the built-in criterion
	if s.task.examples != nil {
		shown = s.task.examples
		task = s.task
	}
	for _, e := range shown {
		if len(list) < n && !strings.EqualFold(strings.TrimSpace(s.Question), e.Question) {
			shown := e.orderedPair()
			shown.task = task
			list = append(list, shownExample{shownPair: shown.pair(letters), Aspects: e.Aspects, Table: e.Table.Markdown(),
				TableJSON: e.Table.json(), Reasoning: e.Reasoning, Preferred: e.Preferred})
		}
	}
	return list
}

// ExampleTexts returns the answers in all built-in examples.
func ExampleTexts() (texts []string) {
	for _, e := range examples() {
		texts = append(texts, e.First, e.Second)
	}
	return texts
}

// shownDuels returns the examples for SC2's comparator: those of the task, or else the built-in ones.
func shownDuels(s OrderedPair) []shownDuel {
	if duels := s.task.duels(s); duels != nil {
		return duels
	}
	return data.Each(duels(), func(d duel) shownDuel {
		return shownDuel{shownPair: examples()[d.Pair].orderedPair().pair(letters),
			TableA: d.TableA.Markdown(), TableB: d.TableB.Markdown(), Consistent: d.Consistent, Justification: d.Justification}
	})
}

// duels returns the task's examples for SC2's comparator, without examples on the question asked. The more consistent table is B, then A,
// in turn.
func (t parsedTask) duels(s OrderedPair) (list []shownDuel) {
	for _, e := range t.examples {
		if e.Inconsistent == nil || strings.EqualFold(strings.TrimSpace(s.Question), e.Question) {
			continue
		}
		shown := e.orderedPair()
		shown.task = t
		d := shownDuel{shownPair: shown.pair(letters), TableA: e.Inconsistent.Markdown(), TableB: e.Table.Markdown(),
			Consistent: letters[1], Justification: e.Justification}
		if len(list)%2 == 1 {
			d.TableA, d.TableB, d.Consistent = d.TableB, d.TableA, letters[0]
		}
		list = append(list, d)
	}
	return list
}
