package judges

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"compqa/data"
	"compqa/llm"
	"compqa/rubric"
)

// The judge's prompt carries every requirement of the CompQA paper's
// (Nikishina et al., Figure 5) in our words, and two things more: the answer is
// fenced off as data, and the aspect stands on a line of its own, because
// criteria 9 and 14 turn on it. What is the same in every call (task, criteria,
// examples) comes first, so that servers can keep it in their cache.
var (
	//go:embed templates/judge.tmpl
	judgeTemplate string

	judgePrompt = template.Must(template.New("judge.tmpl").Funcs(template.FuncMap{
		"points":  pointsText,
		"choices": choices,
		"ordinal": func(i int) int { return i + 1 },
	}).Parse(judgeTemplate))
)

// promptFields is what the block "user" of the template uses.
type promptFields struct {
	Criteria []rubric.Criterion
	Form     string // the object to be written
	Examples []shownAnswer
	Asked    shownAnswer
}

// shownAnswer is an answer with its question as the prompt shows it. Scores are
// an example's.
type shownAnswer struct {
	Question, Object1, Object2, Aspect string
	Text, Mark                         string
	Scores                             string
}

// judgeMessages is the prompt for one answer: the role, then the task.
func judgeMessages(r rubric.Rubric, levels []exampleLevel, q data.Question, answer string) ([]llm.Message, error) {
	f := promptFields{Criteria: r.Criteria, Form: sheetForm(r, nil), Asked: showAnswer(q, answer)}
	for _, level := range levels {
		e := level.unlike(q)
		shown := showAnswer(e.question(), e.answer())
		shown.Scores = sheetForm(r, e.scores())
		f.Examples = append(f.Examples, shown)
	}
	system, err := promptBlock("system", nil)
	if err != nil {
		return nil, err
	}
	user, err := promptBlock("user", f)
	if err != nil {
		return nil, err
	}
	return []llm.Message{{Role: "system", Content: system}, {Role: "user", Content: user}}, nil
}

// repairMessage tells the judge what is wrong with its reply.
func repairMessage(r rubric.Rubric, fault string) (llm.Message, error) {
	text, err := promptBlock("repair", struct{ Fault, Form string }{fault, sheetForm(r, nil)})
	return llm.Message{Role: "user", Content: text}, err
}

func promptBlock(name string, fields any) (string, error) {
	var b strings.Builder
	if err := judgePrompt.ExecuteTemplate(&b, name, fields); err != nil {
		return "", fmt.Errorf("writing the judge's prompt: %w", err)
	}
	return b.String(), nil
}

// showAnswer puts the parts of the question, which may come from a file of
// anybody's, on one line each, so that none of them can look like another part
// of the prompt.
func showAnswer(q data.Question, text string) shownAnswer {
	if strings.TrimSpace(q.Text) == "" {
		q.Text = data.DefaultQuestion(q.Object1, q.Object2, q.Aspect)
	}
	s := shownAnswer{Question: oneLine(q.Text), Object1: oneLine(q.Object1), Object2: oneLine(q.Object2), Aspect: oneLine(q.Aspect), Text: text}
	parts := []string{s.Question, s.Object1, s.Object2, s.Aspect, s.Text}
	s.Mark = unusedMark(parts, func(try int) string { return markOf(try, parts) })
	return s
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// unusedMark is the first candidate that occurs in none of the texts.
func unusedMark(texts []string, candidate func(try int) string) string {
	for try := 0; ; try++ {
		mark := candidate(try)
		if !slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, mark) }) {
			return mark
		}
	}
}

// markOf derives the number of an answer's marks from all that is shown of it.
// It is the same for every call about the same answer, which keeps the call's
// key, yet whoever writes an answer cannot put it there: each change of the
// answer changes the number.
func markOf(try int, parts []string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d%q", try, parts))
	return hex.EncodeToString(sum[:8])
}

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
