// Package humanpoints estimates the points that people would give to systems that they have not scored, or of which they
// scored a few answers. A judge's own interval says what the judge would give to more questions. Here its bias on each
// system that people scored is a draw from a distribution over systems, so the interval also says how far the judge can be
// from people.
package humanpoints

import (
	"errors"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/leaderboard"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/stats"
)

// Combined is the judge's name in rows that combine several judges.
const Combined = "combined"

// A Row has the points that people would give to a system, estimated from a judge and from people's scores. It is a row of
// human_points.csv.
type Row struct {
	Judge        string       `csv:"judge"`
	System       string       `csv:"system"`
	Kind         string       `csv:"kind"`      // kind of the system
	Answers      int          `csv:"n_answers"` // answers that the judge scored
	Human        int          `csv:"n_human"`   // those of Answers that people scored, too
	JudgeMean    stats.Figure `csv:"judge_mean"`
	Bias         stats.Figure `csv:"bias"` // judge minus people, on the answers that both scored
	Predicted    stats.Figure `csv:"predicted,low,high"`
	Basis        string       `csv:"basis"`
	Exchangeable string       `csv:"exchangeable"` // yes or no: whether the system is like those that people scored
	PeoplesMean  stats.Figure `csv:"people_mean,people_low,people_high"`
	Rank         stats.Figure `csv:"rank"` // on the board, if these points order it; Why: it is not exchangeable, or not predicted
	RankLow      stats.Figure `csv:"rank_low"`
	RankHigh     stats.Figure `csv:"rank_high"`
	Uncut        stats.Figure `csv:"-"` // Predicted before it is cut off at the ends of the scale, for tests of differences
}

// PointsTable has the points that people would give.
var PointsTable = table.Def[Row]{File: "human_points.csv"}

// Tables has the human points, and the biases and judges that they are based on.
type Tables struct {
	*dataset.Dataset
	Leaderboard *leaderboard.Tables
	Rows        []Row
	Transfers   []Transfer // of each judge that is neither a person nor a baseline, and of the combination of judges
	Members     []string   // names of the judges in the combination

	people dataset.AnswerTotals
	barred map[string]string
	like   []bool // by system: its answers resemble those that people scored
}

// Of returns the transfer of a judge, or the zero value if there is none.
func (c *Tables) Of(judge string) Transfer {
	return table.First(c.Transfers, func(transfer Transfer) bool { return transfer.Judge == judge })
}

// New computes the human points. people has the totals of the references, and barred the judges that do not count, with the reason. Without
// human scores there are no rows. It adds rows by each judge, then by the combination of judges, then people's own means.
func New(boards *leaderboard.Tables, people dataset.AnswerTotals, barred map[string]string) (*Tables, error) {
	c := &Tables{Dataset: boards.Dataset, Leaderboard: boards, people: people, barred: barred}
	if !people.Any() {
		return c, nil
	}
	c.like = alike(boards.Dataset, people)
	var members []int
	var totals []dataset.AnswerTotals // of members
	for _, j := range c.Scorers() {
		transfer, err := c.transfer(j)
		if err != nil {
			return nil, err
		}
		c.add(transfer, c.judgeMean(j), func(s int) trust.Correction {
			return c.Leaderboard.Overall(transfer.Judge, c.Systems[s].Name).Corrected
		})
		allSystems := transfer.Systems >= combinable && transfer.bias.Effects.K == transfer.Systems
		if transfer.Bias.Why == nil && barred[transfer.Judge] == "" && allSystems && !transfer.refitted {
			members = append(members, j)
			totals = append(totals, c.AnswerTotals(j))
		}
	}
	if len(members) > 1 && c.Lacks(append(totals, people)...) == nil {
		transfer, mean, err := c.combine(members)
		if err != nil {
			return nil, err
		}
		if transfer.Bias.Why == nil {
			c.Members = data.Each(members, func(j int) string { return c.Judges[j].Name })
			c.add(transfer, mean, func(s int) trust.Correction { return c.together(totals, s) })
		}
	}
	for _, j := range c.References() {
		for s, system := range c.Systems { // people's own means
			if r := c.Leaderboard.Overall(c.Judges[j].Name, system.Name); r.Mean.Known {
				row := Row{Judge: r.Judge, System: system.Name, Kind: system.Kind, Answers: r.Valid, Human: r.Valid, JudgeMean: r.Mean,
					Basis: trust.BasisPeople, Predicted: r.Points()}
				row.Exchangeable, row.Rank.Why = c.unlike(r.Judge, s, true)
				c.Rows = append(c.Rows, row)
			}
		}
	}
	for i := range c.Rows {
		c.Rows[i].PeoplesMean = c.PeoplesMean(c.Rows[i].System)
	}
	return c, nil
}

// PeoplesMean returns the mean that the first reference gave to the answers of a system that it scored.
func (c *Tables) PeoplesMean(system string) stats.Figure {
	who := c.References()
	if who == nil {
		return stats.Figure{}
	}
	r := c.Leaderboard.Overall(c.Judges[who[0]].Name, system)
	return r.Points()
}

// transfer returns the distribution of a judge's bias over systems. If it cannot be estimated, the Why of Bias gives the reason.
func (c *Tables) transfer(judge int) (t Transfer, err error) {
	t.Judge = c.Judges[judge].Name
	t.bias.Known, err = systemBiases(c.Dataset, c.AnswerTotals(judge), c.people)
	if err != nil {
		return t, err
	}
	t.Systems = len(t.bias.Known)
	unseen := t.bias.Known // biases on systems that the judge was not fitted to
	for _, r := range c.References() {
		if fitted := c.FittedOn(t.Judge, c.Judges[r].Name); fitted.TrainedOn != "" {
			t.refitted, unseen = true, c.leftOut(t.bias.Known, fitted.LeftOut)
		}
	}
	if t.refitted && len(unseen) < trust.LeastSystems {
		t.Bias = stats.MissingFigure(stats.Reason("it was fitted to these people's scores, and no fit without each system is recorded"))
		return t, nil
	}
	t.bias.Effects, err = t.bias.Known.Model()
	switch {
	case errors.Is(err, stats.ErrTooShort):
		t.Bias = stats.MissingFigure(stats.Reason("people have scored fewer than 3 systems that it scored"))
		return t, nil
	case errors.Is(err, stats.ErrInvalidValue):
		t.Bias = stats.MissingFigure(stats.Reason("its differences from people do not vary"))
		return t, nil
	case err != nil:
		return t, err
	}
	return t, t.measure(unseen, func(int) (trust.Biases, error) { return unseen, nil })
}

// leftOut returns a judge's biases on the systems that people scored, each from a fit of the judge without that system.
func (c *Tables) leftOut(known trust.Biases, fits []data.SystemBias) (b trust.Biases) {
	for _, bias := range known {
		index := slices.IndexFunc(fits, func(f data.SystemBias) bool { return f.System == c.Systems[bias.System].Name })
		if index < 0 {
			continue
		}
		bias.N = fits[index].N
		bias.Mean = fits[index].Bias
		if bias.N >= trust.LeastLabels && fits[index].SE > 0 {
			bias.SE = fits[index].SE
		}
		b = append(b, bias)
	}
	return b
}

// A judgeMean returns a judge's mean points of a system, with an interval, and the number of answers.
type judgeMean func(system int) (mean stats.Figure, n int)

func (c *Tables) judgeMean(judge int) judgeMean {
	return func(system int) (mean stats.Figure, n int) {
		r := c.Leaderboard.Overall(c.Judges[judge].Name, c.Systems[system].Name)
		if !r.CILow.Known && r.Valid < 2 {
			return mean, 0
		}
		return stats.Bound(r.Mean, r.CILow, r.CIHigh), r.Valid
	}
}

// add adds the rows of a judge, and its transfer. corrected returns the estimate for a system from its own human scores (labels) alone.
func (c *Tables) add(t Transfer, mean judgeMean, corrected func(system int) trust.Correction) {
	c.Transfers = append(c.Transfers, t)
	for s, system := range c.Systems {
		points, n := mean(s)
		if !points.Known {
			continue
		}
		r := Row{Judge: t.Judge, System: system.Name, Kind: system.Kind, Answers: n, JudgeMean: points.Point(), Basis: trust.BasisNone}
		if i := t.bias.Known.Index(s); i >= 0 {
			r.Human, r.Bias = t.bias.Known[i].N, stats.Number(t.bias.Known[i].Mean)
		}
		r.Exchangeable, r.Rank.Why = c.unlike(t.Judge, s, r.Human > 0)
		if t.Bias.Why != nil {
			r.Predicted = t.Bias
			r.Rank = t.Bias
			c.Rows = append(c.Rows, r)
			continue
		}
		r.Uncut, r.Basis = t.bias.Correct(corrected(s), points, s)
		r.Predicted = table.OnScale(r.Uncut, c.Rubric.Min(), c.Rubric.Max())
		if !r.Predicted.Known {
			r.Basis = trust.BasisNone
			r.Rank = r.Predicted
		}
		c.Rows = append(c.Rows, r)
	}
}

// unlike reports whether a system is exchangeable ("yes" or "no") with the systems that people scored. If not, why is the reason. A system
// that people scored is exchangeable unless it is a baseline.
func (c *Tables) unlike(judge string, system int, scored bool) (exchangeable string, why error) {
	switch {
	case !c.Candidates()[system]:
		return "no", stats.Reason("it is a baseline, made for this rubric")
	case scored:
		return "yes", nil
	case c.barred[judge] != "":
		return "no", stats.Reason(judge + " " + c.barred[judge])
	case !c.like[system]:
		return "no", stats.Reason("its answers are not like any that people have scored")
	}
	return "yes", nil
}
