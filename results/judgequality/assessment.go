package judgequality

import (
	"cmp"
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
	AltTest
	Verdict string `csv:"verdict"` // a summary in one sentence

	better, not []string // of wholeLevels: where it beats every floor, and where it does not, in words
	questions   int      // object pairs of the score sheets
}

// minQuestions is the smallest number of object pairs for an assessment. With
// fewer, resampling underestimates the variation between questions.
const minQuestions = 10

func (w JudgeAssessment) few() bool { return w.questions < minQuestions }

// beats says whether a judge is above every floor at one level and item, yes, no, or "" if there is no floor to
// compare with, and above which it is not. It beats a floor if every figure that both have is above the floor's: alpha,
// Spearman, Pearson. Alpha is defined if a correlation is, so a floor without alpha cannot be compared.
func beats(floors []FloorRow, level, item string) (answer string, not []string) {
	for _, r := range floors {
		if r.Level != level || r.Item != item || !r.Alpha.Known() {
			continue
		}
		answer = cmp.Or(answer, yes)
		if slices.ContainsFunc([]table.Bounded{r.Alpha, r.Spearman, r.Pearson}, func(m table.Bounded) bool { return m.Known() && !m.Above() }) {
			answer, not = no, append(not, r.Floor)
		}
	}
	return answer, not
}

// newAssessments assesses every judge, in the order of the rater pairs.
func (t *Tables) newAssessments(c *dataset.Calculator, contests []dataset.RaterPair) (all []JudgeAssessment) {
	for _, u := range contests {
		if u.Kind != dataset.KindOfJudge {
			continue
		}
		w := JudgeAssessment{Judge: u.Name, Reference: t.Judges[u.Reference].Name, N: len(u.Pairs), questions: objectPairs(u)}
		floors := table.Where(t.Floors, func(r FloorRow) bool { return !w.few() && r.Judge == w.Judge && r.Reference == w.Reference })
		for i, into := range []*string{&w.Separate, &w.Final, &w.WithinCriterion, &w.WithinSystem} {
			answer, not := beats(floors, wholeLevels[i], dataset.NoItem)
			switch *into = answer; answer {
			case yes:
				w.better = append(w.better, LevelWords[wholeLevels[i]])
			case no:
				w.not = append(w.not, LevelWords[wholeLevels[i]]+" ("+strings.Join(not, ", ")+")")
			}
		}
		of := map[string][]string{} // criteria by answer
		for _, id := range t.Rubric.IDs() {
			answer, _ := beats(floors, dataset.LevelCriterion, id)
			of[answer] = append(of[answer], id)
		}
		w.Better, w.Not = strings.Join(of[yes], " "), strings.Join(of[no], " ")
		totals := t.AgreementAt(w.Judge, w.Reference, dataset.LevelFinal)
		w.Alpha, w.Tentative, w.Reliable = totals.AlphaInterval, totals.Tentative, totals.Reliable
		if w.AltTest = newAltTest(c, t.Tables.Dataset, u.Judge); w.WithinCriterion == no {
			w.StandIn = no
		} else if w.few() {
			w.StandIn = unknown
		}
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
