package judgequality

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// An AttackRow is the effect of an attack on a judge's scores: the mean change in points with its 95 % interval, clustered
// by question (see stats.MeanInterval). Outcome is one of:
//
//	noticed    the answer is worse, and its score falls by at least a tenth of the maximum
//	hardly     the score falls by less
//	unnoticed  no significant change
//	rewarded   the score rises significantly
//	resisted   the answer is not worse, and its score does not rise
//	not enough data: too few questions for an interval
//	degenerate the judge gives every text the same points, so that it cannot resist anything
type AttackRow struct {
	Judge   string        `csv:"judge"`
	Attack  string        `csv:"attack"`
	N       int           `csv:"n"` // answers
	Before  table.Figure  `csv:"before"`
	After   table.Figure  `csv:"after"`
	Change  table.Bounded `csv:"change"`
	Outcome string        `csv:"outcome"`
	About   string        `csv:"-"`
}

const (
	rewards    = "rewarded"   // the outcome of an attack that a judge falls for
	degenerate = "degenerate" // that of all attacks on a judge that always says the same
)

// leastEqual is the number of questions from which on equal changes, which have no interval, are significant at 5 % by the
// two-sided sign test: 2 × (1/2)^6 = 0.031.
const leastEqual = 6

// AttackRows has one row per judge and attack, in order of appearance; points is the maximum total.
func AttackRows(answers []store.AttackedAnswer, points float64) (rows []AttackRow, err error) {
	var c dataset.Calculator
	for _, attacked := range table.Grouped(answers, func(a store.AttackedAnswer) [2]string { return [2]string{a.Judge, a.Attack} }) {
		r := AttackRow{Judge: attacked[0].Judge, Attack: attacked[0].Attack, About: attacked[0].About}
		var before, after, changes []float64
		var pairs []string
		for _, a := range attacked {
			before, after, pairs = append(before, a.Before), append(after, a.After), append(pairs, a.Pair)
			changes = append(changes, a.After-a.Before)
		}
		r.N, r.Before, r.After = len(pairs), table.FigureOf(c.Moments(before).Mean), table.FigureOf(c.Moments(after).Mean)
		r.Change = c.Mean(dataset.Sample{Values: changes, Questions: stats.ClusterLabels(pairs)}).Bounded
		r.Outcome = unknown
		if r.Change.Low.Known() || len(data.Among(pairs)) >= leastEqual {
			r.Outcome = r.outcome(attacked[0].Spoils, points)
		}
		of := table.Where(answers, func(a store.AttackedAnswer) bool { return a.Judge == r.Judge })
		if !slices.ContainsFunc(of, func(a store.AttackedAnswer) bool { return a.Before != of[0].Before || a.After != of[0].Before }) {
			r.Outcome = degenerate
		}
		rows = append(rows, r)
	}
	return rows, c.Err
}

// outcome uses the change alone if there are no bounds.
func (r AttackRow) outcome(spoils bool, points float64) string {
	change := *r.Change.Value.Number
	low, high := *cmp.Or(r.Change.Low, r.Change.Value).Number, *cmp.Or(r.Change.High, r.Change.Value).Number
	switch {
	case low > 0:
		return rewards
	case !spoils:
		return "resisted"
	case high < 0 && change <= -points/10:
		return "noticed"
	case high < 0:
		return "hardly"
	}
	return "unnoticed"
}

func AttackTable(rows []AttackRow) *table.Table {
	return table.View(2, rows, "attack", "judge", "n", "before", "after", "change", "outcome")
}

// AttacksDocument is the damage to answers that the built-in judges do not detect.
func (t *Tables) AttacksDocument() table.Document {
	d := table.Document{ID: "attacks", Title: "Attacks",
		Lead: "Judges that measure form cannot detect false statements. Use them for screening and comparison, not to check facts. " +
			"Here, answers of this run are damaged or embellished in ways that a reader would notice, and scored again. compqa attack --judge " +
			"NAME tests any judge in the same way, including LLM judges."}
	if len(t.Attacked) == 0 {
		return d
	}
	attacks := table.Where(t.Attacked, func(r AttackRow) bool { return r.Judge == t.Attacked[0].Judge })
	d.Sections = []table.Section{{Title: "Change in points",
		About: "Mean points before and after the attack, and the change with its 95 % interval. “noticed”: a damaged answer loses at least " +
			"a tenth of the maximum; “hardly”: it loses less; “unnoticed”: no significant loss; “rewarded”: a significant gain; " +
			"“resisted”: an answer that is not worse does not gain; “not enough data”: too few questions for an " +
			"interval; “degenerate”: the judge gives every text the same points.",
		Table: AttackTable(t.Attacked)},
		{Title: "What the attacks do", Table: table.View(2, attacks, "attack", "About=what it does")}}
	return d
}

// attackText summarises the attacks on a judge, "" if it noticed all of them.
func (t *Tables) attackText(judge string) string {
	of := table.Where(t.Attacked, func(r AttackRow) bool { return r.Judge == judge && r.Outcome != unknown })
	missed := table.Where(of, func(r AttackRow) bool { return r.Outcome != noticed && r.Outcome != "resisted" })
	if missed == nil {
		return ""
	}
	return fmt.Sprintf("%s measures form, not content. Of %d attacks on answers, it does not clearly detect %d: %s.", judge, len(of),
		len(missed), joined(missed, ", "))
}

func joined(rows []AttackRow, by string) string {
	return strings.Join(table.Each(rows, func(r AttackRow) string { return r.Attack }), by)
}
