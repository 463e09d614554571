package estimate

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"compqa/bench/config"
	"compqa/bench/plan"
)

// TestSampleText: a correlation of .6 on 28 answers has by Fisher's transformation the interval tanh(.6931 ± 1.96 / 5), .29 to .80 (by
// hand).
func TestSampleText(t *testing.T) {
	if text := sampleText("luna", 40, 28); !strings.Contains(text, "interval 0.29 to 0.80,") {
		t.Error(text)
	}
	for scored := range 4 {
		if text := sampleText("luna", 40, scored); !strings.Contains(text, "too few") {
			t.Errorf("%d scored: %s", scored, text)
		}
	}
}

// TestPrint: the times of two parties at one provider add up, those at two providers do not. An unknown price adds a question mark to the
// sum of the known prices.
func TestPrint(t *testing.T) {
	cost := 0.5
	e := &estimation{config: &config.Config{}, plan: &plan.Plan{}, Rows: []*Row{
		{Name: "a", Provider: "one", Planned: 5, Recorded: 1, Calls: 4, Cost: &cost, Seconds: 40},
		{Name: "b", Provider: "one", Planned: 5, Calls: 5, Cost: &cost, Seconds: 30},
		{Name: "c", Provider: "two", Planned: 5, Calls: 5, Seconds: 60},
	}}
	var out bytes.Buffer
	if err := e.Print(&out); err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{`a +1 of 5 +4 +0 +0 +0.50 +40 s`, `c +0 of 5 +5 +0 +0 +\? +1 min`, `all +1 +14 +0 +0 +1.00 \+ \? +1 min`} {
		if !regexp.MustCompile(row).MatchString(out.String()) {
			t.Errorf("no %s in\n%s", row, &out)
		}
	}
	out.Reset()
	if err := (&estimation{config: &config.Config{}}).Print(&out); err != nil || !strings.Contains(out.String(), "costs nothing") {
		t.Errorf("%s, %v", &out, err)
	}
}
