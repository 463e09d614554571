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

// A JudgeAssessment compares one judge with the floors and the annotators, for one reference. It is a row of worth.csv.
type JudgeAssessment struct {
	Judge           string       `csv:"judge"`
	Reference       string       `csv:"reference"`
	N               int          `csv:"n"`        // score sheets of the reference that the judge has a verdict for
	Separate        string       `csv:"separate"` // whether it beats every floor: yes, no, or empty if unknown
	Final           string       `csv:"final"`
	WithinCriterion string       `csv:"within_criterion"`
	WithinSystem    string       `csv:"within_system"`
	Better          string       `csv:"criteria_above"` // on which it beats every floor: ids, separated by spaces
	Not             string       `csv:"criteria_not_above"`
	Alpha           stats.Figure `csv:"alpha_totals,alpha_totals_low,alpha_totals_high"`
	Tentative       stats.Figure `csv:"p_below_0667"`
	Reliable        stats.Figure `csv:"p_below_0800"`
	AltTest
	Verdict string `csv:"verdict"` // a summary in one sentence

	above, notAbove []string // of wholeLevels: where it beats every floor, and where it does not, in words
	questions       int      // object pairs of the score sheets
	decision        *trust.Decision
}

// AssessmentsTable is whether judges are better than guessing.
var AssessmentsTable = table.Def[JudgeAssessment]{File: "worth.csv"}

// minQuestions is the smallest number of object pairs for an assessment. With fewer, resampling underestimates the variation
// between questions.
const minQuestions = 10

func (w JudgeAssessment) few() bool { return w.questions < minQuestions }

// beats says whether a judge is above every floor at one level and item, yes, no, or "" without a floor to compare
// with, and above which it is not. It beats a floor if every figure that both have is above the floor's: alpha, Spearman,
// Pearson. Alpha is defined if a correlation is, so a floor without alpha cannot be compared.
func beats(floors []FloorRow, level, item string) (answer string, not []string) {
	for _, r := range floors {
		if r.Level != level || r.Item != item || !r.Alpha.Known {
			continue
		}
		answer = cmp.Or(answer, yes)
		if slices.ContainsFunc([]stats.Figure{r.Alpha, r.Spearman, r.Pearson}, func(m stats.Figure) bool { return m.Known && !m.Above() }) {
			answer = no
			not = append(not, r.Floor)
		}
	}
	return answer, not
}

// newAssessments assesses every judge, in the order of the rater pairs.
func (t *Tables) newAssessments(c *dataset.Calculator, contests []contest) (all []JudgeAssessment) {
	for _, u := range contests {
		if u.Kind != dataset.KindOfJudge {
			continue
		}
		totals := t.AgreementAt(u.Name, u.rated.Name, dataset.LevelFinal)
		w := JudgeAssessment{Judge: u.Name, Reference: u.rated.Name, N: totals.N, questions: totals.clusters}
		floors := data.Where(t.Floors, func(r FloorRow) bool { return !w.few() && r.Judge == w.Judge && r.Reference == w.Reference })
		for i, into := range []*string{&w.Separate, &w.Final, &w.WithinCriterion, &w.WithinSystem} {
			answer, not := beats(floors, wholeLevels[i], dataset.NoItem)
			switch *into = answer; answer {
			case yes:
				w.above = append(w.above, LevelWords[wholeLevels[i]])
			case no:
				w.notAbove = append(w.notAbove, LevelWords[wholeLevels[i]]+" ("+strings.Join(not, ", ")+")")
			}
		}
		groups := map[string][]string{} // criteria by answer
		for _, id := range t.Rubric.IDs() {
			answer, _ := beats(floors, dataset.LevelCriterion, id)
			groups[answer] = append(groups[answer], id)
		}
		w.Better = strings.Join(groups[yes], " ")
		w.Not = strings.Join(groups[no], " ")
		w.Alpha = totals.AlphaInterval
		w.Tentative = totals.Tentative
		w.Reliable = totals.Reliable
		w.AltTest = newAltTest(c, t.boards.Dataset, t.JudgeNamed(u.Name))
		w.decide(t.DecisionOn(w.Judge, Totals))
		w.Verdict = w.summary(len(t.References()) > 1).Text
		all = append(all, w)
	}
	return all
}

// AgreementAt returns the agreement of a judge with a reference at a level over all units.
func (t *Tables) AgreementAt(judge, reference, level string) AgreementRow {
	return table.First(t.Agreements, func(r AgreementRow) bool {
		return r.Judge == judge && r.Reference == reference && r.Level == level
	})
}

// wholeLevels are the levels over all units, in the order of units.whole.
var wholeLevels = []string{dataset.LevelSeparate, dataset.LevelFinal, dataset.LevelWithinCriterion, dataset.LevelWithinSystem}

// decide fills in whether the judge can stand in for one person on totals.
func (w *JudgeAssessment) decide(d *trust.Decision) {
	w.StandIn = "not known"
	if d != nil && d.Answer != trust.Unknown {
		w.StandIn = string(d.Answer)
	}
	w.decision = d
}

// An AltTest is the result of the alternative-annotator test over totals, by question, as published, which decides nothing, and how the
// judge agrees with each annotator compared with the other annotators.
type AltTest struct {
	Annotators int          `csv:"annotators"`
	StandIn    string       `csv:"stand_in"` // whether it can stand in for one person on totals (trust.Decide): yes, no, not known
	Advantage  stats.Figure `csv:"advantage"`
	TieRate    stats.Figure `csv:"tie_rate"`
	Rates      string       `csv:"-"` // winning rates, or what the test needs
	// Ceilings compare the judge and another annotator (the floor) by the alpha of their totals with an annotator (the
	// reference), on the score sheets of all three.
	Ceilings []FloorRow `csv:"-"`
}

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

// totalsByItem returns the totals of the judge and then of the annotators. An item is an answer and a repeat.
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

// FirstTotals returns the totals of a judge's first verdicts, by answer, if these are valid.
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

// ceiling compares the judge with annotator b as raters of what a scored.
func ceiling(c *dataset.Calculator, x *dataset.Dataset, judge, a, b int) FloorRow {
	totals := finalBySheet(x, a, judge, b)
	both := totals.Common(0, 1)
	t, rater, reference := totals.Pair(0, both)
	_, other, _ := totals.Pair(1, both)
	p := t.Pairs(rater, reference)
	r := FloorRow{Judge: rater.Name, Reference: reference.Name, Floor: other.Name, N: len(p.Units)}
	if lacking := dataset.TooFew(r.N, "answers", len(data.Among(p.Clusters))); lacking != nil {
		r.Alpha = stats.Lacking(lacking)
		return r
	}
	alpha, _, _, fault := t.Against(rater, reference, agreementOptions(x)).Over(t.Against(other, reference, agreementOptions(x)))
	c.Value(0, fault)
	r.Alpha = alpha
	return r
}
