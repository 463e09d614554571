// Package pairstudy computes what people chose between two answers before and after they saw the
// tables of a judge (Yan et al. 2024, section 6.5).
package pairstudy

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/agreement"
)

// An Answer is one person's choice on a pair, before any table is shown or with the table of a
// judge.
type Answer struct {
	Rater, Pair, Cluster string
	Judge                string // whose table is shown; "": none yet
	Order                string // in which the answers are shown
	Gold, Choice         data.Choice
}

// score is that of Yan et al. 2024, section 6.5: 1 for the better answer, 0 for a tie, −1 for the
// other answer.
func (a Answer) score() float64 {
	switch a.Choice {
	case a.Gold:
		return 1
	case data.ChoiceTie:
		return 0
	}
	return -1
}

// A Row is people's choices at one stage of a study. Intervals are clustered by question.
// Gain is the score minus that of the same person on the same pair before.
type Row struct {
	Table   string        `csv:"table"` // the judge whose tables were shown; before: none
	Raters  int           `csv:"raters"`
	Planned int           `csv:"planned"` // answers, if each person had given all
	N       int           `csv:"n"`
	Score   table.Bounded `csv:"score"` // mean of 1, 0 and −1
	Right   int           `csv:"right"`
	Ties    int           `csv:"ties"`
	Wrong   int           `csv:"wrong"`
	Better  int           `csv:"better"` // answers whose score rose from before
	Worse   int           `csv:"worse"`
	Gain    table.Bounded `csv:"gain"`
	Alpha   table.Bounded `csv:"alpha"` // of the people with one another, nominal
}

// noTable is the stage without a table.
const noTable = "before"

// Rows has the stage without a table, then each judge by name. items is the number of
// questions of the form for each judge, "" for the stage without a table.
func Rows(given []Answer, items map[string]int) ([]Row, error) {
	type place struct{ rater, pair string }
	before, raters, clusters := map[place]Answer{}, map[string]bool{}, map[string]int{}
	for _, a := range given {
		raters[a.Rater] = true
		if a.Judge == "" {
			before[place{a.Rater, a.Pair}] = a
		}
		if _, known := clusters[a.Cluster]; !known {
			clusters[a.Cluster] = len(clusters)
		}
	}
	var rows []Row
	var c dataset.Calculator
	for _, judge := range slices.Sorted(maps.Keys(items)) {
		r := Row{Table: judge, Raters: len(raters), Planned: items[judge] * len(raters)}
		if judge == "" {
			r.Table = noTable
		}
		var scores, gains dataset.Sample
		var units, people []string
		var values []float64
		cluster := map[string]int{}
		for _, a := range given {
			if a.Judge != judge {
				continue
			}
			r.N++
			switch scores.Add(a.score(), clusters[a.Cluster]); a.score() {
			case 1:
				r.Right++
			case 0:
				r.Ties++
			default:
				r.Wrong++
			}
			if first, both := before[place{a.Rater, a.Pair}]; both && judge != "" {
				gain := a.score() - first.score()
				gains.Add(gain, clusters[a.Cluster])
				r.Better, r.Worse = r.Better+int(dataset.Indicator(gain > 0)), r.Worse+int(dataset.Indicator(gain < 0))
			}
			units, people, values = append(units, a.Pair), append(people, a.Rater),
				append(values, map[data.Choice]float64{data.ChoiceA: 0, data.ChoiceB: 1, data.ChoiceTie: 2}[a.Choice])
			cluster[a.Pair] = clusters[a.Cluster]
		}
		r.Score, r.Gain = c.Mean(scores).Bounded, c.Mean(gains).Bounded
		if ratings, names, err := agreement.LongRatings(units, people, values); err == nil && len(raters) > 1 {
			of := make([]int, len(names))
			for i, name := range names {
				of[i] = cluster[name]
			}
			r.Alpha = c.AlphaInterval(ratings, agreement.Nominal, of, stats.Resampling{Seed: 1, Name: "study", Level: dataset.Confidence})
		}
		rows = append(rows, r)
	}
	return rows, c.Err
}

// Write writes human_study.csv to a folder and prints it.
func Write(given []Answer, items map[string]int, dir string, w io.Writer) error {
	rows, err := Rows(given, items)
	if err != nil {
		return fmt.Errorf("computing the study: %w", err)
	}
	if err := table.WriteFiles(dir, map[string]func(io.Writer) error{"human_study.csv": table.CSV(rows)}); err != nil {
		return err
	}
	fmt.Fprintf(w, "Scores of human choices: 1 for the better answer, 0 for a tie, −1 for the other answer\n\n")
	if err := table.View(1, rows, "table", "raters", "n", "planned", "score", "right", "ties", "wrong", "better", "worse", "gain+2",
		"alpha").Terminal(w); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\n%s has the same\n", filepath.Join(dir, "human_study.csv"))
	return err
}
