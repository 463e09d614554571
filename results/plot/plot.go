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
)

// Places in a picture, in pixels.
const (
	Width = 720
	End   = Width - 40 // of the plot

	rowHeight = 24
	labelEnd  = 190 // of the names of rows
)

// A Canvas collects an SVG picture. Its colours follow the viewer's light or dark mode.
type Canvas struct{ strings.Builder }

// SVG is the picture with a title.
func (c *Canvas) SVG(title string, height int) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" font-family="sans-serif" font-size="13">
<title>%s</title>
<style>line{stroke-width:2}.faint{stroke-width:1}text{fill:#1f2328}.page{fill:#ffffff}.faint{stroke:#d0d7de}.mark{stroke:#0969da;fill:#0969da}.floor{stroke:#8c959f;fill:#8c959f}.people{stroke:#bf3989;fill:#bf3989}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.page{fill:#0d1117}.faint{stroke:#3d444d}.mark{stroke:#58a6ff;fill:#58a6ff}.floor{stroke:#9198a1;fill:#9198a1}.people{stroke:#f778ba;fill:#f778ba}}</style>
<rect class="page" width="%d" height="%d"/>
<text x="10" y="22" font-weight="bold">%s</text>
%s</svg>
`, Width, height, Width, height, html.EscapeString(title), Width, height, html.EscapeString(title), c.String())
}

// Text writes text; anchor is start, middle or end.
func (c *Canvas) Text(x, y float64, anchor, text string) {
	fmt.Fprintf(c, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", x, y, anchor, html.EscapeString(table.Printable(text)))
}

// Line draws a line of the class faint, mark, floor or people.
func (c *Canvas) Line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(c, `<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", class, x1, y1, x2, y2)
}

// Dot draws a dot; radius is in pixels.
func (c *Canvas) Dot(class string, x, y, radius float64) {
	fmt.Fprintf(c, `<circle class="%s" cx="%.1f" cy="%.1f" r="%.4g"/>`+"\n", class, x, y, radius)
}

// Bar draws a filled rectangle.
func (c *Canvas) Bar(class string, x, y, width, height float64) {
	fmt.Fprintf(c, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`+"\n", class, x, y, width, height)
}

// A Scale maps values to pixels.
type Scale struct{ Low, High, From, To float64 }

// At is the place of a value; values outside are at the ends.
func (s Scale) At(v float64) float64 {
	return s.From + (min(max(v, s.Low), s.High)-s.Low)/(s.High-s.Low)*(s.To-s.From)
}

// Ticks are about six round values in the scale.
func (s Scale) Ticks() (values []float64) {
	step := math.Pow(10, math.Floor(math.Log10((s.High-s.Low)/5)))
	for _, by := range []float64{5, 2, 1} {
		if (s.High-s.Low)/(step*by) >= 3 {
			step *= by
			break
		}
	}
	for i := math.Ceil(s.Low/step - 1e-9); i*step <= s.High+1e-9*step; i++ {
		values = append(values, i*step)
	}
	return values
}

// A Row is a figure with its interval, in a plot with one figure a line.
type Row struct {
	Name, Class string
	table.Bounded
}

// Rows draws one figure a line.
func Rows(title, axis string, low, high float64, rows []Row) string {
	if rows == nil {
		return ""
	}
	var c Canvas
	x := Scale{low, high, labelEnd, End}
	bottom := float64(40 + rowHeight*len(rows))
	for _, v := range x.Ticks() {
		c.Line("faint", x.At(v), 36, x.At(v), bottom)
		c.Text(x.At(v), bottom+16, "middle", table.Shortest(math.Round(v*1e6)/1e6))
	}
	c.Text((labelEnd+End)/2, bottom+36, "middle", axis)
	for i, r := range rows {
		y := float64(40 + rowHeight*i + rowHeight/2)
		c.Text(labelEnd-12, y+4, "end", table.Short(r.Name))
		if r.Low.Known() && r.High.Known() {
			c.Line(r.Class, x.At(*r.Low.Number), y, x.At(*r.High.Number), y)
		}
		c.Dot(r.Class, x.At(*r.Value.Number), y, 4)
	}
	return c.SVG(title, int(bottom)+48)
}

// Bubbles draws how often pairs of values occur: the area of a dot is its count. Both axes
// reach from low to high, and the diagonal is where the two values are equal.
func Bubbles(title, across, up string, low, high float64, counts map[[2]float64]int) string {
	if len(counts) == 0 {
		return ""
	}
	const top, bottom, left = 40, 440, 90
	x, y := Scale{low, high, left, left + bottom - top}, Scale{low, high, bottom, top}
	var c Canvas
	for _, v := range x.Ticks() {
		c.Line("faint", x.At(v), top, x.At(v), bottom)
		c.Line("faint", x.From, y.At(v), x.To, y.At(v))
		c.Text(x.At(v), bottom+18, "middle", table.Shortest(v))
		c.Text(x.From-8, y.At(v)+4, "end", table.Shortest(v))
	}
	c.Line("floor", x.From, y.From, x.To, y.To)
	most := slices.Max(slices.Collect(maps.Values(counts)))
	for _, at := range slices.SortedFunc(maps.Keys(counts), func(a, b [2]float64) int { return slices.Compare(a[:], b[:]) }) {
		c.Dot("mark", x.At(at[0]), y.At(at[1]), 1.5+6.5*math.Sqrt(float64(counts[at])/float64(most)))
	}
	c.Text((x.From+x.To)/2, bottom+38, "middle", across)
	c.Text(x.To+20, top+4, "start", "upwards: "+up)
	return c.SVG(title, bottom+50)
}

// Histogram draws how often values occur, in bins of one unit from low to high.
func Histogram(title, axis string, low, high float64, values []float64) string {
	if len(values) == 0 {
		return ""
	}
	const top, bottom, left = 40, 240, 90
	counts := make([]int, int(high-low)+1)
	for _, v := range values {
		counts[int(min(max(v, low), high)-low)]++
	}
	most := float64(slices.Max(counts))
	x, y := Scale{low, high + 1, left, End}, Scale{0, most, bottom, top}
	var c Canvas
	for _, v := range y.Ticks() {
		c.Line("faint", x.From, y.At(v), x.To, y.At(v))
		c.Text(x.From-8, y.At(v)+4, "end", table.Shortest(v))
	}
	for i, n := range counts {
		at := low + float64(i)
		c.Bar("mark", x.At(at)+1, y.At(float64(n)), x.At(at+1)-x.At(at)-2, bottom-y.At(float64(n)))
		c.Text((x.At(at)+x.At(at+1))/2, bottom+18, "middle", table.Shortest(at))
	}
	c.Text((x.From+x.To)/2, bottom+38, "middle", axis)
	return c.SVG(title, bottom+50)
}
