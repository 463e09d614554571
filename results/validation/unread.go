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

// An UnreadRow is a threshold of a judge's confidence from which on its verdicts could stand unread, a row of unread.csv.
type UnreadRow struct {
	Of
	Threshold stats.Figure `csv:"threshold"`
	Labelled  int          `csv:"labelled"`
	Wrong     int          `csv:"wrong"`
	Pool      int          `csv:"pool"`
	P         stats.Figure `csv:"p"`
	Level     stats.Figure `csv:"level"`
	Stands    string       `csv:"stands"` // yes in the row from which on verdicts stand unread
}

// An EscalationRow is what a judge of a cascade decides at a step, a row of escalation.csv; p, level, stands and cost belong to the
// step.
type EscalationRow struct {
	Step int `csv:"step"`
	Of
	Threshold stats.Figure `csv:"threshold"`
	Items     int          `csv:"items"`
	Labelled  int          `csv:"labelled"`
	Wrong     int          `csv:"wrong"`
	P         stats.Figure `csv:"p"` // missing where judges who were not asked would decide
	Level     stats.Figure `csv:"level"`
	Stands    string       `csv:"stands"`
	Cost      stats.Figure `csv:"cost"` // US dollars of an item, on average
}

// A DecidedRow says who decides an item, a row of decided.csv.
type DecidedRow struct {
	ID         string       `csv:"id"`
	System     string       `csv:"system"`
	Question   string       `csv:"question"`
	Criterion  string       `csv:"criterion"`
	Judge      string       `csv:"judge"` // human: people read it
	Value      string       `csv:"value"` // of this judge
	Confidence stats.Figure `csv:"confidence"`
}

// usualSure is how sure it is to be that people agree with what stands unread.
const usualSure = .95

// mayStand finds which verdicts may stand unread. look is the number of looks that are kept with this one; 0: none are.
func (r *Result) mayStand(look int) error {
	cascades, err := r.cascades()
	if err != nil {
		return err
	}
	asked := make([]trust.Unread, len(cascades))
	units := make([][]int, len(cascades)) // of the items of each
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

// unsureOf returns the error for a judge that says no confidence.
func unsureOf(judge string) error {
	return &Needed{Flags: []string{"--map", "confidence=COLUMN"}, Err: fmt.Errorf("--unread needs to know how sure %s is of each verdict: "+
		"a column of numbers, the larger the surer, or several values of the judge for an item", judge)}
}

// stands returns the cell of a step.
func stands(d *trust.Unattended, step int) string {
	if d.Reason == "" && step == d.Widest {
		return "yes"
	}
	return "no"
}

// addEscalation adds the rows of a cascade, and who decides each of the units.
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

// A cascade is the pairings of judges with one criterion of people, in the order in which the judges are asked.
type cascade []*Pairing

// cascades returns the judges of --escalate for each criterion of people, or else each judge alone.
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

// unread asks which verdicts may stand unread, of which units. A verdict is wrong where it is another value than that of a person drawn at
// random, by the seed, from those who labelled the item.
func (c cascade) unread() (u trust.Unread, units []int) {
	p := c[0]
	u = trust.Unread{Criterion: p.Criterion, Doubt: p.doubt(), Questions: p.openQuestions(), Drawn: p.sampling.equal, Word: p.PeopleScale.Word,
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
	for _, confidence := range q.Confidence { // a judge that was asked about what is left alone
		q.Sampled = q.Sampled || slices.Contains(confidence, labels.NotAsked)
	}
	c.addLabels(&u, units)
	return u, units
}

// addLabels adds people's labels of the units, and their clusters.
func (c cascade) addLabels(u *trust.Unread, units []int) {
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
			q.Chances = append(q.Chances, p.t.Units[i].Inclusion)
		}
	}
	q.Stream = len(q.Labelled) == len(units)
	u.Skipped = max(u.Skipped, p.words["people"].Empty[p.PeoplesName])
}

// prices returns those of a verdict of each judge of a cascade, and of a label (0: not known); nil: not all of judges are
// known. Then missing are the judges without a price, if any price is known.
func (o *Options) prices(c cascade) (all []float64, missing []string) {
	for _, p := range c {
		price, known := o.CallPrices[p.Judge]
		if !known {
			price, known = o.CallPrices[""]
		}
		if !known {
			missing = append(missing, p.Judge)
		}
		all = append(all, price)
	}
	switch {
	case missing == nil:
		return append(all, o.LabelPrice), nil
	case o.LabelPrice == 0 && len(missing) == len(c):
		return nil, nil
	}
	return nil, missing
}

// differing returns the share of pairs of values that differ; NaN without a pair.
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

// nextUnread draws the items to label next for an answer on verdicts that stand unread: each with an equal probability, or one of each
// question of which nobody labelled an item, where questions have several.
func (r *Result) nextUnread() {
	size := map[int]int{}
	labelled := map[int]bool{} // of clusters with judged items
	clusters := 0
	done := 0
	var units []int
	for i, u := range r.Units {
		if !u.Judged {
			continue
		}
		size[r.Clusters[i]]++
		if size[r.Clusters[i]] == 1 {
			clusters++
		}
		if u.Labelled && !labelled[r.Clusters[i]] {
			labelled[r.Clusters[i]] = true
			done++
		}
		if !u.Labelled {
			units = append(units, i)
		}
	}
	rng := stats.NewRNG(r.o.Seed, "unread: budget")
	drawn := map[int]bool{}
	rng.Shuffle(len(units), func(i, j int) { units[i], units[j] = units[j], units[i] })
	units = data.Where(units, func(i int) bool {
		cluster := r.Clusters[i]
		free := !labelled[cluster] && !drawn[cluster]
		drawn[cluster] = true
		return free
	})
	n := min(r.o.Budget, len(units))
	for _, i := range slices.Sorted(slices.Values(units[:n])) {
		u := r.Units[i]
		chance := float64(done+n) / float64(clusters*size[r.Clusters[i]])
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

// confidences returns how sure the judge is of its values, by unit, and what they are in words: as the log says, or else the share of the
// values of an item that are the one which counts.
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
