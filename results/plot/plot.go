// Package plot draws SVG pictures. Their colours follow the viewer's light or dark mode.
package plot

import (
	"fmt"
	"html"
	"maps"
	"math"
	"slices"
	"strings"

	"compqa/results/table"
	"compqa/stats"
)

// Sizes in pixels.
const (
	rowHeight = 24
	margin    = 16
)

// A Frame has the texts around a picture (title, name of the axis, source) and the range of the axis.
type Frame struct {
	Title, Axis, Source string
	Low, High           float64 // ends of the axis
}

// A Canvas collects an SVG picture.
type Canvas struct {
	strings.Builder
	Width int
}

// End returns the right end of the drawing area, in pixels.
func (c *Canvas) End() float64 { return float64(c.Width - margin) }

// SVG returns the whole picture, with its title above and its source below.
func (c *Canvas) SVG(f Frame, height int) string {
	var head strings.Builder
	lines := table.Wrap(f.Title, c.Width/8)
	foot := []string(nil)
	if f.Source != "" {
		foot = table.Wrap(f.Source, c.Width/7)
	}
	for i, line := range lines {
		fmt.Fprintf(&head, `<text x="8" y="%d" font-weight="bold">%s</text>`, 18+18*i, html.EscapeString(table.Printable(line)))
	}
	top := 18 * (len(lines) - 1)
	for i, line := range foot {
		fmt.Fprintf(&head, `<text class="source" font-size="12" x="8" y="%d">%s</text>`, top+height+14+15*i,
			html.EscapeString(table.Printable(line)))
	}
	whole := top + height + 8 + 15*len(foot)
	return fmt.Sprintf(`<svg class="plot" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d"
 role="img" font-family="system-ui, sans-serif" font-size="13">
<title>%s</title>
<style>.plot line{stroke-width:2}.plot .faint{stroke-width:1;stroke:#d0d7de}.plot text{fill:#1c1f24}
.plot .source{fill:#4d535d}.plot .page{fill:#ffffff}.plot .mark{stroke:#0b57a4;fill:#0b57a4}
.plot .floor{stroke:#767b85;fill:#767b85}.plot .people{stroke:#a3256f;fill:#a3256f}
@media (prefers-color-scheme:dark){.plot text{fill:#e7e9ec}.plot .source{fill:#b4bac3}.plot .page{fill:#15181c}.plot .faint{stroke:#3d444d}
.plot .mark{stroke:#8cc4ff;fill:#8cc4ff}.plot .floor{stroke:#8b919b;fill:#8b919b}.plot .people{stroke:#f778ba;fill:#f778ba}}</style>
<rect class="page" width="%d" height="%d"/>%s<g transform="translate(0 %d)">
%s</g></svg>
`, c.Width, whole, c.Width, whole, html.EscapeString(table.Printable(f.Title)), c.Width, whole, head.String(), top, c.String())
}

// Text writes a text. anchor is start, middle or end.
func (c *Canvas) Text(x, y float64, anchor, text string) {
	fmt.Fprintf(c, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", x, y, anchor, html.EscapeString(table.Printable(text)))
}

// Line draws a line. class is faint, mark, floor or people.
func (c *Canvas) Line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(c, `<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", class, x1, y1, x2, y2)
}

// Dot draws a filled circle. radius is in pixels.
func (c *Canvas) Dot(class string, x, y, radius float64) {
	fmt.Fprintf(c, `<circle class="%s" cx="%.1f" cy="%.1f" r="%.4g"/>`+"\n", class, x, y, radius)
}

// Bar draws a filled rectangle.
func (c *Canvas) Bar(class string, x, y, width, height float64) {
	fmt.Fprintf(c, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`+"\n", class, x, y, width, height)
}

// A Scale maps values to pixels.
type Scale struct{ Low, High, From, To float64 }

// At returns the pixel of a value. Values outside the scale are moved to its ends.
func (s Scale) At(v float64) float64 {
	return s.From + (min(max(v, s.Low), s.High)-s.Low)/(s.High-s.Low)*(s.To-s.From)
}

// Ticks returns about six round values within the scale.
func (s Scale) Ticks() []float64 { return table.Ticks(s.Low, s.High) }

// A Row is a line of a plot: a name and a figure with its interval.
type Row struct {
	Name, Class string
	stats.Figure
}

// Rows draws a plot with one row per figure: its interval and its number. It returns nil without rows.
func Rows(name, alt string, f Frame, rows []Row) *table.Plot {
	if rows == nil {
		return nil
	}
	return &table.Plot{Name: name, Alt: alt, SVG: func(width int) string {
		c := Canvas{Width: width}
		labels := math.Min(190, float64(width)*0.42)
		x := Scale{f.Low, f.High, labels, c.End() - 40}
		bottom := float64(40 + rowHeight*len(rows))
		for _, v := range x.Ticks() {
			c.Line("faint", x.At(v), 36, x.At(v), bottom)
			c.Text(x.At(v), bottom+16, "middle", stats.Shortest(math.Round(v*1e6)/1e6))
		}
		c.Text((x.From+x.To)/2, bottom+36, "middle", f.Axis)
		for i, r := range rows {
			y := float64(40 + rowHeight*i + rowHeight/2)
			c.Text(labels-12, y+4, "end", table.ShortTo(r.Name, int((labels-12)/7.5)))
			if r.Interval() {
				c.Line(r.Class, x.At(r.Low), y, x.At(r.High), y)
			}
			c.Dot(r.Class, x.At(r.Value), y, 4)
			c.Text(c.End(), y+4, "end", r.Point().Text(2))
		}
		return c.SVG(f, int(bottom)+44)
	}}
}

// Histogram draws how often values occur, in bins of one unit over the range of the frame. It returns nil without values.
func Histogram(name string, f Frame, values []float64) *table.Plot {
	if len(values) == 0 {
		return nil
	}
	counts := make([]int, int(f.High-f.Low)+1)
	for _, v := range values {
		counts[int(min(max(v, f.Low), f.High)-f.Low)]++
	}
	return &table.Plot{Name: name, Alt: f.Title, SVG: func(width int) string {
		const top, bottom, left = 40, 240, 50
		c := Canvas{Width: width}
		most := float64(slices.Max(counts))
		x := Scale{f.Low, f.High + 1, left, c.End()}
		y := Scale{0, most, bottom, top}
		for _, v := range y.Ticks() {
			c.Line("faint", x.From, y.At(v), x.To, y.At(v))
			c.Text(x.From-8, y.At(v)+4, "end", stats.Shortest(v))
		}
		for i, n := range counts {
			value := f.Low + float64(i)
			c.Bar("mark", x.At(value)+1, y.At(float64(n)), x.At(value+1)-x.At(value)-2, bottom-y.At(float64(n)))
			if width > 500 || i%2 == 0 {
				c.Text((x.At(value)+x.At(value+1))/2, bottom+18, "middle", stats.Shortest(value))
			}
		}
		c.Text((x.From+x.To)/2, bottom+38, "middle", f.Axis)
		return c.SVG(f, bottom+46)
	}}
}

// FewCalibrated is the least number of answers for which Calibration draws a mean.
const FewCalibrated = 8

// Calibration plots pairs of totals, a judge's across and people's up, with a line of equal totals. A second line has people's mean at each
// total of the judge that at least FewCalibrated answers have. It has no frame; the style of the page gives its colours.
func Calibration(across, up []float64, low, high float64) string {
	const height, foot, left = 220.0, 20.0, 9.0 // pixels; left in percent
	x := func(v float64) string { return fmt.Sprintf("%.1f%%", left+(v-low)/(high-low)*(97-left)) }
	y := func(v float64) string {
		return fmt.Sprintf("%.1f", height-foot-(v-low)/(high-low)*(height-foot-8))
	}
	var s strings.Builder
	s.WriteString(`<svg class="square" aria-hidden="true">`)
	for _, v := range []float64{low, math.Round((low + high) / 2), high} {
		fmt.Fprintf(&s, `<text x="%s" y="%.0f" text-anchor="middle">%s</text>`, x(v), height-4, stats.Shortest(v))
		fmt.Fprintf(&s, `<text x="%.1f%%" y="%s" text-anchor="end" dy="4">%s</text>`, left-2, y(v), stats.Shortest(v))
	}
	fmt.Fprintf(&s, `<line class="equal" x1="%s" y1="%s" x2="%s" y2="%s"></line>`, x(low), y(low), x(high), y(high))
	counts := map[[2]float64]int{}
	sums := map[float64]float64{}
	ns := map[float64]int{}
	for i, v := range across {
		counts[[2]float64{math.Round(2*v) / 2, math.Round(2*up[i]) / 2}]++
		sums[math.Round(v)] += up[i]
		ns[math.Round(v)]++
	}
	most := slices.Max(slices.Collect(maps.Values(counts)))
	for _, point := range slices.SortedFunc(maps.Keys(counts), func(a, b [2]float64) int { return slices.Compare(a[:], b[:]) }) {
		fmt.Fprintf(&s, `<circle class="bubble" cx="%s" cy="%s" r="%.1f"></circle>`, x(point[0]), y(point[1]),
			2+3*math.Sqrt(float64(counts[point])/float64(most)))
	}
	last := math.NaN()
	for _, v := range slices.Sorted(maps.Keys(ns)) {
		if ns[v] < FewCalibrated {
			continue
		}
		if !math.IsNaN(last) {
			fmt.Fprintf(&s, `<line class="line" x1="%s" y1="%s" x2="%s" y2="%s"></line>`, x(last), y(sums[last]/float64(ns[last])), x(v),
				y(sums[v]/float64(ns[v])))
		}
		last = v
	}
	return s.String() + "</svg>"
}

// Grid draws a table of counts: how often each value of a judge (across) occurs with each value of people (down). Equal values are on the
// diagonal.
func Grid(names []string, counts [][]float64) string {
	const width, height, left, top = 36, 20, 34, 18
	var s strings.Builder
	most := 1.0
	for _, row := range counts {
		most = max(most, slices.Max(row))
	}
	fmt.Fprintf(&s, `<svg class="grid" width="%d" height="%d" aria-hidden="true">`, left+width*len(names), top+height*len(names))
	for k, name := range names {
		short := html.EscapeString(table.ShortTo(table.Printable(name), 5))
		fmt.Fprintf(&s, `<text x="%d" y="13" text-anchor="middle">%s</text><text x="%d" y="%d" text-anchor="end">%s</text>`,
			left+width*k+width/2, short, left-6, top+height*k+14, short)
		for l, n := range counts[k] {
			if n == 0 {
				continue
			}
			class := "off"
			if k == l {
				class = fmt.Sprintf("g%d", 1+min(4, int(4*n/most)))
			}
			fmt.Fprintf(&s,
				`<g class="%s"><rect x="%d" y="%d" width="%d" height="%d" rx="2"></rect><text x="%d" y="%d" text-anchor="middle">%.0f</text></g>`,
				class, left+width*l+1, top+height*k+1, width-2, height-2, left+width*l+width/2, top+height*k+14, n)
		}
	}
	return s.String() + "</svg>"
}
