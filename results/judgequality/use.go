package judgequality

import (
	"cmp"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/stats"
)

// recommendJudge recommends a judge for scores. Among the judges that can stand in for a person on totals, it takes the cheapest; without
// any, the judge that agrees most with a person. It leaves out judges without a decision, degenerate ones and those that contradict
// themselves.
func (t *Tables) recommendJudge() (all table.Findings) {
	var uses []trust.RecommendedJudge
	for _, j := range t.Scorers() {
		name := t.Judges[j].Name
		d := t.DecisionOn(name, Totals)
		if d == nil || t.Contradicts(name) || t.Degenerate[j] != "" || !d.Single.Known || !d.People.Known {
			continue
		}
		u := trust.RecommendedJudge{Decision: d, Barred: t.Barred[name], NoCalls: t.Judges[j].Kind == dataset.KindEmbedded}
		u.Price = table.First(t.JudgeFigures, func(r JudgeRow) bool { return r.Judge == name }).PerThousand
		if u.NoCalls {
			u.Price = stats.Number(0)
		}
		uses = append(uses, u)
	}
	if len(uses) == 0 {
		return nil
	}
	yes := data.Where(uses, func(u trust.RecommendedJudge) bool { return u.Decision.Answer == trust.Yes })
	if len(yes) > 0 {
		uses = yes
	}
	best := slices.MinFunc(uses, func(a, b trust.RecommendedJudge) int {
		nearest := stats.CompareFigures(a.Decision.Single.Point(), b.Decision.Single.Point(), -1)
		if len(yes) == 0 {
			return nearest
		}
		return cmp.Or(stats.CompareFigures(a.Price, b.Price, 1), nearest)
	})
	return table.Findings{best.Finding()}
}
