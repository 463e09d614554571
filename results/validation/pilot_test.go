package validation

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"compqa/results/trust"
)

// TestPlansOfPilot: a plan from a pilot equals the plan with the pilot's scale, agreement and number of people. Without an agreement there
// is not a plan.
func TestPlansOfPilot(t *testing.T) {
	log := "log.csv\nid,good\n"
	people := "people.csv\nid,good_a,good_b,good_c\n"
	rng := rand.New(rand.NewPCG(6, 6))
	for i := range 60 {
		truth := 3 + 1.1*rng.NormFloat64()
		value := func() int { return min(5, max(1, int(truth+.6*rng.NormFloat64()+.5))) }
		log += fmt.Sprintf("%d,%d\n", i, value())
		people += fmt.Sprintf("%d,%d,%d,%d\n", i, value(), value(), value())
	}
	r := study(t, log, people)
	pilot, err := trust.ParsePlan("pilot, margin .25")
	if err != nil {
		t.Fatal(err)
	}
	lines, err := r.PlansOfPilot(pilot)
	if err != nil {
		t.Fatal(err)
	}
	same := trust.Plan{Persons: 3, Low: 1, High: 5, Alpha: r.Pairings[0].decision.People.Value, Margin: .25}
	if got, want := strings.Join(lines[1:], "\n"), strings.Join(same.Sentences(), "\n"); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if !strings.HasPrefix(lines[0], "good: in the pilot people agree at 0.7") || !strings.HasSuffix(lines[0], "on 60 items that two rated.") {
		t.Error(lines[0])
	}
	one := study(t, log, "people.csv\nid,good\n"+rows(60, "#,3\n"))
	lines, err = one.PlansOfPilot(pilot)
	if err != nil || len(lines) != 1 || !strings.Contains(lines[0], "no two people rated one item") {
		t.Error(lines, err)
	}
	for _, text := range []string{"pilot, people .7", "pilot, scale 1..5", "pilot 3"} {
		if _, err := trust.ParsePlan(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}
