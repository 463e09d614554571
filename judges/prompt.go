package judges

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"compqa/data"
	"compqa/llm"
	"compqa/rubric"
)

// The judge's prompt has every requirement of the CompQA paper's (Nikishina et
// al., Figure 5) in our words. In addition, marks around the answer separate it
// as data, and the aspect has a line of its own, because criteria 9 and 14 depend
// on it. The part that is the same in every call (task, criteria, examples) comes
// first, so that servers can cache it.
var (
	//go:embed templates/judge.tmpl
	judgeTemplate string

	judgePrompt = template.Must(template.New("judge.tmpl").Funcs(template.FuncMap{
		"points":  pointsText,
		"choices": choices,
		"ordinal": func(i int) int { return i + 1 },
	}).Parse(judgeTemplate))
)

// taskFields is what the block "task" of the template uses.
type taskFields struct {
	Criteria []rubric.Criterion
	Form     string // the JSON object to reply with
	Examples []shownAnswer
}

// shownAnswer is an answer with its question as the prompt shows it. Scores are
// an example's.
type shownAnswer struct {
	Question, Object1, Object2, Aspect string
	Text, Mark                         string
	Scores                             string
}

// prompts writes a judge's prompts. Rendering the task takes 0.2 ms, so the usual
// one, for questions that no example is about, is rendered once.
type prompts struct {
	rubric       rubric.Rubric
	levels       []exampleLevel
	system, task string
}

func newPrompts(r rubric.Rubric, levels []exampleLevel) (p prompts, err error) {
	p = prompts{rubric: r, levels: levels}
	if p.system, err = promptBlock("system", nil); err != nil {
		return p, err
	}
	p.task, err = p.taskFor(data.Question{})
	return p, err
}

// messages is the prompt for one answer: the role, then the task.
func (p prompts) messages(q data.Question, answer string) ([]llm.Message, error) {
	task := p.task
	if slices.ContainsFunc(p.levels, func(l exampleLevel) bool { return l.usual.pair() == q.Pair() }) {
		var err error
		if task, err = p.taskFor(q); err != nil {
			return nil, err
		}
	}
	asked, err := promptBlock("asked", showAnswer(q, answer))
	if err != nil {
		return nil, err
	}
	return []llm.Message{{Role: "system", Shared: p.system}, {Role: "user", Shared: task, Content: asked}}, nil
}

// taskFor is the prompt's first part, with examples about other questions than q.
func (p prompts) taskFor(q data.Question) (string, error) {
	f := taskFields{Criteria: p.rubric.Criteria, Form: sheetForm(p.rubric, nil)}
	for _, level := range p.levels {
		e := level.unlike(q)
		s := showAnswer(e.question(), e.answer())
		s.Scores = sheetForm(p.rubric, e.scores())
		f.Examples = append(f.Examples, s)
	}
	return promptBlock("task", f)
}

// repairMessage tells the judge what is wrong with its reply.
func repairMessage(r rubric.Rubric, fault string) (llm.Message, error) {
	text, err := promptBlock("repair", struct{ Fault, Form string }{fault, sheetForm(r, nil)})
	return llm.Message{Role: "user", Content: text}, err
}

// promptBlock executes a block of the template.
func promptBlock(name string, fields any) (string, error) {
	var b strings.Builder
	if err := judgePrompt.ExecuteTemplate(&b, name, fields); err != nil {
		return "", fmt.Errorf("writing the judge's prompt: %w", err)
	}
	return b.String(), nil
}

// showAnswer puts each part of the question on one line, so that text from a
// user's file cannot look like another part of the prompt.
func showAnswer(q data.Question, text string) shownAnswer {
	if strings.TrimSpace(q.Text) == "" {
		q.Text = data.DefaultQuestion(q.Object1, q.Object2, q.Aspect)
	}
	s := shownAnswer{Question: oneLine(q.Text), Object1: oneLine(q.Object1), Object2: oneLine(q.Object2), Aspect: oneLine(q.Aspect), Text: text}
	parts := []string{s.Question, s.Object1, s.Object2, s.Aspect, s.Text}
	s.Mark = llm.UnusedMark(parts, 8)
	return s
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// choices lists the points of a criterion's levels: "0, 1 or 2".
func choices(levels []rubric.Level) string {
	points := make([]string, len(levels))
	for i, l := range levels {
		points[i] = pointsText(l.Points)
	}
	last := len(points) - 1
	if last < 1 {
		return strings.Join(points, "")
	}
	return strings.Join(points[:last], ", ") + " or " + points[last]
}
