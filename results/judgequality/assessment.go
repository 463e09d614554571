package judgequality

import (
	"cmp"
	"slices"
	"strings"

	"compqa/results/agreement"
	"compqa/results/dataset"
	"compqa/results/table"
)

// A worth is what can be said of one judge from one reference.
type JudgeAssessment struct {
	Judge, reference string
	n                int               // sheets of the reference that the judge has a verdict for
	questions        int               // object pairs that these are on
	Levels           []levelAssessment // those that take all units
	Better, Not      []string          // criteria on which it beats every floor, and does not
	totals           agreement.AgreementRow
	AltTest          altTest
}

// leastQuestions is how many object pairs a verdict on a judge takes: resamples
// of fewer know too little of how questions vary.
const leastQuestions = 10

// few says that no verdict is possible.
func (w JudgeAssessment) few() bool { return w.questions < leastQuestions }

// A levelWorth is how a judge stands above the floors at one level. It beats a
// floor when every figure that both have is above: alpha, Spearman, Pearson. One
// that is not would be the one to go by.
type levelAssessment struct {
	Level  string
	Beaten []beatenFloor
	short  []shortfall // floors that are not beaten
}

// A beatenFloor is a floor with the margin of alpha over it.
type beatenFloor struct {
	floor string
	alpha dataset.Margin
}

// A shortfall is a floor that is not beaten, by these figures.
type shortfall struct {
	floor   string
	figures []namedMargin
}

// known says that there is a floor to compare with.
func (l levelAssessment) known() bool { return l.Beaten != nil || l.short != nil }

// beatsAll says that the judge is above every floor.
func (l levelAssessment) BeatsAll() bool { return l.Beaten != nil && l.short == nil }

// nearest is the floor beaten by the least alpha.
func (l levelAssessment) nearest() beatenFloor {
	return slices.MinFunc(l.Beaten, func(a, b beatenFloor) int { return cmp.Compare(*a.alpha.Value.Number, *b.alpha.Value.Number) })
}

// take adds one floor. Alpha is defined wherever a correlation is, so that
// without it nothing can be said.
func (l *levelAssessment) take(r FloorRow) {
	all := r.margins()
	if !r.Alpha.Known() {
		return
	}
	fails := slices.DeleteFunc(all, func(m namedMargin) bool { return m.Above() })
	if len(fails) > 0 {
		l.short = append(l.short, shortfall{r.Floor, fails})
		return
	}
	l.Beaten = append(l.Beaten, beatenFloor{r.Floor, r.alpha()})
}

// worths are those of every judge, in order of contests.
func (t *Tables) newAssessments(contests []dataset.RaterPair) ([]JudgeAssessment, error) {
	var all []JudgeAssessment
	for _, u := range contests {
		if u.Kind != dataset.KindOfJudge {
			continue
		}
		w := JudgeAssessment{Judge: u.Name, reference: t.Judges[u.Reference].Name, n: len(u.Pairs), questions: objectPairs(u)}
		criteria := map[string]*levelAssessment{}
		for _, level := range wholeLevels {
			w.Levels = append(w.Levels, levelAssessment{Level: level})
		}
		for _, c := range t.Rubric.Criteria {
			criteria[c.ID] = &levelAssessment{Level: dataset.LevelCriterion}
		}
		for _, r := range t.Floors {
			if w.few() || r.Judge != w.Judge || r.Reference != w.reference {
				continue
			}
			if i := slices.Index(wholeLevels, r.Level); i >= 0 {
				w.Levels[i].take(r)
			} else if r.Level == dataset.LevelCriterion {
				criteria[r.Item].take(r)
			}
		}
		for _, c := range t.Rubric.Criteria {
			if criteria[c.ID].BeatsAll() {
				w.Better = append(w.Better, c.ID)
			} else if criteria[c.ID].known() {
				w.Not = append(w.Not, c.ID)
			}
		}
		at := slices.IndexFunc(t.Agreements, func(r agreement.AgreementRow) bool {
			return r.Judge == w.Judge && r.Reference == w.reference && r.Level == dataset.LevelFinal
		})
		w.totals = t.Agreements[at]
		var err error
		if w.AltTest, err = newAltTest(t.Tables.Dataset, u.Judge); err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}

// objectPairs counts those that the units are on.
func objectPairs(u dataset.RaterPair) int {
	seen := map[int]bool{}
	for _, p := range u.Pairs {
		seen[u.Question[p.Reference.Answer]] = true
	}
	return len(seen)
}

// wholeLevels are the levels that take all units, in the order of units.whole.
var wholeLevels = []string{dataset.LevelSeparate, dataset.LevelFinal, dataset.LevelWithinCriterion, dataset.LevelWithinSystem}

// A WorthRow is a worth as a row: whether the judge beats every floor at the
// levels that take all units and on which criteria, its totals' alpha and how
// likely it is below Krippendorff's thresholds, and what the
// alternative-annotator test says.
type AssessmentRow struct {
	Judge           string       `csv:"judge"`
	Reference       string       `csv:"reference"`
	N               int          `csv:"n"`
	Separate        string       `csv:"separate"` // yes, no, or empty where it cannot be said
	Final           string       `csv:"final"`
	WithinCriterion string       `csv:"within_criterion"`
	WithinSystem    string       `csv:"within_system"`
	Better          string       `csv:"criteria_above"` // ids, separated by spaces
	Not             string       `csv:"criteria_not_above"`
	Alpha           table.Figure `csv:"alpha_totals"`
	AlphaLow        table.Figure `csv:"alpha_totals_low"`
	AlphaHigh       table.Figure `csv:"alpha_totals_high"`
	Tentative       table.Figure `csv:"p_below_0667"`
	Reliable        table.Figure `csv:"p_below_0800"`
	Annotators      int          `csv:"annotators"`
	StandIn         string       `csv:"stand_in"` // yes at epsilon …, no, cannot be said
	Advantage       table.Figure `csv:"advantage"`
	TieRate         table.Figure `csv:"tie_rate"`
	Verdict         string       `csv:"verdict"` // in words
}

func (t *Tables) AssessmentRows() []AssessmentRow {
	rows := make([]AssessmentRow, 0, len(t.Assessments))
	for _, w := range t.Assessments {
		r := AssessmentRow{Judge: w.Judge, Reference: w.reference, N: w.n, Better: strings.Join(w.Better, " "), Not: strings.Join(w.Not, " "),
			Alpha: w.totals.AlphaInterval, AlphaLow: w.totals.AlphaIntervalLow, AlphaHigh: w.totals.AlphaIntervalHigh,
			Tentative: w.totals.Tentative, Reliable: w.totals.Reliable,
			Annotators: w.AltTest.Annotators, StandIn: w.AltTest.Answer(w), Verdict: w.brief(len(t.References()) > 1)}
		for i, into := range []*string{&r.Separate, &r.Final, &r.WithinCriterion, &r.WithinSystem} {
			switch l := w.Levels[i]; {
			case l.BeatsAll():
				*into = "yes"
			case l.known():
				*into = "no"
			}
		}
		if test := w.AltTest.Test; test != nil {
			r.Advantage, r.TieRate = table.Number(test.Advantage), table.Number(test.TieRate)
		}
		rows = append(rows, r)
	}
	return rows
}
