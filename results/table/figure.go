package table

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"compqa/data"
	"compqa/stats"
)

// A PValue is a p-value, and Holm's adjustment of it.
type PValue struct {
	P        stats.Figure `csv:"p"`
	Adjusted stats.Figure `csv:"p_adjusted"`
}

// Adjust sets the adjusted p-values of rows, separately for each family. Unknown p-values are ignored.
func Adjust[Row any, Family comparable](rows []Row, family func(Row) Family, p func(*Row) *PValue) error {
	families := map[Family][]*PValue{}
	for i := range rows {
		if v := p(&rows[i]); v.P.Known {
			families[family(rows[i])] = append(families[family(rows[i])], v)
		}
	}
	for _, members := range families {
		holm, err := stats.Holm(data.Each(members, func(v *PValue) float64 { return v.P.Value }))
		if err != nil {
			return err
		}
		for i, p := range holm {
			members[i].Adjusted = stats.Number(p)
		}
	}
	return nil
}

// OnScale cuts the bounds of a mean to the scale from least to most. The true mean is on the scale, so the shorter interval covers it as
// often as before. If the whole interval is outside the scale, the figure is missing (OffScale).
func OnScale(mean stats.Figure, least, most float64) stats.Figure {
	if !mean.Known {
		return mean
	}
	if mean.Least().Value > most || mean.Most().Value < least {
		return stats.MissingFigure(OffScale)
	}
	in := func(x float64) float64 { return min(most, max(least, x)) }
	mean.Value = in(mean.Value)
	if mean.Bounded {
		mean.Low, mean.High = in(mean.Low), in(mean.High)
	}
	return mean
}

// OffScale is the reason for a missing figure whose whole interval is outside the scale.
const OffScale = stats.Reason("corrected, it would be outside of the scale")

// Minus returns the figure with the opposite sign, such as the difference b minus a from a minus b.
func Minus(f stats.Figure) stats.Figure {
	f.Value, f.Low, f.High = -f.Value, -f.High, -f.Low
	return f
}

// Names is a cell with several names.
type Names []string

func (n Names) String() string { return strings.Join(n, "; ") }

func (n Names) MarshalCSV() (string, error) { return n.String(), nil }

// CellText returns the cell of a mean with its number of verdicts: "17.77 (600)", or "17.77 (598/600)" if not all planned verdicts are
// valid. CSV files also have the deviation.
func CellText(mean, sd stats.Figure, valid, planned int) Cell {
	c := Cell{Value: mean.Point(), deviation: sd, n: stats.Count(valid)}
	n := strconv.Itoa(valid)
	if planned > valid {
		n += "/" + strconv.Itoa(planned)
	}
	if c.Text = stats.Missing + " (" + n + ")"; mean.Known {
		c.Text = mean.Text(2) + " (" + n + ")"
	}
	return c
}

// Rough returns a duration as rounded text, as "3 min". Zero is "-".
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

// Percents returns a share and its interval as percentages without decimals.
func Percents(share stats.Figure) string {
	if !share.Known {
		return stats.Missing
	}
	text := fmt.Sprintf("%.0f %%", 100*share.Value)
	if share.Interval() {
		text += fmt.Sprintf(" [%.0f, %.0f]", 100*share.Low, 100*share.High)
	}
	return text
}
