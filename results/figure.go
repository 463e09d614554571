package results

import (
	"fmt"
	"math"
	"strconv"
)

// A Figure is a number of a table, or none: the zero Figure is an empty cell.
type Figure struct{ number *float64 }

// FigureOf is a number, or none where it is nil.
func FigureOf(number *float64) Figure { return Figure{number} }

func figure(v float64) Figure { return Figure{&v} }

func count(n int) Figure { return figure(float64(n)) }

func (f Figure) known() bool { return f.number != nil }

// MarshalCSV writes the shortest decimal that reads back as the same number. A
// table has no word for NaN and the infinities: they are a fault of whoever
// computed them.
func (f Figure) MarshalCSV() (string, error) {
	if !f.known() {
		return "", nil
	}
	if math.IsNaN(*f.number) || math.IsInf(*f.number, 0) {
		return "", fmt.Errorf("a figure of the table is %v", *f.number)
	}
	return shortest(*f.number), nil
}

// shortest is plain decimal notation but for numbers that would need many
// zeros.
func shortest(v float64) string {
	if v == 0 {
		return "0" // and not "-0"
	}
	if whole := int(v); v > 0 && v < 100 && float64(whole) == v {
		return strconv.Itoa(whole) // most points, and of these it has the text at hand
	}
	if a := math.Abs(v); a < 1e-6 || a >= 1e21 {
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// none stands for a missing figure where people read.
const none = "–"

// text is the figure with a number of decimals, for people.
func (f Figure) text(decimals int) string {
	if !f.known() {
		return none
	}
	s := strconv.FormatFloat(*f.number, 'f', decimals, 64)
	if v, err := strconv.ParseFloat(s, 64); err == nil && v == 0 {
		return strconv.FormatFloat(0, 'f', decimals, 64) // no -0.00
	}
	return s
}

// interval is a figure with its bounds, for people: "0.64 [0.58, 0.70]".
func interval(f, low, high Figure, decimals int) string {
	if !low.known() || !high.known() {
		return f.text(decimals)
	}
	return f.text(decimals) + " [" + low.text(decimals) + ", " + high.text(decimals) + "]"
}

// meanKnown is the mean of the known ones among figures, none where none is.
func (c *computer) meanKnown(of []Figure) Figure {
	var values []float64
	for _, f := range of {
		if f.known() {
			values = append(values, *f.number)
		}
	}
	return Figure{c.moments(values).Mean}
}
