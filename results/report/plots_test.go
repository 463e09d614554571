package report

import (
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/store"
	"compqa/results/table"
)

// wellFormed fails on text that is not XML, and returns the picture's texts.
func wellFormed(t *testing.T, name, svg string) (texts []string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return texts
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, svg)
		}
		if text, ok := token.(xml.CharData); ok && strings.TrimSpace(string(text)) != "" {
			texts = append(texts, string(text))
		}
	}
}

// Names are escaped, figures stand where they belong, and a plot without figures is not drawn.
func TestPlots(t *testing.T) {
	people := sawtooth(24, 5)
	rows := []scored{{"j", `<s>&"x"`, "1", people}, {"j", "t", "1", make([]float64, 24)}, {"human", `<s>&"x"`, "1", people}, {"human:1", "t", "1", people}, {"human:2", "t", "1", people}}
	f := fixtureOf(map[string]string{"human": dataset.KindHuman, "human:1": dataset.KindHuman, "human:2": dataset.KindHuman}, rows...)
	f.config = `{"headline":"j"}`
	of := computed(t, f)
	of.Paid = []judgequality.CostRow{{Kind: store.KindAnswer, Name: `<s>&"x"`, PerThousand: table.Number(0.5)}, {Kind: store.KindAnswer, Name: "t", PerThousand: table.Number(20)}}
	for _, plot := range plots {
		texts := strings.Join(wellFormed(t, plot.name, plot.draw(of)), "\n")
		want := map[string][]string{"points.svg": {`<s>&"x"`, "points"}, "judges.svg": {"j", "criterion-mean", "human:1 / human:2"}, "cost.svg": {`<s>&"x"`, "t", "0.1", "100"}}[plot.name]
		for _, text := range want {
			if !strings.Contains("\n"+texts+"\n", "\n"+text+"\n") {
				t.Errorf("%s lacks the text %q:\n%s", plot.name, text, texts)
			}
		}
	}
	// Zero to five points lie on 490 pixels: the mean of 2.5 is in the middle, 0 at the left.
	for _, want := range []string{`<circle class="mark" cx="435.0" cy="52.0" r="4"/>`, `<circle class="mark" cx="190.0" cy="76.0" r="4"/>`} {
		if text := of.PointsPlot(); !strings.Contains(text, want) {
			t.Errorf("points.svg lacks %s:\n%s", want, text)
		}
	}
	empty := computed(t, fixture{rubric: oneCriterion(), systems: []store.Participant{{Name: "s"}}})
	for _, plot := range plots {
		if text := plot.draw(empty); text != "" {
			t.Errorf("%s of an empty run:\n%s", plot.name, text)
		}
	}
	if dir := os.Getenv("COMPQA_PLOTS"); dir != "" { // to look at them
		for _, plot := range plots {
			if err := os.WriteFile(filepath.Join(dir, plot.name), []byte(plot.draw(of)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
