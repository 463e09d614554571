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

// plots are the pictures in report.md. One without marks is not written.
var plots = []struct {
	name, about string
	draw        func(*Report) string
}{
	{"points.svg", "points of each system with 95 % intervals", (*Report).PointsPlot},
	{"judges.svg", "agreement with human scores: floors, judges, and people with each other", func(t *Report) string { return t.AgreementPlot(dataset.LevelFinal) }},
	{"cost.svg", "points against cost", (*Report).CostPlot},
}

// PointsPlot is the points in the order of the board; systems without a rank are grey.
func (t *Report) PointsPlot() string {
	var rows []plot.Row
	for _, s := range t.Standings {
		if s.Points.Value.Known() && len(rows) < mostRanked {
			rows = append(rows, plot.Row{Name: s.System, Class: map[bool]string{true: "mark", false: "floor"}[s.Rank.Known()], Bounded: s.Points})
		}
	}
	return plot.Rows(t.PlotTitle(), "points", t.Rubric.Min(), t.Rubric.Max(), rows)
}

// AgreementPlot is alpha at a level over all units with the first reference, without the shuffled
// floors; people's is with each other.
func (t *Report) AgreementPlot(level string) string {
	if t.References() == nil {
		return ""
	}
	reference := t.Judges[t.References()[0]].Name
	var rows []plot.Row
	low, judged := 0.0, false
	for _, r := range t.Agreements {
		if r.Level != level || !r.AlphaInterval.Known() || r.Kind != dataset.KindHuman && r.Reference != reference || strings.HasPrefix(r.Judge, dataset.ShuffledPrefix) {
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
		return ""
	}
	order := []string{"floor", "mark", "people"}
	slices.SortStableFunc(rows, func(a, b plot.Row) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Class), slices.Index(order, b.Class)), cmp.Compare(*a.Value.Number, *b.Value.Number))
	})
	return plot.Rows("Agreement with human scores: floors (grey), judges (blue), people (pink)", "Krippendorff's alpha "+judgequality.LevelWords[level], low, 1, rows)
}

// CostPlot is the points of the order against the dollars of 1,000 answers, on a
// logarithmic scale, for systems that cost something.
func (t *Report) CostPlot() string {
	type point struct {
		name         string
		cost, points float64
	}
	var points []point
	low, high := math.Inf(1), 0.0
	for _, paid := range t.Paid {
		s := t.StandingOf(paid.Name)
		if paid.Kind == store.KindAnswer && paid.PerThousand.Known() && *paid.PerThousand.Number > 0 && s.Points.Value.Known() {
			cost := *paid.PerThousand.Number
			points = append(points, point{paid.Name, cost, *s.Points.Value.Number})
			low, high = min(low, cost), max(high, cost)
		}
	}
	if points == nil {
		return ""
	}
	const top, bottom = 40, 320
	x := plot.Scale{Low: math.Floor(math.Log10(low)), High: math.Ceil(math.Log10(high)), From: 60, To: plot.End - 100}
	x.High = max(x.High, x.Low+1)
	y := plot.Scale{Low: t.Rubric.Min(), High: t.Rubric.Max(), From: bottom, To: top}
	var c plot.Canvas
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
	return c.SVG(t.PlotTitle()+" against cost", bottom+48)
}
