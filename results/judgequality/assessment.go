package judgequality

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	statistics "compqa/stats/agreement"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/stats"
)

// A JudgeAssessment compares a judge's agreement with one reference with that of the baselines (floors) and the annotators. It is a row of
// worth.csv.
type JudgeAssessment struct {
	Judge           string       `csv:"judge"`
	Reference       string       `csv:"reference"`
	N               int          `csv:"n"`        // score sheets of the reference on which the judge has a verdict
	Separate        string       `csv:"separate"` // whether the judge beats every baseline: yes, no, or "" if unknown
	Final           string       `csv:"final"`
	WithinCriterion string       `csv:"within_criterion"`
	WithinSystem    string       `csv:"within_system"`
	Better          string       `csv:"criteria_above"` // IDs of the criteria on which the judge beats every baseline, separated by spaces
	Not             string       `csv:"criteria_not_above"`
	Alpha           stats.Figure `csv:"alpha_totals,alpha_totals_low,alpha_totals_high"`
	Tentative       stats.Figure `csv:"p_below_0667"`
	Reliable        stats.Figure `csv:"p_below_0800"`
	AltTest
	Verdict string `csv:"verdict"` // summary in one sentence

	above, notAbove []string // the levels of wholeLevels on which the judge beats every baseline, and those on which it does not, in words
	questions       int      // number of object pairs of the score sheets
	decision        *trust.Decision
}

// AssessmentsTable says whether judges are better than guessing.
var AssessmentsTable = table.Def[JudgeAssessment]{File: "worth.csv"}

// minQuestions is the smallest number of object pairs for an assessment. With fewer pairs, resampling underestimates how much questions
// vary.
const minQuestions = 10

func (w JudgeAssessment) hasFewQuestions() bool { return w.questions < minQuestions }

// beats reports whether a judge agrees better than every baseline at one level and item. The answer is "yes", "no", or "" without a
// baseline to compare with. not lists the baselines that the judge does not beat. A judge beats a baseline if its alpha, Spearman's and
// Pearson's correlations are all significantly higher, as far as both have them. A baseline without alpha has no correlations either, and
// is skipped.
func beats(floors []FloorRow, level, item string) (answer string, not []string) {
	for _, r := range floors {
		if r.Level != level || r.Item != item || !r.Alpha.Known {
			continue
		}
		answer = cmp.Or(answer, yes)
		if slices.ContainsFunc([]stats.Figure{r.Alpha, r.Spearman, r.Pearson}, func(m stats.Figure) bool { return m.Known && !m.AboveZero() }) {
			answer = answerNo
			not = append(not, r.Floor)
		}
	}
	return answer, not
}

// newAssessments assesses each judge against each reference, in the order of agreements.
func (t *Tables) newAssessments(c *dataset.Calculator) (all []JudgeAssessment) {
	for _, totals := range t.Agreements {
		if totals.Kind != dataset.KindOfJudge || totals.Level != dataset.LevelFinal {
			continue
		}
		w := JudgeAssessment{Judge: totals.Judge, Reference: totals.Reference, N: totals.N, questions: totals.clusters}
		floors := data.Where(t.Floors, func(r FloorRow) bool { return !w.hasFewQuestions() && r.Judge == w.Judge && r.Reference == w.Reference })
		for i, into := range []*string{&w.Separate, &w.Final, &w.WithinCriterion, &w.WithinSystem} {
			answer, not := beats(floors, wholeLevels[i], dataset.NoItem)
			switch *into = answer; answer {
			case yes:
				w.above = append(w.above, LevelWords[wholeLevels[i]])
			case answerNo:
				w.notAbove = append(w.notAbove, LevelWords[wholeLevels[i]]+" ("+strings.Join(not, ", ")+")")
			}
		}
		groups := map[string][]string{} // criteria by answer of beats
		for _, id := range t.Rubric.IDs() {
			answer, _ := beats(floors, dataset.LevelCriterion, id)
			groups[answer] = append(groups[answer], id)
		}
		w.Better = strings.Join(groups[yes], " ")
		w.Not = strings.Join(groups[answerNo], " ")
		w.Alpha = totals.AlphaInterval
		w.Tentative = totals.Tentative
		w.Reliable = totals.Reliable
		w.AltTest = newAltTest(c, t.boards.Dataset, t.JudgeNamed(w.Judge))
		w.decide(t.DecisionOn(w.Judge, Totals))
		w.Verdict = w.summary(len(t.References()) > 1).Text
		all = append(all, w)
	}
	return all
}

// AgreementAt returns the first agreement row of a judge, a reference and a level. For a level of wholeLevels this is the only one.
func (t *Tables) AgreementAt(judge, reference, level string) AgreementRow {
	return table.First(t.Agreements, func(r AgreementRow) bool {
		return r.Judge == judge && r.Reference == reference && r.Level == level
	})
}

// wholeLevels are the levels that cover all units, in the order of the columns of JudgeAssessment.
var wholeLevels = []string{dataset.LevelSeparate, dataset.LevelFinal, dataset.LevelWithinCriterion, dataset.LevelWithinSystem}

// decide records whether the judge can stand in for one person on totals. Without a decision, the answer is "not known".
func (w *JudgeAssessment) decide(d *trust.Decision) {
	w.StandIn = "not known"
	if d != nil && d.Answer != trust.Unknown {
		w.StandIn = string(d.Answer)
	}
	w.decision = d
}

// An AltTest has the results of the alternative-annotator test over totals, by question, as published (Calderon et al. 2025). The test
// decides nothing here. Ceilings also compare the judge's agreement with each annotator with that of the other annotators.
type AltTest struct {
	Annotators int          `csv:"annotators"`
	StandIn    string       `csv:"stand_in"` // whether the judge can stand in for one person on totals (trust.Decide): yes, no, not known
	Advantage  stats.Figure `csv:"advantage"`
	TieRate    stats.Figure `csv:"tie_rate"`
	Rates      string       `csv:"-"` // winning rates, or what the test lacks
	// Ceilings compare the judge with a second annotator (Floor) by the alpha of their totals with a first annotator (Reference), on the
	// score sheets of all three.
	Ceilings []FloorRow `csv:"-"`
}

// newAltTest runs the alternative-annotator test of a judge. Without enough annotators or shared sheets, Rates says what is lacking.
func newAltTest(c *dataset.Calculator, x *dataset.Dataset, judge int) AltTest {
	who := x.Annotators()
	s := AltTest{Annotators: len(who), Rates: "needs 3 annotators"}
	if len(who) < 2 {
		return s
	}
	t := totalsByItem(x, judge, who)
	test, err := t.AltTest(t.Raters[0], t.Raters[1:], true)
	var lacks *statistics.NotEnoughDataError
	if errors.As(err, &lacks) {
		s.Rates = fmt.Sprintf("needs %d annotators with %d shared score sheets each; the largest number is %d", lacks.NeedAnnotators,
			lacks.NeedItems, lacks.MostItems)
	} else if c.Value(0, err) != nil {
		s.Advantage, s.TieRate = stats.Number(test.Advantage), stats.Number(test.TieRate)
		var rates []string
		for _, v := range test.Verdicts { // the smallest epsilon first
			rates = append(rates, fmt.Sprintf("%.2f at epsilon %s", v.WinningRate, stats.Shortest(v.Epsilon)))
		}
		s.Rates = strings.Join(rates, ", ")
	}
	for _, a := range who {
		for _, b := range who {
			if a != b && x.Degenerate[judge] == "" {
				s.Ceilings = append(s.Ceilings, ceiling(c, x, judge, a, b))
			}
		}
	}
	return s
}

// totalsByItem returns the totals of the judge, then those of the annotators. A unit is an answer and a repeat.
func totalsByItem(x *dataset.Dataset, judge int, who []int) raters.Table {
	var sheets []*data.Given
	for _, j := range who {
		sheets = append(sheets, x.Valid(j)...)
	}
	first := FirstTotals(x, judge)
	items := table.Grouped(sheets, func(s *data.Given) [2]int32 { return [2]int32{s.Item, s.Repeat} })
	t := raters.Table{Scale: raters.Scale{Level: statistics.Interval}, Units: data.Each(items, func(group []*data.Given) raters.Unit {
		return raters.Unit{Cluster: x.Question[group[0].Item]}
	})}
	t.Add(x.Judges[judge].Name, raters.Judge)
	for _, j := range who {
		t.Add(x.Judges[j].Name, raters.Person)
	}
	for unit, group := range items {
		if total, ok := first[int(group[0].Item)]; ok {
			t.Raters[0].Values[unit] = raters.Number(total)
		}
		for _, s := range group {
			t.Raters[1+slices.Index(who, int(s.Rater))].Values[unit] = raters.Number(s.Total)
		}
	}
	return t
}

// FirstTotals returns the total of a judge's first verdict on each answer, by the answer's index. An answer is left out if its first
// verdict is not valid.
func FirstTotals(x *dataset.Dataset, judge int) map[int]float64 {
	totals := map[int]float64{}
	last := int32(-1)
	for _, s := range x.SheetsOf(judge) {
		if s.Item != last && s.Status == data.Valid {
			totals[int(s.Item)] = s.Total
		}
		last = s.Item
	}
	return totals
}

// ceiling returns the alpha of the judge with annotator a, minus the alpha of annotator b with a, on the sheets of all three.
func ceiling(c *dataset.Calculator, x *dataset.Dataset, judge, a, b int) FloorRow {
	totals := finalBySheet(x, a, judge, b)
	both := totals.Common(0, 1)
	t, rater, reference := totals.Pair(0, both)
	_, other, _ := totals.Pair(1, both)
	p := t.Pairs(rater, reference)
	r := FloorRow{Judge: rater.Name, Reference: reference.Name, Floor: other.Name, N: len(p.Units)}
	if lacking := dataset.TooFew(r.N, "answers", len(data.Among(p.Clusters))); lacking != nil {
		r.Alpha = stats.MissingFigure(lacking)
		return r
	}
	compared := raters.Options{Resampling: x.Resampling(), Figures: raters.Alpha | raters.Ranks | raters.RankIntervals | raters.Compared}
	alpha, _, _, fault := t.Against(rater, reference, compared).Over(t.Against(other, reference, compared))
	c.Value(0, fault)
	r.Alpha = alpha
	return r
}
