package train

import (
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// A ComparisonRow is a measure of a trained judge beside its base, over the observations that
// both have: preferences, or pairs in both orders. Intervals are clustered by question; the
// difference, trained less base, is paired.
type ComparisonRow struct {
	Dataset    string        `csv:"dataset"`
	Measure    string        `csv:"measure"`
	N          int           `csv:"n"`
	Base       table.Bounded `csv:"base"`
	Trained    table.Bounded `csv:"trained"`
	Difference table.Bounded `csv:"difference,ci_low,ci_high"`
	P          table.Figure  `csv:"p"`
}

// The measures, in the order of the table.
const (
	accuracy    = "accuracy"
	bothOrders  = "right in both orders"
	consistency = "same choice in both orders"
	firstShare  = "chooses the first"
	longerShare = "chooses the longer"
	whenLonger  = "accuracy, longer preferred"
	whenShorter = "accuracy, longer not preferred"
)

var measures = []string{accuracy, bothOrders, consistency, firstShare, longerShare, whenLonger, whenShorter}

// An observation is what a measure is over: a pair, in an order or in both.
type observation struct {
	measure, order string
	pair           int
}

// Compare compares two judges on each set of a record's pairs. With the card of the training
// data, pairs of questions that were trained on are a Refusal.
func Compare(s *store.Store, r *store.PairwiseRecord, base, trained string, card *Card) ([]ComparisonRow, error) {
	if err := checkTrained(s, card); err != nil {
		return nil, err
	}
	values := make([]map[observation]float64, 2)
	var names []string
	for _, j := range r.Judges {
		names = append(names, j.Name)
	}
	for i, name := range []string{base, trained} {
		j := slices.Index(names, name)
		if j < 0 {
			return nil, refuse("there is no pairwise judge %q%s", name, data.Suggest(name, "judges", names))
		}
		values[i] = observations(r, j)
	}
	var calculator dataset.Calculator
	var rows []ComparisonRow
	for i, set := range r.Sets {
		for _, m := range measures {
			if set.Base != "" && m != accuracy && m != bothOrders { // what a bias is about
				continue
			}
			var of [2]dataset.Sample
			for pair, p := range r.Pairs {
				for _, order := range []string{data.OrderAB, data.OrderBA, ""} {
					o := observation{m, order, pair}
					if p.Set == i && has(values[0], o) && has(values[1], o) {
						of[0].Add(values[0][o], p.Cluster)
						of[1].Add(values[1][o], p.Cluster)
					}
				}
			}
			n := len(of[0].Values)
			if n == 0 {
				continue
			}
			row := ComparisonRow{Dataset: set.Name, Measure: m, N: n}
			row.Base, row.Trained = calculator.Share(of[0], stats.ErrUndefined).Bounded, calculator.Share(of[1], stats.ErrUndefined).Bounded
			row.Difference, row.P = calculator.Difference(of[1], of[0])
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 && calculator.Err == nil {
		return nil, refuse("no pair has a valid preference of both %s and %s", base, trained)
	}
	return rows, calculator.Err
}

// observations are the values of the measures for one judge.
func observations(r *store.PairwiseRecord, judge int) map[observation]float64 {
	values := map[observation]float64{}
	var ab store.PreferenceRow // the last one in order ab, which precedes that in order ba
	for _, p := range r.Prefs {
		if p.Judge != judge || p.Status != data.Valid {
			continue
		}
		pair := r.Pairs[p.Pair]
		set := func(measure string, is bool) { values[observation{measure, p.Order, p.Pair}] = dataset.Indicator(is) }
		if pair.Label.Decided() {
			set(accuracy, p.Choice == pair.Label)
			if pair.WordsA != pair.WordsB {
				preferredLonger := (pair.WordsA > pair.WordsB) == (pair.Label == data.ChoiceA)
				set(map[bool]string{true: whenLonger, false: whenShorter}[preferredLonger], p.Choice == pair.Label)
			}
		}
		if p.Choice.Decided() {
			set(firstShare, (p.Choice == data.ChoiceA) == (p.Order == data.OrderAB))
			if pair.WordsA != pair.WordsB {
				set(longerShare, (p.Choice == data.ChoiceA) == (pair.WordsA > pair.WordsB))
			}
		}
		if p.Order == data.OrderAB {
			ab = p
		} else if ab.Pair == p.Pair && ab.Choice != "" {
			values[observation{consistency, "", p.Pair}] = dataset.Indicator(ab.Choice == p.Choice)
			if pair.Label.Decided() {
				values[observation{bothOrders, "", p.Pair}] = dataset.Indicator(ab.Choice == pair.Label && p.Choice == pair.Label)
			}
		}
	}
	return values
}

// checkTrained refuses pairs of questions that the card says were trained on.
func checkTrained(s *store.Store, card *Card) error {
	if card == nil {
		return nil
	}
	var leaked []string
	trained := map[string]bool{}
	for _, key := range slices.Concat(card.Splits.Questions, card.Splits.Also) {
		trained[key] = true
	}
	asked, err := store.Select[struct{ Object1, Object2, Cluster, Question string }](s, `SELECT DISTINCT object1, object2, cluster, question
		FROM pairs WHERE active ORDER BY 1, 2, 3, 4`)
	for _, p := range asked {
		keys := []string{p.Cluster, data.QuestionCluster(p.Question)}
		if p.Object1 != "" && p.Object2 != "" {
			keys = []string{data.PairKey(p.Object1, p.Object2)}
		}
		if i := slices.IndexFunc(keys, func(key string) bool { return trained[key] }); i >= 0 && !slices.Contains(leaked, keys[i]) {
			leaked = append(leaked, keys[i])
		}
	}
	if err == nil && leaked != nil {
		return refuse("%d questions of the record (%s …) are among those that the judge was trained on; evaluate it on %s", len(leaked),
			leaked[0], PairsName)
	}
	return err
}

// ComparisonView is the table of a comparison.
func ComparisonView(rows []ComparisonRow) *table.Table {
	return table.View(2, rows, "dataset", "measure", "n:0", "base:3", "trained:3", "difference+3", "p:4")
}

// ComparisonText is trained.md.
func ComparisonText(rows []ComparisonRow, base, trained string, card *Card) string {
	about := fmt.Sprintf("%s is trained, %s is its base. Values are shares of the n preferences, or pairs in both orders, that are valid "+
		"for both judges, with 95 %% intervals clustered by question; the difference is paired. In sets with a bias, one answer was "+
		"rewritten to favour the answer that people did not prefer, or the preferred one; the name of the set says which.", trained, base)
	if card != nil {
		about += fmt.Sprintf(" Trained on %d examples of %d questions; none of these is among the pairs.", card.Splits.Train,
			len(card.Splits.Questions))
		if len(card.Benchmarks) > 0 {
			about += " TRAINED ON A BENCHMARK: " + strings.Join(card.Benchmarks, ", ") + "."
		}
	}
	return table.Page("A trained judge and its base", about, table.Section{Table: ComparisonView(rows)})
}
