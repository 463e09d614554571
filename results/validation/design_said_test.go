package validation

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data/sharedtest"
	"compqa/data/sources"
)

// TestDesignIsSaid: if people label more of what the judge fails, the result says so before any figure. Figures are weighted to all items.
func TestDesignIsSaid(t *testing.T) {
	judge, people, all := drawn(rand.New(rand.NewPCG(4, 4)), 1500, false, designs[1].chosen)
	truth := figuresOfAll(judge, all)
	s, err := studyOf(judge, people, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Compute(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	first := r.Concluded.Known[0].Text
	if !strings.Contains(first, "of what the judge fails and") ||
		!strings.HasSuffix(first, "of what it passes: figures below are weighted by verdict.") {
		t.Errorf("the first sentence is %q", first)
	}
	n := 0
	for _, u := range r.Units {
		if u.Labelled {
			n++
		}
	}
	if assumed := r.Concluded.Decided[len(r.Concluded.Decided)-1].Text; !strings.Contains(assumed, fmt.Sprintf("are not weighted: they are of the %d labelled items alone", n)) {
		t.Error(assumed)
	}
	p := r.Pairings[0]
	if mean := p.row(Mean); mean.Design != "verdict" || mean.ByDesign != "yes" || mean.Corrected.Low > truth["rate"] ||
		mean.Corrected.High < truth["rate"] {
		t.Errorf("%s, %s, rate %s of %.2f", mean.Design, mean.ByDesign, mean.Corrected.Text(2), truth["rate"])
	}
	if tpr := p.row(Majority).TPR.Value; math.Abs(tpr-truth["tpr"]) > 0.1 {
		t.Errorf("TPR %.2f of %.2f", tpr, truth["tpr"])
	}
}

// TestLabelledAsPeopleDo uses shared/cases/labels/n-*. The true rate is .61, and the true TPR about .85.
func TestLabelledAsPeopleDo(t *testing.T) {
	dir := sharedtest.Path(t, "cases", "labels")
	log, err := sources.Read(filepath.Join(dir, "n-log.csv"), sources.Options{})
	if err != nil {
		t.Fatal(err)
	}
	people, err := sources.Read(filepath.Join(dir, "n-people.csv"), sources.Options{People: true})
	if err != nil {
		t.Fatal(err)
	}
	got, p := designFigures(t, log, people)
	if rate := got["rate"]; rate.Low > 0.61 || rate.High < 0.61 {
		t.Errorf("the rate is %s, which leaves out .61", rate.Text(2))
	}
	if tpr := got["tpr"].Value; math.Abs(tpr-0.85) > 0.02 {
		t.Errorf("TPR is %.3f", tpr)
	}
	if p.sampling.name != "verdict" {
		t.Errorf("the design is %q", p.sampling.name)
	}
}

// TestRandomLabels: labels that are a random sample have no weights, and the page says that a random sample is assumed.
func TestRandomLabels(t *testing.T) {
	judge, people, _ := drawn(rand.New(rand.NewPCG(4, 5)), 800, false, designs[0].chosen)
	s, err := studyOf(judge, people, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Compute(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if row := r.Pairings[0].row(Mean); row.Design != designRandom || row.ByDesign != "no" {
		t.Errorf("%s, %s", row.Design, row.ByDesign)
	}
	if about := r.Document("x", "y").Sections[0].Table.Foot; !strings.Contains(about, "Assumed: the labelled items are a random sample") {
		t.Errorf("the page says %q", about)
	}
}

// TestUnlabelledStrata: if nobody labelled a system, the rate of all items is missing. If nobody labelled what the judge passes, there is
// no figure of agreement either. The result names both.
func TestUnlabelledStrata(t *testing.T) {
	log := "log.csv\nid,system,ok\n"
	system := "people.csv\nid,ok\n"
	passed := "people.csv\nid,ok\n"
	for i := range 120 {
		log += fmt.Sprintf("%d,%s,%s\n", i, string("AB"[i%2]), []string{"yes", "no"}[i/2%2])
		if i%2 == 0 {
			system += fmt.Sprintf("%d,%s\n", i, []string{"yes", "no"}[i/2%3%2])
		}
		if i/2%2 == 1 {
			passed += fmt.Sprintf("%d,%s\n", i, []string{"yes", "no"}[i%5%2])
		}
	}
	r := study(t, log, system)
	if row := r.Pairings[0].row(Mean); row.Corrected.Known || row.RatePeople.Known || !row.Alpha.Known ||
		!strings.Contains(row.Corrected.Reason(), "answers of B") {
		t.Errorf("without labels of B: %+v", row)
	}
	r = study(t, log, passed)
	if row := r.Pairings[0].row(Majority); row.Agreement.Known || row.TPR.Known || row.N != 60 ||
		!strings.Contains(said(r), "nobody labelled what it passes (60 items)") {
		t.Errorf("without labels of what it passes: %+v\n%s", row, said(r))
	}
}

// TestInclusion: a column of inclusion probabilities weights labels: 20 items that people fail have 1, and 40 of 200 that they pass have
// .2.
func TestInclusion(t *testing.T) {
	log := "log.csv\nid,ok\n"
	people := "people.csv\nid,ok,inclusion\n"
	for i := range 220 {
		log += fmt.Sprintf("%d,%s\n", i, []string{"yes", "no"}[i%2])
		switch {
		case i < 20:
			people += fmt.Sprintf("%d,no,1\n", i)
		case i%10 < 2: // 40 of the other 200
			people += fmt.Sprintf("%d,yes,0.2\n", i)
		}
	}
	r := study(t, log, people)
	row := r.Pairings[0].row(Mean)
	if got := row.RatePeople; row.Design != designInclusion || math.Abs(got.Value-200./220) > 1e-12 {
		t.Errorf("%s: people's rate is %s, want %.4f\n%s", row.Design, got.Text(4), 200./220, said(r))
	}
	_, err := computed(t, log, people+"3,yes,1.5\n", Options{})
	if err == nil || !strings.Contains(err.Error(), `people.csv:62: the probability of inclusion is "1.5"`) {
		t.Errorf("a probability above 1: %v", err)
	}
}
