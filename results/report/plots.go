package report

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
)

// plots are the pictures in report.md. One without marks is not written.
var plots = []struct {
	name, about string
	draw        func(*Report) string
}{
	{"points.svg", "points of each system with 95 % intervals", (*Report).pointsPlot},
	{"judges.svg", "agreement with human scores: floors, judges, and people with each other", (*Report).judgesPlot},
	{"cost.svg", "points against cost", (*Report).costPlot},
}

const (
	plotWidth = 720
	rowHeight = 24
	labelEnd  = 190 // of the names of rows
	plotEnd   = plotWidth - 40
)

// A canvas collects an SVG picture. Its colours follow the viewer's light or dark mode.
type canvas struct{ strings.Builder }

// svg is the picture with a title.
func (c *canvas) svg(title string, height int) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" font-family="sans-serif" font-size="13">
<title>%s</title>
<style>line{stroke-width:2}.faint{stroke-width:1}text{fill:#1f2328}.page{fill:#ffffff}.faint{stroke:#d0d7de}.mark{stroke:#0969da;fill:#0969da}.floor{stroke:#8c959f;fill:#8c959f}.people{stroke:#bf3989;fill:#bf3989}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.page{fill:#0d1117}.faint{stroke:#3d444d}.mark{stroke:#58a6ff;fill:#58a6ff}.floor{stroke:#9198a1;fill:#9198a1}.people{stroke:#f778ba;fill:#f778ba}}</style>
<rect class="page" width="%d" height="%d"/>
<text x="10" y="22" font-weight="bold">%s</text>
%s</svg>
`, plotWidth, height, plotWidth, height, html.EscapeString(title), plotWidth, height, html.EscapeString(title), c.String())
}

func (c *canvas) text(x, y float64, anchor, text string) {
	fmt.Fprintf(c, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", x, y, anchor, html.EscapeString(table.Printable(text)))
}

func (c *canvas) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(c, `<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", class, x1, y1, x2, y2)
}

func (c *canvas) dot(class string, x, y float64) {
	fmt.Fprintf(c, `<circle class="%s" cx="%.1f" cy="%.1f" r="4"/>`+"\n", class, x, y)
}

// A scale maps values to pixels.
type scale struct{ low, high, from, to float64 }

func (s scale) at(v float64) float64 {
	return s.from + (min(max(v, s.low), s.high)-s.low)/(s.high-s.low)*(s.to-s.from)
}

// ticks are about six round values in the scale.
func (s scale) ticks() (values []float64) {
	step := math.Pow(10, math.Floor(math.Log10((s.high-s.low)/5)))
	for _, by := range []float64{5, 2, 1} {
		if (s.high-s.low)/(step*by) >= 3 {
			step *= by
			break
		}
	}
	for i := math.Ceil(s.low/step - 1e-9); i*step <= s.high+1e-9*step; i++ {
		values = append(values, i*step)
	}
	return values
}

// A plotRow is a figure with its interval, in a plot with one figure a line.
type plotRow struct {
	name, class string
	table.Bounded
}

// rowsPlot draws one figure a line.
func rowsPlot(title, axis string, low, high float64, rows []plotRow) string {
	if rows == nil {
		return ""
	}
	var c canvas
	x := scale{low, high, labelEnd, plotEnd}
	bottom := float64(40 + rowHeight*len(rows))
	for _, v := range x.ticks() {
		c.line("faint", x.at(v), 36, x.at(v), bottom)
		c.text(x.at(v), bottom+16, "middle", table.Shortest(math.Round(v*1e6)/1e6))
	}
	c.text((labelEnd+plotEnd)/2, bottom+36, "middle", axis)
	for i, r := range rows {
		y := float64(40 + rowHeight*i + rowHeight/2)
		c.text(labelEnd-12, y+4, "end", table.Short(r.name))
		if r.Low.Known() && r.High.Known() {
			c.line(r.class, x.at(*r.Low.Number), y, x.at(*r.High.Number), y)
		}
		c.dot(r.class, x.at(*r.Value.Number), y)
	}
	return c.svg(title, int(bottom)+48)
}

// pointsPlot is the ranking of the headline judge.
func (t *Report) pointsPlot() string {
	var rows []plotRow
	for _, s := range t.RankedSystems() {
		if r := t.HeadlineRow(s.Name); r != nil && r.Rank.Known() && len(rows) < mostRanked {
			rows = append(rows, plotRow{s.Name, "mark", table.Bounded{Value: r.Mean, Low: r.CILow, High: r.CIHigh}})
		}
	}
	return rowsPlot("Points by "+t.Headline, "points", t.Rubric.Min(), t.Rubric.Max(), rows)
}

// judgesPlot is alpha of totals with the first reference, without the shuffled floors; people's
// is with each other.
func (t *Report) judgesPlot() string {
	if t.References() == nil {
		return ""
	}
	reference := t.Judges[t.References()[0]].Name
	var rows []plotRow
	low, judged := 0.0, false
	for _, r := range t.Agreements {
		if r.Level != dataset.LevelFinal || !r.AlphaInterval.Known() || r.Kind != dataset.KindHuman && r.Reference != reference || strings.HasPrefix(r.Judge, dataset.ShuffledPrefix) {
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
		rows = append(rows, plotRow{name, class, r.AlphaInterval})
	}
	if !judged {
		return ""
	}
	order := []string{"floor", "mark", "people"}
	slices.SortStableFunc(rows, func(a, b plotRow) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.class), slices.Index(order, b.class)), cmp.Compare(*a.Value.Number, *b.Value.Number))
	})
	return rowsPlot("Agreement with human scores: floors (grey), judges (blue), people (pink)", "Krippendorff's alpha of totals", low, 1, rows)
}

// costPlot is the points of the headline judge against the dollars of 1,000 answers, on a
// logarithmic scale, for systems that cost something.
func (t *Report) costPlot() string {
	type point struct {
		name         string
		cost, points float64
	}
	var points []point
	low, high := math.Inf(1), 0.0
	for _, paid := range t.Paid {
		r := t.HeadlineRow(paid.Name)
		if paid.Kind == store.KindAnswer && paid.PerThousand.Known() && *paid.PerThousand.Number > 0 && r != nil && r.Rank.Known() {
			cost := *paid.PerThousand.Number
			points = append(points, point{paid.Name, cost, *r.Mean.Number})
			low, high = min(low, cost), max(high, cost)
		}
	}
	if points == nil {
		return ""
	}
	const top, bottom = 40, 320
	x := scale{math.Floor(math.Log10(low)), math.Ceil(math.Log10(high)), 60, plotEnd - 100}
	x.high = max(x.high, x.low+1)
	y := scale{t.Rubric.Min(), t.Rubric.Max(), bottom, top}
	var c canvas
	for v := x.low; v <= x.high; v++ {
		c.line("faint", x.at(v), top, x.at(v), bottom)
		c.text(x.at(v), bottom+16, "middle", table.Shortest(math.Pow(10, v)))
	}
	for _, v := range y.ticks() {
		c.line("faint", x.from, y.at(v), x.to, y.at(v))
		c.text(x.from-8, y.at(v)+4, "end", table.Shortest(v))
	}
	c.text((x.from+x.to)/2, bottom+36, "middle", "$ for 1,000 answers")
	for _, p := range points {
		c.dot("mark", x.at(math.Log10(p.cost)), y.at(p.points))
		c.text(x.at(math.Log10(p.cost))+8, y.at(p.points)+4, "start", table.Short(p.name))
	}
	return c.svg("Points by "+t.Headline+" against cost", bottom+48)
}
