package train

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/stats"
)

// A ComparisonRow compares a trained judge with its base on one measure. It covers the observations that are valid for both: preferences,
// or pairs in both orders. Intervals are clustered by question. Difference is trained minus base, paired by observation.
type ComparisonRow struct {
	Dataset    string       `csv:"dataset"`
	Measure    string       `csv:"measure"`
	N          int          `csv:"n"`
	Base       stats.Figure `csv:"base,base_low,base_high"`
	Trained    stats.Figure `csv:"trained,trained_low,trained_high"`
	Difference stats.Figure `csv:"difference,ci_low,ci_high"`
	P          stats.Figure `csv:"p"`
}

// measures are in the order of the table. On sets with a bias, only the first two are shown.
var measures = [...]string{"accuracy", "right in both orders", "same choice in both orders", "chooses the first", "chooses the longer",
	"accuracy, longer preferred", "accuracy, longer not preferred", baseRight, "accuracy, base wrong"}

// baseRight is the accuracy on preferences on which the base judge is right (Con-J, section 4.4). The measure after it is the accuracy on
// the others.
const baseRight = "accuracy, base right"

// wanted returns, for each measure, the choice that it counts. chosen has the preference in one order, or those in both. A measure with ""
// does not apply to the pair.
func wanted(p *dataset.PairRow, chosen []*dataset.PreferenceRow) (want [len(measures)]data.Choice) {
	label := data.Choice("")
	longer := [...]data.Choice{data.ChoiceB, "", data.ChoiceA}[1+cmp.Compare(p.WordsA, p.WordsB)]
	if p.Label.Decided() {
		label = p.Label
	}
	first := chosen[0]
	if len(chosen) == len(data.Orders) {
		want[1] = label
		want[2] = first.Choice
		return want
	}
	want[0] = label
	if first.Choice.Decided() {
		want[3] = data.ChoiceA.In(first.Order)
		want[4] = longer
	}
	switch label {
	case longer:
		want[5] = label
	case longer.Swapped():
		want[6] = label
	}
	return want
}

// Compare compares two judges on each set of a record's pairs. If card is the card of the training data, it returns a Refusal if the record
// has pairs of training questions.
func Compare(s *store.Store, r *dataset.PairwiseRecord, base, trained string, card *Card) ([]ComparisonRow, error) {
	if err := checkTrained(s, card); err != nil {
		return nil, err
	}
	var chosen [2][][2]*dataset.PreferenceRow // by base (0) and trained (1), then by pair and order; nil if not valid
	names := data.Each(r.Judges, func(j store.Participant) string { return j.Name })
	for i, name := range []string{base, trained} {
		j := slices.Index(names, name)
		if j < 0 {
			return nil, refuse("there is no pairwise judge %q%s", name, data.Suggest(name, "judges", names))
		}
		chosen[i] = make([][2]*dataset.PreferenceRow, len(r.Pairs))
		for k, p := range r.Prefs {
			if p.Judge == j && p.Status == data.Valid {
				chosen[i][p.Pair][slices.Index(data.Orders, p.Order)] = &r.Prefs[k]
			}
		}
	}
	var calculator dataset.Calculator
	var rows []ComparisonRow
	for i, set := range r.Sets {
		var samples [len(measures)][2]dataset.Sample
		for k := range r.Pairs {
			if r.Pairs[k].Set == i {
				observe(&samples, &r.Pairs[k], chosen[0][k], chosen[1][k])
			}
		}
		for m, name := range measures {
			row := ComparisonRow{Dataset: set.Name, Measure: name, N: len(samples[m][0].Values)}
			if row.N == 0 || set.Base != "" && m > 1 {
				continue
			}
			row.Base, row.Trained = calculator.Share(samples[m][0], stats.ErrUndefined), calculator.Share(samples[m][1], stats.ErrUndefined)
			row.Difference, row.P = calculator.Difference(samples[m][1], samples[m][0])
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 && calculator.Err == nil {
		return nil, refuse("no pair has a valid preference of both %s and %s", base, trained)
	}
	return rows, calculator.Err
}

// observe adds to samples, for each measure that applies to both judges, whether each judge chose what the measure counts. It does so for
// each order and for both orders together.
func observe(samples *[len(measures)][2]dataset.Sample, p *dataset.PairRow, base, trained [2]*dataset.PreferenceRow) {
	for _, orders := range [][2]int{{0, 1}, {1, 2}, {0, 2}} {
		by := [2][]*dataset.PreferenceRow{base[orders[0]:orders[1]], trained[orders[0]:orders[1]]}
		if slices.Contains(by[0], nil) || slices.Contains(by[1], nil) {
			continue
		}
		want := [2][len(measures)]data.Choice{wanted(p, by[0]), wanted(p, by[1])}
		if len(by[0]) == 1 && p.Label.Decided() {
			m := slices.Index(measures[:], baseRight)
			if by[0][0].Choice != p.Label {
				m++
			}
			want[0][m] = p.Label
			want[1][m] = p.Label
		}
		for m := range samples {
			for j, chosen := range by {
				if want[0][m] != "" && want[1][m] != "" {
					others := slices.ContainsFunc(chosen, func(c *dataset.PreferenceRow) bool { return c.Choice != want[j][m] })
					samples[m][j].Add(dataset.Indicator(!others), p.Cluster)
				}
			}
		}
	}
}

// checkTrained returns a Refusal if the record has pairs of questions that the card lists as trained on.
func checkTrained(s *store.Store, card *Card) error {
	if card == nil {
		return nil
	}
	var leaked []string
	trained := data.Among(slices.Concat(card.Splits.Questions, card.Splits.Also))
	asked, err := s.PairQuestions()
	if err != nil {
		return err
	}
	for _, p := range asked {
		keys := []string{p.Cluster, data.QuestionCluster(p.Question)}
		if p.Object1 != "" && p.Object2 != "" {
			keys[0] = data.PairKey(p.Object1, p.Object2)
		}
		counted := slices.ContainsFunc(keys, func(key string) bool { return slices.Contains(leaked, key) })
		if i := slices.IndexFunc(keys, func(key string) bool { return trained[key] }); i >= 0 && !counted {
			leaked = append(leaked, keys[i])
		}
	}
	if leaked != nil {
		return refuse("%d questions of the record (%s …) are among those that the judge was trained on; evaluate it on %s", len(leaked),
			leaked[0], PairsName)
	}
	return nil
}

// Findings says, for each set of pairs, whether training changed the accuracy of the judge.
func Findings(rows []ComparisonRow, base, trained string) (all table.Findings) {
	for _, row := range rows {
		if row.Measure != measures[0] {
			continue
		}
		both := table.First(rows, func(r ComparisonRow) bool { return r.Dataset == row.Dataset && r.Measure == measures[1] })
		all = append(all, trust.Training{Base: base, Trained: trained, Set: row.Dataset, Difference: row.Difference, Pairs: max(both.N,
			(row.N+1)/len(data.Orders)), Least: dataset.MinShared}.Finding())
	}
	return all
}

// ComparisonView returns the table of a trained judge and its base. Differences are trained minus base.
func ComparisonView(rows []ComparisonRow) *table.Table {
	return table.From(2, rows, "dataset", "measure", "n:0", "base:3", "trained:3", "difference+3", "p:4")
}

// ComparisonText returns the file trained.md.
func ComparisonText(rows []ComparisonRow, base, trained string, card *Card) string {
	about := fmt.Sprintf("%s is trained, %s is its base. Values are shares of the n preferences, or pairs in both orders, that are valid "+
		"for both judges, with 95 %% intervals clustered by question; the difference is paired. In sets with a bias, answers were "+
		"rewritten to favour the answer that people did not prefer, or the preferred one; the name of the set says which.", trained, base)
	if card != nil {
		about += fmt.Sprintf(" Trained on %d examples of %d questions; none of these is among the pairs.", card.Splits.Train,
			len(card.Splits.Questions))
		if len(card.Benchmarks) > 0 {
			about += " TRAINED ON A BENCHMARK: " + strings.Join(card.Benchmarks, ", ") + "."
		}
	}
	about = strings.Join(append(Findings(rows, base, trained).Texts(), about), " ")
	return table.Page("A trained judge and its base", about, table.Section{Table: ComparisonView(rows)})
}
