package judgequality

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// An AttackRow is the effect of an attack on a judge's scores: the mean change in
// points with its 95 % interval, clustered by question (see stats.MeanInterval).
// Outcome is one of:
//
//	noticed    the answer is worse, and its score falls by at least a tenth of the maximum
//	hardly     the score falls by less
//	unnoticed  no significant change
//	rewarded   the score rises significantly
//	resisted   the answer is not worse, and its score does not rise
type AttackRow struct {
	Judge   string       `csv:"judge"`
	Attack  string       `csv:"attack"`
	N       int          `csv:"n"` // answers
	Before  table.Figure `csv:"before"`
	After   table.Figure `csv:"after"`
	Change  table.Figure `csv:"change"`
	Low     table.Figure `csv:"change_low"`
	High    table.Figure `csv:"change_high"`
	Outcome string       `csv:"outcome"`
	about   string
}

// AttackRows has one row per judge and attack, in order of appearance; points is the
// maximum total.
func AttackRows(answers []store.AttackedAnswer, points float64) ([]AttackRow, error) {
	var rows []AttackRow
	for i := 0; i < len(answers); {
		of := answers[i:]
		n := slices.IndexFunc(of, func(a store.AttackedAnswer) bool { return a.Judge != of[0].Judge || a.Attack != of[0].Attack })
		if n < 0 {
			n = len(of)
		}
		row, err := attackRow(of[:n], points)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
		i += n
	}
	return rows, nil
}

func attackRow(of []store.AttackedAnswer, points float64) (AttackRow, error) {
	r := AttackRow{Judge: of[0].Judge, Attack: of[0].Attack, N: len(of), about: of[0].About}
	var before, after, changes []float64
	var pairs []string
	for _, a := range of {
		before, after, changes, pairs = append(before, a.Before), append(after, a.After), append(changes, a.After-a.Before), append(pairs, a.Pair)
	}
	var c dataset.Calculator
	r.Before, r.After, r.Change = table.FigureOf(c.Moments(before).Mean), table.FigureOf(c.Moments(after).Mean), table.FigureOf(c.Moments(changes).Mean)
	e, err := stats.MeanInterval(changes, stats.ClusterLabels(pairs), dataset.Confidence)
	r.Low, r.High = table.FigureOf(c.Value(e.Low, err)), table.FigureOf(c.Value(e.High, err))
	r.Outcome = r.outcome(of[0].Spoils, points)
	return r, c.Err
}

// outcome uses the change alone if there are no bounds.
func (r AttackRow) outcome(spoils bool, points float64) string {
	change := *r.Change.Number
	low, high := change, change
	if r.Low.Known() && r.High.Known() {
		low, high = *r.Low.Number, *r.High.Number
	}
	switch {
	case low > 0:
		return "rewarded"
	case !spoils:
		return "resisted"
	case high < 0 && change <= -points/10:
		return "noticed"
	case high < 0:
		return "hardly"
	}
	return "unnoticed"
}

// PrintAttacks prints the rows on the terminal.
func PrintAttacks(w io.Writer, rows []AttackRow) error { return attackTable(rows).Terminal(w) }

// AttacksMarkdown is the rows as a table in Markdown.
func AttacksMarkdown(rows []AttackRow) string { return attackTable(rows).Markdown() }

func attackTable(rows []AttackRow) *table.Table {
	t := &table.Table{Words: 2, Header: []string{"attack", "judge", "n", "before", "after", "change", "outcome"}}
	for _, r := range rows {
		t.Add(r.Attack, r.Judge, strconv.Itoa(r.N), r.Before.Text(2), r.After.Text(2), table.Interval(r.Change, r.Low, r.High, 2), r.Outcome)
	}
	return t
}

// AttacksText is attacks.md.
func (t *Tables) AttacksText() string {
	var b strings.Builder
	b.WriteString("# Attacks on the built-in judges\n\n")
	if len(t.Attacked) == 0 {
		b.WriteString("This run has no built-in judges that score texts directly, or no answers. `compqa attack` tests any judge on any answers.\n")
		return b.String()
	}
	b.WriteString("Judges that measure form cannot detect false statements. Use them for screening and comparison, not to check facts. " +
		"Here, answers of this run are damaged or embellished in ways that a reader would notice, and scored again. `compqa attack --judge NAME` tests any judge in the same way, including LLM judges.\n\n")
	var attacks []AttackRow
	for _, r := range t.Attacked {
		if !slices.ContainsFunc(attacks, func(a AttackRow) bool { return a.Attack == r.Attack }) {
			attacks = append(attacks, r)
		}
	}
	for _, a := range attacks {
		fmt.Fprintf(&b, "- *%s*: %s\n", table.EscapeMarkdown(a.Attack), table.EscapeMarkdown(a.about))
	}
	b.WriteString("\nMean points before and after the attack, and the change with its 95 % interval. " +
		"*noticed*: a damaged answer loses at least a tenth of the maximum; *hardly*: it loses less; *unnoticed*: no significant loss; *rewarded*: a significant gain; *resisted*: an answer that is not worse does not gain.\n\n")
	b.WriteString(AttacksMarkdown(t.Attacked))
	return b.String()
}

// AttackLines summarise the attacks for report.md.
func (t *Tables) AttackLines() []string {
	var lines []string
	for _, judge := range t.Judges {
		var missed []string
		n := 0
		for _, r := range t.Attacked {
			if r.Judge != judge.Name {
				continue
			}
			n++
			if r.Outcome != "noticed" && r.Outcome != "resisted" {
				missed = append(missed, r.Attack)
			}
		}
		if len(missed) > 0 {
			lines = append(lines, fmt.Sprintf("%s measures form, not content: of %d attacks on answers it does not clearly detect %s (attacks.md).", judge.Name, n, strings.Join(missed, ", ")))
		}
	}
	return lines
}

// attackRows are the rows of judges that are still in the run.
func attackRows(run *dataset.Run) ([]AttackRow, error) {
	var of []store.AttackedAnswer
	for _, judge := range run.Judges {
		for _, a := range run.Attacked {
			if a.Judge == judge.Name {
				of = append(of, a)
			}
		}
	}
	return AttackRows(of, run.Rubric.Max())
}
