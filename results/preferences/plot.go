package preferences

import (
	"fmt"
	"html"
	"math"
	"slices"

	"compqa/results/plot"
	"compqa/results/table"
)

// colours are safe for colour-blind readers (Wong 2011).
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#767b85", "#a3256f"}

// callsPlot is accuracy against calls, on one set: the points of a judge with their intervals,
// connected in their order. The horizontal axis shows log(1+x), so that judges without calls can be
// shown. It is nil without points.
func callsPlot(points []BudgetRow, dataset string) *table.Plot {
	points = table.Where(points, func(p BudgetRow) bool { return p.Dataset == dataset && p.Accuracy.Known() })
	if len(points) == 0 {
		return nil
	}
	return &table.Plot{Name: "calls", Alt: "Accuracy against calls; the table has the same figures", SVG: func(width int) string {
		const top, bottom, left = 40.0, 320.0, 50.0
		c := plot.Canvas{Width: width}
		most := 1.0
		for _, p := range points {
			most = max(most, *p.Calls.Number)
		}
		across := plot.Scale{Low: 0, High: math.Log1p(most), From: left, To: c.End()}
		up := plot.Scale{Low: 0, High: 1, From: bottom, To: top}
		for _, y := range up.Ticks() {
			c.Line("faint", left, up.At(y), c.End(), up.At(y))
			c.Text(left-8, up.At(y)+4, "end", table.Shortest(math.Round(y*10)/10))
		}
		for _, x := range []float64{0, 1, 2, 4, 8, 16, 32, 64, 128, 256} {
			if x <= most {
				c.Text(across.At(math.Log1p(x)), bottom+18, "middle", table.Shortest(x))
			}
		}
		c.Text((left+c.End())/2, bottom+36, "middle", "calls for one preference")
		line := func(x1, y1, x2, y2 float64, colour string) {
			fmt.Fprintf(&c, `<path d="M%.1f %.1fL%.1f %.1f" stroke="%s" stroke-opacity="0.6"/>`+"\n", x1, y1, x2, y2, colour)
		}
		var judges []JudgeOn
		for i, p := range points {
			if !slices.Contains(judges, p.JudgeOn) {
				judges = append(judges, p.JudgeOn)
			}
			n := slices.Index(judges, p.JudgeOn)
			colour := colours[n%len(colours)]
			x, y := across.At(math.Log1p(*p.Calls.Number)), up.At(*p.Accuracy.Value.Number)
			fmt.Fprintf(&c, `<circle cx="%.1f" cy="%.1f" r="4" fill="%s"><title>%s</title></circle>`+"\n", x, y, colour,
				html.EscapeString(table.Printable(Heading(p.Judge, p.Method))))
			if p.Accuracy.Low.Known() && p.Accuracy.High.Known() {
				line(x, up.At(*p.Accuracy.Low.Number), x, up.At(*p.Accuracy.High.Number), colour)
			}
			if i > 0 && points[i-1].JudgeOn == p.JudgeOn {
				line(across.At(math.Log1p(*points[i-1].Calls.Number)), up.At(*points[i-1].Accuracy.Value.Number), x, y, colour)
			}
		}
		for n, j := range judges {
			y := bottom + 60 + 18*float64(n)
			fmt.Fprintf(&c, `<circle cx="16" cy="%.1f" r="4" fill="%s"/>`, y-4, colours[n%len(colours)])
			c.Text(26, y, "start", table.Short(Heading(j.Judge, j.Method)))
		}
		return c.SVG(plot.Frame{Title: "Accuracy against calls: " + dataset}, int(bottom)+60+18*len(judges))
	}}
}
