package preferences

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"compqa/results/table"
)

// The plot's measures, in pixels.
const (
	plotWidth, plotHeight                   = 860, 480
	plotLeft, plotTop, plotEdge, plotBottom = 70.0, 40.0, 610.0, 420.0
)

// colours are safe for colour-blind readers (Wong 2011).
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999"}

// callsPlot is an SVG plot of accuracy against calls, on one set: the points of a judge
// with their intervals, connected in their order. The horizontal axis shows log(1+x), so
// that judges without calls can be shown. A plotting library would make the program a
// third larger.
func callsPlot(points []BudgetRow, dataset string) string {
	var b strings.Builder
	text := func(x, y float64, anchor, s string) {
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", x, y, anchor, html.EscapeString(s))
	}
	line := func(x1, y1, x2, y2 float64, stroke string) {
		fmt.Fprintf(&b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-opacity="0.5"/>`+"\n", x1, y1, x2, y2, stroke)
	}
	circle := func(x, y float64, fill string) {
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>`+"\n", x, y, fill)
	}
	points = slices.DeleteFunc(slices.Clone(points), func(p BudgetRow) bool { return p.Dataset != dataset || !p.Accuracy.Known() })
	most := 1.0
	for _, p := range points {
		most = max(most, *p.Calls.Number)
	}
	across := func(calls float64) float64 { return plotLeft + (plotEdge-plotLeft)*math.Log1p(calls)/math.Log1p(most) }
	up := func(accuracy float64) float64 { return plotBottom - (plotBottom-plotTop)*accuracy }

	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", plotWidth, plotHeight)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", plotWidth, plotHeight)
	text(plotLeft, 20, "start", "Accuracy against calls: "+dataset)
	for y := 0.0; y <= 1.001; y += 0.1 {
		line(plotLeft, up(y), plotEdge, up(y), "#bbb")
		text(plotLeft-8, up(y)+4, "end", fmt.Sprintf("%.1f", y))
	}
	for _, x := range []float64{0, 1, 2, 4, 8, 16, 32, 64, 128, 256} {
		if x <= most {
			line(across(x), plotBottom, across(x), plotBottom+5, "#000")
			text(across(x), plotBottom+20, "middle", table.Shortest(x))
		}
	}
	text((plotLeft+plotEdge)/2, plotHeight-18, "middle", "calls for one preference")
	fmt.Fprintf(&b, `<text transform="translate(20 %.1f) rotate(-90)" text-anchor="middle">accuracy</text>`+"\n", (plotTop+plotBottom)/2)
	var judges []JudgeOn
	for i, p := range points {
		if !slices.Contains(judges, p.JudgeOn) {
			judges = append(judges, p.JudgeOn)
			y := plotTop + 18*float64(len(judges)-1)
			circle(plotEdge+20, y, colours[(len(judges)-1)%len(colours)])
			text(plotEdge+30, y+4, "start", judgeName(p.Judge, p.Method))
		}
		colour := colours[slices.Index(judges, p.JudgeOn)%len(colours)]
		x, y := across(*p.Calls.Number), up(*p.Accuracy.Value.Number)
		circle(x, y, colour)
		if p.Accuracy.Low.Known() && p.Accuracy.High.Known() {
			line(x, up(*p.Accuracy.Low.Number), x, up(*p.Accuracy.High.Number), colour)
		}
		if i > 0 && points[i-1].JudgeOn == p.JudgeOn {
			line(across(*points[i-1].Calls.Number), up(*points[i-1].Accuracy.Value.Number), x, y, colour)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}
