package validation

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/raters"
	"compqa/results/trust"
	"compqa/results/validation/scales"
	"compqa/stats"
	"compqa/stats/labels"
)

// An UnreadRow is a row of unread.csv: a threshold of a judge's confidence. Verdicts with at least this confidence could stand unread, that
// is without being read by people.
type UnreadRow struct {
	Of
	Threshold stats.Figure `csv:"threshold"`
	Labelled  int          `csv:"labelled"`
	Wrong     int          `csv:"wrong"`
	Pool      int          `csv:"pool"`
	P         stats.Figure `csv:"p"`
	Level     stats.Figure `csv:"level"`
	Stands    string       `csv:"stands"` // yes in the row of the threshold that applies: verdicts from it on stand unread
}

// An EscalationRow is a row of escalation.csv: what one judge of a cascade decides at a step. A step is a set of thresholds, one for each
// judge; p, level, stands and cost are of the whole step.
type EscalationRow struct {
	Step int `csv:"step"`
	Of
	Threshold stats.Figure `csv:"threshold"`
	Items     int          `csv:"items"`
	Labelled  int          `csv:"labelled"`
	Wrong     int          `csv:"wrong"`
	P         stats.Figure `csv:"p"` // missing if judges that were not asked would decide some items
	Level     stats.Figure `csv:"level"`
	Stands    string       `csv:"stands"`
	Cost      stats.Figure `csv:"cost"` // US dollars for an item, on average
}

// A DecidedRow is a row of decided.csv: who decides an item.
type DecidedRow struct {
	ID         string       `csv:"id"`
	System     string       `csv:"system"`
	Question   string       `csv:"question"`
	Criterion  string       `csv:"criterion"`
	Judge      string       `csv:"judge"` // "human" if people must read the item
	Value      string       `csv:"value"` // the judge's value
	Confidence stats.Figure `csv:"confidence"`
}

// usualSure is the default probability with which people must agree with verdicts that stand unread.
const usualSure = .95

// mayStand finds which verdicts may stand unread. look is the number of looks so far, including this one, or 0 if looks are not kept.
func (r *Result) mayStand(look int) error {
	cascades, err := r.cascades()
	if err != nil {
		return err
	}
	asked := make([]trust.UnreadQuestion, len(cascades))
	units := make([][]int, len(cascades)) // units of the items of each cascade
	tests := 0
	for i, cascade := range cascades {
		asked[i], units[i] = cascade.unread()
		unsure, found := data.First(cascade, func(p *Pairing) bool { sure, _ := p.confidences(); return len(sure) == 0 })
		if found && len(cascade) > 1 {
			return unsureOf(unsure.Judge)
		}
		if len(units[i]) > 0 {
			tests++
		}
		if len(cascade) == r.judges && len(r.Pairings) == r.judges {
			asked[i].Criterion = ""
		}
	}
	if tests == 0 {
		return unsureOf("the judge")
	}
	for i, cascade := range cascades {
		asked[i].Tests = tests
		asked[i].Look = look
		d := asked[i].Decide()
		finding := d.Finding()
		if r.notPeoples != "" {
			finding.Text = data.Capital(r.notPeoples) + ". " + finding.Text
		}
		r.MayStand = append(r.MayStand, finding)
		if len(cascade) > 1 {
			r.addEscalation(cascade, &d, units[i])
			continue
		}
		for k, step := range d.Steps {
			r.Unread = append(r.Unread, UnreadRow{cascade[0].Of, stats.Number(step.Judges[0].Least), step.Labelled, step.Wrong, step.Pool,
				stats.Number(step.P), stats.Number(d.Level), stands(&d, k)})
		}
	}
	return nil
}

// unsureOf returns the error for a judge without confidences.
func unsureOf(judge string) error {
	return &Needed{Flags: []string{"--map", "confidence=COLUMN"}, Err: fmt.Errorf("--unread needs to know how sure %s is of each verdict: "+
		"a column of numbers, the larger the surer, or several values of the judge for an item", judge)}
}

// stands returns "yes" if verdicts stand unread at the step, else "no".
func stands(d *trust.Unattended, step int) string {
	if d.Reason == "" && step == d.Widest {
		return "yes"
	}
	return "no"
}

// addEscalation adds the rows of a cascade, the items to ask each judge about, and who decides each item.
func (r *Result) addEscalation(c cascade, d *trust.Unattended, units []int) {
	for k, step := range d.Steps {
		p := stats.Number(step.P)
		if step.Unasked > 0 {
			p = stats.Figure{}
		}
		for j, judge := range step.Judges {
			row := EscalationRow{Step: k + 1, Of: c[j].Of, Items: judge.Items, Labelled: judge.Labelled, Wrong: judge.Wrong, P: p,
				Level: stats.Number(d.Level), Stands: stands(d, k), Cost: d.Price(step)}
			if judge.Items > 0 {
				row.Threshold = stats.Number(judge.Least)
			}
			r.Escalation = append(r.Escalation, row)
		}
	}
	r.ToAsk = map[string][]string{}
	for judge, items := range d.Question.ToAsk(d.UnreadAnswer) {
		for _, item := range items {
			r.ToAsk[c[judge].Judge] = append(r.ToAsk[c[judge].Judge], r.Units[units[item]].ID)
		}
	}
	for item, i := range units {
		u := r.Units[i]
		row := DecidedRow{ID: u.ID, System: u.System, Question: u.Question, Criterion: c[0].Criterion, Judge: data.Human}
		if step := d.Step(); step != nil {
			if judge, asked := d.Question.Decider(*step, item); judge >= 0 && asked {
				row.Judge, row.Value = c[judge].Judge, c[judge].series.Value(i)
				row.Confidence = stats.Number(d.Question.Confidence[judge][item])
			}
		}
		r.Decided = append(r.Decided, row)
	}
}

// A cascade has the pairings of several judges with one criterion of people, in the order in which the judges are asked.
type cascade []*Pairing

// cascades returns a cascade of the judges in --escalate for each criterion of people that all of them judged. Without --escalate, each
// judge is a cascade of its own.
func (r *Result) cascades() (all []cascade, err error) {
	if r.o.Escalate == nil {
		return data.Each(r.different(), func(p *Pairing) cascade { return cascade{p} }), nil
	}
	for _, name := range data.Set(data.Each(r.Pairings, func(p *Pairing) string { return p.PeoplesName })) {
		var c cascade
		for _, judge := range r.o.Escalate {
			p, found := data.First(r.Pairings, func(p *Pairing) bool { return p.Judge == judge && p.PeoplesName == name })
			if found {
				c = append(c, p)
			}
		}
		if len(c) == len(r.o.Escalate) {
			all = append(all, c)
		}
	}
	if all == nil {
		names := data.Set(data.Each(r.Pairings, func(p *Pairing) string { return p.Judge }))
		err = fmt.Errorf("--escalate %s: people scored no criterion that all of these judged; the judges are %s",
			strings.Join(r.o.Escalate, ","), data.Some(names))
	}
	return all, err
}

// unread returns the question which verdicts of a cascade may stand unread, and the units of its items. A verdict is wrong if it differs
// from the value of one person, drawn at random by the seed from those who labelled the item.
func (c cascade) unread() (u trust.UnreadQuestion, units []int) {
	p := c[0]
	u = trust.UnreadQuestion{Criterion: p.Criterion, Doubt: p.doubt(), Questions: p.openQuestions(), Drawn: p.sampling.equal,
		Word:   p.PeopleScale.Word,
		Points: p.PeopleScale.Kind == scales.Ordinal || p.PeopleScale.Kind == scales.Letters}
	u.Prices, u.Unpriced = p.o.prices(c)
	q := &u.Question
	q.Alpha = 1 - p.o.Unread
	q.Delta = 1 - p.o.Sure
	q.Seed = p.o.Seed
	q.OfAll = p.o.OfAll
	q.Sampled = p.o.Sampled
	if p.o.Sure == 0 {
		q.Delta = 1 - usualSure
	}
	sure := make([]map[int]float64, len(c))
	for j, judge := range c {
		u.Judges = append(u.Judges, judge.Judge)
		u.Continuous = u.Continuous || judge.PeopleScale.Kind == scales.Continuous || judge.JudgeScale.Kind == scales.Continuous
		if !judge.SameScale || judge.marked() {
			u.Doubt, u.Questions = judge.doubt(), judge.openQuestions()
		}
		sure[j], u.Source = judge.confidences()
	}
	q.Confidence = make([][]float64, len(c))
	q.Wrong = make([][]bool, len(c))
	for i := range p.Units {
		confidence := data.Each(sure, func(known map[int]float64) float64 { return math.NaN() })
		known := false
		for j, judge := range c {
			x, is := sure[j][i]
			switch {
			case judge.judge.Values[i].Given() && is:
				confidence[j] = x
				known = true
			case judge.series.row(i) < 0 && j > 0:
				confidence[j] = labels.NotAsked
			}
		}
		if !known {
			labelled := slices.ContainsFunc(p.people, func(r raters.Rater) bool { return r.Values[i].Given() })
			if p.judge.Values[i].Given() && !labelled {
				u.Without++
			}
			continue
		}
		units = append(units, i)
		for j, x := range confidence {
			q.Confidence[j] = append(q.Confidence[j], x)
		}
	}
	for _, confidence := range q.Confidence { // some judges were asked only about items that earlier judges left
		q.Sampled = q.Sampled || slices.Contains(confidence, labels.NotAsked)
	}
	c.addLabels(&u, units)
	return u, units
}

// addLabels adds people's labels of the units to the question, and the clusters if some have several items.
func (c cascade) addLabels(u *trust.UnreadQuestion, units []int) {
	p := c[0]
	q := &u.Question
	rng := stats.NewRNG(p.o.Seed, "unread: person")
	clusters := data.Each(units, func(i int) int { return p.Clusters[i] })
	if len(slices.Compact(slices.Sorted(slices.Values(clusters)))) < len(clusters) {
		q.Clusters = clusters
	}
	for item, i := range units {
		var people []int
		var values []float64
		for k, person := range p.people {
			if x := person.Values[i]; x.Given() {
				people = append(people, k)
				values = append(values, x.Number())
			}
		}
		if len(values) == 0 {
			if p.Units[i].Labelled {
				u.Skipped++
			}
			continue
		}
		u.Labels += len(values)
		drawn := rng.Intn(len(values))
		q.Labelled, u.Values, u.Apart = append(q.Labelled, item), append(u.Values, values[drawn]), append(u.Apart, differing(values))
		for j, judge := range c {
			q.Wrong[j] = append(q.Wrong[j], judge.judge.Values[i] != judge.people[people[drawn]].Values[i])
		}
		if p.sampling.name == designInclusion && !p.sampling.equal {
			q.Chances = append(q.Chances, p.t.Inclusion[i])
		}
	}
	q.Stream = len(q.Labelled) == len(units)
	u.Skipped = max(u.Skipped, p.words["people"].Empty[p.PeoplesName])
}

// prices returns the price of a verdict of each judge of a cascade, followed by the price of a label (0: unknown). If some judges have no
// price, all is nil. missing then names these judges, unless no price at all is known.
func (o *Options) prices(c cascade) (all []float64, missing []string) {
	for _, p := range c {
		price := o.callPrice(p.Judge)
		if !price.Known {
			missing = append(missing, p.Judge)
		}
		all = append(all, price.Value)
	}
	switch {
	case missing == nil:
		return append(all, o.LabelPrice), nil
	case o.LabelPrice == 0 && len(missing) == len(c):
		return nil, nil
	}
	return nil, missing
}

// callPrice returns the price of a verdict of a judge in US dollars: its own, or that of all judges.
func (o *Options) callPrice(judge string) stats.Figure {
	for _, name := range []string{judge, ""} {
		if price, known := o.CallPrices[name]; known {
			return stats.Number(price)
		}
	}
	return stats.Figure{}
}

// differing returns the share of pairs of values that differ, or NaN if there are no pairs.
func differing(values []float64) float64 {
	n := 0
	pairs := 0
	for i, x := range values {
		for _, y := range values[:i] {
			pairs++
			if x != y {
				n++
			}
		}
	}
	return float64(n) / float64(pairs)
}

// nextUnread draws the items that people should label next to decide which verdicts stand unread. If questions have several items, it draws
// one item of each drawn question that has no label. All questions have the same probability.
func (r *Result) nextUnread() {
	size := map[int]int{}   // judged items by cluster
	taken := map[int]bool{} // clusters with a labelled or drawn item
	var units []int
	for i, u := range r.Units {
		switch {
		case !u.Judged:
			continue
		case u.Labelled:
			taken[r.Clusters[i]] = true
		default:
			units = append(units, i)
		}
		size[r.Clusters[i]]++
	}
	done := len(taken)
	rng := stats.NewRNG(r.o.Seed, "unread: budget")
	rng.Shuffle(len(units), func(i, j int) { units[i], units[j] = units[j], units[i] })
	units = data.Where(units, func(i int) bool {
		free := !taken[r.Clusters[i]]
		taken[r.Clusters[i]] = true
		return free
	})
	n := min(r.o.Budget, len(units))
	for _, i := range slices.Sorted(slices.Values(units[:n])) {
		u := r.Units[i]
		chance := float64(done+n) / float64(len(size)*size[r.Clusters[i]])
		r.ToLabel = append(r.ToLabel, ToLabel{u, stats.Number(math.Round(1e6*chance) / 1e6)})
	}
	if n < r.o.Budget {
		r.Done = append(r.Done, fmt.Sprintf("--budget %d: only %s no label", r.o.Budget, data.Plural(n, "question has", "questions have")))
	}
	if n > 0 {
		r.Done = append(r.Done, fmt.Sprintf("tables/to_label.csv has the %s to label next, drawn at random, one of a question; keep its column "+
			"inclusion: validate --inclusion tables/to_label.csv reads it", data.Plural(n, "item", "items")))
	}
}

// confidences returns how sure the judge is of its values, by unit, and in words where this comes from: the run's log-probabilities, a
// column of the log, or the share of the judge's values of an item that equal the first one. It returns nil if there are none.
func (p *Pairing) confidences() (all map[int]float64, source string) {
	if len(p.series.Confidence) > 0 && p.confidence == "" {
		return p.series.Confidence, "the probability of the points of which the judge was least sure, by the run's log-probabilities"
	}
	if len(p.series.Confidence) > 0 {
		return p.series.Confidence, fmt.Sprintf("the judge's column %q (--map confidence=COLUMN names another)", p.confidence)
	}
	all = map[int]float64{}
	most := 0
	for unit, words := range p.series.words() {
		same := 0.0
		for _, word := range words {
			if folded(p.series.text(word)) == folded(p.series.text(words[0])) {
				same++
			}
		}
		if len(words) > 1 {
			all[unit] = same / float64(len(words))
			most = max(most, len(words))
		}
	}
	if len(all) == 0 {
		return nil, ""
	}
	return all, fmt.Sprintf("the share of up to %d votes of the judge for its first value (--map confidence=COLUMN names a column)", most)
}
