package validation

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"compqa/stats"
)

// strictJudge returns files of five systems. Three have labels, and the judge gives them a third to a half of a point less than people.
// Nobody labelled a fourth, to which the judge gives nearly the best value: its mean minus the usual bias is above the scale. A fifth has
// few labels, and the judge gives it only one value.
func strictJudge() (log, people string) {
	rng := rand.New(rand.NewPCG(4, 4))
	log = "log.csv\nid,system,score\n"
	people = "people.csv\nid,system,score\n"
	for i := range 40 {
		for k, system := range []string{"A", "B", "C"} {
			value := 2 + rng.IntN(4)
			log += fmt.Sprintf("%d,%s,%d\n", i, system, value-map[bool]int{true: 1}[(i+k)%(2+k) == 0])
			people += fmt.Sprintf("%d,%s,%d\n", i, system, value)
		}
		log += fmt.Sprintf("%d,D,%d\n%d,E,3\n", i, 5-map[bool]int{true: 1}[i == 0], i)
	}
	return log, people + "0,E,3\n1,E,4\n"
}

// TestPredictedOnScale: predicted means and their bounds are on the scale. For systems without a prediction, the table, the sentence and
// the page say why.
func TestPredictedOnScale(t *testing.T) {
	log, people := strictJudge()
	r := study(t, log, people)
	found := map[string]SystemRow{}
	for _, s := range r.Systems {
		found[s.System] = s
		for _, f := range []stats.Figure{s.Predicted.Point(), s.Predicted.Lower(), s.Predicted.Upper()} {
			if f.Known && (f.Value < 1 || f.Value > 5) {
				t.Errorf("%s: %s is not on the scale", s.System, s.Predicted.Text(2))
			}
		}
		if s.Predicted.Interval() == (s.Predicted.Why != nil) {
			t.Errorf("%s: %s and %q", s.System, s.Predicted.Text(2), s.Predicted.Reason())
		}
	}
	d := found["D"]
	e := found["E"]
	if d.JudgeMean.Value-found["A"].Bias.Value < 5 || !d.Predicted.Known || d.Predicted.Value != 5 ||
		d.Predicted.Low >= 5 || d.Predicted.High != 5 {
		t.Errorf("D: %+v, bias of A %s", d, found["A"].Bias.Text(2))
	}
	if e.Predicted.Known || !strings.Contains(e.Predicted.Reason(), "2 labels, fewer than 10") {
		t.Errorf("E: %+v", e)
	}
	if text := said(r); !strings.Contains(text, "; not E: "+e.Predicted.Reason()) {
		t.Errorf("the sentence does not say why E is missing: %s", text)
	}
	if page := r.Document("x", "").Markdown(); !strings.Contains(page, e.Predicted.Reason()) {
		t.Errorf("the page does not say why E is missing: %s", page)
	}
}

// TestOneValueHasNoRate: if people give one value to all items that they label, the corrected rate is missing, and a note says why.
func TestOneValueHasNoRate(t *testing.T) {
	for passed, known := range map[int]bool{30: false, 25: true} {
		log := "log.csv\nid,ok\n"
		people := "people.csv\nid,ok\n"
		for i := range 90 {
			log += fmt.Sprintf("%d,%s\n", i, map[bool]string{true: "no", false: "yes"}[i%9 == 0])
			if i < 30 {
				people += fmt.Sprintf("%d,%s\n", i, map[bool]string{true: "yes", false: "no"}[i < passed])
			}
		}
		mean := study(t, log, people).Pairings[0].row(Mean)
		if mean.Corrected.Known != known || mean.RatePeople.Value != float64(passed)/30 || strings.Contains(mean.Corrected.Reason(), "one value") == known {
			t.Errorf("%d of 30 pass: corrected %s, people %s, %q", passed, mean.Corrected.Text(2), mean.RatePeople.Text(2), mean.Corrected.Reason())
		}
	}
}

// TestSystemsWithoutSharedQuestions: two systems that answered different questions have no difference, and the sentence says why.
func TestSystemsWithoutSharedQuestions(t *testing.T) {
	for shared, want := range map[int]string{0: "no difference, as both answer 0 questions, and at least 5 are needed", 60: "; difference "} {
		log := "log.csv\nid,question,system,score\n"
		people := "people.csv\nid,score\n"
		for i := range 120 {
			question := i // another one for each answer
			if shared > 0 {
				question = i / 2
			}
			log += fmt.Sprintf("%d,Which is better: %d?,%c,%d\n", i, question, 'A'+rune(i%2), 1+i*7%5)
			people += fmt.Sprintf("%d,%d\n", i, 1+i*7%5-i%3/2)
		}
		if text := said(study(t, log, people)); !strings.Contains(text, want) {
			t.Errorf("%d shared questions: no %q in: %s", shared, want, text)
		}
	}
}
