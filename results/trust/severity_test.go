package trust

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"compqa/results/raters"
	"compqa/stats"
	"compqa/stats/agreement"
)

// ratedBy returns a study of items with points from 1 to 5 by three people, and by a judge whose points follow from the true value.
func ratedBy(items int, judge func(truth float64, rng *rand.Rand) float64) Study {
	rng := rand.New(rand.NewPCG(7, 7))
	t := raters.Table{Scale: raters.Scale{Level: agreement.Interval}, Units: make([]raters.Unit, items)}
	people := []raters.Rater{{Name: "ann", Kind: raters.Person}, {Name: "ben", Kind: raters.Person}, {Name: "cem", Kind: raters.Person}}
	points := func(x float64) raters.Value { return raters.Number(min(5, max(1, math.Round(x)))) }
	haiku := raters.Rater{Name: "haiku", Kind: raters.Judge}
	for i := range t.Units {
		t.Units[i].Cluster = i
		truth := 3 + 1.1*rng.NormFloat64()
		for k := range people {
			people[k].Values = append(people[k].Values, points(truth+.6*rng.NormFloat64()+.2*float64(1-k))) // ann is mild, cem strict
		}
		haiku.Values = append(haiku.Values, points(judge(truth, rng)))
	}
	return Study{Judge: "haiku", Criterion: "coherence", Table: t, JudgeRater: haiku, PeopleRaters: people}
}

// TestSeverities: a judge that only gives more is milder than the mildest person, which a shift repairs. A random judge is neither mild nor
// strict. A judge that gives less is stricter. If the judge gives more, its severity is below 0.
func TestSeverities(t *testing.T) {
	t.Parallel()
	shifted := func(by float64) func(float64, *rand.Rand) float64 {
		return func(truth float64, rng *rand.Rand) float64 { return truth + by + .6*rng.NormFloat64() }
	}
	for _, c := range []struct {
		name      string
		judge     func(float64, *rand.Rand) float64
		sign      float64 // sign of its severity
		want, not string
	}{
		{"mild", shifted(1.2), -1, "logits milder than the mildest person; without that it would agree", "no shift repairs"},
		{"strict", shifted(-1.2), 1, "logits stricter than the strictest person; without that it would agree", "no shift repairs"},
		{"coin", func(_ float64, rng *rand.Rand) float64 { return 1 + float64(rng.IntN(5)) }, 0,
			"On coherence its values are more random than people's (outfit 2.", "without that"},
		{"person", shifted(0), 0, "can stand in", "logits"},
	} {
		d := Decide(ratedBy(300, c.judge))
		row := d.Severities.Rows[0]
		if text := d.sentence(); !strings.Contains(text, c.want) || strings.Contains(text, c.not) {
			t.Errorf("%s: %s", c.name, text)
		}
		if row.Rater != "haiku" || row.N != 300 || row.Severity.Value*c.sign < 0 || c.sign != 0 && math.Abs(row.Severity.Value) < 1 {
			t.Errorf("%s: %+v", c.name, row)
		}
		if c.name == "person" && (d.Severities.Rows[1].Note != "mild" || d.Severities.Rows[3].Note != "strict") {
			t.Errorf("people: %+v", d.Severities.Rows)
		}
	}
}

// TestSeveritiesRefused: a study without severities has one row with the reason, and its sentence does not change.
func TestSeveritiesRefused(t *testing.T) {
	t.Parallel()
	mild := func(truth float64, rng *rand.Rand) float64 { return truth + 1.2 + .6*rng.NormFloat64() }
	few := ratedBy(29, mild)
	labels := ratedBy(90, mild)
	apart := ratedBy(90, mild)
	chosen := ratedBy(90, mild)
	none := ratedBy(90, mild)
	weighted := ratedBy(90, mild)
	labels.Table.Scale.Level = agreement.Nominal
	chosen.Doubt = LabelsByVerdict
	none.PeopleRaters = nil
	weighted.Table.Strata = make([]int, 90)
	for i := range apart.JudgeRater.Values { // ben and cem rate the first half, haiku and ann the second one
		for k, rater := range []raters.Rater{apart.JudgeRater, apart.PeopleRaters[0], apart.PeopleRaters[1], apart.PeopleRaters[2]} {
			if (i < 45) == (k < 2) {
				rater.Values[i] = raters.Missing(raters.NotAsked)
			}
		}
	}
	for want, s := range map[string]Study{
		"too few observations: two raters or more rated 29 items, 30 are needed": few, "labels have no order": labels,
		"no common items connect haiku, ann with ben, cem": apart, string(LabelsByVerdict): chosen,
		"people rated a part of the items that is not a simple random sample": weighted,
	} {
		d := Decide(s)
		if rows := d.Severities.Rows; len(rows) != 1 || rows[0].Note != want || rows[0].Rater != raters.NobodyMeasured {
			t.Errorf("%+v, want %s", rows, want)
		}
		if text := d.sentence(); strings.Contains(text, "logits") {
			t.Error(text)
		}
	}
	if d := Decide(none); d.Severities.Rows != nil {
		t.Errorf("nobody: %+v", d.Severities.Rows)
	}
	constant := Decide(ratedBy(90, func(float64, *rand.Rand) float64 { return 5 }))
	if row := constant.Severities.Rows[0]; row.Severity.Known || !strings.HasPrefix(row.Note, "milder than any number says") {
		t.Errorf("always 5: %+v", row)
	}
	alone := ratedBy(90, func(float64, *rand.Rand) float64 { return 5 })
	alone.PeopleRaters = alone.PeopleRaters[:1]
	if rows := Decide(alone).Severities.Rows; len(rows) != 1 || rows[0].Note != "haiku gives always the same value" {
		t.Errorf("always 5, next to one person: %+v", rows)
	}
	one := ratedBy(90, mild)
	one.PeopleRaters = one.PeopleRaters[:1]
	if rows := Decide(one).Severities.Rows; len(rows) != 2 || rows[1].Severity != stats.Number(0) || rows[0].Severity.Value > -.5 {
		t.Errorf("one person, who is the origin: %+v", rows)
	}
	if text := constant.sentence(); strings.Contains(text, "logits") || !slices.Contains([]Answer{No, Unknown}, constant.Answer) {
		t.Error(fmt.Sprint(constant.Answer, text))
	}
}
