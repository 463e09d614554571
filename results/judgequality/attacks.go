package judgequality

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// An AttackRow is the effect of an attack (a deliberate change of answers) on a judge's scores. It has the mean change in points with a 95
// % interval clustered by question (see stats.MeanInterval), and the shares of answers whose score fell and rose. Outcome is one of:
//
//	noticed    the answer is worse, and its score falls by at least a tenth of the maximum
//	hardly     the score falls by less
//	unnoticed  no significant change
//	rewarded   the score rises significantly, although the answer is worse or not better
//	resisted   the answer is not better, and its score does not rise
//	steady     the answer says the same, and its score does not change by a tenth of the maximum
//	moved      the answer says the same, and its score changes significantly, by at least a tenth of the maximum
//	not enough data: too few questions for an interval
//	degenerate the judge gives every text the same points, so that it cannot resist anything
type AttackRow struct {
	Judge   string       `csv:"judge"`
	Attack  string       `csv:"probe"`
	Expects string       `csv:"expects"` // what the score should do: fall, not rise, stay
	N       int          `csv:"n"`       // answers
	Before  stats.Figure `csv:"before"`
	After   stats.Figure `csv:"after"`
	Change  stats.Figure `csv:"change,change_low,change_high"` // after minus before
	Fell    stats.Figure `csv:"fell"`                          // share of answers whose score is lower after
	Rose    stats.Figure `csv:"rose"`                          // share of answers whose score is higher after
	Outcome string       `csv:"outcome"`
	About   string       `csv:"-"`
}

// AttacksTable shows how judges score changed answers.
var AttacksTable = table.Def[AttackRow]{File: "datasheets.csv"}

const (
	rewards    = "rewarded"   // the score rises although the answer is not better
	resisted   = "resisted"   // the score does not rise
	steady     = "steady"     // the score stays, as the answer says the same
	degenerate = "degenerate" // the judge treats all texts the same
)

// leastEqual is the least number of questions from which equal changes are significant at 5 %, although they have no interval. It follows
// from the two-sided sign test: 2 × (1/2)^6 = 0.031.
const leastEqual = 6

// AttackRows returns a row for each judge and attack, in the order of their appearance. points is the largest possible total.
func AttackRows(answers []store.AttackedAnswer, points float64) (rows []AttackRow, err error) {
	var c dataset.Calculator
	for _, attacked := range table.Grouped(answers, func(a store.AttackedAnswer) [2]string { return [2]string{a.Judge, a.Attack} }) {
		r := AttackRow{Judge: attacked[0].Judge, Attack: attacked[0].Attack, Expects: attacked[0].Expects, About: attacked[0].About}
		fell := 0
		rose := 0
		var before, after, changes []float64
		var pairs []string
		for _, a := range attacked {
			before = append(before, a.Before)
			after = append(after, a.After)
			pairs = append(pairs, a.Pair)
			changes = append(changes, a.After-a.Before)
			switch {
			case a.After < a.Before:
				fell++
			case a.After > a.Before:
				rose++
			}
		}
		r.N, r.Before, r.After = len(pairs), stats.FigureOf(c.Moments(before).Mean), stats.FigureOf(c.Moments(after).Mean)
		r.Change = c.Mean(dataset.Sample{Values: changes, Questions: stats.ClusterLabels(pairs)})
		r.Fell, r.Rose = stats.Ratio(fell, r.N), stats.Ratio(rose, r.N)
		r.Outcome = unknown
		if r.Change.Bounded || len(data.Among(pairs)) >= leastEqual {
			r.Outcome = r.outcome(points)
		}
		attacked := data.Where(answers, func(a store.AttackedAnswer) bool { return a.Judge == r.Judge })
		if !slices.ContainsFunc(attacked, func(a store.AttackedAnswer) bool {
			return a.Before != attacked[0].Before || a.After != attacked[0].Before
		}) {
			r.Outcome = degenerate
		}
		rows = append(rows, r)
	}
	return rows, c.Err
}

// outcome returns the outcome of an attack by the bounds of the change. Without bounds, the change itself decides. points is the largest
// possible total.
func (r AttackRow) outcome(points float64) string {
	change := r.Change.Value
	low, high := r.Change.Least().Value, r.Change.Most().Value
	switch {
	case r.Expects == data.Stays && (low > 0 || high < 0) && math.Abs(change) >= points/10:
		return "moved"
	case r.Expects == data.Stays:
		return steady
	case low > 0:
		return rewards
	case r.Expects == data.NoRise:
		return resisted
	case high < 0 && change <= -points/10:
		return noticed
	case high < 0:
		return "hardly"
	}
	return "unnoticed"
}

// AttackTable shows the attacks and their outcomes.
func AttackTable(rows []AttackRow) *table.Table {
	return table.From(2, rows, "probe", "judge", "n", "before", "after", "change", "fell", "rose", "outcome")
}

// outcomesText explains the column "outcome".
const outcomesText = "Mean points before and after the change, and the difference with its 95 % interval, clustered by question; " +
	"the shares of answers whose points fell and rose. “noticed”: a worse answer loses at least a tenth of the maximum; " +
	"“hardly”: it loses less; “unnoticed”: no significant loss; “rewarded”: a significant gain; " +
	"“resisted”: an answer that is not better does not gain; “steady”: an answer that says the same keeps its points, " +
	"within a tenth of the maximum; “moved”: it does not; “not enough data”: too few questions for an interval; " +
	"“degenerate”: the judge gives every text the same points."

// DatasheetsDocument returns how judges score answers that were damaged, embellished or only rewritten.
func (t *Tables) DatasheetsDocument() table.Document {
	d := table.Document{ID: "datasheets", Title: "Datasheets of judges",
		Lead: "Judges that measure form cannot detect false statements. Use them for screening and comparison, not to check facts. " +
			"Here, answers of this run are changed on purpose and scored again: some say less or something false, some say the same in " +
			"another way. A run tests its judges that need no model; `compqa datasheet JUDGE --in DIR` tests any judge."}
	if len(t.Attacked) == 0 {
		return d
	}
	attacks := data.Where(t.Attacked, func(r AttackRow) bool { return r.Judge == t.Attacked[0].Judge })
	d.Sections = []table.Section{
		{ID: "datasheets", Title: "What judges do with changed answers", About: outcomesText, Table: AttackTable(t.Attacked)},
		{Title: "What was changed", Table: table.From(3, attacks, "probe", "About=what was done", "expects=its points should")},
	}
	return d
}

// attackText says which of the attacks on a judge it did not clearly detect. It returns "" if it detected all.
func (t *Tables) attackText(judge string) string {
	rows := data.Where(t.Attacked, func(r AttackRow) bool { return r.Judge == judge && r.Outcome != unknown && r.Expects != data.Stays })
	missed := data.Where(rows, func(r AttackRow) bool { return r.Outcome != noticed && r.Outcome != resisted })
	if missed == nil {
		return ""
	}
	return fmt.Sprintf("Of %d changes that make answers worse or no better, %s does not clearly detect %d: %s.", len(rows), judge, len(missed),
		joined(missed, ", "))
}

func joined(rows []AttackRow, by string) string {
	return strings.Join(data.Each(rows, func(r AttackRow) string { return r.Attack }), by)
}
