package report

import (
	"strings"
	"testing"

	"compqa/data/sharedtest"
	"compqa/results/recordtest"
)

// The pages say what is missing for statements about several judges.
func TestTextOfTooFewForSeveralJudges(t *testing.T) {
	for _, c := range []struct {
		systems, questions int
		lacks              string
	}{
		{1, 29, "not enough data: 29 shared answers of 29 questions; at least 30 of 10 are needed"},
		{5, 9, "not enough data: 45 shared answers of 9 questions; at least 30 of 10 are needed"},
		{2, 15, ""},
	} {
		report := computed(t, recordtest.SixRaters(c.systems, c.questions))
		pages := report.Front().Markdown() + report.Quality.JudgesDocument().Markdown() + report.Quality.AgreementDocument().Markdown()
		enough := c.lacks == ""
		if strings.Contains(pages, "ndependent judges a, b and c are is not known: "+c.lacks) == enough || strings.Contains(pages, "Not enough data") == enough ||
			strings.Contains(pages, "make similar errors") != enough {
			t.Errorf("%d of %d: the report says\n%s", c.systems, c.questions, pages)
		}
	}
}

// The first page says how many independent judges the panel counts as.
func TestSoakTextOfReleasePanel(t *testing.T) {
	sharedtest.Soak(t)
	report := computed(t, recordtest.Release(t, sharedtest.Path(t)))
	if text := report.Front().Markdown(); !strings.Contains(text, "together they count as 1.4 independent judges. Their mean agrees with people at rho 0.46, the best single one of them at 0.42") {
		t.Errorf("report.md:\n%s", text)
	}
}
