package validation

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/data/sources"
	"compqa/results/raters"
	"compqa/stats"
)

// population returns items in clusters of questions. Question and answer have a latent quality, which people see with noise; the judge
// gives too much. A share of the items is labelled, anywhere in the clusters.
func population(rng *rand.Rand, questions, perQuestion int, labelled float64) (judge, people *sources.Log) {
	judge = &sources.Log{}
	people = &sources.Log{}
	j := data.Series{Rater: &data.Rater{Name: "judge", Kind: data.KindJudge}, Measured: &data.Measured{ID: "ok"}}
	persons := []data.Series{{Rater: &data.Rater{Name: "ann", Kind: data.KindPerson}, Measured: &data.Measured{ID: "ok"}}}
	yes := func(x float64) string {
		if x > 0 {
			return "yes"
		}
		return "no"
	}
	for q := range questions {
		hard := rng.NormFloat64()
		for k := range perQuestion {
			item := sources.Item{ID: fmt.Sprintf("%d-%d", q, k), Text: "x"}.With(sources.About{Group: fmt.Sprint("q", q)})
			quality := 0.3 + 0.7*hard + 0.7*rng.NormFloat64()
			judge.Items, people.Items = append(judge.Items, item), append(people.Items, item)
			index := int32(len(judge.Items) - 1)
			judge.Values.Add(data.Rating{Series: j, Item: index, Value: yes(quality + 0.3 + 0.7*rng.NormFloat64() + 0.3*hard)})
			for _, p := range persons {
				if v := yes(quality + 0.4*rng.NormFloat64()); rng.Float64() < labelled {
					people.Values.Add(data.Rating{Series: p, Item: index, Value: v})
				}
			}
		}
	}
	return judge, people
}

// figuresOf returns the figures of a study's only criterion, as compute does.
func figuresOf(t *testing.T, judge, people *sources.Log, ofMean raters.Figures) map[string]stats.Figure {
	t.Helper()
	p := paired(t, judge, people, Options{})
	var mean, most Row
	p.compareByID(&mean, p.mean, ofMean)
	p.compare(&most, p.most, raters.Categories)
	p.correct(&mean)
	return map[string]stats.Figure{"alpha": mean.Alpha, "spearman": mean.Spearman, "corrected": mean.Corrected,
		"rogan-gladen": mean.RoganGladen, "agreement": most.Agreement, "kappa": most.Kappa, "ac1": most.AC1, "tpr": most.TPR,
		"tnr": most.TNR, "precision": most.Precision, "f1": most.F1}
}

// TestSoakCoverage: intervals contain the figure of the whole population in 93 to 97 % of samples (for Rogan and Gladen's rate, up to 98.5
// %). This also holds if clusters are labelled in part.
func TestSoakCoverage(t *testing.T) {
	sharedtest.Soak(t)
	judge, people := population(rand.New(rand.NewPCG(1, 1)), 60_000, 4, 1)
	truth := figuresOf(t, judge, people, raters.Alpha|raters.Ranks)
	for _, c := range []struct {
		questions int
		labelled  float64
	}{{40, 1}, {150, 1}, {150, 0.3}, {500, 0.1}} {
		const samples = 1000
		inside := map[string]int{}
		known := map[string]int{}
		for i := range samples {
			judge, people := population(rand.New(rand.NewPCG(2, uint64(i))), c.questions, 4, c.labelled)
			for name, b := range figuresOf(t, judge, people, raters.Alpha|raters.Ranks|raters.RankIntervals|raters.Compared) {
				if !b.Bounded {
					continue
				}
				known[name]++
				if want := truth[name].Value; b.Low <= want && want <= b.High {
					inside[name]++
				}
			}
		}
		for name := range truth {
			share := float64(inside[name]) / float64(known[name])
			if os.Getenv("COMPQA_SHOW") != "" {
				fmt.Printf("%d questions, %.0f%% labelled: %s %.3f of %d\n", c.questions, 100*c.labelled, name, share, known[name])
			}
			most := 0.97
			if name == "rogan-gladen" { // wider if a random sample of labels looks chosen, so that it is weighted
				most = 0.985
			}
			if share < 0.93 || share > most {
				t.Errorf("%d questions, %.0f%% labelled: %s is inside %.3f of the intervals", c.questions, 100*c.labelled, name, share)
			}
		}
	}
}

// studyOf returns NewStudy of copies of the logs, so that the logs keep their values.
func studyOf(judged, people *sources.Log, o Options) (*Study, error) {
	return NewStudy(judged.Clone(), people.Clone(), o)
}

// valuesOf returns the judgements of a log from ratings. listed returns the ratings of a log.
func valuesOf(list []data.Rating) (values data.Judgements) {
	for _, s := range list {
		values.Add(s)
	}
	return values
}

func listed(log *sources.Log) (list []data.Rating) {
	for _, s := range log.Values.All() {
		list = append(list, s)
	}
	return list
}
