package results

import (
	"slices"
	"strings"
)

// A JudgeRow is what a judge's verdicts show of the judge, with intervals by
// question: its leniency, its preference for its own family, how much the
// ranking hangs on it, how its points go with an answer's length, and whether it
// agrees with itself. Of people there are length and self-agreement alone.
type JudgeRow struct {
	Judge  string `csv:"judge"`
	Kind   string `csv:"kind"` // judge, human
	Family string `csv:"family"`

	Leniency     Figure `csv:"leniency"` // points above people's, on the answers that both scored
	LeniencyLow  Figure `csv:"leniency_low"`
	LeniencyHigh Figure `csv:"leniency_high"`
	LeniencyN    int    `csv:"leniency_n"`

	FamilySystems    string `csv:"family_systems"`           // of its own family, separated by "; "
	FamilyPeople     Figure `csv:"family_preference_people"` // points by which it raises them above others more than people do
	FamilyPeopleLow  Figure `csv:"family_preference_people_low"`
	FamilyPeopleHigh Figure `csv:"family_preference_people_high"`
	FamilyJudges     Figure `csv:"family_preference_judges"` // … more than the judges of other families do
	FamilyJudgesLow  Figure `csv:"family_preference_judges_low"`
	FamilyJudgesHigh Figure `csv:"family_preference_judges_high"`

	TauWithout Figure `csv:"tau_without"` // the ranking by all judges and that by all others
	TauOthers  Figure `csv:"tau_others"`  // its own ranking and that by all others
	TauPeople  Figure `csv:"tau_people"`

	LengthN          int    `csv:"length_n"`
	Length           Figure `csv:"length_rho"` // Spearman's rho of totals and words
	LengthLow        Figure `csv:"length_rho_low"`
	LengthHigh       Figure `csv:"length_rho_high"`
	LengthScoredN    int    `csv:"length_scored_n"` // on the answers that people scored too
	LengthScored     Figure `csv:"length_scored_rho"`
	LengthScoredLow  Figure `csv:"length_scored_rho_low"`
	LengthScoredHigh Figure `csv:"length_scored_rho_high"`
	LengthGiven      Figure `csv:"length_given_people_rho"` // … given people's totals
	LengthGivenLow   Figure `csv:"length_given_people_rho_low"`
	LengthGivenHigh  Figure `csv:"length_given_people_rho_high"`

	RepeatedAnswers int    `csv:"repeated_answers"` // scored more than once
	SelfEqual       Figure `csv:"self_equal"`       // share of pairs of verdicts with equal scores throughout
	SelfDistance    Figure `csv:"self_distance"`    // mean distance of totals, points
	SelfAlpha       Figure `csv:"self_alpha"`       // interval alpha of all criteria
	SelfAlphaLow    Figure `csv:"self_alpha_low"`
	SelfAlphaHigh   Figure `csv:"self_alpha_high"`
	SelfTotals      Figure `csv:"self_alpha_totals"`
	SelfTotalsLow   Figure `csv:"self_alpha_totals_low"`
	SelfTotalsHigh  Figure `csv:"self_alpha_totals_high"`

	PerThousand    Figure `csv:"cost_per_1000"`    // US dollars of a thousand valid verdicts
	AlphaPerDollar Figure `csv:"alpha_per_dollar"` // alpha of totals with people by these dollars

	others []string // the judges of other families
}

// judgeRows are in the order of judges, floors left out.
func (t *judgeTables) judgeRows(people answerTotals) ([]JudgeRow, error) {
	rows := make([]JudgeRow, 0, len(t.Judges))
	var who []int
	for j, p := range t.Judges {
		if p.Kind == kindFloor {
			continue
		}
		r := JudgeRow{Judge: p.Name, Kind: kindOfJudge, Family: p.Family}
		if t.people(j) {
			r.Kind = kindHuman
		}
		who, rows = append(who, j), append(rows, r)
	}
	if err := sideBySide(len(rows), func(i int) error { return t.fillJudge(&rows[i], who[i], people) }); err != nil {
		return nil, err
	}
	return rows, t.fillStability(rows)
}

func (t *judgeTables) fillJudge(r *JudgeRow, judge int, people answerTotals) error {
	length, err := t.lengthEffect(judge, people)
	if err != nil {
		return err
	}
	r.LengthN, r.LengthScoredN = length.all.n, length.scored.n
	r.Length, r.LengthLow, r.LengthHigh = length.all.figures()
	r.LengthScored, r.LengthScoredLow, r.LengthScoredHigh = length.scored.figures()
	r.LengthGiven, r.LengthGivenLow, r.LengthGivenHigh = length.given.figures()
	self, err := t.repetition(judge)
	if err != nil {
		return err
	}
	r.RepeatedAnswers, r.SelfEqual, r.SelfDistance = self.answers, self.equal, self.distance
	r.SelfAlpha, r.SelfAlphaLow, r.SelfAlphaHigh = self.criteria.figures()
	r.SelfTotals, r.SelfTotalsLow, r.SelfTotalsHigh = self.total.figures()
	if r.Kind == kindHuman {
		return nil
	}
	if i := slices.IndexFunc(t.lenient, func(l LeniencyRow) bool { return l.Judge == r.Judge && l.System == AllSystems }); i >= 0 {
		l := t.lenient[i]
		r.Leniency, r.LeniencyLow, r.LeniencyHigh, r.LeniencyN = l.Difference, l.Low, l.High, l.N
	}
	kin, err := t.preference(judge, people)
	if err != nil {
		return err
	}
	r.FamilySystems, r.others = strings.Join(kin.systems, "; "), kin.judges
	r.FamilyPeople, r.FamilyPeopleLow, r.FamilyPeopleHigh = kin.people.figures()
	r.FamilyJudges, r.FamilyJudgesLow, r.FamilyJudgesHigh = kin.panel.figures()
	return nil
}

func (m margin) figures() (value, low, high Figure) { return m.value, m.low, m.high }

func (t *judgeTables) fillStability(rows []JudgeRow) error {
	var c computer
	people := t.peoplesMeans(t.panel)
	for k, j := range t.panel.judges {
		i := slices.IndexFunc(rows, func(r JudgeRow) bool { return r.Judge == t.Judges[j].Name })
		s := t.panel.stability(&c, k, people)
		rows[i].TauWithout, rows[i].TauOthers, rows[i].TauPeople = s.without, s.others, s.people
	}
	return c.err
}

// judgeTables are the tables about the judges: their agreement with people, how far
// that is above the floors, leniency, stability, cost and what they overlook.
type judgeTables struct {
	*boardTables
	agreements []AgreementRow
	floors     []FloorRow
	worth      []worth

	lenient      []LeniencyRow
	counted      []CountableRow
	panel        panel
	judgeFigures []JudgeRow
	paid         []CostRow
	attacked     []AttackRow
}

// newJudgeTables computes them; people are the totals of the references.
func newJudgeTables(boards *boardTables, people answerTotals) (*judgeTables, error) {
	t := &judgeTables{boardTables: boards}
	contests := t.contests()
	var err error
	if t.agreements, err = t.agreement(contests); err != nil {
		return nil, err
	}
	if t.floors, err = t.overFloors(contests); err != nil {
		return nil, err
	}
	if t.worth, err = t.worths(contests); err != nil {
		return nil, err
	}
	if t.lenient, err = t.leniency(people); err != nil {
		return nil, err
	}
	if t.counted, err = t.countable(); err != nil {
		return nil, err
	}
	t.panel = t.newPanel()
	if t.judgeFigures, err = t.judgeRows(people); err != nil {
		return nil, err
	}
	t.paid = t.costs()
	t.priceJudges()
	t.attacked, err = t.attackRows()
	return t, err
}
