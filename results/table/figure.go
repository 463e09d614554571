package table

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"compqa/stats"
)

// A Figure is a number in a table. The zero Figure is missing: an empty cell.
type Figure struct{ Number *float64 }

// FigureOf is a figure, missing if number is nil.
func FigureOf(number *float64) Figure { return Figure{number} }

func Number(v float64) Figure { return Figure{&v} }

func Count(n int) Figure { return Number(float64(n)) }

// Ratio is a part of a number, missing if that is 0.
func Ratio[Part int | float64](part Part, of int) Figure {
	if of == 0 {
		return Figure{}
	}
	return Number(float64(part) / float64(of))
}

func (f Figure) Known() bool { return f.Number != nil }

// CompareFigures orders figures, ascending for sign 1 and descending for -1; missing ones are last.
func CompareFigures(a, b Figure, sign int) int {
	switch {
	case a.Known() && b.Known():
		return sign * cmp.Compare(*a.Number, *b.Number)
	case a.Known():
		return -1
	case b.Known():
		return 1
	}
	return 0
}

// A PValue is a p-value and Holm's adjustment of it.
type PValue struct {
	P        Figure `csv:"p"`
	Adjusted Figure `csv:"p_adjusted"`
}

// Adjust sets the adjusted p-values of rows, family by family; those that are unknown are no part of one.
func Adjust[Row any, Family comparable](rows []Row, family func(Row) Family, of func(*Row) *PValue) (err error) {
	families := map[Family][]*PValue{}
	for i := range rows {
		if v := of(&rows[i]); v.P.Known() {
			families[family(rows[i])] = append(families[family(rows[i])], v)
		}
	}
	for _, members := range families {
		holm, failed := stats.Holm(Each(members, func(v *PValue) float64 { return *v.P.Number }))
		for i, p := range holm {
			members[i].Adjusted = Number(p)
		}
		err = cmp.Or(err, failed)
	}
	return err
}

// MarshalCSV writes the shortest decimal that parses to the same number. NaN and infinities are errors.
func (f Figure) MarshalCSV() (string, error) {
	if !f.Known() {
		return "", nil
	}
	if math.IsNaN(*f.Number) || math.IsInf(*f.Number, 0) {
		return "", fmt.Errorf("a figure of the table is %v", *f.Number)
	}
	return Shortest(*f.Number), nil
}

// MarshalJSON writes a number; a missing figure is null.
func (f Figure) MarshalJSON() ([]byte, error) { return json.Marshal(f.Number) }

// JSONType is the type that is written in place of a Figure, for JSON Schema.
func (Figure) JSONType() reflect.Type { return reflect.TypeFor[*float64]() }

// Shortest is the shortest decimal notation, with an exponent for very small and very large numbers.
func Shortest(v float64) string {
	if v == 0 {
		return "0" // and not "-0"
	}
	if whole := int(v); v > 0 && v < 100 && float64(whole) == v {
		return strconv.Itoa(whole) // fast path for most points
	}
	if a := math.Abs(v); a < 1e-6 || a >= 1e21 {
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// None is shown for a missing figure in Markdown and on the terminal.
const None = "–"

// Text is the figure with a number of decimals.
func (f Figure) Text(decimals int) string {
	if !f.Known() {
		return None
	}
	s := strconv.FormatFloat(*f.Number, 'f', decimals, 64)
	if v, err := strconv.ParseFloat(s, 64); err == nil && v == 0 {
		return strconv.FormatFloat(0, 'f', decimals, 64) // no -0.00
	}
	return s
}

// A Bounded is a figure with the bounds of its interval, often a difference of two
// figures for the same units. The zero Bounded is missing.
type Bounded struct {
	Value Figure `csv:"value" json:"value"`
	Low   Figure `csv:"low" json:"low"`
	High  Figure `csv:"high" json:"high"`
	Few   bool   `csv:"-" json:"-"` // the bounds are from too few questions to be shown; files have them
}

// OnScale is a mean of values between the least and the most, with bounds cut off there. The true mean is on the scale, so that an interval
// without its part outside contains it as often as before. Where it is outside as a whole, there is no figure (OffScale).
func OnScale(value, low, high, least, most float64) Bounded {
	if low > most || high < least {
		return Bounded{}
	}
	in := func(x float64) float64 { return min(most, max(least, x)) }
	return Between(in(value), in(low), in(high))
}

// OffScale is why there is no figure where an interval is outside of the scale as a whole.
const OffScale = "corrected, it would be outside of the scale"

// Between is a figure with bounds.
func Between(value, low, high float64) Bounded {
	return Bounded{Value: Number(value), Low: Number(low), High: Number(high)}
}

// Minus is the figure with the other sign: of a difference that of its sides exchanged.
func Minus(b Bounded) Bounded {
	negative := func(f Figure) Figure {
		if !f.Known() {
			return f
		}
		return Number(-*f.Number)
	}
	b.Value, b.Low, b.High = negative(b.Value), negative(b.High), negative(b.Low)
	return b
}

// Names are several names in one cell.
type Names []string

func (n Names) String() string { return strings.Join(n, "; ") }

func (n Names) MarshalCSV() (string, error) { return n.String(), nil }

func (b Bounded) Known() bool { return b.Value.Known() }

// Interval reports whether there are bounds to show.
func (b Bounded) Interval() bool { return b.Low.Known() && b.High.Known() && !b.Few }

// Above reports whether the figure is significantly above 0.
func (b Bounded) Above() bool { return b.Low.Known() && *b.Low.Number > 0 }

// Below reports whether the figure is significantly below 0.
func (b Bounded) Below() bool { return b.High.Known() && *b.High.Number < 0 }

// TooFew is shown in place of bounds from too few questions.
const TooFew = "too few questions"

// Text is the figure with its bounds: "0.64 [0.58, 0.70]".
func (b Bounded) Text(decimals int) string { return b.text(decimals, false) }

// Signed is the figure with its sign and bounds: "+1.90 [1.52, 2.31]".
func (b Bounded) Signed(decimals int) string { return b.text(decimals, true) }

func (b Bounded) text(decimals int, signed bool) string {
	text := b.Value.Text(decimals)
	if signed && b.Known() && *b.Value.Number > 0 && strings.Trim(text, "0.") != "" {
		text = "+" + text
	}
	switch {
	case b.Interval():
		text += " [" + b.Low.Text(decimals) + ", " + b.High.Text(decimals) + "]"
	case b.Few && b.Low.Known():
		text += ", " + TooFew
	}
	return text
}

// CellText is a mean with its number of verdicts, and in files its deviation: "17.77 (600)", or
// "(598/600)" if not all planned verdicts are valid.
func CellText(mean, sd Figure, valid, planned int) Cell {
	c := Cell{Value: Bounded{Value: mean}, deviation: sd, n: Count(valid)}
	n := strconv.Itoa(valid)
	if planned > valid {
		n += "/" + strconv.Itoa(planned)
	}
	if c.Text = None + " (" + n + ")"; mean.Known() {
		c.Text = mean.Text(2) + " (" + n + ")"
	}
	return c
}

// Rough is a duration, rounded for people.
func Rough(d time.Duration) string {
	switch {
	case d == 0:
		return "-"
	case d < time.Minute:
		return fmt.Sprintf("%d s", max(1, int(d.Seconds()+0.5)))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()+0.5))
	}
	return fmt.Sprintf("%.0f h", d.Hours())
}
