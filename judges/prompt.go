package judges

import (
	_ "embed"
	"slices"
	"strings"
	"text/template"

	lru "github.com/hashicorp/golang-lru/v2"

	"compqa/data"
	"compqa/llm"
	"compqa/llm/structured"
	"compqa/rubric"
)

// The judge's prompt has every requirement of the prompt in the CompQA paper (Nikishina et al., Figure 5), in our words. In addition, marks
// separate the answer from the instructions. The aspect has a line of its own, because criteria 9 and 14 depend on it. What is the same in
// every call (task, criteria, examples) comes first, so that servers can cache it.
var (
	//go:embed templates/judge.tmpl
	judgeTemplate string

	judgePrompt = template.Must(template.New("judge.tmpl").Funcs(template.FuncMap{
		"points":  pointsText,
		"choices": choices,
		"ordinal": func(i int) int { return i + 1 },
	}).Parse(judgeTemplate))
)

// taskFields are the fields of the template's block "task".
type taskFields struct {
	Criteria    []rubric.Criterion
	Form        string // the JSON object to reply with
	Examples    []shownAnswer
	Comparative bool // the question is about two objects
}

// A shownAnswer is an answer with its question, as a prompt shows it. Scores is set for examples only.
type shownAnswer struct {
	Question, Object1, Object2, Aspect string
	Text, Mark                         string
	Scores                             string
}

// prompts renders a judge's prompts. Rendering the task takes 0.2 ms, so the usual text, for questions that no example is about, is
// rendered once.
type prompts struct {
	rubric       rubric.Rubric
	levels       []level
	pairs        []string        // pair keys of the questions of the levels' first examples
	system, task map[bool]string // rendered texts, by whether the question is about two objects
	authors      string          // the prompt of the authors' release; "" means our prompt
}

// newPrompts renders the parts that do not depend on the question.
func newPrompts(r rubric.Rubric, levels []level) prompts {
	p := prompts{rubric: r, levels: levels, system: map[bool]string{}, task: map[bool]string{}}
	p.pairs = data.Each(levels, func(l level) string { return l[0].Question.Pair() })
	for _, q := range []data.Question{{}, {Object1: "no example", Object2: "has these names"}} {
		p.system[q.HasObjects()] = structured.Render(judgePrompt, "system", q.HasObjects())
		p.task[q.HasObjects()] = p.taskFor(q)
	}
	return p
}

// messages returns the prompt for one answer: a system message, then the task, the question and the answer.
func (p prompts) messages(q data.Question, answer string) []llm.Message {
	if p.authors != "" {
		return []llm.Message{authorsMessage(p.authors, q, answer)}
	}
	task := p.task[q.HasObjects()]
	if len(p.pairs) > 0 && slices.Contains(p.pairs, q.Pair()) {
		task = p.taskFor(q)
	}
	return []llm.Message{{Role: "system", Shared: p.system[q.HasObjects()]}, {Role: "user", Shared: task, Content: askedAbout(q, answer)}}
}

// questionPartCache caches the last part of the prompt, which is the same for all judges: several can judge an answer one after the other.
var questionPartCache, _ = lru.New[[5]string, string](64) // the error is a size below 1

// askedAbout returns the part of the prompt that shows the question and the answer.
func askedAbout(q data.Question, answer string) string {
	about := [5]string{q.Text, q.Object1, q.Object2, q.Aspect, answer}
	text, known := questionPartCache.Get(about)
	if !known {
		text = structured.Render(judgePrompt, "asked", showAnswer(q, answer))
		questionPartCache.Add(about, text)
	}
	return text
}

// authorsMessage returns the authors' prompt, filled in. Their code does not say how an aspect is worded; "for" is how the questions of the
// paper word it.
func authorsMessage(prompt string, q data.Question, answer string) llm.Message {
	aspect := ""
	if q.Aspect != "" {
		aspect = " for " + structured.OneLine(q.Aspect)
	}
	first := strings.LastIndex(prompt[:strings.Index(prompt, rubric.ReleasePlaces[0])], "\n") + 1 // start of the line
	places := strings.NewReplacer(rubric.ReleasePlaces[0], aspect, rubric.ReleasePlaces[1], structured.OneLine(q.Object1),
		rubric.ReleasePlaces[2],
		structured.OneLine(q.Object2), rubric.ReleasePlaces[3], answer)
	return llm.Message{Role: "user", Shared: prompt[:first], Content: places.Replace(prompt[first:])}
}

// taskFor returns the part of the prompt before the question. Its examples are about other questions than q.
func (p prompts) taskFor(q data.Question) string {
	f := taskFields{Criteria: p.rubric.Criteria, Form: sheetForm(p.rubric, nil), Comparative: q.HasObjects()}
	for _, l := range p.levels {
		e := l.exampleFor(q)
		s := showAnswer(e.Question, e.Answer)
		s.Scores = sheetForm(p.rubric, e.Scores)
		f.Examples = append(f.Examples, s)
	}
	return structured.Render(judgePrompt, "task", f) + "\n"
}

// repairText asks for a correct reply, and says what is wrong with the last one.
func repairText(r rubric.Rubric, fault string) string {
	return structured.Render(judgePrompt, "repair", struct{ Fault, Form string }{fault, sheetForm(r, nil)})
}

// showAnswer prepares an answer for the prompt. Each part of the question becomes one line, so that text from a user's file cannot look
// like another part of the prompt.
func showAnswer(q data.Question, text string) shownAnswer {
	if strings.TrimSpace(q.Text) == "" && q.HasObjects() {
		q.Text = data.DefaultQuestion(q.Object1, q.Object2, q.Aspect)
	}
	s := shownAnswer{Question: structured.OneLine(q.Text), Object1: structured.OneLine(q.Object1), Object2: structured.OneLine(q.Object2),
		Aspect: structured.OneLine(q.Aspect), Text: text}
	s.Mark = structured.Mark(s.Question, s.Object1, s.Object2, s.Aspect, s.Text)
	return s
}

// choices lists the points of a criterion's levels: "0, 1 or 2".
func choices(levels []rubric.Level) string {
	points := data.Each(levels, func(l rubric.Level) string { return pointsText(l.Points) })
	last := len(points) - 1
	if last < 1 {
		return strings.Join(points, "")
	}
	return strings.Join(points[:last], ", ") + " or " + points[last]
}
