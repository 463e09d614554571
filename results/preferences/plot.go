package preferences

import (
	"fmt"
	"html"
	"math"
	"strings"

	"compqa/results/table"
)

// A scatter is an SVG plot of points with error bars over a logarithmic axis. A plotting
// library would make the program a third larger.
type scatter struct {
	title, x, y string
	series      []series
}

// A series is the points of one colour, connected in their order.
type series struct {
	name   string
	points []point
}

type point struct {
	x, y      float64
	low, high table.Figure // of y
}

// The plot's measures, in pixels.
const (
	plotWidth, plotHeight                    = 860, 480
	plotLeft, plotRight, plotTop, plotBottom = 70, 250, 40, 60
)

// colours are safe for colour-blind readers (Wong 2011).
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999"}

// svg draws the plot. The horizontal axis shows log(1+x), so that judges without calls
// can be shown; y is drawn from 0 to 1.
func (s scatter) svg() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", plotWidth, plotHeight)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", plotWidth, plotHeight)
	svgText(&b, plotLeft, 20, "start", s.title)
	most := 1.0
	for _, of := range s.series {
		for _, p := range of.points {
			most = max(most, p.x)
		}
	}
	right, bottom := float64(plotWidth-plotRight), float64(plotHeight-plotBottom)
	at := func(x, y float64) (float64, float64) {
		return plotLeft + (right-plotLeft)*math.Log1p(x)/math.Log1p(most), bottom - (bottom-plotTop)*y
	}
	for y := 0.0; y <= 1.001; y += 0.1 {
		_, py := at(0, y)
		fmt.Fprintf(&b, `<line x1="%d" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#ddd"/>`+"\n", plotLeft, py, right, py)
		svgText(&b, plotLeft-8, py+4, "end", fmt.Sprintf("%.1f", y))
	}
	for _, x := range []float64{0, 1, 2, 4, 8, 16, 32, 64, 128, 256} {
		if x <= most {
			px, _ := at(x, 0)
			fmt.Fprintf(&b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#888"/>`+"\n", px, bottom, px, bottom+5)
			svgText(&b, px, bottom+20, "middle", table.Shortest(x))
		}
	}
	svgText(&b, (plotLeft+right)/2, plotHeight-18, "middle", s.x)
	fmt.Fprintf(&b, `<text transform="translate(20 %.1f) rotate(-90)" text-anchor="middle">%s</text>`+"\n", (plotTop+bottom)/2, html.EscapeString(s.y))
	for i, of := range s.series {
		of.draw(&b, colours[i%len(colours)], at)
		y := plotTop + 18*float64(i)
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>`+"\n", right+20, y, colours[i%len(colours)])
		svgText(&b, right+30, y+4, "start", of.name)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func (s series) draw(b *strings.Builder, colour string, at func(x, y float64) (float64, float64)) {
	var path []string
	for _, p := range s.points {
		x, y := at(p.x, p.y)
		path = append(path, fmt.Sprintf("%.1f,%.1f", x, y))
		if p.low.Known() && p.high.Known() {
			_, low := at(p.x, *p.low.Number)
			_, high := at(p.x, *p.high.Number)
			fmt.Fprintf(b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-opacity="0.5"/>`+"\n", x, low, x, high, colour)
		}
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>`+"\n", x, y, colour)
	}
	if len(path) > 1 {
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-opacity="0.5"/>`+"\n", strings.Join(path, " "), colour)
	}
}

func svgText(b *strings.Builder, x, y float64, anchor, s string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", x, y, anchor, html.EscapeString(s))
}

// callsPlot is accuracy against calls, on one set.
func callsPlot(points []BudgetRow, dataset string) scatter {
	s := scatter{title: "Accuracy against calls: " + dataset, x: "calls for one preference", y: "accuracy"}
	at := map[string]int{}
	for _, p := range points {
		if p.Dataset != dataset || !p.Accuracy.Known() {
			continue
		}
		name := judgeName(p.Judge, p.Method)
		i, known := at[name]
		if !known {
			i = len(s.series)
			at[name] = i
			s.series = append(s.series, series{name: name})
		}
		s.series[i].points = append(s.series[i].points, point{*p.Calls.Number, *p.Accuracy.Number, p.Low, p.High})
	}
	return s
}
