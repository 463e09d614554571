package table

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Figure is a number of a table, or none: the zero Figure is an empty cell.
type Figure struct{ Number *float64 }

// FigureOf is a number, or none where it is nil.
func FigureOf(number *float64) Figure { return Figure{number} }

func Number(v float64) Figure { return Figure{&v} }

func Count(n int) Figure { return Number(float64(n)) }

func (f Figure) Known() bool { return f.Number != nil }

// MarshalCSV writes the shortest decimal that reads back as the same number. A
// table has no word for NaN and the infinities: they are a fault of whoever
// computed them.
func (f Figure) MarshalCSV() (string, error) {
	if !f.Known() {
		return "", nil
	}
	if math.IsNaN(*f.Number) || math.IsInf(*f.Number, 0) {
		return "", fmt.Errorf("a figure of the table is %v", *f.Number)
	}
	return Shortest(*f.Number), nil
}

// shortest is plain decimal notation but for numbers that would need many
// zeros.
func Shortest(v float64) string {
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
const None = "–"

// text is the figure with a number of decimals, for people.
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

// interval is a figure with its bounds, for people: "0.64 [0.58, 0.70]".
func Interval(f, low, high Figure, decimals int) string {
	if !low.Known() || !high.Known() {
		return f.Text(decimals)
	}
	return f.Text(decimals) + " [" + low.Text(decimals) + ", " + high.Text(decimals) + "]"
}

// signed is a figure with its sign and interval: "+1.90 [1.52, 2.31]".
func Signed(f, low, high Figure, decimals int) string {
	if !f.Known() {
		return None
	}
	text := Interval(f, low, high, decimals)
	if *f.Number > 0 && !strings.HasPrefix(text, "0."+strings.Repeat("0", decimals)+" ") {
		text = "+" + text
	}
	return text
}

func RangeText(low, high Figure) string {
	if !low.Known() || !high.Known() {
		return None
	}
	return low.Text(2) + " to " + high.Text(2)
}

// cellText is a mean with its deviation and what it rests on: "17.77 ± 1.06
// (600)", or "(598/600)" where not all of what was planned is valid.
func CellText(mean, sd Figure, valid, planned int) string {
	n := strconv.Itoa(valid)
	if planned > valid {
		n += "/" + strconv.Itoa(planned)
	}
	if !mean.Known() {
		return None + " (" + n + ")"
	}
	return mean.Text(2) + " ± " + sd.Text(2) + " (" + n + ")"
}
