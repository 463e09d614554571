package results

import (
	"fmt"
	"strconv"
	"strings"

	"compqa/data"
)

// failuresText is failures.md.
func (t *tables) failuresText() string {
	var b strings.Builder
	b.WriteString("# What has no valid result\n\nplanned = valid + the rest. No status but valid ever becomes a number in a table.\n\n")
	b.WriteString(t.statusTable().markdown())
	if len(t.failed) == 0 {
		b.WriteString("Everything that was planned is valid.\n")
		return b.String()
	}
	b.WriteString("## Why\n\nOver systems and scenarios; each by itself is in [failures.csv](failures.csv).\n\n")
	table := &textTable{words: 4, header: []string{"kind", "judge", "status", "reason", "count"}}
	type why struct{ kind, judge, status, reason string }
	var order []why
	counts := map[why]int{}
	for _, r := range t.failed {
		w := why{r.Kind, r.Judge, string(r.Status), r.Reason}
		if counts[w] == 0 {
			order = append(order, w)
		}
		counts[w] += r.Count
	}
	for _, w := range order {
		table.add(w.kind, w.judge, w.status, w.reason, strconv.Itoa(counts[w]))
	}
	b.WriteString(table.markdown())
	return b.String()
}

// A statusCount is how many answers, or verdicts of a judge, have each status.
type statusCount struct {
	kind, judge string
	valid       int
	other       map[data.Status]int
}

func (s statusCount) planned() int {
	n := s.valid
	for _, of := range s.other {
		n += of
	}
	return n
}

// statuses counts answers, then each judge's verdicts.
func (t *tables) statuses() []statusCount {
	answers := statusCount{kind: KindAnswer, judge: noJudge, other: map[data.Status]int{}}
	for i, a := range t.Answers {
		if t.cellOf[i] >= 0 && a.Status == data.Valid {
			answers.valid++
		}
	}
	all := []statusCount{answers}
	for _, j := range t.Judges {
		s := statusCount{kind: KindVerdict, judge: j.Name, other: map[data.Status]int{}}
		for _, r := range t.board {
			if r.Judge == j.Name && r.Scenario == AllScenarios {
				s.valid += r.Valid
			}
		}
		all = append(all, s)
	}
	for _, r := range t.failed {
		for _, s := range all {
			if s.kind == r.Kind && s.judge == r.Judge {
				s.other[r.Status] += r.Count
			}
		}
	}
	return all
}

// statusTable shows the statuses that occur.
func (t *tables) statusTable() *textTable {
	table := &textTable{words: 2, header: []string{"kind", "judge", "planned", "valid"}}
	var occur []data.Status
	for _, status := range data.Statuses[1:] {
		for _, s := range t.statuses() {
			if s.other[status] > 0 {
				occur = append(occur, status)
				table.header = append(table.header, string(status))
				break
			}
		}
	}
	for _, s := range t.statuses() {
		row := []string{s.kind, s.judge, strconv.Itoa(s.planned()), strconv.Itoa(s.valid)}
		for _, status := range occur {
			row = append(row, strconv.Itoa(s.other[status]))
		}
		table.add(row...)
	}
	return table
}

// failuresLine is the counts in a sentence.
func (t *tables) failuresLine() string {
	var answers, verdicts statusCount
	for _, s := range t.statuses() {
		into := &verdicts
		if s.kind == KindAnswer {
			into = &answers
		}
		into.valid += s.valid
		if into.other == nil {
			into.other = map[data.Status]int{}
		}
		for status, n := range s.other {
			into.other[status] += n
		}
	}
	return fmt.Sprintf("%d of %d answers and %d of %d verdicts are valid", answers.valid, answers.planned(), verdicts.valid, verdicts.planned())
}
