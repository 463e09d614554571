package judgequality

import (
	"slices"
	"strings"

	"compqa/results/agreement"
	"compqa/results/dataset"
	"compqa/results/table"
)

// A JudgeAssessment compares one judge with the floors and the annotators, for one
// reference. It is a row of worth.csv.
type JudgeAssessment struct {
	Judge           string        `csv:"judge"`
	Reference       string        `csv:"reference"`
	N               int           `csv:"n"`        // score sheets of the reference that the judge has a verdict for
	Separate        string        `csv:"separate"` // whether it beats every floor: yes, no, or empty if unknown
	Final           string        `csv:"final"`
	WithinCriterion string        `csv:"within_criterion"`
	WithinSystem    string        `csv:"within_system"`
	Better          string        `csv:"criteria_above"` // on which it beats every floor: ids, separated by spaces
	Not             string        `csv:"criteria_not_above"`
	Alpha           table.Bounded `csv:"alpha_totals"`
	Tentative       table.Figure  `csv:"p_below_0667"`
	Reliable        table.Figure  `csv:"p_below_0800"`
	Annotators      int           `csv:"annotators"`
	StandIn         string        `csv:"stand_in"` // alternative-annotator test: yes at epsilon …, no, not enough data
	Advantage       table.Figure  `csv:"advantage"`
	TieRate         table.Figure  `csv:"tie_rate"`
	Verdict         string        `csv:"verdict"` // a summary in one sentence
	Rates           string        `csv:"-"`       // winning rates of the test, or what it needs

	AltTest   altTest           `csv:"-"`
	Levels    []levelAssessment `csv:"-"` // in the order of wholeLevels
	questions int               // object pairs of the score sheets
}

// minQuestions is the smallest number of object pairs for an assessment. With
// fewer, resampling underestimates the variation between questions.
const minQuestions = 10

func (w JudgeAssessment) few() bool { return w.questions < minQuestions }

// A levelAssessment compares a judge with the floors at one level. It beats a floor
// if every figure that both have is above the floor's: alpha, Spearman, Pearson.
type levelAssessment struct {
	Level     string
	Beaten    []string // floors
	NotBeaten []string
}

// newLevelAssessment compares a judge with floors at one level and item. Alpha is defined if a
// correlation is, so a floor without alpha cannot be compared.
func newLevelAssessment(floors []FloorRow, level, item string) levelAssessment {
	l := levelAssessment{Level: level}
	for _, r := range floors {
		switch {
		case r.Level != level || r.Item != item || !r.Alpha.Known():
		case slices.ContainsFunc([]table.Bounded{r.Alpha, r.Spearman, r.Pearson}, func(m table.Bounded) bool { return m.Known() && !m.Above() }):
			l.NotBeaten = append(l.NotBeaten, r.Floor)
		default:
			l.Beaten = append(l.Beaten, r.Floor)
		}
	}
	return l
}

// answer is yes, no, or "" if there is no floor to compare with.
func (l levelAssessment) answer() string {
	switch {
	case l.BeatsAll():
		return yes
	case l.NotBeaten != nil:
		return no
	}
	return ""
}

// beatsAll reports whether the judge is above every floor at every level.
func (w JudgeAssessment) beatsAll() bool {
	return !slices.ContainsFunc(w.Levels, func(l levelAssessment) bool { return !l.BeatsAll() })
}

// BeatsAll reports whether the judge is above every floor.
func (l levelAssessment) BeatsAll() bool { return l.Beaten != nil && l.NotBeaten == nil }

// newAssessments assesses every judge, in the order of the rater pairs.
func (t *Tables) newAssessments(c *dataset.Calculator, contests []dataset.RaterPair) (all []JudgeAssessment) {
	for _, u := range contests {
		if u.Kind != dataset.KindOfJudge {
			continue
		}
		w := JudgeAssessment{Judge: u.Name, Reference: t.Judges[u.Reference].Name, N: len(u.Pairs), questions: objectPairs(u)}
		floors := table.Where(t.Floors, func(r FloorRow) bool { return !w.few() && r.Judge == w.Judge && r.Reference == w.Reference })
		for i, into := range []*string{&w.Separate, &w.Final, &w.WithinCriterion, &w.WithinSystem} {
			w.Levels = append(w.Levels, newLevelAssessment(floors, wholeLevels[i], dataset.NoItem))
			*into = w.Levels[i].answer()
		}
		of := map[string][]string{} // criteria by answer
		for _, id := range t.Rubric.IDs() {
			answer := newLevelAssessment(floors, dataset.LevelCriterion, id).answer()
			of[answer] = append(of[answer], id)
		}
		w.Better, w.Not = strings.Join(of[yes], " "), strings.Join(of[no], " ")
		totals := t.AgreementAt(w.Judge, w.Reference, dataset.LevelFinal)
		w.Alpha, w.Tentative, w.Reliable = totals.AlphaInterval, totals.Tentative, totals.Reliable
		w.AltTest = newAltTest(c, t.Tables.Dataset, u.Judge)
		if test := w.AltTest.Test; test != nil {
			w.Advantage, w.TieRate = table.Number(test.Advantage), table.Number(test.TieRate)
		}
		w.Annotators, w.Rates, w.StandIn = w.AltTest.Annotators, w.AltTest.ratesText(), w.AltTestResult()
		w.Verdict = w.summary(len(t.References()) > 1)
		all = append(all, w)
	}
	return all
}

// AgreementAt is the agreement of a judge with a reference at a level over all units.
func (t *Tables) AgreementAt(judge, reference, level string) agreement.AgreementRow {
	return table.First(t.Agreements, func(r agreement.AgreementRow) bool {
		return r.Judge == judge && r.Reference == reference && r.Level == level
	})
}

// objectPairs counts the object pairs of the units.
func objectPairs(u dataset.RaterPair) int {
	seen := map[int]bool{}
	for _, p := range u.Pairs {
		seen[u.Question[p.Reference.Answer]] = true
	}
	return len(seen)
}

// wholeLevels are the levels over all units, in the order of units.whole.
var wholeLevels = []string{dataset.LevelSeparate, dataset.LevelFinal, dataset.LevelWithinCriterion, dataset.LevelWithinSystem}
