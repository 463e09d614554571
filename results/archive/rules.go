package archive

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"compqa/results/dataset"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/trust"
	"compqa/stats"
)

// A rule reports whether a cell of an export of another version may differ from the recomputed one; row is the recomputed row.
type rule func(row []string, exported, computed string) bool

// rules has the rules of columns, by table and column. nil: the program that verifies made the export, and no cell may differ.
type rules map[string]map[string]rule

// otherRules returns the columns that another version than this one may compute by another rule.
//   - Conclusions in words say what other columns have in figures, and may differ as the texts of reports may.
//   - Earlier versions had a first_share of people where no file said which answer was shown first.
//   - Earlier versions counted a call that several verdicts share once in the cost of a thousand verdicts.
//   - Earlier versions ranked systems with few verdicts, and by judges that contradict themselves. t are the recomputed tables, or nil.
//   - Earlier versions had another method for the intervals of agreement, and gave rare classes one: see bound. The probability
//     that alpha is below a threshold is by the same method.
//   - Earlier versions compared the rankings of two systems (tau_people).
//   - Earlier versions corrected a mean by fewer than ten labels (leaderboard.csv), one by 10 to 29 labels by the judge's bias on other
//     systems, too (human_points.csv), and weighted the judge of a validation by items and not by clusters.
//   - Earlier versions had a difference on fewer than five questions, and one of two systems on the questions that both had in all of their
//     own scenarios, or that one of them had.
func otherRules(t *report.Report) rules {
	may := rules{"worth.csv": {"stand_in": anyCell, "verdict": anyCell, "p_below_0667": share, "p_below_0800": share},
		"validation.csv": {"replaces": anyCell, "rate_corrected": finite, "corrected_low": finite, "corrected_high": finite, "lambda": share,
			"n_effective": finite},
		"systems.csv":  {"predicted": anyCell, "low": anyCell, "high": anyCell, "basis": anyCell, "rank": anyCell, "note": anyCell},
		"pairwise.csv": {"first_share": anyCell}, "judges.csv": {"cost_per_1000": lower, "alpha_per_dollar": further,
			"tau_people": withheldTau},
		"costs.csv":              {"cost_per_1000": ofVerdicts(lower), "alpha_per_dollar": ofVerdicts(further)},
		"pairwise_injection.csv": {"lost": withheld, "lost_low": withheld, "lost_high": withheld, "p": withheld, "p_adjusted": anyCell},
		"differences.csv": {"n_questions": anyCell, "difference": anyCell, "ci_low": anyCell, "ci_high": anyCell, "p": anyCell,
			"p_adjusted": anyCell}}
	if t != nil {
		rank := withheldRank(t)
		corrected := withheldMean(t)
		otherwise := otherwiseCorrected(t)
		may["leaderboard.csv"] = map[string]rule{"rank": rank, "rank_low": rank, "rank_high": rank, "human_mean": corrected,
			"human_low": corrected, "human_high": corrected, "lambda": corrected, "n_effective": corrected}
		may["human_points.csv"] = map[string]rule{"predicted": otherwise, "low": otherwise, "high": otherwise, "rank": anyCell,
			"rank_low": anyCell, "rank_high": anyCell}
		paired := otherwisePaired(t)
		may["comparisons.csv"] = map[string]rule{"n_questions": paired, "difference": paired, "ci_low": paired, "ci_high": paired, "p": paired,
			"p_adjusted": anyCell}
	}
	return may
}

// ofAgreement are the tables whose intervals follow the rule of agreement (docs/statistics.md), which earlier versions did not have.
var ofAgreement = []string{"agreement.csv", "judges.csv", "worth.csv", "panel.csv", "halo.csv", "validation.csv", "slices.csv",
	"preference_agreement.csv", "summary_agreement.csv"}

// bound returns the rule of a column that is a bound of an interval in one of the tables of ofAgreement, nil for any other column. A bound
// may be missing on either side, and lies on its own side of the figure that both have: a low bound not above it, a high one not below.
func bound(table, column string, header []string) rule {
	name, low := strings.CutSuffix(column, "_low")
	if !low {
		high := false
		name, high = strings.CutSuffix(column, "_high")
		if !high {
			return nil
		}
	}
	place := slices.Index(header, name)
	if place < 0 || !slices.Contains(ofAgreement, table) {
		return nil
	}
	return func(row []string, exported, computed string) bool {
		if exported == "" {
			return true
		}
		x, figure, ok := numbers(exported, row[place])
		if low {
			return ok && x <= figure+cellNothing
		}
		return ok && x >= figure-cellNothing
	}
}

func anyCell([]string, string, string) bool { return true }

// lower is for a cost that counts a shared call once.
func lower(_ []string, exported, computed string) bool {
	x, y, ok := numbers(exported, computed)
	return ok && x >= 0 && x < y
}

// further is for a figure divided by such a cost: further from 0.
func further(_ []string, exported, computed string) bool {
	x, y, ok := numbers(exported, computed)
	return ok && x*y > 0 && math.Abs(x) > math.Abs(y)
}

// ofVerdicts returns a rule for the rows of costs.csv that are of verdicts.
func ofVerdicts(may rule) rule {
	return func(row []string, exported, computed string) bool {
		return row[0] == store.KindVerdict && may(row, exported, computed)
	}
}

// numbers returns two finite numbers of cells.
func numbers(a, b string) (x, y float64, ok bool) {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return x, y, errX == nil && errY == nil && !math.IsInf(x, 0) && !math.IsInf(y, 0)
}

// share is for a probability.
func share(_ []string, exported, computed string) bool {
	x, y, ok := numbers(exported, computed)
	return ok && x >= 0 && x <= 1 && y >= 0 && y <= 1
}

// withheldTau is for Kendall's tau of too few systems, to which this version gives none.
func withheldTau(_ []string, exported, computed string) bool {
	tau, err := strconv.ParseFloat(exported, 64)
	return err == nil && tau >= -1 && tau <= 1 && computed == ""
}

// withheldRank is for a rank of a row of leaderboard.csv to which this version gives none, for one of the two reasons that earlier versions
// did not know.
func withheldRank(t *report.Report) rule {
	withheld := map[[3]string]bool{}
	for _, r := range t.Leaderboard.Board {
		withheld[[3]string{r.Judge, r.System, r.Scenario}] = r.Thin() || t.Quality.Contradicts(r.Judge)
	}
	return func(row []string, exported, computed string) bool {
		rank, err := strconv.Atoi(exported)
		return err == nil && rank > 0 && computed == "" && withheld[[3]string(row[:3])]
	}
}

// withheldMean returns the rule of a figure of people's mean of a row of leaderboard.csv with fewer labels than this version corrects a
// mean by.
func withheldMean(t *report.Report) rule {
	few := map[[3]string]bool{}
	for _, r := range t.Leaderboard.Board {
		few[[3]string{r.Judge, r.System, r.Scenario}] = r.NHuman.Value < trust.LeastLabels
	}
	return func(row []string, exported, computed string) bool {
		return few[[3]string(row[:3])] && withheld(row, exported, computed)
	}
}

// otherwiseCorrected returns the rule of a figure of human_points.csv that this version computes from at least trust.LeastLabels labels
// of the system alone, and earlier ones did from fewer than 30 only with those of the other systems.
func otherwiseCorrected(t *report.Report) rule {
	labelled := map[[2]string]bool{}
	for _, r := range t.Quality.HumanPoints.Rows {
		labelled[[2]string{r.Judge, r.System}] = r.Human >= trust.LeastLabels && r.Human < 30
	}
	return func(row []string, exported, computed string) bool {
		return labelled[[2]string(row[:2])] && finite(row, exported, computed)
	}
}

// finite allows a number by another rule.
func finite(_ []string, exported, computed string) bool {
	_, _, ok := numbers(exported, computed)
	return ok
}

// withheld is for a number to which this version gives none.
func withheld(_ []string, exported, computed string) bool {
	v, err := strconv.ParseFloat(exported, 64)
	return err == nil && !math.IsInf(v, 0) && !math.IsNaN(v) && computed == ""
}

// otherwisePaired is for a cell of comparisons.csv: of fewer than five questions, of a system without all of its planned verdicts, or over
// all scenarios of two systems that do not have the same.
func otherwisePaired(t *report.Report) rule {
	partial := map[[3]string]bool{}
	scenarios := map[[2]string]string{}
	for _, r := range t.Leaderboard.Board {
		partial[[3]string{r.Judge, r.Scenario, r.System}] = r.Valid < r.Planned
		scenarios[[2]string{r.Judge, r.System}] += "\x00" + r.Scenario
	}
	return func(row []string, exported, computed string) bool {
		judge := row[0]
		scenario := row[1]
		a := row[2]
		b := row[3]
		n, err := strconv.Atoi(row[4])
		if err == nil && n < stats.FewClusters && withheld(row, exported, computed) {
			return true
		}
		return partial[[3]string{judge, scenario, a}] || partial[[3]string{judge, scenario, b}] ||
			scenario == dataset.AllScenarios && scenarios[[2]string{judge, a}] != scenarios[[2]string{judge, b}]
	}
}
