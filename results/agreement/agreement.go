package agreement

import (
	"errors"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/agreement"
)

// An AgreementRow compares a judge's verdicts with a reference's sheets. Each sheet of the reference is a unit. Human means
// can have several sheets for one answer; each is paired with the judge's first verdict on the answer. Sheets of two
// annotators are paired by answer and repeat. Planned counts the reference's sheets and its imported rows without an answer;
// N counts the units that are valid on both sides. Undefined figures are empty. At levels that subtract means, exact
// equality and the difference of means have no meaning and are empty. For the floor criterion-mean, whose scores are means,
// exact equality and nominal alpha are empty, and so are figures that depend on order if its scores differ only by the
// object pair that was left out.
//
// Intervals are percentiles of 1,000 resamples of object pairs.
type AgreementRow struct {
	Judge     string `csv:"judge"`
	Reference string `csv:"reference"`
	Kind      string `csv:"kind"` // judge, human, floor
	Level     string `csv:"level"`
	Item      string `csv:"item"` // the criterion, group, scenario, yes or no; else "-"
	Planned   int    `csv:"planned"`
	N         int    `csv:"n"`

	Agreement      table.Figure  `csv:"agreement"` // share of equal values
	AlphaNominal   table.Figure  `csv:"alpha_nominal"`
	AlphaOrdinal   table.Figure  `csv:"alpha_ordinal"`
	AlphaInterval  table.Bounded `csv:"alpha_interval"`
	Spearman       table.Bounded `csv:"spearman"`
	Pearson        table.Bounded `csv:"pearson"`
	KendallTauB    table.Figure  `csv:"kendall_tau_b"`
	MeanDifference table.Figure  `csv:"mean_difference"` // judge - reference, points
	MAE            table.Figure  `csv:"mae"`
	FittedOn       string        `csv:"fitted_on"` // what the judge was trained or tuned on, of the reference's rows; empty: nothing known

	Tentative, Reliable table.Figure `csv:"-"` // shares of the resamples with alpha below Krippendorff's thresholds
}

// A Contest is a rater pair with its agreement at every level over the resamples.
type Contest struct {
	dataset.RaterPair
	Resampled []Level
}

// A Level is the agreement at one level over the resamples; Err says why there is none.
type Level struct {
	Name, Item string
	N          int
	Flat       bool
	*agreement.Replicates
	Err error
}

// NewLevel resamples the agreement of the scores.
func NewLevel(l dataset.LevelScores, o stats.Resampling) Level {
	r, err := agreement.NewReplicates(l.Judge, l.Reference, l.Questions, o)
	return Level{l.Name, l.Item, l.N, l.Flat, r, err}
}

// NewContest resamples the agreement of a rater pair.
func NewContest(u dataset.RaterPair) Contest {
	of := Contest{RaterPair: u}
	for _, l := range u.Levels() {
		of.Resampled = append(of.Resampled, NewLevel(l, u.Resampling()))
	}
	return of
}

// Rows are the rows in order of rater pairs, levels and items, and the resamples that their bounds come from. Rater pairs
// are computed side by side: resampling is nearly all of what a report takes.
func Rows(pairs []dataset.RaterPair) ([]AgreementRow, []Contest, error) {
	of, contests := make([][]AgreementRow, len(pairs)), make([]Contest, len(pairs))
	err := data.SideBySide(len(pairs), func(i int) error {
		u := pairs[i]
		contests[i].RaterPair = u
		reference := u.Judges[u.Reference].Name
		for _, scores := range u.Levels() {
			r := AgreementRow{Judge: u.Name, Reference: reference, Kind: u.Kind, Level: scores.Name, Item: scores.Item,
				Planned: scores.Planned, N: scores.N, FittedOn: u.FittedOn(u.Name, reference).TrainedOn}
			level := NewLevel(scores, u.Resampling())
			if err := r.fill(scores, level); err != nil {
				return err
			}
			of[i], contests[i].Resampled = append(of[i], r), append(contests[i].Resampled, level)
		}
		return nil
	})
	return slices.Concat(of...), contests, err
}

// Over is the difference between the agreement of two judges of the same units, with intervals.
func (l Level) Over(other Level) (agreement.AgreementIntervals, error) {
	if err := errors.Join(l.Err, other.Err); err != nil {
		return agreement.AgreementIntervals{}, err
	}
	return l.Minus(other.Replicates).Intervals(), nil
}

func (r *AgreementRow) fill(l dataset.LevelScores, resampled Level) error {
	var c dataset.Calculator
	f := c.Level(l.Reference, l.Judge)
	r.AlphaInterval.Value = table.FigureOf(f.AlphaInterval)
	r.MAE = table.FigureOf(c.Value(agreement.MAE(l.Reference, l.Judge)))
	if !l.Flat {
		r.AlphaOrdinal = table.FigureOf(f.AlphaOrdinal)
		r.Spearman.Value, r.Pearson.Value, r.KendallTauB = table.FigureOf(f.Spearman), table.FigureOf(f.Pearson), table.FigureOf(f.KendallTauB)
	}
	if !l.Centred {
		r.MeanDifference = table.FigureOf(f.MeanDifference)
	}
	if !l.Centred && !l.Unscaled {
		r.Agreement, r.AlphaNominal = table.FigureOf(c.Value(agreement.ExactAgreement(l.Reference, l.Judge))), table.FigureOf(f.AlphaNominal)
	}
	var b agreement.AgreementIntervals
	err := resampled.Err
	if c.Value(0, err); err == nil {
		b = resampled.Intervals()
	}
	r.AlphaInterval.Low, r.AlphaInterval.High = c.Bounds(b.Alpha, err)
	if r.AlphaInterval.Low.Known() {
		r.Tentative, r.Reliable = table.Number(b.Alpha.Below(agreement.AlphaTentative)), table.Number(b.Alpha.Below(agreement.AlphaReliable))
	}
	if !l.Flat {
		r.Spearman.Low, r.Spearman.High = c.Bounds(b.Spearman, err)
		r.Pearson.Low, r.Pearson.High = c.Bounds(b.Pearson, err)
	}
	return c.Err
}
