package judges

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"unicode/utf8"

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

// taskFields is what the block "task" of the template uses.
type taskFields struct {
	Criteria []rubric.Criterion
	Form     string // the object to be written
	Examples []shownAnswer
}

// shownAnswer is an answer with its question as the prompt shows it. Scores are
// an example's.
type shownAnswer struct {
	Question, Object1, Object2, Aspect string
	Text, Mark                         string
	Scores                             string
}

// prompts are a judge's prompts. The task is the longest part of each and, but
// for the choice of examples, always the same, so that it is written once.
type prompts struct {
	rubric rubric.Rubric
	levels []exampleLevel

	mu    sync.Mutex
	tasks map[string]string // by the examples shown
}

func newPrompts(r rubric.Rubric, levels []exampleLevel) *prompts {
	return &prompts{rubric: r, levels: levels, tasks: map[string]string{}}
}

// messages is the prompt for one answer: the role, then the task.
func (p *prompts) messages(q data.Question, answer string) ([]llm.Message, error) {
	system, err := systemBlock()
	if err != nil {
		return nil, err
	}
	task, err := p.task(q)
	if err != nil {
		return nil, err
	}
	asked, err := promptBlock("asked", showAnswer(q, answer))
	if err != nil {
		return nil, err
	}
	return []llm.Message{{Role: "system", Shared: system}, {Role: "user", Shared: task, Content: asked}}, nil
}

// task is the prompt's first part, with examples about other questions than q.
func (p *prompts) task(q data.Question) (string, error) {
	var shown []example
	key := ""
	for _, level := range p.levels {
		e := level.unlike(q)
		shown = append(shown, e)
		key += e.pair() + "\n"
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if text, ok := p.tasks[key]; ok {
		return text, nil
	}
	f := taskFields{Criteria: p.rubric.Criteria, Form: sheetForm(p.rubric, nil)}
	for _, e := range shown {
		s := showAnswer(e.question(), e.answer())
		s.Scores = sheetForm(p.rubric, e.scores())
		f.Examples = append(f.Examples, s)
	}
	text, err := promptBlock("task", f)
	if err == nil {
		p.tasks[key] = text
	}
	return text, err
}

// repairMessage tells the judge what is wrong with its reply.
func repairMessage(r rubric.Rubric, fault string) (llm.Message, error) {
	text, err := promptBlock("repair", struct{ Fault, Form string }{fault, sheetForm(r, nil)})
	return llm.Message{Role: "user", Content: text}, err
}

var systemBlock = sync.OnceValues(func() (string, error) { return promptBlock("system", nil) })

// promptBlock writes a block of the template.
func promptBlock(name string, fields any) (string, error) {
	var b strings.Builder
	b.Grow(2 << 10) // an answer of the usual length, with what stands around it
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
	text := fmt.Append(nil, try, "[")
	for i, part := range parts {
		if i > 0 {
			text = append(text, ' ')
		}
		text = appendQuoted(text, part)
	}
	sum := sha256.Sum256(append(text, ']'))
	return hex.EncodeToString(sum[:8])
}

// appendQuoted is strconv.AppendQuote, five times as fast on plain text: an
// answer is quoted for each time that it is judged.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for s != "" {
		plain := 0
		for plain < len(s) && s[plain] >= ' ' && s[plain] < 0x7f && s[plain] != '"' && s[plain] != '\\' {
			plain++
		}
		dst, s = append(dst, s[:plain]...), s[plain:]
		if s != "" {
			_, size := utf8.DecodeRuneInString(s)
			quoted := strconv.AppendQuote(nil, s[:size])
			dst, s = append(dst, quoted[1:len(quoted)-1]...), s[size:]
		}
	}
	return append(dst, '"')
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
