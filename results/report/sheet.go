package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/table"
	"compqa/rubric"
	"compqa/stats"
)

// A side is the group of columns of a score sheet to which a verdict belongs.
type side int

const (
	persons side = iota
	judges
	baselines // judges without a model: they do not read the answer, or only measure its form
)

var sideNames = [...]string{"people", "judges", "without a model"}
var sideClasses = [...]string{"persons", "judges", "counting"}

func (v Verdict) side() side {
	switch {
	case data.IsHuman(v.Judge):
		return persons
	case v.Floor || v.Base:
		return baselines
	}
	return judges
}

// SheetTable returns the points of all verdicts on one answer: people first, then judges, then baselines. A judge's points are marked if
// they are above or below what all people gave. The levels chosen on such a criterion follow below it, and reasons follow the totals.
func SheetTable(r rubric.Rubric, verdicts []Verdict) *table.Table {
	verdicts = slices.Clone(verdicts)
	slices.SortStableFunc(verdicts, func(a, b Verdict) int { return int(a.side() - b.side()) })
	people := data.Where(verdicts, func(v Verdict) bool { return v.side() == persons })
	if len(people) > 1 { // on a single answer, the mean of people tells nothing more than their scores
		single := data.Where(people, func(v Verdict) bool { return v.Judge != data.Human })
		if len(single) > 1 {
			verdicts = slices.DeleteFunc(verdicts, func(v Verdict) bool { return v.Judge == data.Human })
		}
	}
	view := table.New(1, "criterion")
	view.Look = "sheet"
	view.Spans = []table.Span{{Columns: 1}}
	for i, v := range verdicts {
		view.Header = append(view.Header, strings.TrimPrefix(v.Name, data.Human+":"))
		view.SetHead(i+1, func(h *table.Head) { h.To = v.To })
		if i == 0 || v.side() != verdicts[i-1].side() {
			view.Spans = append(view.Spans, table.Span{Text: sideNames[v.side()], Class: sideClasses[v.side()]})
		}
		view.Spans[len(view.Spans)-1].Columns++
	}
	view.Add(totalsRow(r, verdicts)...)
	if len(r.Criteria) == 1 { // the total is the only criterion
		return view
	}
	for _, c := range r.Criteria {
		name := table.Cell{Text: c.Name, Row: &table.Row{Group: groupAbove(r, c), About: c.Text}}
		if c.Name == "" {
			name.Text = c.ID
		}
		if c.Text == c.Name {
			name.Row.About = ""
		}
		points := data.Each(verdicts, func(v Verdict) stats.Figure {
			if given, is := v.points(c.ID); is {
				return stats.Number(given)
			}
			return stats.Figure{}
		})
		cells, differ := marked(c, verdicts, points)
		if differ && !labelled(c) {
			name.Row.Below = chosen(c, verdicts, points, cells)
		}
		view.Add(append([]any{name}, cells...)...)
	}
	return view
}

// totalsRow returns the row of totals. A verdict that is not valid shows its status. The reasons of verdicts follow below.
func totalsRow(r rubric.Rubric, verdicts []Verdict) []any {
	name := table.Cell{Text: "total of " + stats.Shortest(r.Max()), Row: &table.Row{Class: "total"}}
	whole := rubric.Criterion{}
	if len(r.Criteria) == 1 {
		whole = r.Criteria[0]
		name.Text = cmp.Or(whole.Name, whole.ID)
		if whole.Text != whole.Name {
			name.Row.About = whole.Text
		}
	}
	cells, _ := marked(whole, verdicts, data.Each(verdicts, func(v Verdict) stats.Figure {
		if points, given := v.points(whole.ID); given { // the only criterion
			return stats.Number(points)
		}
		if v.Status != data.Valid {
			return stats.Figure{}
		}
		return stats.FigureOf(v.Total)
	}))
	for i, v := range verdicts {
		if v.Status != data.Valid {
			cells[i] = table.Cell{Text: string(v.Status), Class: "bad"}
		}
		if v.Reason != "" {
			name.Row.Below = append(name.Row.Below, table.Line{Who: v.Name, Class: sideClasses[v.side()], Text: v.Reason})
		}
	}
	return append([]any{name}, cells...)
}

// longestLabel is the largest length of a level's text that is shown in place of its points.
const longestLabel = 12

// labelled reports whether all levels of a criterion have short texts, such as "yes" and "no".
func labelled(c rubric.Criterion) bool {
	return len(c.Levels) > 0 && !slices.ContainsFunc(c.Levels, func(l rubric.Level) bool {
		return l.Text == "" || len(l.Text) > longestLabel || l.Text == stats.Shortest(l.Points)
	})
}

// LevelText returns points on a criterion as text: the text of the level if all levels have short texts, else the number.
func LevelText(c rubric.Criterion, points float64) string {
	for _, l := range c.Levels {
		if l.Points == points && labelled(c) {
			return l.Text
		}
	}
	return table.Points(points).Text
}

// marked returns the cells of points on a criterion. A judge's points are marked if they are outside the range that people gave. differ
// reports whether any are marked.
func marked(c rubric.Criterion, verdicts []Verdict, points []stats.Figure) (cells []any, differ bool) {
	low := math.Inf(1)
	high := math.Inf(-1)
	for i, v := range verdicts {
		if v.side() == persons && points[i].Known {
			low = min(low, points[i].Value)
			high = max(high, points[i].Value)
		}
	}
	for i, v := range verdicts {
		cell := table.Cell{Text: stats.Missing}
		if points[i].Known {
			cell = table.Points(points[i].Value)
			cell.Text = LevelText(c, points[i].Value)
			switch x := points[i].Value; {
			case v.side() != judges || low > high:
			case x > high+1e-9: // people's means are rounded
				cell.Mark = "▲"
				cell.Class = "more"
				differ = true
			case x < low-1e-9:
				cell.Mark = "▼"
				cell.Class = "less"
				differ = true
			}
		}
		cells = append(cells, cell)
	}
	return cells, differ
}

// chosen returns the levels of a criterion that people or marked judges chose, each with who chose it.
func chosen(c rubric.Criterion, verdicts []Verdict, points []stats.Figure, cells []any) (lines []table.Line) {
	for _, level := range c.Levels {
		for _, s := range []side{persons, judges} {
			var all, who []string
			for i, v := range verdicts {
				if v.side() != s || !points[i].Known {
					continue
				}
				name := strings.TrimPrefix(v.Name, data.Human+":")
				all = append(all, name)
				if points[i].Value == level.Points && (s == persons || cells[i].(table.Cell).Mark != "") {
					who = append(who, name)
				}
			}
			switch {
			case who == nil:
				continue
			case len(who) == len(all) && s == persons:
				who = []string{"people"}
			case len(who) == len(all) && len(all) > 1:
				who = []string{"all judges"}
			case s == persons && len(who) == 1:
				who[0] = "person " + who[0]
			}
			lines = append(lines, table.Line{Value: stats.Shortest(level.Points), Who: data.List(who), Class: sideClasses[s], Text: level.Text})
		}
	}
	return lines
}

// SheetAbout explains the marks of a sheet. It returns "" if the sheet has none.
func SheetAbout(sheet *table.Table) string {
	for _, row := range sheet.Rows {
		for _, cell := range row {
			if cell.Class == "more" || cell.Class == "less" {
				return "▲ more than any person gave, ▼ less. Where a judge differs, the levels that were chosen follow."
			}
		}
	}
	return ""
}
