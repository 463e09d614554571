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

// An AttackRow says what an attack does to a judge's scores: the mean change in
// points, with the bounds of 95 in 100 such choices of questions (cluster-robust,
// see stats.MeanInterval). Outcome is what that says of the judge:
//
//	noticed    the answer is worse, and its score falls by a tenth of all points or more
//	hardly     it falls, but by less
//	unnoticed  it does not, as far as can be told
//	rewarded   it rises
//	resisted   the answer is no worse, and its score does not rise
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

// AttackRows are a row a judge and attack, in order of appearance; points are
// those of a perfect answer.
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

// outcome goes by the change alone where there are no bounds.
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

// PrintAttacks shows rows on the terminal.
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

// attacksText is attacks.md.
func (t *Tables) AttacksText() string {
	var b strings.Builder
	b.WriteString("# What the embedded judges cannot see\n\n")
	if len(t.Attacked) == 0 {
		b.WriteString("No judge of this run is computed from the texts alone, or there are no answers. `compqa attack` attacks any judge, over any answers.\n")
		return b.String()
	}
	b.WriteString("Judges that read form cannot tell truth from falsehood: they are for screening and for comparison, not referees of facts. " +
		"Here answers of this run are spoilt on purpose, or dressed up, in ways that a reader would notice, and scored again. `compqa attack --judge NAME` does the same to any judge, models included.\n\n")
	var attacks []AttackRow
	for _, r := range t.Attacked {
		if !slices.ContainsFunc(attacks, func(a AttackRow) bool { return a.Attack == r.Attack }) {
			attacks = append(attacks, r)
		}
	}
	for _, a := range attacks {
		fmt.Fprintf(&b, "- *%s*: %s\n", table.EscapeMarkdown(a.Attack), table.EscapeMarkdown(a.about))
	}
	b.WriteString("\nMean points before and after, and their change with the bounds of 95 in 100 such choices of questions. " +
		"*Noticed*: a spoilt answer loses a tenth of all points or more; *hardly*: less; *unnoticed*: nothing, as far as can be told; *rewarded*: it gains; *resisted*: an answer that is no worse does not gain.\n\n")
	b.WriteString(AttacksMarkdown(t.Attacked))
	return b.String()
}

// attackLines say in report.md what the attacks did.
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
			lines = append(lines, fmt.Sprintf("%s reads form, not truth: of %d attacks on answers it does not clearly notice %s (attacks.md).", judge.Name, n, strings.Join(missed, ", ")))
		}
	}
	return lines
}

// attackRows are those of judges that the run still has.
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
