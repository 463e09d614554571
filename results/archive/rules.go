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

// A rule reports whether a cell of an export that another version of the program made may differ from the recomputed cell. row is the
// recomputed row.
type rule func(row []string, exported, computed string) bool

// rules has a rule for each column whose cells may differ, by table and column. nil means that the version that verifies also made the
// export, so that no cell may differ.
type rules map[string]map[string]rule

// otherRules returns rules for the columns that another version of the program may have computed in another way. t has the recomputed
// tables of a run; it is nil for the tables of a validation.
//   - Conclusions in words repeat what other columns say in figures. They may differ, as the texts of reports may.
//   - Earlier versions gave people a first_share where no file said which answer was shown first.
//   - Earlier versions counted a call that several verdicts share only once in the cost of a thousand verdicts.
//   - Earlier versions ranked systems with few verdicts, and ranked systems by judges that contradict themselves.
//   - Earlier versions had another method for intervals of agreement, and gave rare classes an interval (see bound). The probability that
//     alpha is below a threshold depends on the same method.
//   - Earlier versions compared the rankings of only two systems (tau_people).
//   - Earlier versions corrected a mean by fewer than ten labels (leaderboard.csv). With 10 to 29 labels of a system, they also used the
//     judge's bias on other systems (human_points.csv). They weighted the judge of a validation by items, not by clusters.
//   - Earlier versions gave a difference on fewer than five questions. They also compared two systems on all scenarios although
//     each had other scenarios, or other questions.
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

// ofAgreement lists the tables whose intervals follow the rule of agreement (docs/statistics.md). Earlier versions had other intervals
// there.
var ofAgreement = []string{"agreement.csv", "judges.csv", "worth.csv", "panel.csv", "halo.csv", "validation.csv", "slices.csv",
	"preference_agreement.csv", "summary_agreement.csv"}

// bound returns the rule of a column with a bound of an interval (_low or _high) in a table of ofAgreement; for any other column it returns
// nil. The exported or the recomputed bound may be missing. An exported low bound must not lie above the recomputed figure, and a high
// bound must not lie below it.
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

// lower allows an exported cost that is lower than the recomputed one, because it counts a shared call only once.
func lower(_ []string, exported, computed string) bool {
	x, y, ok := numbers(exported, computed)
	return ok && x >= 0 && x < y
}

// further allows an exported figure that was divided by such a lower cost: it lies further from 0, on the same side.
func further(_ []string, exported, computed string) bool {
	x, y, ok := numbers(exported, computed)
	return ok && x*y > 0 && math.Abs(x) > math.Abs(y)
}

// ofVerdicts limits a rule to the rows of costs.csv that are about verdicts.
func ofVerdicts(may rule) rule {
	return func(row []string, exported, computed string) bool {
		return row[0] == store.KindVerdict && may(row, exported, computed)
	}
}

// numbers reads two cells as numbers. ok is false if one of them is not a finite number.
func numbers(a, b string) (x, y float64, ok bool) {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return x, y, errX == nil && errY == nil && !math.IsInf(x, 0) && !math.IsInf(y, 0)
}

// share allows another probability, in [0, 1].
func share(_ []string, exported, computed string) bool {
	x, y, ok := numbers(exported, computed)
	return ok && x >= 0 && x <= 1 && y >= 0 && y <= 1
}

// withheldTau allows a Kendall's tau in [-1, 1] that this version leaves empty, because there are too few systems.
func withheldTau(_ []string, exported, computed string) bool {
	tau, err := strconv.ParseFloat(exported, 64)
	return err == nil && tau >= -1 && tau <= 1 && computed == ""
}

// withheldRank returns a rule that allows a rank in leaderboard.csv that this version leaves empty. The reason must be that the system has
// few verdicts or that the judge contradicts itself.
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

// withheldMean returns a rule that allows a corrected mean in leaderboard.csv that this version leaves empty. The reason must be that the
// row has fewer than trust.LeastLabels labels.
func withheldMean(t *report.Report) rule {
	few := map[[3]string]bool{}
	for _, r := range t.Leaderboard.Board {
		few[[3]string{r.Judge, r.System, r.Scenario}] = r.NHuman.Value < trust.LeastLabels
	}
	return func(row []string, exported, computed string) bool {
		return few[[3]string(row[:3])] && withheld(row, exported, computed)
	}
}

// otherwiseCorrected returns a rule that allows another figure in human_points.csv for systems with trust.LeastLabels to 29 labels. This
// version computes it from the system's own labels; earlier versions also used the labels of the other systems.
func otherwiseCorrected(t *report.Report) rule {
	labelled := map[[2]string]bool{}
	for _, r := range t.Quality.HumanPoints.Rows {
		labelled[[2]string{r.Judge, r.System}] = r.Human >= trust.LeastLabels && r.Human < 30
	}
	return func(row []string, exported, computed string) bool {
		return labelled[[2]string(row[:2])] && finite(row, exported, computed)
	}
}

// finite allows any other finite number.
func finite(_ []string, exported, computed string) bool {
	_, _, ok := numbers(exported, computed)
	return ok
}

// withheld allows a finite number that this version leaves empty.
func withheld(_ []string, exported, computed string) bool {
	v, err := strconv.ParseFloat(exported, 64)
	return err == nil && !math.IsInf(v, 0) && !math.IsNaN(v) && computed == ""
}

// otherwisePaired returns the rule of comparisons.csv. A figure on fewer than five questions may be left empty by this version. Any cell
// may differ if one of the two systems lacks some of its planned verdicts, or if the row is over all scenarios and the two have different
// ones.
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
