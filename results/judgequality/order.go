package judgequality

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/humanpoints"
	"compqa/results/leaderboard"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/stats"
	"compqa/stats/ranking"
)

// minScored is the number of answers of each ranked system that people must have scored before their scores alone order the systems.
const minScored = 10

// mayBeThin is the least number of ranked systems for which people's scores order them although one system has fewer than minScored scores.
// The interval and the rank of that system are wide, and it does not decide who orders the others.
const mayBeThin = 4

// minValid is the smallest share of valid verdicts of a judge that may order systems. The share must be reached in every ranked system,
// among the verdicts that the judge was asked for. An answer that it was never asked for (there are no arguments for its question) does not
// count against it.
const minValid = 0.9

// fewValid begins the reason why a judge with a smaller share than minValid is barred.
const fewValid = "has fewer than"

// embellishments are the attacks that make an answer longer or more pleasing, but not better. A judge that rewards one of them may not
// order systems.
var embellishments = []string{"empty answer", "question echoed", "empty praise", "length padding", "keyword stuffing"}

// contradicts is the reason why a judge is barred if its repeated verdicts do not agree beyond chance. Even the configuration cannot make
// such a judge order the systems.
const contradicts = "contradicts itself"

// NoOrder begins the sentence that says that nobody orders the systems.
const NoOrder = "No order: "

// repeats returns the self-agreement of a judge.
func (t *Tables) repeats(judge int) JudgeRow {
	r := JudgeRow{Judge: t.Judges[judge].Name, Kind: dataset.KindOfJudge, judge: judge}
	r.fillRepeats(&dataset.Calculator{}, t.boards.Dataset) // judgeRows computes the same figures and returns any error
	return r
}

// setOrder decides who orders the systems. The first of these that applies does:
//
//  1. the judge that the configuration names as headline;
//  2. people, if they scored minScored answers of every candidate; one candidate may have fewer (see mayBeThin);
//  3. human points (predicted from verdicts), by the eligible judge or combination that predicts most, with the narrowest intervals;
//  4. the first eligible judge that ranks most systems.
//
// Otherwise systems have no rank. Then setOrder sets the place of each system.
func (t *Tables) setOrder() {
	for _, by := range []func() leaderboard.Order{t.byConfiguration, t.byPeople, t.byHumanPoints, t.byJudge, t.byNobody} {
		t.boards.Order = by()
		if t.boards.Sentence != "" {
			break
		}
	}
	t.boards.Unread = t.unreadText()
	t.boards.Headline = t.boards.Judge
	if t.boards.Judge == humanpoints.Combined {
		t.boards.Headline = t.HumanPoints.Members[0]
	}
	for s, candidate := range t.Candidates() {
		t.boards.Places = append(t.boards.Places, t.place(s, candidate))
	}
	if t.boards.By == leaderboard.ByHumanPoints {
		t.rankByIntervals()
	}
	leaderboard.SortPlaces(t.boards.Places)
	for i := range t.HumanPoints.Rows {
		r := &t.HumanPoints.Rows[i]
		place := table.First(t.boards.Places, func(p leaderboard.Place) bool { return p.System == r.System })
		if t.boards.By == leaderboard.ByHumanPoints && r.Judge == t.boards.Judge {
			r.Rank = place.Rank
			r.RankLow = place.RankLow
			r.RankHigh = place.RankHigh
		}
	}
	if t.boards.By == leaderboard.ByHumanPoints {
		t.withholdThin()
	}
}

// withholdThin removes the ranks of systems with too few answers scored by people, because these scores correct the points of the system.
// The rank ranges of other systems stay valid.
func (t *Tables) withholdThin() {
	thin := map[string]bool{}
	for i := range t.boards.Places {
		place := &t.boards.Places[i]
		r := table.First(t.HumanPoints.Rows, func(r humanpoints.Row) bool { return r.Judge == t.boards.Judge && r.System == place.System })
		if !place.Rank.Known || r.Human == 0 || r.Human >= stats.FewClusters {
			continue
		}
		thin[place.System] = true
		place.Rank = stats.MissingFigure(leaderboard.TooFew("people scored ", leaderboard.NeededOf(r.Human, stats.FewClusters, "answer",
			"answers")))
		place.RankLow = place.Rank
		place.RankHigh = place.Rank
		place.Above = nil
	}
	for i := range t.boards.Places {
		t.boards.Places[i].Above = data.Where(t.boards.Places[i].Above, func(system string) bool { return !thin[system] })
	}
}

func (t *Tables) onlyBaselines() bool {
	return len(t.Systems) > 0 && !slices.ContainsFunc(t.Systems, func(s store.Participant) bool { return s.Kind != dataset.KindBaseline })
}

// place returns a system's place in the order, with its rank or the reason why it has none. Its points are predicted human points, or those
// by a judge or people. candidate says whether the system can have a rank.
func (t *Tables) place(system int, candidate bool) leaderboard.Place {
	s := t.Systems[system]
	place := leaderboard.Place{System: s.Name, Baseline: s.Kind == dataset.KindBaseline, Basis: "judge",
		Rank: unranked("it has no points by " + t.boards.Judge)}
	switch t.boards.By {
	case leaderboard.ByHumanPoints:
		r := table.First(t.HumanPoints.Rows, func(r humanpoints.Row) bool { return r.Judge == t.boards.Judge && r.System == s.Name })
		place.Basis = r.Basis
		if r.Judge != "" {
			place.Points = r.Predicted
			place.Uncut = r.Uncut
			place.Rank = r.Rank
		}
		if row := t.boards.Overall(t.boards.Headline, s.Name); candidate && row.Thin() {
			place.Rank = row.Rank
		}
		return place
	case leaderboard.ByPeople:
		place.Basis = trust.BasisPeople
	}
	if r := t.boards.Overall(t.boards.Judge, s.Name); candidate && r.Thin() {
		place.Points = r.Points()
		place.Rank = r.Rank
	} else if candidate && r.Mean.Known && !r.Rank.Known && !t.Contradicts(t.boards.Judge) {
		place.Rank = unranked("it has no valid verdict of " + t.boards.Judge + " in some scenario")
	} else if r.Mean.Known {
		place.Points, place.Rank = r.Points(), unranked("no judge may order the systems")
		if t.boards.By != "" {
			place.Rank = r.Rank
			place.RankLow = r.RankLow
			place.RankHigh = r.RankHigh
			place.Above = r.Above
		}
	}
	if !candidate {
		place.Rank = unranked("it is a baseline")
	}
	return place
}

func unranked(why string) stats.Figure { return stats.MissingFigure(stats.Reason(why)) }

func (t *Tables) ranks(judge string) (n int) {
	for _, s := range t.Systems {
		n += int(dataset.Indicator(t.boards.Overall(judge, s.Name).Rank.Known))
	}
	return n
}

// scores returns the number of candidates that have points by a judge, with or without a rank.
func (t *Tables) scores(judge string) (n int) {
	for s, candidate := range t.Candidates() {
		n += int(dataset.Indicator(candidate && t.boards.Overall(judge, t.Systems[s].Name).Mean.Known))
	}
	return n
}

// Contradicts reports whether a judge contradicts itself, so that its points may not order systems.
func (t *Tables) Contradicts(judge string) bool { return t.Barred[judge] == contradicts }

// ContradictsText says that a judge that contradicts itself orders nothing.
func ContradictsText(judge string) string { return NoOrder + judge + " " + contradicts + "." }

// tooLittle says that judges have too few verdicts of each system for ranks.
func tooLittle(judges string) string {
	return fmt.Sprintf("%s%s scored too little of each system: a rank needs %d verdicts on %d questions.", NoOrder, judges,
		leaderboard.LeastVerdicts, stats.FewClusters)
}

// withoutOrder removes the ranks by judges that contradict themselves.
func (t *Tables) withoutOrder() {
	for i := range t.boards.Board {
		r := &t.boards.Board[i]
		if t.Contradicts(r.Judge) {
			if !r.Thin() {
				r.Rank = unranked(r.Judge + " " + contradicts)
			}
			r.RankLow = r.Rank
			r.RankHigh = r.Rank
			r.Above = nil
		}
	}
}

// byConfiguration returns the order by the judge that the configuration names as headline. It is empty without such a judge, or if the
// judge scored no candidate.
func (t *Tables) byConfiguration() (o leaderboard.Order) {
	name := t.Declared.Headline
	j := t.JudgeNamed(name)
	if j < 0 || t.scores(name) == 0 {
		return o
	}
	if t.ranks(name) == 0 && !t.Contradicts(name) {
		return leaderboard.Order{Judge: name, Sentence: tooLittle(name + " (headline in the configuration)")}
	}
	if t.People(j) {
		return leaderboard.Order{By: leaderboard.ByPeople, Judge: name,
			Sentence: fmt.Sprintf("The scores of %s order the systems, because headline in the configuration names them.", name)}
	}
	if t.Contradicts(name) {
		return leaderboard.Order{Judge: name,
			Sentence: NoOrder + fmt.Sprintf("%s %s (headline in the configuration names it).", name, contradicts)}
	}
	begin := "This"
	warning := ""
	if t.References() == nil {
		begin = t.peopleText() + ": this"
	}
	if why := t.Barred[name]; why != "" {
		warning = fmt.Sprintf(" WARNING: %s %s.", name, why)
	}
	return leaderboard.Order{By: leaderboard.ByJudge, Judge: name, Sentence: fmt.Sprintf(
		"%s is the opinion of %s, because headline in the configuration names it.%s%s", begin, name, warning, t.BaselinesText())}
}

// byPeople returns the order by people's scores. It is empty unless people scored minScored answers of every candidate. One candidate may
// have fewer if there are at least mayBeThin candidates.
func (t *Tables) byPeople() (o leaderboard.Order) {
	who := t.References()
	if who == nil {
		return o
	}
	name, scored, people := t.Judges[who[0]].Name, make([]int, len(t.Systems)), t.AnswerTotals(who[0])
	for a, c := range t.ConditionOf {
		if _, ok := people.Of(a); ok && c >= 0 {
			scored[t.Conditions[c].System]++
		}
	}
	candidates := 0
	thin := ""
	for s, candidate := range t.Candidates() {
		if !candidate {
			continue
		}
		candidates++
		system := t.Systems[s].Name
		r := t.boards.Overall(name, system)
		if scored[s] == 0 || !r.Rank.Known && !r.Thin() || scored[s] < minScored && thin != "" {
			return o
		}
		if scored[s] < minScored {
			thin = fmt.Sprintf(" but %s, which has %d", t.SystemName(system), scored[s])
		}
	}
	if thin != "" && candidates < mayBeThin {
		return o
	}
	return leaderboard.Order{By: leaderboard.ByPeople, Judge: name, Sentence: fmt.Sprintf(
		"People's scores order the systems: each ranked system has at least %d answers that people scored%s.%s", minScored, thin,
		t.BaselinesText())}
}

// byHumanPoints returns the order by predicted human points. It uses the judge that predicts most systems, and among equals the one with
// the narrowest intervals. The order is empty if no eligible judge predicts any.
func (t *Tables) byHumanPoints() (o leaderboard.Order) {
	var best humanpoints.Transfer
	most := 0
	least := math.Inf(1)
	for _, transfer := range t.HumanPoints.Transfers {
		n := 0
		width := 0.0
		for _, r := range t.HumanPoints.Rows {
			if r.Judge == transfer.Judge && t.Barred[r.Judge] == "" && r.Exchangeable == "yes" && r.Predicted.Known {
				n++
				width = width + r.Uncut.High - r.Uncut.Low
			}
		}
		if n > most || n == most && n > 0 && width < least {
			best = transfer
			most = n
			least = width
		}
	}
	if most == 0 {
		return o
	}
	by := t.NameOfJudge(best.Judge)
	if by == humanpoints.Combined {
		by = "the combination of " + data.List(data.Each(t.HumanPoints.Members, t.NameOfJudge))
	}
	return leaderboard.Order{By: leaderboard.ByHumanPoints, Judge: best.Judge, Sentence: fmt.Sprintf(
		"Human points order the systems: the points that people would give, predicted from the verdicts of %s and people's scores of %d "+
			"systems (bias %s, tau %s points).%s", by, best.Systems, best.Bias.Point().Text(2), best.Tau.Point().Text(2), t.BaselinesText()),
		Assumed: "Assumption: a system that nobody scored is like those that people scored."}
}

// rankByIntervals ranks the places that have points and no reason against a rank. Two systems differ if the difference of their predictions
// is significant after Holm's adjustment. The error of the mean bias is common to both systems but counts twice, so the rank ranges are
// rather too wide.
func (t *Tables) rankByIntervals() {
	var ranked []*leaderboard.Place
	var points []stats.Figure
	for i := range t.boards.Places {
		if s := &t.boards.Places[i]; s.Rank.Why == nil && s.Points.Known {
			ranked = append(ranked, s)
			points = append(points, s.Points.Point())
		}
	}
	z := distuv.UnitNormal.Quantile((1 + dataset.Confidence) / 2)
	var tests []ranking.PairTest
	for a := range ranked {
		for b := a + 1; b < len(ranked); b++ {
			upper := ranked[a].Uncut
			lower := ranked[b].Uncut
			difference := upper.Value - lower.Value
			if difference < 0 {
				upper, lower = lower, upper
			}
			se := math.Hypot(upper.Value-upper.Low, lower.High-lower.Value) / z // from the sides of the intervals that face each other
			p := 1.0
			if se > 0 {
				p = 2 * distuv.UnitNormal.Survival(math.Abs(difference)/se)
			}
			tests = append(tests, ranking.PairTest{A: a, B: b, Difference: difference, P: p})
		}
	}
	ranges, err := ranking.RankIntervals(len(ranked), tests, dataset.Confidence)
	for i, rank := range dataset.Ranks(points) {
		ranked[i].Rank = rank
		if err == nil {
			ranked[i].RankLow, ranked[i].RankHigh = stats.Count(ranges[i].Low), stats.Count(ranges[i].High)
		}
	}
	if err != nil {
		return
	}
	sure, _ := ranking.Significant(len(ranked), tests, dataset.Confidence) // it fails only if RankIntervals fails
	for _, t := range sure {
		ranked[t.A].Above = append(ranked[t.A].Above, ranked[t.B].System)
	}
}

// byJudge returns the order by the first eligible judge among those that rank most systems. If all systems are baselines, any judge that is
// not degenerate may rank them.
func (t *Tables) byJudge() (o leaderboard.Order) {
	best := ""
	most := 0
	for _, eligible := range []func(judge int) bool{
		func(j int) bool { return t.Barred[t.Judges[j].Name] == "" },
		func(j int) bool { return t.onlyBaselines() && t.Degenerate[j] == "" },
	} {
		for _, j := range t.Scorers() {
			if n := t.ranks(t.Judges[j].Name); n > most && eligible(j) {
				best = t.Judges[j].Name
				most = n
			}
		}
		if most > 0 {
			break
		}
	}
	if most == 0 {
		return o
	}
	opinion := t.NameOfJudge(best)
	if why := t.Barred[best]; why != "" {
		opinion += ", which " + why
	}
	sentence := fmt.Sprintf("%s: this is the opinion of %s.", t.peopleText(), opinion)
	if t.onlyBaselines() {
		sentence = "Only baselines have answered, and they are ranked among themselves. To rank a model, add it under models in compqa.yaml. " +
			sentence
	}
	return leaderboard.Order{By: leaderboard.ByJudge, Judge: best, Sentence: sentence + t.leftOutText(best) + t.BaselinesText()}
}

// unreadText names the judges with many verdicts that cannot be read. It leaves people out.
func (t *Tables) unreadText() string {
	var all []dataset.Replies
	for _, j := range t.Scorers() {
		all = append(all, dataset.Replies{Judge: t.NameOfJudge(t.Judges[j].Name), Statuses: t.statusesOf(j)})
	}
	return dataset.UnreadText(all)
}

// statusesOf counts the verdicts of a judge by status.
func (t *Tables) statusesOf(j int) map[data.Status]int {
	statuses := map[data.Status]int{}
	for _, s := range t.SheetsOf(j) {
		statuses[s.Status]++
	}
	return statuses
}

// leftOutText names the judges that may not order systems because too few of their verdicts are valid. It leaves out the judge that orders
// them.
func (t *Tables) leftOutText(judge string) string {
	var unread []string
	for _, j := range t.Scorers() {
		name := t.Judges[j].Name
		if name != judge && strings.HasPrefix(t.Barred[name], fewValid) {
			unread = append(unread, name+" "+t.Barred[name])
		}
	}
	if unread == nil {
		return ""
	}
	return fmt.Sprintf(" Left out: %s.", strings.Join(unread, "; "))
}

// peopleText says how far people have scored the answers, for an order by a judge.
func (t *Tables) peopleText() string {
	switch {
	case t.References() == nil:
		return "No person has scored these answers"
	case !slices.ContainsFunc(t.HumanPoints.Transfers, func(r humanpoints.Transfer) bool { return r.Systems >= 3 }):
		return "Nobody has scored enough systems to know what people would say"
	}
	return "People have scored some systems, but no eligible judge predicts their points"
}

// BaselinesText says that baselines have no rank. It returns "" if there are no baselines, or only baselines.
func (t *Tables) BaselinesText() string {
	if t.onlyBaselines() || !slices.Contains(t.boards.Candidates(), false) {
		return ""
	}
	return " Baselines have no rank."
}

// byNobody returns an order without ranks, and says why nobody ranks the systems. The points come from the first judge, or from people.
func (t *Tables) byNobody() leaderboard.Order {
	scored := "a system"
	if t.BaselinesText() != "" {
		scored += " that is not a baseline"
	}
	o := leaderboard.Order{Sentence: fmt.Sprintf("No judge has scored %s, so the systems have no order.", scored)}
	var barred, thin []string
	for _, j := range append(t.Scorers(), t.References()...) {
		name := t.Judges[j].Name
		if t.scores(name) == 0 {
			continue
		}
		o.Judge = cmp.Or(o.Judge, name)
		switch {
		case t.Barred[name] != "":
			barred = append(barred, name+" "+t.Barred[name])
		case t.ranks(name) == 0 && !t.People(j):
			thin = append(thin, name)
		}
	}
	if barred == nil && thin != nil {
		o.Sentence = tooLittle(data.List(thin))
		return o
	}
	if barred != nil {
		o.Sentence = NoOrder + strings.Join(barred, "; ") + "."
	}
	if slices.ContainsFunc(barred, func(why string) bool { return !strings.HasSuffix(why, contradicts) }) {
		o.Sentence = "The systems have no ranks, because no judge may order them: " + strings.Join(barred, "; ") + "."
	} else if barred == nil && o.Judge != "" {
		o.Sentence = fmt.Sprintf("The systems have no ranks: people have scored fewer than %d answers of some systems, and no judge has "+
			"scored them.", minScored)
	}
	return o
}

// barred returns the judges that may not order systems, with the reason. A judge is barred if it is degenerate, contradicts itself, has too
// few valid verdicts, or rewards an embellishment. An embedded judge without recorded attacks is barred, too, because whether it rewards
// them is unknown.
func (t *Tables) barred() map[string]string {
	why := map[string]string{}
	for _, j := range t.Scorers() {
		name := t.Judges[j].Name
		if t.Degenerate[j] != "" {
			why[name] = t.Degenerate[j]
			continue
		}
		if t.repeats(j).unstable() {
			why[name] = contradicts
			continue
		}
		if t.Judges[j].Kind == dataset.KindEmbedded && !slices.ContainsFunc(t.Attacked, func(r AttackRow) bool { return r.Judge == name }) {
			why[name] = "has no attacks on record, so whether it rewards empty praise or length is unknown"
			continue
		}
		rewarded := data.Where(t.Attacked, func(r AttackRow) bool {
			return r.Judge == name && r.Outcome == rewards && slices.Contains(embellishments, r.Attack)
		})
		for s, ranked := range t.Candidates() {
			r := t.boards.Overall(name, t.Systems[s].Name)
			switch {
			case !ranked || why[name] != "":
			case float64(r.Valid) < minValid*float64(r.Asked-r.LeftToOthers):
				why[name] = fmt.Sprintf("%s %.0f %% valid verdicts on %s", fewValid, 100*minValid, r.System)
			case float64(r.Valid) < minValid*float64(r.Asked):
				why[name] = "is asked only where other judges are not sure"
			}
		}
		if rewarded != nil {
			why[name] = "rewards " + joined(rewarded, " and ")
		}
	}
	return why
}
