package validation

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sources"
	"compqa/results/trust"
	"compqa/stats"
)

// judgesLogs returns the values of three judges on items of two systems, and labels of a random part of the items. If holes, a quarter of
// the items has no value of the last judge.
func judgesLogs(items, labelled int, holes bool) (judge, people *sources.Log) {
	rng := rand.New(rand.NewPCG(9, uint64(items)))
	judge = &sources.Log{}
	people = &sources.Log{}
	points := &data.Measured{ID: "points"}
	var all []data.Series
	for _, name := range []string{"big", "small", "old"} {
		all = append(all, data.Series{Rater: &data.Rater{Name: name, Kind: data.KindJudge}, Measured: points})
	}
	person := data.Series{Rater: &data.Rater{Name: "ann", Kind: data.KindPerson}, Measured: points}
	for i := range items {
		quality := rng.Float64()
		item := sources.Item{ID: fmt.Sprint("i", i), Text: fmt.Sprint("t", i)}.With(sources.About{System: []string{"x", "y"}[i%2]})
		judge.Items, people.Items = append(judge.Items, item), append(people.Items, item)
		for j, series := range all {
			if j < 2 || !holes || i%4 > 0 {
				value := 1 + int(5*(quality+rng.Float64()*.5)/1.5)
				judge.Values.Add(data.Rating{Series: series, Item: int32(i), Value: fmt.Sprint(value)})
			}
		}
		if rng.IntN(items) < labelled {
			people.Values.Add(data.Rating{Series: person, Item: int32(i), Value: fmt.Sprint(1 + int(4.999*quality))})
		}
	}
	return judge, people
}

// TestTogether: several judges together give a narrower interval than labels, in a row for all systems and in one for each. The input of an
// export gives the same rows. Items that some judge did not rate are left out and counted.
func TestTogether(t *testing.T) {
	judge, people := judgesLogs(800, 200, false)
	o := Options{Together: TogetherAll, LabelPrice: 2, CallPrices: map[string]float64{"": .01, "big": .02}, Seed: 1}
	r, err := computedOf(t, judge, people, o)
	if err != nil {
		t.Fatal(err)
	}
	all := r.Together[0]
	if len(r.Together) != 3 || all.System != allSystems ||
		all.Judges != "big, small, old" || all.Items != 800 ||
		all.Basis != trust.BasisTogether || all.Mean.High-all.Mean.Low > .8*(all.Alone.High-all.Alone.Low) || !all.More.Known ||
		all.Labels.Value*2+all.More.Value*.04 > 100 {
		t.Errorf("%+v", all)
	}
	if x, y := r.Together[1], r.Together[2]; x.System != "x" || y.System != "y" || x.Labelled+y.Labelled != all.Labelled || x.Labels.Known {
		t.Errorf("%+v, %+v", x, y)
	}
	if f := r.Concluded.Jointly; len(f) != 1 || f[0].Claim != trust.ClaimTogether || !strings.HasPrefix(f[0].Text, "Three judges give ") ||
		r.Concluded.All()[0].Claim != trust.ClaimDecisions {
		t.Errorf("%+v", f)
	}
	text, err := json.Marshal(NewInput(judge, people, nil, o))
	var in Input
	if err == nil {
		err = json.Unmarshal(text, &in)
	}
	if err != nil {
		t.Fatal(err)
	}
	if again, err := in.Result(); err != nil || !reflect.DeepEqual(again.Together, r.Together) {
		t.Errorf("the input of an export has other rows (%v)", err)
	}
	in.Options.CallPrices[""] = -1
	if in.check() == nil {
		t.Error("a price below 0 is accepted")
	}

	for i := range judge.Values.Raters {
		judge.Values.Raters[i].Tuned = judge.Values.Raters[i].Name == "old"
	}
	if r, err = computedOf(t, judge, people, o); err != nil || r.Together[0].Judges != "big, small" ||
		!strings.Contains(r.Jointly[0].Text, "Two judges give ") || !strings.Contains(r.Jointly[0].Text, "Left out: old, tuned") {
		t.Errorf("a judge that was tuned on the labels: %v, %+v", err, r.Jointly)
	}

	judge, people = judgesLogs(800, 200, true)
	r, err = computedOf(t, judge, people, o)
	if err != nil || r.Together[0].Items != 600 || !strings.Contains(r.Jointly[0].Text, "Left out: 200 items") {
		t.Errorf("%v: %+v", err, r.Jointly)
	}
	copied := data.Rater{Name: "twin", Kind: data.KindJudge}
	judge, people = judgesLogs(800, 200, false)
	var twins []data.Rating
	for _, s := range people.Values.All() {
		twins = append(twins, s)
	}
	for _, s := range twins {
		s.Rater = &copied
		judge.Values.Add(s)
	}
	r, err = computedOf(t, judge, people, o)
	if err != nil || r.Together[0].Judges != "big, small, old" ||
		!strings.Contains(r.Jointly[0].Text, "Left out: twin, of which first say whether its values are a copy of a person's.") {
		t.Errorf("a copy: %v: %+v", err, r.Jointly)
	}
	o.Together = "nobody"
	if _, err := computedOf(t, judge, people, o); err == nil || !strings.Contains(err.Error(), "big, old, small") {
		t.Errorf("a judge that is not there: %v", err)
	}
}

// TestTogetherNamed: with few labels, the named judge counts, with its interval of validation.csv. Labels that depend on a verdict, or have
// unequal probabilities, are refused.
func TestTogetherNamed(t *testing.T) {
	judge, people := judgesLogs(800, 45, false)
	o := Options{Together: "small", Seed: 1}
	r, err := computedOf(t, judge, people, o)
	if err != nil {
		t.Fatal(err)
	}
	all := r.Together[0]
	var corrected stats.Figure
	for _, row := range r.Rows {
		if row.Judge == "small" && row.Corrected.Known {
			corrected = row.Corrected
		}
	}
	if all.Basis != trust.BasisBoth || all.Mean != corrected || !all.Mean.Bounded {
		t.Errorf("%+v; want %+v", all, corrected)
	}
	judge, people = judgesLogs(800, 300, false)
	o.Together = TogetherAll
	o.Inclusion = map[string]float64{}
	for i := range people.Items {
		o.Inclusion[people.Items[i].ID] = .2 + float64(i%2)*.5
	}
	if r, err = computedOf(t, judge, people, o); err != nil || r.Together[0].Why != string(trust.ByWeights) || r.Together[0].Mean.Known {
		t.Errorf("unequal probabilities: %v, %+v", err, r.Together)
	}
	o.Inclusion = map[string]float64{}
	for i := range people.Items {
		o.Inclusion[people.Items[i].ID] = .4
	}
	if r, err = computedOf(t, judge, people, o); err != nil || !strings.Contains(r.Jointly[0].Text, "drawn at random") {
		t.Errorf("equal probabilities: %v, %+v", err, r.Jointly)
	}
	o.Inclusion = nil
	values := map[int32]string{}
	for _, s := range judge.Values.All() {
		if s.Rater.Name == "big" {
			values[s.Item] = s.Value
		}
	}
	people.Values.Delete(func(s data.Rating) bool { return values[s.Item] < "3" })
	if r, err = computedOf(t, judge, people, o); err != nil || r.Together[0].Why != string(trust.LabelsByVerdict) {
		t.Errorf("labels of good verdicts alone: %v, %+v", err, r.Together)
	}
}

// TestTogetherLabelsChosen: labels only of items on which two judges agree are refused, although each judge's values are the same on them.
// Labels by three people cost three times as much.
func TestTogetherLabelsChosen(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 3))
	study := func(chosen bool) (judge, people *sources.Log) {
		judge = &sources.Log{}
		people = &sources.Log{}
		correct := &data.Measured{ID: "correct"}
		give := func(log *sources.Log, name, kind string, item int, value bool) {
			log.Values.Add(data.Rating{Series: data.Series{Rater: &data.Rater{Name: name, Kind: kind}, Measured: correct}, Item: int32(item),
				Value: map[bool]string{true: "yes", false: "no"}[value]})
		}
		for i := range 800 {
			item := sources.Item{ID: fmt.Sprint("i", i), Text: fmt.Sprint("t", i)}
			judge.Items, people.Items = append(judge.Items, item), append(people.Items, item)
			truth := i%2 == 0
			a := truth == (rng.IntN(5) > 0)
			b := truth == (rng.IntN(5) > 0)
			give(judge, "a", data.KindJudge, i, a)
			give(judge, "b", data.KindJudge, i, b)
			if rng.IntN(4) == 0 && (a == b || !chosen) {
				for _, person := range []string{"ann", "ben", "cem"} {
					give(people, person, data.KindPerson, i, truth == (rng.IntN(20) > 0))
				}
			}
		}
		return judge, people
	}
	judge, people := study(true)
	r, err := computedOf(t, judge, people, Options{Together: TogetherAll, Seed: 1})
	if err != nil || r.Together[0].Why != string(trust.LabelsByVerdict) ||
		slices.ContainsFunc(r.Pairings, func(p *Pairing) bool { return p.doubt() != "" }) {
		t.Errorf("labels where judges agree: %v, %+v", err, r.Together)
	}
	judge, people = study(false)
	r, err = computedOf(t, judge, people, Options{Together: TogetherAll, LabelPrice: 1, CallPrices: map[string]float64{"a": .01}, Seed: 1})
	if err != nil || r.Together[0].Labels.Value != 33 || !strings.Contains(r.Jointly[0].Text, "33 items labelled by three people") ||
		!strings.Contains(r.Jointly[0].Text, "not known of b (--call-price JUDGE=DOLLARS)") {
		t.Errorf("three people: %v, %+v", err, r.Jointly)
	}
}
