package judgequality

import (
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// JudgesDocument returns the properties of the judges that can be seen from their verdicts.
func (t *Tables) JudgesDocument() table.Document {
	figures := func(is func(JudgeRow) bool) []JudgeRow { return data.Where(t.JudgeFigures, is) }
	return table.Document{ID: "bias", Title: "Bias of the judges",
		Lead: "Properties of the judges that their verdicts show. Brackets contain 95 % intervals, clustered by question.",
		Sections: []table.Section{
			{Title: "Leniency",
				About: "Judge minus human, in points, by system, on the n answers that both scored. If a judge is more lenient with some systems " +
					"than with others, its ranking differs from the human ranking. A judge that uses a smaller part of the scale is lenient with " +
					"weak systems and strict with strong ones.",
				Notes: t.boards.FittedNotes, Table: t.leniencyTable()},
			{Title: "Human points", About: humanPointsAbout, Table: t.transferTable()},
			{Title: "Own family",
				About: "How many points more a judge gives to systems of its declared family, relative to other systems, than people do. " +
					"It is the mean over the scenarios in which both groups of systems answered. A value above 0 is a " +
					"preference, unless the judge differs from people in a property that the family's answers share (see leniency).",
				Table: table.From(4, figures(func(r JudgeRow) bool { return r.FamilySystems != nil }),
					"judge", "family", "family_systems=systems of the family", "family_preference_people+2=more than human scores")},
			{Title: "Points and length", About: "Spearman's rho of an answer's points and its number of words; and how many points more " +
				"than people (judge minus human) a judge gives to an answer of twice as many words, which is its length bias.",
				Table: table.From(1, figures(func(r JudgeRow) bool { return r.Length.Known }), "judge", "length_rho+2=rho", "length_n=n",
					"length_bias+2=for twice the words")},
			severalJudges(PanelTable.Views[0].Section(t.Panels),
				t.Panels, func(r PanelRow) stats.Figure { return r.Effective }),
			severalJudges(HaloTable.Views[0].Section(t.Halos),
				t.Halos, func(r HaloRow) stats.Figure { return r.Halo }),
			WordingsTable.Views[0].Section(t.Wordings),
			{Title: "Self-agreement",
				About: "For answers that a judge scored more than once: the share of pairs of verdicts with equal scores in every criterion, the " +
					"mean absolute difference of totals in points, and alpha (interval) of totals. For an LLM judge, this limits what its scores can " +
					"mean. For human scores, these may be the score sheets of different people.",
				Table: table.From(1, figures(func(r JudgeRow) bool { return r.RepeatedAnswers > 0 }),
					"judge", "repeated_answers=answers", "self_equal=equal", "self_distance=difference of totals",
					"self_alpha_totals:3=alpha (interval)")},
			t.agreementPerDollar(),
		}}
}

// severalJudges returns a section whose rows are about several judges. If some rows lack data, its verdict gives the reason of the first
// such row. Without any row, it drops the table and its text.
func severalJudges[Row any](s table.Section, rows []Row, figure func(Row) stats.Figure) table.Section {
	if i := slices.IndexFunc(rows, func(r Row) bool { return !sharesEnough(figure(r)) }); i >= 0 {
		s.Verdict = "N" + strings.TrimPrefix(figure(rows[i]).Reason(), "n") + "."
		if s.Table == nil || len(s.Table.Rows) == 0 {
			s.About = ""
			s.Table = nil
		}
	}
	return s
}

// humanPointsAbout explains each table of predicted points.
const humanPointsAbout = "Points that people would give to a system that they have not scored: the judge's mean minus its mean " +
	"“bias” (judge minus human). “tau” is the standard deviation of the bias between systems: how far the judge can mislead about a " +
	"system that nobody checked. “within” is how many systems, each left out in turn, have a bias within the 95 % interval that is " +
	"predicted from the others. Assumption: the system is exchangeable with those that people scored. Predictions are in human_points.csv."

func (t *Tables) transferTable() *table.Table {
	view := table.New(1, "judge", "systems with human scores", "bias", "tau", "within", "no prediction, because")
	for _, r := range t.HumanPoints.Transfers {
		view.Add(r.Judge, r.Systems, table.Signed(r.Bias, 2), r.Tau, fmt.Sprintf("%d of %d", r.Covered, r.Tested), r.Bias.Reason())
	}
	return t.Marked(view, 0, -1)
}

func (t *Tables) leniencyTable() *table.Table {
	grid := table.NewGrid("system")
	for _, system := range append(t.boards.RankedSystems(), store.Participant{Name: dataset.AllSystems}) {
		for _, r := range t.Lenient {
			if r.System == system.Name {
				grid.Set(table.Cell{Text: fmt.Sprintf("%s (%d)", r.Difference.Signed(2), r.N), Value: r.Difference,
					To: table.ToCounted("judge", r.Judge, "system", strings.TrimPrefix(r.System, dataset.AllSystems), "sort", "difference")}, r.Judge,
					r.System)
			}
		}
	}
	return t.MarkedHeader(&grid.Table)
}
