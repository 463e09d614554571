package judgequality

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/agreement"
)

// A PanelRow says how many independent judges a panel is worth (see agreement.Moments.Judges), and whether the panel's mean agrees
// better with people than its best judge. Units are the sheets of the first reference on answers that all judges scored. Intervals resample
// object pairs. Corrected estimates the noise of people from all annotators.
type PanelRow struct {
	Judges      table.Names  `csv:"judges"`
	N           int          `csv:"n"` // number of sheets of the reference
	Correlation stats.Figure `csv:"mean_error_correlation"`
	Effective   stats.Figure `csv:"n_effective,low,high"`
	Corrected   stats.Figure `csv:"n_effective_corrected"` // Effective without the error variance of people
	AlphaPanel  stats.Figure `csv:"alpha_panel"`           // alpha of the judges' mean total
	AlphaBest   stats.Figure `csv:"alpha_best"`            // alpha of the best single judge
	Best        string       `csv:"best"`

	RhoPanel, RhoBest stats.Figure `csv:"-"`
}

// PanelTable says how many independent judges a panel is worth.
var PanelTable = table.Def[PanelRow]{File: "panel.csv", Views: []table.View[PanelRow]{{Title: "Independent judges",
	About: "The number of judges with independent errors that would be as good as these judges, from the correlation of their " +
		"errors (judge minus human, totals); “without noise” removes the variance that human scores add to all errors. alpha " +
		"(interval) of totals with human scores: of the judges' mean, and of the best judge alone.",
	In:    func(r PanelRow) bool { return sharesEnough(r.Effective) },
	Words: 1, Shown: []string{"judges", "n", "mean_error_correlation=error correlation", "n_effective=independent judges",
		"n_effective_corrected=without noise", "alpha_panel=alpha (interval), mean", "alpha_best=alpha (interval), best", "best"}}}}

// A HaloRow says how many criteria a judge really uses (see agreement.Moments.Spread), compared with people on the same answers. The first
// sheet on each answer counts. Halo is the mean correlation between the judge's criteria, minus that of people.
type HaloRow struct {
	Judge       string       `csv:"judge"`
	N           int          `csv:"n"` // number of answers
	Correlation stats.Figure `csv:"mean_correlation"`
	People      stats.Figure `csv:"people_mean_correlation"`
	Halo        stats.Figure `csv:"halo,low,high"`
	Effective   stats.Figure `csv:"effective_criteria"`
	Constant    int          `csv:"constant_criteria"`
}

// HaloTable has the correlations between each judge's criteria.
var HaloTable = table.Def[HaloRow]{File: "halo.csv", Views: []table.View[HaloRow]{{Title: "Halo",
	About: "The mean correlation of a judge's criteria over answers, and that of people on the same answers. If one impression " +
		"influences all criteria, this correlation is higher. “used criteria” is the number of independent criteria that give " +
		"the same correlations (participation ratio of the eigenvalues). “constant” criteria have the same score everywhere " +
		"and are left out.",
	In:    func(r HaloRow) bool { return sharesEnough(r.Halo) },
	Words: 1, Shown: []string{"judge", "n", "mean_correlation", "people_mean_correlation=people", "halo+2",
		"effective_criteria:1=used criteria", "constant_criteria=constant"}}}}

// panelRows returns two panels: the judges that call a model or are imported, and all judges. It leaves out the second panel if it has
// the same judges, and panels with a single judge.
func (t *Tables) panelRows(c *dataset.Calculator) (rows []PanelRow) {
	all := data.Where(panelists(t.boards.Dataset),
		func(j int) bool {
			return t.AgreementAt(t.Judges[j].Name, t.Judges[t.References()[0]].Name, dataset.LevelFinal).N > 0
		})
	models := data.Where(all, func(j int) bool { return t.Judges[j].Kind != dataset.KindEmbedded })
	for _, panel := range [][]int{models, all} {
		if len(panel) > 1 && (len(rows) == 0 || len(panel) > len(models)) {
			rows = append(rows, t.panelRow(c, panel))
		}
	}
	return rows
}

// panelRow computes the row of a panel. With too few shared answers, its figures say what is lacking.
func (t *Tables) panelRow(c *dataset.Calculator, panel []int) (r PanelRow) {
	final := finalBySheet(t.boards.Dataset, t.References()[0], panel...)
	rated := final.Where(func(unit int) bool {
		return !slices.ContainsFunc(final.Raters, func(r raters.Rater) bool { return !r.Values[unit].Given() })
	})
	var people, mean []float64
	var questions []int
	totals := make([][]float64, len(panel))
	differences := make([][]float64, len(panel))
	for i, j := range panel {
		p := rated.Pairs(rated.Raters[1+i], rated.Raters[0])
		r.Judges = append(r.Judges, t.Judges[j].Name)
		people, questions, totals[i], differences[i] = p.Reference, p.Clusters, p.Judge, p.JudgeMinusReference()
		if mean == nil {
			mean = make([]float64, len(people))
		}
		for k, total := range p.Judge {
			mean[k] += total / float64(len(panel))
		}
	}
	r.N = len(people)
	if lacking := t.missingData(append(slices.Clone(panel), t.References()[0])...); lacking != nil {
		r.Effective = stats.MissingFigure(lacking)
		r.Correlation = r.Effective
		r.Corrected = r.Effective
		r.AlphaPanel = r.Effective
		r.AlphaBest = r.Effective
		return r
	}
	moments, err := agreement.NewMoments(differences, questions)
	if c.Value(0, err) == nil {
		return r
	}
	correlation, _, err := moments.Judges(moments.SampleWeights, 0)
	r.Correlation = c.Figure(correlation, err)
	r.Effective = resampled(c, moments.Bootstrap(t.Resampling(), func(sums []float64) []float64 {
		_, n, err := moments.Judges(sums, 0)
		return []float64{stats.Defined(n, err)}
	}))
	if noise := t.noiseOfPeople(c); noise > 0 {
		_, n, err := moments.Judges(moments.SampleWeights, noise)
		r.Corrected = c.Figure(n, err)
	}
	agrees := func(values []float64) (alpha, rho stats.Figure) {
		row := raters.Points(people, values, questions).Pair(raters.Options{Figures: raters.Alpha | raters.Ranks, Intervals: raters.NoIntervals})
		c.Value(0, row.Fault())
		return row.Alpha.Point(), row.Spearman.Point()
	}
	r.AlphaPanel, r.RhoPanel = agrees(mean)
	for i, j := range panel {
		alpha, rho := agrees(totals[i])
		if stats.CompareFigures(alpha, r.AlphaBest, -1) < 0 {
			r.AlphaBest = alpha
			r.Best = t.Judges[j].Name
		}
		if stats.CompareFigures(rho, r.RhoBest, -1) < 0 {
			r.RhoBest = rho
		}
	}
	return r
}

// resampled returns the first value of the replicates with an interval over resamples. If the value is undefined, the figure is missing.
func resampled(c *dataset.Calculator, replicates *stats.Replicates) stats.Figure {
	if !stats.IsFinite(replicates.Values[0]) {
		return stats.MissingFigure(stats.ErrNoVariation)
	}
	d, err := replicates.Distribution(0)
	return c.Interval(stats.Number(replicates.Values[0]), d.Low, d.High, err)
}

// sharesEnough reports whether the judges of a figure share enough answers, so that the figure is not missing for this reason
// (Dataset.Lacks).
func sharesEnough(f stats.Figure) bool { return !errors.Is(f.Why, stats.ErrTooShort) }

// missingData returns an error that says which data are missing for a statement about these judges together. It returns nil if there are
// enough.
func (t *Tables) missingData(judges ...int) error {
	return t.Lacks(data.Each(judges, func(j int) dataset.AnswerTotals { return t.AnswerTotals(j) })...)
}

// noiseOfPeople returns the error variance of the first reference, estimated from the annotators' totals on the same answers. For one
// annotator it is
//
//	Σ (n_ij - 1) var(h_i - h_j) / 2 / Σ (n_ij - 1)
//
// over all pairs of annotators i and j with n_ij shared answers. For complete data this equals the residual mean square of answers ×
// annotators. If the reference is people's mean, the variance is divided by the number of annotators. It is 0 if it cannot be estimated.
func (t *Tables) noiseOfPeople(c *dataset.Calculator) float64 {
	who := t.Annotators()
	var variances, weights []float64
	total := 0.0
	for i, one := range who {
		for _, other := range who[i+1:] {
			final := finalBySheet(t.boards.Dataset, other, one)
			m := c.Moments(final.Pairs(final.Raters[1], final.Raters[0]).JudgeMinusReference())
			if m.SD != nil {
				variances = append(variances, *m.SD**m.SD/2)
				weights = append(weights, float64(m.N-1))
				total += float64(m.N - 1)
			}
		}
	}
	noise := 0.0
	for i, variance := range variances {
		noise += variance * (weights[i] / total)
	}
	if !slices.Contains(who, t.References()[0]) {
		noise /= float64(len(who))
	}
	return noise
}

func (t *Tables) setHalos() error {
	if t.References() == nil {
		return nil
	}
	var c dataset.Calculator
	halos := data.Each(panelists(t.boards.Dataset), func(j int) HaloRow { return t.haloRow(&c, j) })
	t.Halos = data.Where(halos, func(r HaloRow) bool { return r.N > 0 })
	return c.Err
}

// haloRow computes the row of a judge. With too few shared answers, its figures say what is lacking.
func (t *Tables) haloRow(c *dataset.Calculator, judge int) HaloRow {
	r := HaloRow{Judge: t.Judges[judge].Name}
	lists := make([][]float64, len(t.Rubric.Criteria))
	people := make([][]float64, len(t.Rubric.Criteria))
	var questions []int
	criteria, _ := raters.BySheet(t.Judgements, t.References()[0], judge)
	whole := raters.Sums(dataset.LevelFinal, criteria)
	last := ""
	for _, unit := range whole.Pairs(whole.Raters[1], whole.Raters[0]).Units {
		u := whole.Units[unit]
		if u.ID == last {
			continue
		}
		last = u.ID
		questions = append(questions, u.Cluster)
		for k, rated := range criteria {
			lists[k], people[k] = append(lists[k], rated.Raters[1].Values[unit].Number()), append(people[k], rated.Raters[0].Values[unit].Number())
		}
	}
	r.N = len(questions)
	if lacking := t.missingData(judge, t.References()[0]); lacking != nil {
		r.Halo = stats.MissingFigure(lacking)
		r.Correlation = r.Halo
		r.People = r.Halo
		r.Effective = r.Halo
		return r
	}
	judged, err := agreement.NewMoments(lists, questions)
	if c.Value(0, err) == nil {
		return r
	}
	given, err := agreement.NewMoments(people, questions)
	if c.Value(0, err) == nil {
		return r
	}
	mine, err := judged.Spread(judged.SampleWeights)
	r.Constant, r.Correlation, r.Effective = mine.Constant, c.Figure(mine.MeanCorrelation, err),
		c.Figure(mine.Effective, err)
	theirs, err := given.Spread(given.SampleWeights)
	r.People = c.Figure(theirs.MeanCorrelation, err)
	correlation := func(m agreement.Moments) *stats.Replicates {
		return m.Bootstrap(t.Resampling(), func(sums []float64) []float64 {
			spread, err := m.Spread(sums)
			return []float64{stats.Defined(spread.MeanCorrelation, err)}
		})
	}
	r.Halo = resampled(c, correlation(judged).Minus(correlation(given)))
	return r
}

// panelLines returns sentences on the panel of models and on the halo of the judges.
func (t *Tables) panelLines() (lines []string) {
	if len(t.Panels) > 0 {
		r := t.Panels[0]
		if !sharesEnough(r.Effective) {
			lines = append(lines, fmt.Sprintf("How many independent judges %s are is not known: %s.", data.List(data.Each(r.Judges,
				t.NameOfJudge)), r.Effective.Reason()))
		} else if r.Effective.Known {
			lines = append(lines, fmt.Sprintf("%s make similar errors: together they count as %s independent judges. Their mean agrees with "+
				"people at rho %s, the best single one of them at %s, on the answers that all of them and people scored.",
				data.List(data.Each(r.Judges, t.NameOfJudge)), r.Effective.Point().Text(1), r.RhoPanel.Text(2), r.RhoBest.Text(2)))
		}
	}
	var halo []string // judges whose halo is significantly above 0
	people := ""
	for _, r := range t.Halos {
		if r.Halo.AboveZero() {
			halo = append(halo, r.Judge+" "+r.Correlation.Text(2))
			people = r.People.Text(2)
		}
	}
	if halo != nil {
		return append(lines, fmt.Sprintf("One impression influences all criteria (halo) where their mean correlation is significantly "+
			"higher than that of people, %s: %s.", people, strings.Join(halo, ", ")))
	}
	if r := table.First(t.Halos, func(r HaloRow) bool { return !sharesEnough(r.Halo) }); r.Judge != "" {
		lines = append(lines, fmt.Sprintf("Whether one impression influences all criteria of %s (halo) is not known: %s.", r.Judge,
			r.Halo.Reason()))
	}
	return lines
}
