package judges

import (
	"regexp"
	"strings"
	"testing"

	"compqa/data"
	"compqa/judges/replies"
	"compqa/judges/text"
	"compqa/llm/structured"
	"compqa/rubric"
)

// BenchmarkMeasure measures answers as a run does: built-in references, with and without citations in their list items, an example whose
// names are not in bold, and plain prose, each of about 250 words.
func BenchmarkMeasure(b *testing.B) {
	cited := regexp.MustCompile(`\.\n`)
	stoves := builtinQuestion(b, "electric stove", "gas stove")
	sports := builtinQuestion(b, "basketball", "volleyball")
	for _, of := range []struct {
		name string
		q    data.Question
		text string
	}{
		{"reference", sports, data.References()[sports.Pair()]},
		{"reference of two words", stoves, data.References()[stoves.Pair()]},
		{"cited", sports, cited.ReplaceAllString(data.References()[sports.Pair()], " [1, 3] [generated].\n")},
		{"example", builtinExamples()[0].Question, strings.Repeat(builtinExamples()[0].Answer+"\n\n", 2)},
		{"prose", sports, strings.Repeat("The first object is better than the second one in this respect. ", 21) + "Reference 8c72ab3f5e01d946."},
	} {
		b.Run(of.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				text.Measure(of.q, of.text)
			}
		})
	}
}

// BenchmarkParse reads a judge's reply as a run does.
func BenchmarkParse(b *testing.B) {
	r := rubric.CQA()
	sheet := sheetForm(r, r.Full())
	lines := strings.NewReplacer("{", "{\n  ", "}", "\n}", ", ", ",\n  ").Replace(sheet)
	for _, of := range []struct{ name, reply string }{
		{"plain", sheet},
		{"compact", strings.ReplaceAll(sheet, " ", "")},
		{"fenced", "```json\n" + lines + "\n```"},
		{"prose", "Criterion 1 asks for an introduction; there is one.\n\nHere are the scores: " + sheet + "\n\nThe total is 19 points."},
		{"texts", strings.NewReplacer(": ", `: "`, ",", `",`, "}", `"}`).Replace(sheet)},
		{"incomplete", `{"1": 1, "2": 1, "3": 1}`},
	} {
		b.Run(of.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				replies.Sheet(of.reply, r, structured.Material{})
			}
		})
	}
}

// BenchmarkPrompt renders the prompt for one answer as a run does.
func BenchmarkPrompt(b *testing.B) {
	q := builtinQuestion(b, "basketball", "volleyball")
	answer := data.References()[q.Pair()]
	p := newPrompts(rubric.CQA(), []level{level(builtinExamples()[:2]), level(builtinExamples()[4:])})
	b.ReportAllocs()
	for b.Loop() {
		p.messages(q, answer)
	}
}
