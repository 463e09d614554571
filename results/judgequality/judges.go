package judgequality

import (
	"slices"
	"strings"

	"compqa/results/agreement"
	"compqa/results/dataset"
	"compqa/results/leaderboard"
	"compqa/results/table"
)

// A JudgeRow is the properties of a judge, with intervals clustered by question:
// leniency, preference for its own family, influence on the ranking, length bias and
// self-agreement. For people there are only length and self-agreement.
type JudgeRow struct {
	Judge  string `csv:"judge"`
	Kind   string `csv:"kind"` // judge, human
	Family string `csv:"family"`

	Leniency     table.Figure `csv:"leniency"` // judge minus human, on the answers that both scored
	LeniencyLow  table.Figure `csv:"leniency_low"`
	LeniencyHigh table.Figure `csv:"leniency_high"`
	LeniencyN    int          `csv:"leniency_n"`

	FamilySystems    string       `csv:"family_systems"`           // of its own family, separated by "; "
	FamilyPeople     table.Figure `csv:"family_preference_people"` // preference for these, compared with people, in points
	FamilyPeopleLow  table.Figure `csv:"family_preference_people_low"`
	FamilyPeopleHigh table.Figure `csv:"family_preference_people_high"`
	FamilyJudges     table.Figure `csv:"family_preference_judges"` // … compared with the judges of other families
	FamilyJudgesLow  table.Figure `csv:"family_preference_judges_low"`
	FamilyJudgesHigh table.Figure `csv:"family_preference_judges_high"`

	TauWithout table.Figure `csv:"tau_without"` // between the rankings by all judges and by all others
	TauOthers  table.Figure `csv:"tau_others"`  // between its ranking and that by all others
	TauPeople  table.Figure `csv:"tau_people"`

	LengthN          int          `csv:"length_n"`
	Length           table.Figure `csv:"length_rho"` // Spearman's rho of totals and words
	LengthLow        table.Figure `csv:"length_rho_low"`
	LengthHigh       table.Figure `csv:"length_rho_high"`
	LengthScoredN    int          `csv:"length_scored_n"` // on the answers with human scores
	LengthScored     table.Figure `csv:"length_scored_rho"`
	LengthScoredLow  table.Figure `csv:"length_scored_rho_low"`
	LengthScoredHigh table.Figure `csv:"length_scored_rho_high"`
	LengthGiven      table.Figure `csv:"length_given_people_rho"` // … given human totals
	LengthGivenLow   table.Figure `csv:"length_given_people_rho_low"`
	LengthGivenHigh  table.Figure `csv:"length_given_people_rho_high"`

	RepeatedAnswers int          `csv:"repeated_answers"` // scored more than once
	SelfEqual       table.Figure `csv:"self_equal"`       // share of pairs of verdicts with equal scores
	SelfDistance    table.Figure `csv:"self_distance"`    // mean distance of totals, points
	SelfAlpha       table.Figure `csv:"self_alpha"`       // interval alpha of all criteria
	SelfAlphaLow    table.Figure `csv:"self_alpha_low"`
	SelfAlphaHigh   table.Figure `csv:"self_alpha_high"`
	SelfTotals      table.Figure `csv:"self_alpha_totals"`
	SelfTotalsLow   table.Figure `csv:"self_alpha_totals_low"`
	SelfTotalsHigh  table.Figure `csv:"self_alpha_totals_high"`

	PerThousand    table.Figure `csv:"cost_per_1000"`    // US dollars of a thousand valid verdicts
	AlphaPerDollar table.Figure `csv:"alpha_per_dollar"` // alpha of totals with human scores divided by these dollars

	Others []string `csv:"-"` // the judges of other families
}

// judgeRows are in the order of judges, without floors.
func (t *Tables) judgeRows(people dataset.AnswerTotals) ([]JudgeRow, error) {
	rows := make([]JudgeRow, 0, len(t.Judges))
	var who []int
	for j, p := range t.Judges {
		if p.Kind == dataset.KindFloor {
			continue
		}
		r := JudgeRow{Judge: p.Name, Kind: dataset.KindOfJudge, Family: p.Family}
		if t.People(j) {
			r.Kind = dataset.KindHuman
		}
		who, rows = append(who, j), append(rows, r)
	}
	if err := dataset.SideBySide(len(rows), func(i int) error { return t.fillJudge(&rows[i], who[i], people) }); err != nil {
		return nil, err
	}
	return rows, t.fillStability(rows)
}

func (t *Tables) fillJudge(r *JudgeRow, judge int, people dataset.AnswerTotals) error {
	length, err := newLengthEffect(t.Tables.Dataset, judge, people)
	if err != nil {
		return err
	}
	r.LengthN, r.LengthScoredN = length.all.N, length.scored.N
	r.Length, r.LengthLow, r.LengthHigh = length.all.Figures()
	r.LengthScored, r.LengthScoredLow, r.LengthScoredHigh = length.scored.Figures()
	r.LengthGiven, r.LengthGivenLow, r.LengthGivenHigh = length.given.Figures()
	self, err := newRepetition(t.Tables.Dataset, judge)
	if err != nil {
		return err
	}
	r.RepeatedAnswers, r.SelfEqual, r.SelfDistance = self.answers, self.equal, self.distance
	r.SelfAlpha, r.SelfAlphaLow, r.SelfAlphaHigh = self.criteria.Figures()
	r.SelfTotals, r.SelfTotalsLow, r.SelfTotalsHigh = self.total.Figures()
	if r.Kind == dataset.KindHuman {
		return nil
	}
	if i := slices.IndexFunc(t.Lenient, func(l LeniencyRow) bool { return l.Judge == r.Judge && l.System == dataset.AllSystems }); i >= 0 {
		l := t.Lenient[i]
		r.Leniency, r.LeniencyLow, r.LeniencyHigh, r.LeniencyN = l.Difference, l.Low, l.High, l.N
	}
	kin, err := newFamilyPreference(t.Tables.Dataset, judge, people)
	if err != nil {
		return err
	}
	r.FamilySystems, r.Others = strings.Join(kin.systems, "; "), kin.judges
	r.FamilyPeople, r.FamilyPeopleLow, r.FamilyPeopleHigh = kin.people.Figures()
	r.FamilyJudges, r.FamilyJudgesLow, r.FamilyJudgesHigh = kin.panel.Figures()
	return nil
}

func (t *Tables) fillStability(rows []JudgeRow) error {
	var c dataset.Calculator
	people := t.peoplesMeans(t.Panel)
	for k, j := range t.Panel.judges {
		i := slices.IndexFunc(rows, func(r JudgeRow) bool { return r.Judge == t.Judges[j].Name })
		s := t.Panel.stability(&c, k, people)
		rows[i].TauWithout, rows[i].TauOthers, rows[i].TauPeople = s.without, s.others, s.people
	}
	return c.Err
}

// Tables are the tables about the judges: agreement with human scores, comparison with
// the floors, leniency, stability, costs and attacks.
type Tables struct {
	*leaderboard.Tables
	Agreements  []agreement.AgreementRow
	Floors      []FloorRow
	Assessments []JudgeAssessment

	Lenient      []LeniencyRow
	Counted      []CountableRow
	Panel        panel
	JudgeFigures []JudgeRow
	Paid         []CostRow
	Attacked     []AttackRow
}

// NewTables computes the tables; people are the totals of the references.
func NewTables(boards *leaderboard.Tables, people dataset.AnswerTotals) (*Tables, error) {
	t := &Tables{Tables: boards}
	contests := t.RaterPairs()
	var err error
	if t.Agreements, err = agreement.Rows(t.Tables.Dataset, contests); err != nil {
		return nil, err
	}
	if t.Floors, err = overFloors(t.Tables.Dataset, contests); err != nil {
		return nil, err
	}
	if t.Assessments, err = t.newAssessments(contests); err != nil {
		return nil, err
	}
	if t.Lenient, err = leniency(t.Tables.Dataset, people); err != nil {
		return nil, err
	}
	if t.Counted, err = countable(t.Tables.Dataset); err != nil {
		return nil, err
	}
	t.Panel = t.newPanel()
	if t.JudgeFigures, err = t.judgeRows(people); err != nil {
		return nil, err
	}
	t.Paid = t.costs()
	t.priceJudges()
	t.Attacked, err = attackRows(t.Tables.Dataset.Run)
	return t, err
}
