package stats

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// A Figure is a number in a table with its interval, often a difference of two figures for the same units. The zero Figure is missing: an
// empty cell.
type Figure struct {
	Value, Low, High float64
	Known, Bounded   bool  // Bounded: Low and High are the bounds of an interval
	Few              bool  // the interval is from too few clusters to be shown, but is written to files
	N, Clusters      int   // units and clusters that the figure is based on; 0 means the same as its row
	Why              error // why the value or the interval is missing; nil if neither is, or if no reason is known
}

// MissingFigure returns a missing figure with the reason why it is missing.
func MissingFigure(why error) Figure { return Figure{Why: why} }

// Reason returns in words why the figure or its interval is missing, or "" if neither is missing or no reason is known.
func (f Figure) Reason() string {
	if f.Why == nil {
		return ""
	}
	if reason, is := errors.AsType[Reason](f.Why); is { // without the names of statistics around it
		return string(reason)
	}
	if reason, is := errors.AsType[NotEnough](f.Why); is {
		return string(reason)
	}
	return f.Why.Error()
}

// FewClusters is the least number of clusters for which the interval of a mean is shown. With fewer, Student's t is so large that the
// interval reaches far outside the scale.
const FewClusters = 5

// Number returns a figure without an interval.
func Number(v float64) Figure { return Figure{Value: v, Known: true} }

// Count returns a whole number as a figure without an interval.
func Count(n int) Figure { return Number(float64(n)) }

// FigureOf returns a figure without an interval, or a missing figure if number is nil.
func FigureOf(number *float64) Figure {
	if number == nil {
		return Figure{}
	}
	return Number(*number)
}

// Ratio returns part/whole, or a missing figure if whole is 0.
func Ratio[Part int | float64](part Part, whole int) Figure {
	if whole == 0 {
		return Figure{}
	}
	return Number(float64(part) / float64(whole))
}

// WithInterval returns a figure with its interval.
func WithInterval(value, low, high float64) Figure {
	return Figure{Value: value, Low: low, High: high, Known: true, Bounded: true}
}

// Bound returns a figure whose bounds are the values of two other figures. If one of them is missing, it has no interval.
func Bound(value, low, high Figure) Figure {
	f := value.Point()
	switch {
	case low.Known && high.Known:
		f.Low = low.Value
		f.High = high.Value
		f.Bounded = true
	case f.Known:
		f.Why = low.Why
	}
	return f
}

// Point returns the figure without its interval.
func (f Figure) Point() Figure {
	f.Low = 0
	f.High = 0
	f.Bounded = false
	f.Few = false
	if f.Known {
		f.Why = nil
	}
	return f
}

// Lower returns the lower bound as a figure, which is missing without an interval.
func (f Figure) Lower() Figure { return Figure{Value: f.Low, Known: f.Bounded, Why: f.Why} }

// Upper returns the upper bound as a figure, which is missing without an interval.
func (f Figure) Upper() Figure { return Figure{Value: f.High, Known: f.Bounded, Why: f.Why} }

// Least returns the lower bound, or the value without an interval.
func (f Figure) Least() Figure {
	if f.Bounded {
		return f.Lower()
	}
	return f.Point()
}

// Most returns the upper bound, or the value without an interval.
func (f Figure) Most() Figure {
	if f.Bounded {
		return f.Upper()
	}
	return f.Point()
}

// Pointer returns a pointer to the value, or nil if the value is missing.
func (f Figure) Pointer() *float64 {
	if !f.Known {
		return nil
	}
	return &f.Value
}

// Interval reports whether there is an interval to show.
func (f Figure) Interval() bool { return f.Bounded && !f.Few }

// AboveZero reports whether the whole interval is above 0.
func (f Figure) AboveZero() bool { return f.Bounded && f.Low > 0 }

// BelowZero reports whether the whole interval is below 0.
func (f Figure) BelowZero() bool { return f.Bounded && f.High < 0 }

// CompareFigures orders figures by value: ascending if sign is 1, descending if it is -1. Missing figures come last.
func CompareFigures(a, b Figure, sign int) int {
	switch {
	case a.Known && b.Known:
		return sign * cmp.Compare(a.Value, b.Value)
	case a.Known:
		return -1
	case b.Known:
		return 1
	}
	return 0
}

// MarshalCSV writes the value in the shortest form that parses to the same number, or "" if it is missing. NaN and infinities are errors.
func (f Figure) MarshalCSV() (string, error) {
	if !f.Known {
		return "", nil
	}
	if math.IsNaN(f.Value) || math.IsInf(f.Value, 0) {
		return "", fmt.Errorf("a figure of the table is %v", f.Value)
	}
	return Shortest(f.Value), nil
}

// MarshalJSON writes the value as a number, or null if it is missing.
func (f Figure) MarshalJSON() ([]byte, error) { return json.Marshal(f.Pointer()) }

// JSONType returns the type that JSON Schema describes in place of Figure.
func (Figure) JSONType() reflect.Type { return reflect.TypeFor[*float64]() }

// Shortest returns the shortest decimal form of v, with an exponent for very small and very large numbers.
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

// Missing is shown for a missing figure in Markdown and on the terminal.
const Missing = "–"

// Text returns the value with its interval: "0.64 [0.58, 0.70]".
func (f Figure) Text(decimals int) string { return f.text(decimals, false) }

// Signed returns the value with its sign and interval: "+1.90 [1.52, 2.31]".
func (f Figure) Signed(decimals int) string { return f.text(decimals, true) }

// text returns the value and the interval, with this number of decimals. signed adds a plus to positive values.
func (f Figure) text(decimals int, signed bool) string {
	text := Missing
	if f.Known {
		text = decimal(f.Value, decimals)
	}
	if signed && f.Known && f.Value > 0 && strings.Trim(text, "0.") != "" {
		text = "+" + text
	}
	if f.Interval() {
		text += " [" + decimal(f.Low, decimals) + ", " + decimal(f.High, decimals) + "]"
	}
	return text
}

// decimal returns a number with this many decimals. It uses a minus sign (−), and writes -0.00 as 0.00.
func decimal(v float64, decimals int) string {
	s := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	if v < 0 && strings.Trim(s, "0.") != "" {
		return "−" + s
	}
	return s
}
