package results

import (
	"cmp"
	"slices"
	"strings"
)

// A worth is what can be said of one judge from one reference.
type worth struct {
	judge, reference string
	n                int          // sheets of the reference that the judge has a verdict for
	questions        int          // object pairs that these are on
	levels           []levelWorth // those that take all units
	better, not      []string     // criteria on which it beats every floor, and does not
	totals           AgreementRow
	standIn          standIn
}

// leastQuestions is how many object pairs a verdict on a judge takes: resamples
// of fewer know too little of how questions vary.
const leastQuestions = 10

// few says that no verdict is possible.
func (w worth) few() bool { return w.questions < leastQuestions }

// A levelWorth is how a judge stands above the floors at one level. It beats a
// floor when every figure that both have is above: alpha, Spearman, Pearson. One
// that is not would be the one to go by.
type levelWorth struct {
	level  string
	beaten []beatenFloor
	short  []shortfall // floors that are not beaten
}

// A beatenFloor is a floor with the margin of alpha over it.
type beatenFloor struct {
	floor string
	alpha margin
}

// A shortfall is a floor that is not beaten, by these figures.
type shortfall struct {
	floor   string
	figures []namedMargin
}

// known says that there is a floor to compare with.
func (l levelWorth) known() bool { return l.beaten != nil || l.short != nil }

// beatsAll says that the judge is above every floor.
func (l levelWorth) beatsAll() bool { return l.beaten != nil && l.short == nil }

// nearest is the floor beaten by the least alpha.
func (l levelWorth) nearest() beatenFloor {
	return slices.MinFunc(l.beaten, func(a, b beatenFloor) int { return cmp.Compare(*a.alpha.value.number, *b.alpha.value.number) })
}

// take adds one floor. Alpha is defined wherever a correlation is, so that
// without it nothing can be said.
func (l *levelWorth) take(r FloorRow) {
	all := r.margins()
	if !r.Alpha.known() {
		return
	}
	fails := slices.DeleteFunc(all, func(m namedMargin) bool { return m.above() })
	if len(fails) > 0 {
		l.short = append(l.short, shortfall{r.Floor, fails})
		return
	}
	l.beaten = append(l.beaten, beatenFloor{r.Floor, r.alpha()})
}

// worths are those of every judge, in order of contests.
func (t *judgeTables) worths(contests []units) ([]worth, error) {
	var all []worth
	for _, u := range contests {
		if u.kind != kindOfJudge {
			continue
		}
		w := worth{judge: u.name, reference: t.Judges[u.reference].Name, n: len(u.pairs), questions: u.objectPairs()}
		criteria := map[string]*levelWorth{}
		for _, level := range wholeLevels {
			w.levels = append(w.levels, levelWorth{level: level})
		}
		for _, c := range t.Rubric.Criteria {
			criteria[c.ID] = &levelWorth{level: LevelCriterion}
		}
		for _, r := range t.floors {
			if w.few() || r.Judge != w.judge || r.Reference != w.reference {
				continue
			}
			if i := slices.Index(wholeLevels, r.Level); i >= 0 {
				w.levels[i].take(r)
			} else if r.Level == LevelCriterion {
				criteria[r.Item].take(r)
			}
		}
		for _, c := range t.Rubric.Criteria {
			if criteria[c.ID].beatsAll() {
				w.better = append(w.better, c.ID)
			} else if criteria[c.ID].known() {
				w.not = append(w.not, c.ID)
			}
		}
		at := slices.IndexFunc(t.agreements, func(r AgreementRow) bool {
			return r.Judge == w.judge && r.Reference == w.reference && r.Level == LevelFinal
		})
		w.totals = t.agreements[at]
		var err error
		if w.standIn, err = t.mayStandIn(u.judge); err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}

// objectPairs counts those that the units are on.
func (u units) objectPairs() int {
	seen := map[int]bool{}
	for _, p := range u.pairs {
		seen[u.question[p.reference.Answer]] = true
	}
	return len(seen)
}

// wholeLevels are the levels that take all units, in the order of units.whole.
var wholeLevels = []string{LevelSeparate, LevelFinal, LevelWithinCriterion, LevelWithinSystem}

// A WorthRow is a worth as a row: whether the judge beats every floor at the
// levels that take all units and on which criteria, its totals' alpha and how
// likely it is below Krippendorff's thresholds, and what the
// alternative-annotator test says.
type WorthRow struct {
	Judge           string `csv:"judge"`
	Reference       string `csv:"reference"`
	N               int    `csv:"n"`
	Separate        string `csv:"separate"` // yes, no, or empty where it cannot be said
	Final           string `csv:"final"`
	WithinCriterion string `csv:"within_criterion"`
	WithinSystem    string `csv:"within_system"`
	Better          string `csv:"criteria_above"` // ids, separated by spaces
	Not             string `csv:"criteria_not_above"`
	Alpha           Figure `csv:"alpha_totals"`
	AlphaLow        Figure `csv:"alpha_totals_low"`
	AlphaHigh       Figure `csv:"alpha_totals_high"`
	Tentative       Figure `csv:"p_below_0667"`
	Reliable        Figure `csv:"p_below_0800"`
	Annotators      int    `csv:"annotators"`
	StandIn         string `csv:"stand_in"` // yes at epsilon …, no, cannot be said
	Advantage       Figure `csv:"advantage"`
	TieRate         Figure `csv:"tie_rate"`
	Verdict         string `csv:"verdict"` // in words
}

func (t *judgeTables) worthRows() []WorthRow {
	rows := make([]WorthRow, 0, len(t.worth))
	for _, w := range t.worth {
		r := WorthRow{Judge: w.judge, Reference: w.reference, N: w.n, Better: strings.Join(w.better, " "), Not: strings.Join(w.not, " "),
			Alpha: w.totals.AlphaInterval, AlphaLow: w.totals.AlphaIntervalLow, AlphaHigh: w.totals.AlphaIntervalHigh,
			Tentative: w.totals.tentative, Reliable: w.totals.reliable,
			Annotators: w.standIn.annotators, StandIn: w.standIn.answer(w), Verdict: w.brief(len(t.references()) > 1)}
		for i, into := range []*string{&r.Separate, &r.Final, &r.WithinCriterion, &r.WithinSystem} {
			switch l := w.levels[i]; {
			case l.beatsAll():
				*into = "yes"
			case l.known():
				*into = "no"
			}
		}
		if test := w.standIn.test; test != nil {
			r.Advantage, r.TieRate = figure(test.Advantage), figure(test.TieRate)
		}
		rows = append(rows, r)
	}
	return rows
}
