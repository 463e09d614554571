package report

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"compqa/results/dataset"
	"compqa/results/recordtest"
	"compqa/results/store"
	"compqa/results/table"
)

// wellFormed fails if a text is not valid XML, and returns the texts of the picture.
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

// Names are escaped, figures are at the right position, and a plot without figures is not drawn.
func TestPlots(t *testing.T) {
	people := recordtest.Sawtooth(24, 5)
	rows := []recordtest.Scored{recordtest.By("j", `<s>&"x"`, "1", people...), recordtest.By("j", "t", "1", make([]float64, 24)...), recordtest.By("human", `<s>&"x"`, "1", people...), recordtest.By("human:1", "t", "1", people...), recordtest.By("human:2", "t", "1", people...)}
	f := recordtest.Of(map[string]string{"human": dataset.KindHuman, "human:1": dataset.KindHuman, "human:2": dataset.KindHuman}, rows...)
	f.Config = `{"headline":"j"}`
	report := computed(t, f)
	drawn := map[string]*table.Plot{"points": report.PointsPlot(Selection{}), "agreement": report.AgreementPlot(dataset.LevelFinal, "")}
	for name, want := range map[string][]string{"points": {`<s>&"x"`, "points"}, "agreement": {"j", "criterion-mean", "human:1 / human:2"}} {
		for _, width := range []int{wide, small} {
			texts := strings.Join(wellFormed(t, name, drawn[name].SVG(width)), "\n")
			for _, text := range want {
				if !strings.Contains("\n"+texts+"\n", "\n"+text+"\n") && (width == wide || strings.HasPrefix(text, "human")) {
					t.Errorf("%s lacks the text %q:\n%s", name, text, texts)
				}
			}
		}
	}
	// zero to five points are spread over 474 pixels: the mean of 2.5 is in the middle, 0 at the left
	for _, want := range []string{`<circle class="mark" cx="427.0" cy="52.0" r="4"/>`, `<circle class="mark" cx="190.0" cy="76.0" r="4"/>`} {
		if text := drawn["points"].SVG(wide); !strings.Contains(text, want) {
			t.Errorf("the plot of points lacks %s:\n%s", want, text)
		}
	}
	empty := computed(t, recordtest.Fixture{Rubric: recordtest.OneCriterion(), Systems: []store.Participant{{Name: "s"}}})
	if empty.PointsPlot(Selection{}) != nil || empty.AgreementPlot(dataset.LevelFinal, "") != nil {
		t.Error("an empty run has a plot")
	}
}
