package judgequality

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/agreement"
)

// An EffectiveRow says how many independent judges a panel is worth (see agreement.Moments.Judges), and whether its mean
// agrees better with people than its best judge. Units are the sheets of the first reference on answers that all judges
// scored; intervals resample object pairs. The correction uses the first two annotators.
type EffectiveRow struct {
	Judges      table.Names   `csv:"judges"`
	N           int           `csv:"n"` // sheets of the reference
	Correlation table.Figure  `csv:"mean_error_correlation"`
	Effective   table.Bounded `csv:"n_effective,low,high"`
	Corrected   table.Figure  `csv:"n_effective_corrected"` // without the error variance of people
	AlphaPanel  table.Figure  `csv:"alpha_panel"`           // of the judges' mean total
	AlphaBest   table.Figure  `csv:"alpha_best"`            // of the best single judge
	Best        string        `csv:"best"`

	RhoPanel, RhoBest table.Figure `csv:"-"`
	Lacks             string       `csv:"-"` // why there are no figures
}

// A HaloRow says how many criteria a judge uses (see agreement.Moments.Spread), compared with people on the same answers;
// the first sheets of each count. halo is the difference of the mean correlations.
type HaloRow struct {
	Judge       string        `csv:"judge"`
	N           int           `csv:"n"` // answers
	Correlation table.Figure  `csv:"mean_correlation"`
	People      table.Figure  `csv:"people_mean_correlation"`
	Halo        table.Bounded `csv:"halo,low,high"`
	Effective   table.Figure  `csv:"effective_criteria"`
	Constant    int           `csv:"constant_criteria"`
	Lacks       string        `csv:"-"` // why there are no figures
}

// effectiveRows are the panel of the judges that call a model, or are imported, and the panel of all judges.
func (t *Tables) effectiveRows(c *dataset.Calculator) (rows []EffectiveRow) {
	all := table.Where(panelists(t.Tables.Dataset),
		func(j int) bool {
			return t.AgreementAt(t.Judges[j].Name, t.Judges[t.References()[0]].Name, dataset.LevelFinal).N > 0
		})
	models := table.Where(all, func(j int) bool { return t.Judges[j].Kind != dataset.KindEmbedded })
	for _, panel := range [][]int{models, all} {
		if len(panel) > 1 && (len(rows) == 0 || len(panel) > len(models)) {
			rows = append(rows, t.effectiveRow(c, panel))
		}
	}
	return rows
}

func (t *Tables) pairsOf(judge int) dataset.RaterPair {
	return t.NewRaterPair(dataset.Pairing{Name: t.Judges[judge].Name, Judge: judge, Reference: t.References()[0], Kind: dataset.KindOfJudge})
}

func (t *Tables) effectiveRow(c *dataset.Calculator, panel []int) (r EffectiveRow) {
	pairs, scored := make([]dataset.RaterPair, len(panel)), map[*dataset.Sheet]int{} // scored: by how many judges
	for i, j := range panel {
		r.Judges, pairs[i] = append(r.Judges, t.Judges[j].Name), t.pairsOf(j)
		for _, p := range pairs[i].Pairs {
			scored[p.Reference]++
		}
	}
	var people, mean []float64
	var questions []int
	totals, errors := make([][]float64, len(panel)), make([][]float64, len(panel))
	for i, of := range pairs {
		of.Pairs = table.Where(of.Pairs, func(p dataset.PairedScore) bool { return scored[p.Reference] == len(panel) })
		l := of.Totals(0)
		people, questions, totals[i] = l.Reference, l.Questions, l.Judge
		if mean == nil {
			mean = make([]float64, len(people))
		}
		for k, total := range l.Judge {
			errors[i] = append(errors[i], total-people[k])
			mean[k] += total / float64(len(panel))
		}
	}
	r.N = len(people)
	if r.Lacks = t.lacks(append(slices.Clone(panel), t.References()[0])...); r.Lacks != "" {
		return r
	}
	clusters, err := stats.NewGrouping(questions, r.N)
	moments, other := agreement.NewMoments(errors, clusters)
	if c.Value(0, cmp.Or(err, other)) == nil {
		return r
	}
	correlation, _, err := moments.Judges(nil, 0)
	r.Correlation = table.FigureOf(c.Value(correlation, err))
	r.Effective = t.resampled(c, clusters, func(drawn []int) (float64, error) {
		_, n, err := moments.Judges(drawn, 0)
		return n, err
	})
	if noise := t.noiseOfPeople(c); noise > 0 {
		_, n, err := moments.Judges(nil, noise)
		r.Corrected = table.FigureOf(c.Value(n, err))
	}
	agrees := func(of []float64) (alpha, rho table.Figure) {
		return table.FigureOf(c.Alpha(people, of, agreement.Interval)), table.FigureOf(c.Value(agreement.Spearman(people, of)))
	}
	r.AlphaPanel, r.RhoPanel = agrees(mean)
	for i, j := range panel {
		alpha, rho := agrees(totals[i])
		if table.CompareFigures(alpha, r.AlphaBest, -1) < 0 {
			r.AlphaBest, r.Best = alpha, t.Judges[j].Name
		}
		if table.CompareFigures(rho, r.RhoBest, -1) < 0 {
			r.RhoBest = rho
		}
	}
	return r
}

// resampled is a figure of all clusters, nil, with bounds over resamples of them if it is defined.
func (t *Tables) resampled(c *dataset.Calculator, clusters stats.Grouping, figure func(drawn []int) (float64, error)) (b table.Bounded) {
	if b.Value = table.FigureOf(c.Value(figure(nil))); b.Known() {
		d, err := t.Resampling().Run(clusters.Count(), figure)
		b.Low, b.High = table.FigureOf(c.Value(d.Low, err)), table.FigureOf(c.Value(d.High, err))
	}
	return b
}

// lacks says what is missing for a statement about these judges, "" if nothing is.
func (t *Tables) lacks(judges ...int) string {
	return t.Lacks(table.Each(judges, func(j int) dataset.AnswerTotals { return t.AnswerTotals(j) })...)
}

// noiseOfPeople is the error variance of the first reference, from the first two annotators' totals of the same answers:
// var(h1-h2)/2 for one annotator, divided by their number for people's mean. It is 0 if nothing is known.
func (t *Tables) noiseOfPeople(c *dataset.Calculator) float64 {
	who := t.Annotators()
	if len(who) < 2 {
		return 0
	}
	pairs := t.NewRaterPair(dataset.Pairing{Judge: who[0], Reference: who[1], Kind: dataset.KindHuman}).Pairs
	m := c.Moments(table.Each(pairs, func(p dataset.PairedScore) float64 { return p.Judge.Total - p.Reference.Total }))
	if m.SD == nil {
		return 0
	}
	noise := *m.SD * *m.SD / 2
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
	halos := table.Each(panelists(t.Tables.Dataset), func(j int) HaloRow { return t.haloRow(&c, j) })
	t.Halos = table.Where(halos, func(r HaloRow) bool { return r.N > 0 })
	return c.Err
}

func (t *Tables) haloRow(c *dataset.Calculator, judge int) HaloRow {
	r := HaloRow{Judge: t.Judges[judge].Name}
	own, people := make([][]float64, len(t.Rubric.Criteria)), make([][]float64, len(t.Rubric.Criteria))
	var questions []int
	last := int32(dataset.Unrecorded)
	for _, p := range t.pairsOf(judge).Pairs {
		if p.Reference.Answer == last {
			continue
		}
		last = p.Reference.Answer
		questions = append(questions, t.Question[last])
		for k := range own {
			own[k], people[k] = append(own[k], p.Judge.Scores[k]), append(people[k], p.Reference.Scores[k])
		}
	}
	r.N = len(questions)
	if r.Lacks = t.lacks(judge, t.References()[0]); r.Lacks != "" {
		return r
	}
	clusters, err := stats.NewGrouping(questions, r.N)
	judged, err1 := agreement.NewMoments(own, clusters)
	given, err2 := agreement.NewMoments(people, clusters)
	if c.Value(0, cmp.Or(err, err1, err2)) == nil {
		return r
	}
	mine, err := judged.Spread(nil)
	r.Constant, r.Correlation, r.Effective = mine.Constant, table.FigureOf(c.Value(mine.MeanCorrelation, err)),
		table.FigureOf(c.Value(mine.Effective, err))
	theirs, err := given.Spread(nil)
	r.People = table.FigureOf(c.Value(theirs.MeanCorrelation, err))
	r.Halo = t.resampled(c, clusters, func(drawn []int) (float64, error) {
		a, err1 := judged.Spread(drawn)
		b, err2 := given.Spread(drawn)
		return a.MeanCorrelation - b.MeanCorrelation, cmp.Or(err1, err2)
	})
	return r
}

// effectiveLines are the panel of the models and the halo of the judges, one sentence each.
func (t *Tables) effectiveLines() (lines []string) {
	if len(t.Effective) > 0 {
		r := t.Effective[0]
		if r.Lacks != "" {
			lines = append(lines, fmt.Sprintf("How many independent judges %s are is not known: %s.", data.List(r.Judges), r.Lacks))
		} else if r.Effective.Known() {
			lines = append(lines, fmt.Sprintf("%s make similar errors: together they count as %s independent judges. Their mean agrees with "+
				"people at rho %s, the best single one of them at %s, on the answers that all of them and people scored.",
				data.List(r.Judges), r.Effective.Value.Text(1), r.RhoPanel.Text(2), r.RhoBest.Text(2)))
		}
	}
	var halo []string
	people := ""
	for _, r := range t.Halos {
		if r.Halo.Known() {
			halo, people = append(halo, r.Judge+" "+r.Correlation.Text(2)), r.People.Text(2)
		}
	}
	if halo != nil {
		return append(lines, fmt.Sprintf("One impression influences all criteria (halo) where their mean correlation is higher than that "+
			"of people, %s: %s.", people, strings.Join(halo, ", ")))
	}
	if r := table.First(t.Halos, func(r HaloRow) bool { return r.Lacks != "" }); r.Lacks != "" {
		lines = append(lines, fmt.Sprintf("Whether one impression influences all criteria of %s (halo) is not known: %s.", r.Judge, r.Lacks))
	}
	return lines
}
