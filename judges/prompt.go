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
	usual  []string // pairs of the levels' usual examples

	mu    sync.Mutex
	tasks map[int]string // by the levels that show their other example, a bit each
}

func newPrompts(r rubric.Rubric, levels []exampleLevel) *prompts {
	p := &prompts{rubric: r, levels: levels, tasks: map[int]string{}}
	for _, level := range levels {
		p.usual = append(p.usual, level.usual.pair())
	}
	return p
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
	shown := showAnswer(q, answer)
	const around = 512 // bytes of the marks and of what else stands around an answer
	asked, err := promptBlock("asked", shown, len(shown.Text)+len(shown.Question)+len(shown.Object1)+len(shown.Object2)+len(shown.Aspect)+around)
	if err != nil {
		return nil, err
	}
	return []llm.Message{{Role: "system", Shared: system}, {Role: "user", Shared: task, Content: asked}}, nil
}

// task is the prompt's first part, with examples about other questions than q.
func (p *prompts) task(q data.Question) (string, error) {
	key, pair := 0, q.Pair()
	for i, usual := range p.usual {
		if usual == pair {
			key |= 1 << i
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if text, ok := p.tasks[key]; ok {
		return text, nil
	}
	f := taskFields{Criteria: p.rubric.Criteria, Form: sheetForm(p.rubric, nil)}
	for _, level := range p.levels {
		e := level.unlike(q)
		s := showAnswer(e.question(), e.answer())
		s.Scores = sheetForm(p.rubric, e.scores())
		f.Examples = append(f.Examples, s)
	}
	text, err := promptBlock("task", f, 0)
	if err == nil {
		p.tasks[key] = text
	}
	return text, err
}

// repairMessage tells the judge what is wrong with its reply.
func repairMessage(r rubric.Rubric, fault string) (llm.Message, error) {
	text, err := promptBlock("repair", struct{ Fault, Form string }{fault, sheetForm(r, nil)}, 0)
	return llm.Message{Role: "user", Content: text}, err
}

var systemBlock = sync.OnceValues(func() (string, error) { return promptBlock("system", nil, 0) })

// promptBlock writes a block of the template, of so many bytes as far as is known.
func promptBlock(name string, fields any, size int) (string, error) {
	var b strings.Builder
	b.Grow(size)
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

func oneLine(s string) string {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == ' ' && (i == 0 || i+1 == len(s) || s[i+1] == ' ') {
			return strings.Join(strings.Fields(s), " ")
		}
	}
	return s // as nearly all are
}

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
	room := markRooms.Get().(*[]byte)
	defer markRooms.Put(room)
	text := append(strconv.AppendInt((*room)[:0], int64(try), 10), '[')
	for i, part := range parts {
		if i > 0 {
			text = append(text, ' ')
		}
		text = appendQuoted(text, part)
	}
	text = append(text, ']')
	*room = text
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// markRooms are slices used again: what is hashed is several times as long as all
// else that a mark takes.
var markRooms = sync.Pool{New: func() any { return new([]byte) }}

// appendQuoted is strconv.AppendQuote, five times as fast on plain text: an
// answer is quoted for each time that it is judged.
func appendQuoted(dst []byte, s string) []byte {
	var buf [16]byte // for a character with its escapes and quotes
	dst = append(dst, '"')
	for s != "" {
		plain := 0
		for plain < len(s) && s[plain] >= ' ' && s[plain] < 0x7f && s[plain] != '"' && s[plain] != '\\' {
			plain++
		}
		dst, s = append(dst, s[:plain]...), s[plain:]
		if s != "" {
			_, size := utf8.DecodeRuneInString(s)
			quoted := strconv.AppendQuote(buf[:0], s[:size])
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
