package table

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strings"

	"compqa/data"
	"compqa/stats"
)

// An Axis is the scale on which the figures of a column are drawn, in a cell of their own. Positions are percentages, so that the drawing
// fits any width while its texts keep their size.
type Axis struct {
	Title     string
	Ends      [2]string // texts above the two ends, instead of a title
	Low, High float64
	Ticks     []float64
	Words     map[float64]string // by tick: text in place of the number
	Dashed    stats.Figure       // the value whose line is dashed
}

// A Drawn is what a cell draws besides its own figure.
type Drawn struct {
	Others stats.Figure // people's figure, as a diamond below the dot
	Band   stats.Figure // people's agreement with each other, as a band behind the dot
	Hollow bool         // hollow dot: not certain, or not complete
	Alone  bool         // only the diamond is drawn, no dot
	Empty  bool         // nothing is drawn, because the figure has too few observations

	Picture template.HTML // drawn in the cell itself; the column has no axis
}

// AxisOver returns an axis that covers the figures and their intervals, with a margin.
func AxisOver(title string, figures ...stats.Figure) *Axis {
	low := math.Inf(1)
	high := math.Inf(-1)
	for _, b := range figures {
		shown := []stats.Figure{b.Point()}
		if b.Interval() {
			shown = append(shown, b.Lower(), b.Upper())
		}
		for _, f := range shown {
			if f.Known {
				low = min(low, f.Value)
				high = max(high, f.Value)
			}
		}
	}
	if low > high {
		low = 0
		high = 1
	}
	if high-low < 1e-9 {
		low -= .5
		high += .5
	}
	margin := .04 * (high - low)
	return &Axis{Title: title, Low: low - margin, High: high + margin, Ticks: Ticks(low-margin, high+margin),
		Dashed: stats.Number(0)}
}

// Ticks returns about six round values from low to high.
func Ticks(low, high float64) (values []float64) {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/5)))
	for _, by := range []float64{5, 2, 1} {
		if (high-low)/(step*by) >= 3 {
			step *= by
			break
		}
	}
	for i := math.Ceil(low/step - 1e-9); i*step <= high+1e-9*step; i++ {
		values = append(values, i*step)
	}
	return values
}

// position returns the place of a value, in percent of the width. Values outside the axis are moved to its ends.
func (a *Axis) position(v float64) string {
	const margin = 3
	return fmt.Sprintf("%.2f%%", margin+a.share(v)*(100-2*margin))
}

// share returns the place of a value between the ends, in [0, 1].
func (a *Axis) share(v float64) float64 {
	return (min(max(v, a.Low), a.High) - a.Low) / (a.High - a.Low)
}

func (a *Axis) line(class string, from, to float64, y1, y2 int) string {
	return fmt.Sprintf(`<line class="%s" x1="%s" x2="%s" y1="%d" y2="%d"></line>`, class, a.position(from), a.position(to), y1, y2)
}

// head returns the title of the axis and the texts of its ticks. Without a title, screen readers get the name of the column. It also
// defines the lines of the ticks as a symbol with the ID id, which all cells below reuse.
func (a *Axis) head(column, id string) template.HTML {
	var s strings.Builder
	title := html.EscapeString(Visible(a.Title))
	if a.Ends[0]+a.Ends[1] != "" {
		title = `<span class="ends"><span>‹ ` + html.EscapeString(Visible(a.Ends[0])) + `</span><span>` +
			html.EscapeString(Visible(a.Ends[1])) + ` ›</span></span>`
	} else if title == "" {
		title = `<span class="hidden">plot of ` + html.EscapeString(Visible(column)) + `</span>`
	}
	s.WriteString(title + `<svg class="ticks" aria-hidden="true">`)
	for i, t := range a.Ticks {
		anchor := "middle"
		text := a.Words[t]
		if i == 0 && (len(text) > longestTick || len(text) > 3 && a.share(t) < .05) {
			anchor = "start"
		} else if i == len(a.Ticks)-1 && (len(text) > longestTick || len(text) > 3 && a.share(t) > .95) {
			anchor = "end"
		}
		fmt.Fprintf(&s, `<text x="%s" y="12" text-anchor="%s">%s</text>`, a.position(t), anchor, html.EscapeString(a.word(t)))
	}
	fmt.Fprintf(&s, `<symbol id="%s" overflow="visible">`, html.EscapeString(id))
	for _, t := range a.Ticks {
		class := "tick"
		if a.Dashed.Known && t == a.Dashed.Value {
			class = "zero"
		}
		s.WriteString(a.line(class, t, t, 0, drawnHeight))
	}
	return template.HTML(s.String() + "</symbol></svg>")
}

// longestTick is the largest length of a tick's text that is centred at the first or the last tick.
const longestTick = len("100 %")

// word returns the text of a tick.
func (a *Axis) word(tick float64) string {
	if text := a.Words[tick]; text != "" {
		return text
	}
	return strings.Replace(stats.Shortest(math.Round(tick*1e6)/1e6), "-", "−", 1)
}

// Vertical positions in a cell's drawing, in pixels.
const drawnHeight, middle, upper, lower = 34, 17, 12, 25

// draw returns the drawing of a cell's figure and interval, and of what else the cell draws. It is hidden from screen readers, because the
// row also has the numbers.
func (a *Axis) draw(c Cell, id string) template.HTML {
	var s strings.Builder
	fmt.Fprintf(&s, `<svg class="lane" aria-hidden="true">`)
	d := c.Drawn
	if d == nil {
		d = &Drawn{}
	}
	if d.Empty {
		c.Value = stats.Figure{}
	}
	if d.Band.Interval() {
		low := a.position(d.Band.Low)
		high := a.position(d.Band.High)
		fmt.Fprintf(&s, `<line class="band" x1="%s" x2="%s" y1="%d" y2="%[3]d"></line>`, low, high, middle)
	}
	if d.Band.Known {
		s.WriteString(a.line("among", d.Band.Value, d.Band.Value, 4, drawnHeight-4))
	}
	fmt.Fprintf(&s, `<use href="#%s"></use>`, html.EscapeString(id))
	y := middle
	others := lower
	if d.Alone {
		c.Value = stats.Figure{}
		others = middle
	} else if d.Others.Known {
		y = upper
	}
	if c.Value.Interval() {
		s.WriteString(a.line("interval", c.Value.Low, c.Value.High, y, y))
	}
	if c.Value.Known {
		class := "dot"
		if d.Hollow {
			class = "dot hollow"
		}
		fmt.Fprintf(&s, `<circle class="%s" cx="%s" cy="%d" r="5"></circle>`, class, a.position(c.Value.Value), y)
	}
	if d.Others.Interval() {
		s.WriteString(a.line("others", d.Others.Low, d.Others.High, others, others))
	}
	if d.Others.Known {
		fmt.Fprintf(&s, `<svg x="%s" y="%d" width="1" height="1" overflow="visible"><path class="diamond" d="M0-5L5 0L0 5L-5 0Z"></path></svg>`,
			a.position(d.Others.Value), others)
	}
	return template.HTML(s.String() + "</svg>")
}

// A Key explains a mark of a plot. Mark is a key of keyMarks.
type Key struct{ Mark, Text string }

var keyMarks = map[string]template.HTML{
	"dot": `<svg class="key" aria-hidden="true"><line class="interval" x1="1" x2="25" y1="6" y2="6"></line>` +
		`<circle class="dot" cx="13" cy="6" r="5"></circle></svg>`,
	"hollow":  `<svg class="key" aria-hidden="true"><circle class="dot hollow" cx="13" cy="6" r="5"></circle></svg>`,
	"diamond": `<svg class="key" aria-hidden="true"><path class="diamond" d="M13 1L18 6L13 11L8 6Z"></path></svg>`,
	"among": `<svg class="key" aria-hidden="true"><rect class="people" x="2" width="22" height="12"></rect>` +
		`<line class="among" x1="13" x2="13" y1="0" y2="12"></line></svg>`,
	"tier":   `<svg class="key" aria-hidden="true"><line class="tier" x1="1" x2="25" y1="6" y2="6"></line></svg>`,
	"wins":   `<svg class="key" aria-hidden="true"><rect class="wins" x="2" width="22" height="12"></rect></svg>`,
	"even":   `<svg class="key" aria-hidden="true"><rect class="even" x="2" width="22" height="12"></rect></svg>`,
	"losses": `<svg class="key" aria-hidden="true"><rect class="losses" x="2" width="22" height="12"></rect></svg>`,
	"tied":   `<svg class="key" aria-hidden="true"><rect class="tied" x="2" width="22" height="12" rx="3"></rect></svg>`,
}

// Picture returns the mark as a picture.
func (k Key) Picture() template.HTML { return keyMarks[k.Mark] }

// Heat returns the class of a cell by its value between low and high, in six steps from "heat h0" to "heat h5". A missing value has "".
func Heat(f stats.Figure, low, high float64) string {
	if !f.Known {
		return ""
	}
	return fmt.Sprintf("heat h%d", min(5, max(0, int((f.Value-low)/(high-low+1e-9)*6))))
}

// A Pane is the place of a section on a page with two columns.
type Pane int

const (
	Whole Pane = iota // both columns
	Left              // the left column
	Right             // the right column
)

// Panes is a part of a page: sections over the whole width, or sections in two columns.
type Panes[S any] struct{ Whole, Left, Right []S }

// InPanes divides a list of sections into panes, in order. Sections between two whole ones share two columns.
func InPanes[S any](list []S, pane func(S) Pane) (rows []Panes[S]) {
	for len(list) > 0 {
		n := slices.IndexFunc(list, func(s S) bool { return pane(s) == Whole })
		if n < 0 {
			n = len(list)
		}
		if n == 0 {
			rows = append(rows, Panes[S]{Whole: list[:1]})
			list = list[1:]
			continue
		}
		rows = append(rows, Panes[S]{Left: data.Where(list[:n], func(s S) bool { return pane(s) == Left }),
			Right: data.Where(list[:n], func(s S) bool { return pane(s) == Right })})
		list = list[n:]
	}
	return rows
}
