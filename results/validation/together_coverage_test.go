package validation

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/data/sources"
	"compqa/judges/replies"
	"compqa/results/trust"
	"compqa/stats"
	"compqa/stats/statstest"
)

// A judgedSet is a population of items with people's values and the values of several judges.
type judgedSet struct {
	name   string
	judges [][]float64
	people []float64
}

// drawn draws items with replacement; the first n are labelled.
func (s judgedSet) drawn(items, n int, rng *stats.RNG) trust.AllJudges {
	a := trust.AllJudges{Judges: make([]string, len(s.judges))}
	a.Sample.Judges, a.Sample.Seed = make([][]float64, len(s.judges)), rng.Uint64()
	for i := range items {
		k := rng.Intn(len(s.people))
		for j, values := range s.judges {
			a.Sample.Judges[j] = append(a.Sample.Judges[j], values[k])
		}
		if i < n {
			a.Sample.Labelled = append(a.Sample.Labelled, i)
			a.Sample.Human = append(a.Sample.Human, s.people[k])
		}
	}
	return a
}

// madeSet simulates a population. People choose the first of two answers or give 1 to 5 points. Each judge sees the quality of an item with
// noise. With three judges and a noise of 1.2, judges explain about .36 of people's choices, as on the pairs of Arena.
func madeSet(name string, judges int, noise float64, points bool) judgedSet {
	s := judgedSet{name: name, judges: make([][]float64, judges)}
	rng := stats.NewRNG(17, name)
	normal := func() float64 { return math.Sqrt(-2*math.Log(1-rng.Float64())) * math.Cos(2*math.Pi*rng.Float64()) }
	for range 20000 {
		quality := normal()
		seen := quality + .4*normal()
		switch {
		case points:
			s.people = append(s.people, statstest.FivePoints(seen))
		case seen > -.3:
			s.people = append(s.people, 1)
		default:
			s.people = append(s.people, 0)
		}
		for j := range s.judges {
			s.judges[j] = append(s.judges[j], math.Round(4*(quality+noise*normal()))/4)
		}
	}
	return s
}

// llmbarSet returns the pairs of LLMBar. Each judge and style gives the share of both orders in which it chooses the first answer.
func llmbarSet(t *testing.T, names, styles []string) judgedSet {
	bar, err := sources.ReadLLMBar(sharedtest.Path(t, "data", "llmbar"))
	if err != nil {
		t.Fatal(err)
	}
	label := map[string]float64{}
	for _, set := range bar.Sets {
		for _, p := range set.Pairs {
			label[p.ID] = 0
			if p.Label == data.ChoiceA {
				label[p.ID] = 1
			}
		}
	}
	s := judgedSet{name: "LLMBar"}
	for _, name := range names {
		for _, style := range styles {
			sums := map[string]float64{}
			for _, result := range bar.Results {
				for _, c := range result.Completions {
					if result.Judge == name && result.Style == style && replies.AsLLMBar(c.Text).In(c.Order) == data.ChoiceA {
						sums[c.Pair] += .5
					}
				}
			}
			s.judges = append(s.judges, data.Each(slices.Sorted(maps.Keys(label)), func(id string) float64 { return sums[id] }))
		}
	}
	s.people = data.Each(slices.Sorted(maps.Keys(label)), func(id string) float64 { return label[id] })
	return s
}

// pandaSet returns PandaLM's test set with the mean of three people, and two judges. A tie or an unreadable reply counts as one half.
func pandaSet(t *testing.T) judgedSet {
	s := judgedSet{name: "PandaLM"}
	read := func(file string, keys ...string) (values []float64) {
		var rows []map[string]any
		text, err := os.ReadFile(sharedtest.Path(t, "data", "pandalm", file))
		if err == nil {
			err = json.Unmarshal(text, &rows)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			sum := 0.
			for _, key := range keys {
				switch fmt.Sprint(row[key]) {
				case "1":
					sum++
				case "2":
				default:
					sum += .5
				}
			}
			values = append(values, sum/float64(len(keys)))
		}
		return values
	}
	s.people = read("testset-v1.json", "annotator1", "annotator2", "annotator3")
	s.judges = [][]float64{read("gpt-3.5-turbo-testset-v1.json", "gpt_result"), read("pandalm-7b-testset-v1.json", "pandalm_result")}
	return s
}

// TestSoakTogetherCoverage: intervals contain the population's mean of people in .93 to .97 of 2,000 samples, and are narrower than
// intervals by labels alone. Six judges that give only noise do no harm, with few labels or many.
func TestSoakTogetherCoverage(t *testing.T) {
	tally := statstest.NewTally(t)
	llmbar := []string{"GPT-4", "ChatGPT", "LLaMA2"}
	for _, test := range []struct {
		set           judgedSet
		items, labels int
		narrower      float64 // greatest width, relative to labels alone
	}{
		{madeSet("Arena-like, 3 judges", 3, 1.2, false), 500, 60, .95}, {madeSet("Arena-like, 3 judges", 3, 1.2, false), 500, 150, .9},
		{madeSet("Arena-like, 6 judges", 6, 1.2, false), 500, 120, .9}, {madeSet("points, 3 judges", 3, .8, true), 800, 100, .75},
		{llmbarSet(t, llmbar, []string{"Vanilla"}), 419, 60, .9}, {llmbarSet(t, llmbar, []string{"Vanilla", "CoT"}), 419, 120, .9},
		{pandaSet(t), 999, 60, .95}, {pandaSet(t), 999, 150, .9},
		{madeSet("6 judges of noise", 6, 1e6, true), 500, 20, 1.0000001}, {madeSet("6 judges of noise", 6, 1e6, true), 500, 120, 1.01},
	} {
		name := fmt.Sprintf("%s, %d labels of %d", test.set.name, test.labels, test.items)
		truth := stats.Mean(test.set.people)
		alone := 0.
		explained := 0.
		tally.Runs = 0
		tally.Covered = map[string]int{}
		tally.Width = map[string]float64{}
		for k := range uint64(2000) {
			d := test.set.drawn(test.items, test.labels, stats.NewRNG(k, name)).Decide()
			if !d.Mean.Bounded { // values were rare, so that the interval is missing
				continue
			}
			tally.Runs++
			tally.Add("rule", d.Mean.Low, d.Mean.High, truth)
			alone = alone + d.Alone.High - d.Alone.Low
			explained += d.Explained.Value
		}
		share := tally.Width["rule"] / alone
		t.Logf("%s: width %.3f of labels alone, R² %.2f", name, share, explained/float64(tally.Runs))
		tally.Honest(t, name, "rule")
		if share > test.narrower {
			t.Errorf("%s: width %.3f of that by labels alone, want at most %v", name, share, test.narrower)
		}
	}
}

// TestSoakTogetherClusters: the same for items in clusters of one to four that are alike. Either items or whole clusters are labelled.
func TestSoakTogetherClusters(t *testing.T) {
	tally := statstest.NewTally(t)
	normals := func(rng *stats.RNG) float64 {
		return math.Sqrt(-2*math.Log(1-rng.Float64())) * math.Cos(2*math.Pi*rng.Float64())
	}
	for _, test := range []struct {
		judges, labels int
		whole          bool
	}{{3, 110, false}, {3, 170, true}, {6, 200, false}, {6, 320, true}} {
		name := fmt.Sprintf("%d judges, %d labels in clusters, whole: %v", test.judges, test.labels, test.whole)
		tally.Runs = 2000
		tally.Covered = map[string]int{}
		tally.Width = map[string]float64{}
		together := 0
		alone := 0.
		for k := range tally.Runs {
			rng := stats.NewRNG(uint64(k), name)
			a := trust.AllJudges{Judges: make([]string, test.judges)}
			a.Sample.Judges = make([][]float64, test.judges)
			var people []float64
			for c := range 300 {
				shared := normals(rng)
				noise := make([]float64, test.judges)
				for j := range noise {
					noise[j] = normals(rng)
				}
				for range 1 + rng.Intn(4) {
					quality := (shared + normals(rng)) / math.Sqrt2
					for j := range noise {
						a.Sample.Judges[j] = append(a.Sample.Judges[j], quality+(noise[j]+normals(rng))/math.Sqrt2)
					}
					people = append(people, quality+.3*normals(rng))
					a.Sample.Clusters = append(a.Sample.Clusters, c)
				}
			}
			order := make([]int, len(people))
			for i := range order {
				order[i] = i
			}
			if !test.whole { // otherwise clusters are in random order already
				rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			}
			for n, i := range order {
				if n >= test.labels && (!test.whole || a.Sample.Clusters[i] != a.Sample.Clusters[order[n-1]]) {
					break
				}
				a.Sample.Labelled = append(a.Sample.Labelled, i)
				a.Sample.Human = append(a.Sample.Human, people[i])
			}
			d := a.Decide()
			if d.Basis == trust.BasisTogether {
				together++
			}
			tally.Add("rule", d.Mean.Low, d.Mean.High, 0)
			alone += d.Alone.High - d.Alone.Low
		}
		t.Logf("%s: together in %d of %d, width %.3f of labels alone", name, together, tally.Runs, tally.Width["rule"]/alone)
		tally.Honest(t, name, "rule")
		if together < tally.Runs/2 {
			t.Errorf("%s: together in %d of %d", name, together, tally.Runs)
		}
	}
}

// TestSoakTogetherRefused: the chance of a label depends on whether two judges agree. The more it does, the more often labels are refused;
// random labels are refused in about 1 %. The test also prints the coverage of intervals that are not refused.
func TestSoakTogetherRefused(t *testing.T) {
	sharedtest.Soak(t)
	const studies = 200
	correct := &data.Measured{ID: "correct"}
	give := func(log *sources.Log, name, kind string, item int, value bool) {
		log.Values.Add(data.Rating{Series: data.Series{Rater: &data.Rater{Name: name, Kind: kind}, Measured: correct}, Item: int32(item),
			Value: map[bool]string{true: "yes", false: "no"}[value]})
	}
	refused := map[float64]int{}
	for _, fewer := range []float64{1, .7, .4, .1} { // chance of a label where judges differ, relative to where they agree
		covered := 0
		answers := 0
		for k := range studies {
			rng := stats.NewRNG(uint64(k), "refused", uint64(100*fewer))
			sum := 0.0
			judge := &sources.Log{}
			people := &sources.Log{}
			for i := range 600 {
				item := sources.Item{ID: fmt.Sprint("i", i), Text: fmt.Sprint("t", i)}
				judge.Items, people.Items = append(judge.Items, item), append(people.Items, item)
				truth := rng.Float64() < .7
				a := truth == (rng.Float64() < .8)
				b := truth == (rng.Float64() < .8)
				person := truth == (rng.Float64() < .95)
				give(judge, "a", data.KindJudge, i, a)
				give(judge, "b", data.KindJudge, i, b)
				if person {
					sum++
				}
				if chance := rng.Float64(); chance < .25 && (a == b || chance < .25*fewer) {
					give(people, "ann", data.KindPerson, i, person)
				}
			}
			s, err := studyOf(judge, people, Options{Together: TogetherAll, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.Paired()
			if err == nil {
				err = r.together()
			}
			if err != nil {
				t.Fatal(err)
			}
			switch row := r.Together[0]; {
			case row.Why == string(trust.LabelsByVerdict) || row.Why == string(trust.ByWeights):
				refused[fewer]++
			case row.Mean.Bounded:
				answers++
				if mean := sum / 600; row.Mean.Low <= mean && mean <= row.Mean.High {
					covered++
				}
			}
		}
		t.Logf("%v as many labels where judges differ: refused in %.3f, else %d of %d intervals contain the mean", fewer,
			float64(refused[fewer])/studies, covered, answers)
	}
	if refused[1] > studies/20 || refused[.1] < studies*9/10 || refused[.4] <= refused[.7] {
		t.Errorf("refused in %v of %d", refused, studies)
	}
}
