package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
)

// failuresText is failures.md.
func (t *Report) failuresText() string {
	var b strings.Builder
	b.WriteString("# Missing and invalid results\n\nplanned = valid + invalid + skipped + pending. Only valid results enter the tables.\n\n")
	b.WriteString(t.statusTable().Markdown())
	if len(t.failed) == 0 {
		b.WriteString("All planned results are valid.\n")
		return b.String()
	}
	b.WriteString("## Reasons\n\nOver all systems and scenarios; for each of them see [failures.csv](failures.csv).\n\n")
	b.WriteString(t.reasonTable().Markdown())
	return b.String()
}

// mostReasons is the number of reasons listed for a judge and a status.
const mostReasons = 12

// reasonTable lists reasons, the most frequent of a judge and a status first.
func (t *Report) reasonTable() *table.Table {
	type group struct {
		kind, judge string
		status      data.Status
	}
	type reason struct {
		text  string
		count int
	}
	reasons := map[group][]reason{}
	for _, r := range t.failed {
		g := group{r.Kind, r.Judge, r.Status}
		if i := slices.IndexFunc(reasons[g], func(k reason) bool { return k.text == r.Reason }); i >= 0 {
			reasons[g][i].count += r.Count
		} else {
			reasons[g] = append(reasons[g], reason{r.Reason, r.Count})
		}
	}
	view := &table.Table{Words: 4, Header: []string{"kind", "judge", "status", "reason", "count"}}
	for _, s := range t.statuses() {
		for _, status := range data.Statuses {
			of := reasons[group{s.kind, s.judge, status}]
			slices.SortFunc(of, func(a, b reason) int { return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.text, b.text)) })
			rest := 0
			for i, r := range of {
				if i < mostReasons {
					view.Add(s.kind, s.judge, string(status), r.text, strconv.Itoa(r.count))
				} else {
					rest += r.count
				}
			}
			if rest > 0 {
				view.Add(s.kind, s.judge, string(status), data.Plural(len(of)-mostReasons, "other reason", "other reasons"), strconv.Itoa(rest))
			}
		}
	}
	return view
}

// A statusCount counts the answers, or verdicts of a judge, by status.
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
func (t *Report) statuses() []statusCount {
	answers := statusCount{kind: store.KindAnswer, judge: noJudge, other: map[data.Status]int{}}
	for i, a := range t.Answers {
		if t.CellOf[i] >= 0 && a.Status == data.Valid {
			answers.valid++
		}
	}
	all := []statusCount{answers}
	for _, j := range t.Judges {
		s := statusCount{kind: store.KindVerdict, judge: j.Name, other: map[data.Status]int{}}
		for _, r := range t.Board {
			if r.Judge == j.Name && r.Scenario == dataset.AllScenarios {
				s.valid += r.Valid
			}
		}
		all = append(all, s)
	}
	for _, r := range t.failed {
		i := slices.IndexFunc(all, func(s statusCount) bool { return s.kind == r.Kind && s.judge == r.Judge })
		if i < 0 { // all rows of the judge are without an answer
			i, all = len(all), append(all, statusCount{kind: r.Kind, judge: r.Judge, other: map[data.Status]int{}})
		}
		all[i].other[r.Status] += r.Count
	}
	return all
}

// statusTable has one column per status that occurs.
func (t *Report) statusTable() *table.Table {
	view := &table.Table{Words: 2, Header: []string{"kind", "judge", "planned", "valid"}}
	var occur []data.Status
	for _, status := range data.Statuses[1:] {
		for _, s := range t.statuses() {
			if s.other[status] > 0 {
				occur = append(occur, status)
				view.Header = append(view.Header, string(status))
				break
			}
		}
	}
	for _, s := range t.statuses() {
		row := []string{s.kind, s.judge, strconv.Itoa(s.planned()), strconv.Itoa(s.valid)}
		for _, status := range occur {
			row = append(row, strconv.Itoa(s.other[status]))
		}
		view.Add(row...)
	}
	return view
}

// failuresLine is the counts in a sentence.
func (t *Report) failuresLine() string {
	valid, planned := map[string]int{}, map[string]int{}
	for _, s := range t.statuses() {
		valid[s.kind] += s.valid
		planned[s.kind] += s.planned()
	}
	return fmt.Sprintf("%d of %d answers and %d of %d verdicts are valid", valid[store.KindAnswer], planned[store.KindAnswer], valid[store.KindVerdict], planned[store.KindVerdict])
}
