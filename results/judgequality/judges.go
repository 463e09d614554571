// Package judgequality computes the quality of judges: how much better a judge agrees with people than content-blind
// baselines (floors) do, how lenient and how stable it is, what it costs, and which damage to answers it does not detect.
package judgequality

import (
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/humanpoints"
	"compqa/results/leaderboard"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/results/validation"
	"compqa/stats"
)

// A JudgeRow has the properties of a judge, with intervals clustered by question: leniency, preference for its own family of models, length
// bias and self-agreement. For people there are only length and self-agreement.
type JudgeRow struct {
	Judge  string `csv:"judge"`
	Kind   string `csv:"kind"` // judge, human
	Family string `csv:"family"`

	Unparsed int `csv:"unparsed"` // verdicts whose reply does not have the requested form

	humanpoints.TransferFigures

	Degenerate string `csv:"degenerate"` // why the verdicts tell nothing, as "gives every answer the same sheet"; "" if they do

	Leniency  stats.Figure `csv:"leniency,leniency_low,leniency_high"` // judge minus human, on the answers that both scored
	LeniencyN int          `csv:"leniency_n"`

	FamilySystems table.Names `csv:"family_systems"` // systems of the judge's own family
	// FamilyPeople is how many points more than people the judge gives to these systems, compared with other systems.
	FamilyPeople stats.Figure `csv:"family_preference_people,family_preference_people_low,family_preference_people_high"`

	TauPeople stats.Figure `csv:"tau_people,tau_people_low,tau_people_high"` // between the rankings by the judge and by people

	LengthN int          `csv:"length_n"`
	Length  stats.Figure `csv:"length_rho,length_rho_low,length_rho_high"` // Spearman's rho of totals and words

	// LengthBias is the change of judge minus human, in points, if an answer has twice as many words.
	LengthBias stats.Figure `csv:"length_bias,length_bias_low,length_bias_high"`

	RepeatedAnswers int          `csv:"repeated_answers"` // answers that were scored more than once
	SelfEqual       stats.Figure `csv:"self_equal"`       // share of pairs of verdicts with equal scores
	SelfDistance    stats.Figure `csv:"self_distance"`    // mean absolute difference of totals, in points
	SelfTotals      stats.Figure `csv:"self_alpha_totals,self_alpha_totals_low,self_alpha_totals_high"`

	PerThousand    stats.Figure `csv:"cost_per_1000"`    // US dollars of a thousand valid verdicts
	AlphaPerDollar stats.Figure `csv:"alpha_per_dollar"` // alpha of totals with human scores, divided by PerThousand

	judge int // index among the judges of the run
}

// JudgesTable has the properties of the judges.
var JudgesTable = table.Def[JudgeRow]{File: "judges.csv"}

// judgeRows returns the rows of all judges and people, in their order. It leaves out baselines (floors).
func (t *Tables) judgeRows(people dataset.AnswerTotals) ([]JudgeRow, error) {
	var rows []JudgeRow
	for j, p := range t.Judges {
		r := JudgeRow{Judge: p.Name, Kind: dataset.KindOfJudge, Family: p.Family, Degenerate: t.Degenerate[j],
			Unparsed: dataset.Unreadable(t.statusesOf(j)), judge: j}
		if t.People(j) {
			r.Kind = dataset.KindHuman
		}
		if p.Kind != dataset.KindFloor {
			rows = append(rows, r)
		}
	}
	return rows, data.SideBySide(len(rows), func(i int) error { return t.fillJudge(&rows[i], people) })
}

func (t *Tables) fillJudge(r *JudgeRow, people dataset.AnswerTotals) error {
	var c dataset.Calculator
	r.fillBias(&c, t.boards.Dataset, people)
	r.fillRepeats(&c, t.boards.Dataset)
	if r.Kind == dataset.KindHuman {
		return c.Err
	}
	all := table.First(t.Lenient, func(l LeniencyRow) bool { return l.Judge == r.Judge && l.System == dataset.AllSystems })
	r.Leniency = all.Difference
	r.LeniencyN = all.N
	paid := table.First(t.Paid, func(p CostRow) bool { return p.Kind == store.KindVerdict && p.Name == r.Judge })
	r.PerThousand = paid.PerThousand
	r.AlphaPerDollar = paid.AlphaPerDollar
	r.TransferFigures = t.HumanPoints.Of(r.Judge).TransferFigures
	r.TauPeople = t.ranking(r.Judge).Tau
	return c.Err
}

// Tables has the tables about judges: agreement with human scores, comparison with baselines, leniency, stability, costs and attacks.
type Tables struct {
	*dataset.Dataset
	boards      *leaderboard.Tables
	HumanPoints *humanpoints.Tables
	Agreements  []AgreementRow
	PeopleAgree map[string]stats.Figure // alpha among all people, by criterion; that of totals has the key dataset.NoItem
	Floors      []FloorRow
	Assessments []JudgeAssessment
	Decisions   []*trust.Decision      // whether each judge can stand in for one person, by criterion
	Concluded   validation.Conclusions // what the validation of the record found; empty if there was none

	Rankings []trust.Ranking // of each judge that scored at least three systems that people also scored

	Lenient      []LeniencyRow
	JudgeFigures []JudgeRow
	Paid         []CostRow
	Attacked     []AttackRow
	Barred       map[string]string // judges that may not order systems, with the reason, as "rewards empty praise"
	Panels       []PanelRow
	Halos        []HaloRow
	Wordings     []WordingRow
	Shots        []ShotRow
}

// NewOrder computes which judge orders the systems, and the tables that this depends on. It also sets the order of boards. people has the
// totals of the references. All other tables, such as agreements and decisions, stay empty.
func NewOrder(boards *leaderboard.Tables, people dataset.AnswerTotals) (t *Tables, err error) {
	t = &Tables{Dataset: boards.Dataset, boards: boards}
	attacked := data.Each(t.Judges, func(j store.Participant) []store.AttackedAnswer { // only judges that are still in the run
		return data.Where(t.boards.Dataset.Attacked, func(a store.AttackedAnswer) bool { return a.Judge == j.Name })
	})
	t.Attacked, err = AttackRows(slices.Concat(attacked...), t.Rubric.Max())
	if err != nil {
		return nil, err
	}
	t.Barred = t.barred()
	t.withoutOrder()
	t.HumanPoints, err = humanpoints.New(boards, people, t.Barred)
	if err != nil {
		return nil, err
	}
	t.setOrder()
	return t, nil
}

// NewTables computes the order and all tables. people has the totals of the references.
func NewTables(boards *leaderboard.Tables, people dataset.AnswerTotals) (*Tables, error) {
	t, err := NewOrder(boards, people)
	if err != nil {
		return nil, err
	}
	var c dataset.Calculator
	t.Decisions, err = t.decide() // before measured, because both take much memory
	if err != nil {
		return nil, err
	}
	t.Agreements, t.Floors, err = agreementRows(boards.Dataset)
	if err != nil {
		return nil, err
	}
	t.PeopleAgree = peopleAgree(boards.Dataset)
	t.Assessments = t.newAssessments(&c)
	t.Rankings, err = t.rankings()
	if err != nil {
		return nil, err
	}
	t.boards.FittedNotes = t.fittedNotes()
	t.Lenient, t.Paid = leniency(&c, t.boards.Dataset, people), t.costs()
	t.JudgeFigures, err = t.judgeRows(people)
	if err != nil {
		return nil, err
	}
	if t.References() != nil {
		t.Panels = t.panelRows(&c)
	}
	t.Shots, t.Wordings = t.shots(), t.wordings(&c, people)
	if c.Err != nil {
		return t, c.Err
	}
	return t, t.setHalos()
}
