package validation

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/data/sources"
	"compqa/results/raters"
	"compqa/stats"
)

// drawn returns items of two systems and of different lengths that a judge scored yes or no, with labels of some items (people) and of all
// items (all). The distributions come from shared/cases/labels/cov.py. chosen gives twice the probability with which an item is
// labelled. If paired, both systems answer each question, as differences between systems need; else each item has its own question.
func drawn(rng *rand.Rand, n int, paired bool, chosen func(passed bool, system string, words int, quality float64) float64) (judge, people, all *sources.Log) {
	judge = &sources.Log{}
	people = &sources.Log{}
	all = &sources.Log{}
	j := data.Series{Rater: &data.Rater{Name: "judge", Kind: data.KindJudge}, Measured: &data.Measured{ID: "ok"}}
	person := data.Series{Rater: &data.Rater{Name: "ann", Kind: data.KindPerson}, Measured: &data.Measured{ID: "ok"}}
	yes := map[bool]string{true: "yes", false: "no"}
	for i := range n {
		system := string("AB"[rng.IntN(2)])
		question := ""
		if paired {
			system = string("AB"[i%2])
			question = fmt.Sprint("q", i/2)
		}
		words := 5 + rng.IntN(40)
		quality := 0.3 + rng.NormFloat64() + 0.3*float64(strings.Index("AB", system)) + 0.02*float64(words-25)
		passed := quality+0.5+rng.NormFloat64() > 0
		is := quality+0.7*rng.NormFloat64() > 0
		item := sources.Item{ID: fmt.Sprint("i", i), Question: question, Text: strings.Repeat("w ", words)}.With(sources.About{System: system})
		judge.Items, all.Items, people.Items = append(judge.Items, item), append(all.Items, item), append(people.Items, item)
		score := func(s data.Series, is bool) data.Rating {
			return data.Rating{Series: s, Item: int32(i), Value: yes[is]}
		}
		judge.Values.Add(score(j, passed))
		all.Values.Add(score(person, is))
		if rng.Float64() < chosen(passed, system, words, quality)/2 {
			people.Values.Add(score(person, is))
		}
	}
	return judge, people, all
}

// designs are the ways in which people choose about 5 % of 2,000 items to label.
var designs = []struct {
	name   string
	chosen func(passed bool, system string, words int, quality float64) float64
}{
	{"random", func(bool, string, int, float64) float64 { return 0.1 }},
	{"by verdict", func(passed bool, _ string, _ int, _ float64) float64 {
		return map[bool]float64{true: 0.05, false: 0.25}[passed]
	}},
	{"by length", func(_ bool, _ string, words int, _ float64) float64 {
		return map[bool]float64{true: 0.03, false: 0.2}[words > 25]
	}},
	{"worst first", func(passed bool, _ string, words int, _ float64) float64 {
		return map[bool]float64{true: 0.04, false: 0.3}[passed] * (1.4 - float64(words)/60)
	}},
	{"mostly one system", func(_ bool, system string, _ int, _ float64) float64 {
		return map[string]float64{"A": 0.04, "B": 0.2}[system]
	}},
}

// paired returns the pairing of a judge and people on a study's only criterion.
func paired(t *testing.T, judge, people *sources.Log, o Options) *Pairing {
	t.Helper()
	s, err := studyOf(judge, people, o)
	if err != nil {
		t.Fatal(err)
	}
	pairings, _, err := s.Pairings()
	if err != nil {
		t.Fatal(err)
	}
	return pairings[0]
}

// designFigures returns the figures of a study's only criterion, and its pairing.
func designFigures(t *testing.T, judge, people *sources.Log) (map[string]stats.Figure, *Pairing) {
	t.Helper()
	p := paired(t, judge, people, Options{})
	var mean, most Row
	p.compare(&mean, p.mean, raters.Alpha|raters.Rho|raters.RankIntervals)
	p.compare(&most, p.most, raters.Categories)
	p.correct(&mean)
	return map[string]stats.Figure{"rate": mean.Corrected, "alpha": mean.Alpha, "spearman": mean.Spearman, "agreement": most.Agreement,
		"kappa": most.Kappa, "tpr": most.TPR, "tnr": most.TNR, "precision": most.Precision}, p
}

// differenceOf returns the rate of system A minus that of system B.
func differenceOf(t *testing.T, judge, people *sources.Log) stats.Figure {
	t.Helper()
	p := paired(t, judge, people, Options{})
	rows := p.differences(p.systems())
	switch {
	case len(rows) != 1:
		return stats.Figure{}
	case rows[0].SystemA != "A" && rows[0].Difference.Known:
		return stats.WithInterval(-rows[0].Difference.Value, -rows[0].Difference.High, -rows[0].Difference.Low)
	}
	return rows[0].Difference
}

// figuresOfAll computes the figures of all items directly from their cross table.
func figuresOfAll(judge, all *sources.Log) map[string]float64 {
	var tp, fp, fn, tn float64
	passed := map[string]float64{}
	items := map[string]float64{}
	for place, s := range all.Values.All() {
		system := all.Items[s.Item].About().System
		items[system]++
		if s.Value == "yes" {
			passed[system]++
		}
		switch judge.Values.At(place).Value + s.Value {
		case "yesyes":
			tp++
		case "yesno":
			fp++
		case "noyes":
			fn++
		default:
			tn++
		}
	}
	n := tp + fp + fn + tn
	same := (tp + tn) / n
	a := (tp + fp) / n
	b := (tp + fn) / n
	chance := a*b + (1-a)*(1-b)
	both := (a + b) / 2
	return map[string]float64{"A minus B": passed["A"]/items["A"] - passed["B"]/items["B"], "rate": b, "agreement": same, "kappa": (same - chance) / (1 - chance),
		"alpha": 1 - (1-same)/(2*both*(1-both)*2*n/(2*n-1)), "spearman": (tp/n - a*b) / math.Sqrt(a*(1-a)*b*(1-b)),
		"tpr": tp / (tp + fn), "tnr": tn / (tn + fp), "precision": tp / (tp + fp)}
}

// TestSoakDesigns: whichever way labels are chosen, intervals contain the figure of all items in 93 to 97 % of 400 samples. (Two standard
// errors allow .91 to .99; shares weighted by what does not determine them reach .995.) The mean TPR is within .02 of the truth. The table
// is in docs/statistics.md.
func TestSoakDesigns(t *testing.T) {
	sharedtest.Soak(t)
	const samples = 400
	figures := []string{"rate", "agreement", "kappa", "alpha", "spearman", "tpr", "tnr", "precision", "A minus B"}
	for d, design := range designs {
		inside := map[string]int{}
		known := map[string]int{}
		bias := map[string]float64{}
		weighted := 0
		n := 0
		for i := range samples {
			judge, people, all := drawn(rand.New(rand.NewPCG(uint64(d), uint64(i))), 2000, false, design.chosen)
			truth := figuresOfAll(judge, all)
			got, p := designFigures(t, judge, people)
			judge, inPairs, all := drawn(rand.New(rand.NewPCG(uint64(d), uint64(i))), 2000, true, design.chosen)
			truth["A minus B"], got["A minus B"] = figuresOfAll(judge, all)["A minus B"], differenceOf(t, judge, inPairs)
			n += people.Values.Len()
			if p.sampling.weighted() {
				weighted++
			}
			for _, name := range figures {
				want := truth[name]
				f := got[name]
				if !f.Bounded {
					continue
				}
				known[name]++
				bias[name] += f.Value - want
				if f.Low <= want && want <= f.High {
					inside[name]++
				}
			}
		}
		line := fmt.Sprintf("| %s | %d | %.2f |", design.name, n/samples, float64(weighted)/samples)
		for _, name := range figures {
			coverage := float64(inside[name]) / float64(known[name])
			mean := bias[name] / float64(known[name])
			line += fmt.Sprintf(" %.3f (%+.3f) |", coverage, mean)
			few := samples * 98 / 100
			if name == "A minus B" { // a system with few labels may have a stratum without labels
				few = samples / 2
			}
			if known[name] < few || coverage < 0.91 || coverage > 0.995 || math.Abs(mean) > 0.02 {
				t.Errorf("%s: %s of %d: coverage %.3f, bias %.3f", design.name, name, known[name], coverage, mean)
			}
		}
		t.Log(line)
	}
}
