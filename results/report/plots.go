package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/plot"
	"compqa/results/store"
	"compqa/results/table"
)

// PointsPlot is the points of a ranking; systems without a rank are grey.
func (t *Report) PointsPlot(of Selection) *table.Plot {
	ranking := t.Ranking(of)
	var rows []plot.Row
	high, points := t.Rubric.Max(), slices.IndexFunc(ranking.Table.Header,
		func(name string) bool { return name == "points" || name == t.PointsName() })
	if of.Group != "" {
		high = t.Rubric.GroupMax(of.Group)
	}
	for _, row := range ranking.Table.Rows {
		if row[points].Value.Known() && len(rows) < mostRanked {
			class := "mark"
			if ranking.Table.Header[0] == "rank" && !row[0].Value.Known() {
				class = "floor"
			}
			rows = append(rows, plot.Row{Name: row[ranking.Table.Key].Text, Class: class, Bounded: row[points].Value})
		}
	}
	title := ranking.Title
	if of == (Selection{}) {
		title = t.PlotTitle() + ": " + strings.TrimSuffix(t.Verdict(), ".")
	}
	return plot.Rows("points", "Points of each system with 95 % intervals; the table has the same figures",
		plot.Frame{Title: title, Axis: "points", Source: t.Source(), Low: t.Rubric.Min(), High: high}, rows)
}

// AgreementPlot is alpha at a level over all units with the first reference, without the shuffled
// floors; people's is with each other.
func (t *Report) AgreementPlot(level string) *table.Plot {
	if t.References() == nil {
		return nil
	}
	reference := t.Judges[t.References()[0]].Name
	var rows []plot.Row
	low, judged := 0.0, false
	for _, r := range t.Agreements {
		if r.Level != level || !r.AlphaInterval.Known() || r.Kind != dataset.KindHuman && r.Reference != reference ||
			strings.HasPrefix(r.Judge, dataset.ShuffledPrefix) {
			continue
		}
		class := map[string]string{dataset.KindFloor: "floor", dataset.KindHuman: "people", dataset.KindOfJudge: "mark"}[r.Kind]
		name := r.Judge + t.Mark(r.Judge, r.Reference)
		if r.Kind == dataset.KindHuman {
			name += " / " + r.Reference
		}
		judged = judged || class == "mark"
		for _, v := range []table.Figure{r.AlphaInterval.Value, r.AlphaInterval.Low} {
			if v.Known() {
				low = min(low, *v.Number)
			}
		}
		rows = append(rows, plot.Row{Name: name, Class: class, Bounded: r.AlphaInterval})
	}
	if !judged {
		return nil
	}
	order := []string{"floor", "mark", "people"}
	slices.SortStableFunc(rows, func(a, b plot.Row) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Class), slices.Index(order, b.Class)), cmp.Compare(*a.Value.Number, *b.Value.Number))
	})
	return plot.Rows("agreement-"+level, "Agreement with people: baselines, judges, and people with each other; the table has the same "+
		"figures",
		plot.Frame{Title: "Agreement with people: baselines (grey), judges (blue), people (pink)", Axis: "Krippendorff's alpha, " +
			judgequality.LevelWords[level], Source: t.Source(), Low: low, High: 1}, rows)
}

// CostPlot is the points of the order against the dollars of 1,000 answers, on a
// logarithmic scale, for systems that cost something.
func (t *Report) CostPlot() *table.Plot {
	type point struct {
		name         string
		cost, points float64
	}
	var points []point
	low, high := math.Inf(1), 0.0
	for _, paid := range t.Paid {
		s := t.PlaceOf(paid.Name)
		if paid.Kind == store.KindAnswer && paid.PerThousand.Known() && *paid.PerThousand.Number > 0 && s.Points.Value.Known() {
			cost := *paid.PerThousand.Number
			points = append(points, point{paid.Name, cost, *s.Points.Value.Number})
			low, high = min(low, cost), max(high, cost)
		}
	}
	if points == nil {
		return nil
	}
	return &table.Plot{Name: "cost", Alt: "Points against cost; the table has the same figures", SVG: func(width int) string {
		const top, bottom = 40, 320
		x := plot.Scale{Low: math.Floor(math.Log10(low)), High: math.Ceil(math.Log10(high)), From: 60, To: float64(width) - 120}
		x.High = max(x.High, x.Low+1)
		y := plot.Scale{Low: t.Rubric.Min(), High: t.Rubric.Max(), From: bottom, To: top}
		c := plot.Canvas{Width: width}
		for v := x.Low; v <= x.High; v++ {
			c.Line("faint", x.At(v), top, x.At(v), bottom)
			c.Text(x.At(v), bottom+16, "middle", table.Shortest(math.Pow(10, v)))
		}
		for _, v := range y.Ticks() {
			c.Line("faint", x.From, y.At(v), x.To, y.At(v))
			c.Text(x.From-8, y.At(v)+4, "end", table.Shortest(v))
		}
		c.Text((x.From+x.To)/2, bottom+36, "middle", "$ for 1,000 answers")
		for _, p := range points {
			c.Dot("mark", x.At(math.Log10(p.cost)), y.At(p.points), 4)
			c.Text(x.At(math.Log10(p.cost))+8, y.At(p.points)+4, "start", table.Short(p.name))
		}
		return c.SVG(plot.Frame{Title: t.PlotTitle() + " against cost", Source: t.Source()}, bottom+48)
	}}
}
