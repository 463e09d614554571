package validation

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"compqa/data"
	"compqa/results/trust"
	"compqa/results/validation/scales"
	"compqa/stats"
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

// usualSure is how sure it is to be that people agree with what stands unread.
const usualSure = .95

// mayStand finds which verdicts may stand unread. look is the number of looks that are kept with this one; 0: none are.
func (r *Result) mayStand(look int) error {
	var asked []trust.Unread
	known := false
	for _, p := range r.different() {
		u := p.unreadQuestion()
		known = known || len(u.Question.Confidence) > 0
		if r.judges == 1 && len(r.Pairings) == 1 {
			u.Criterion = ""
		}
		asked = append(asked, u)
	}
	if !known {
		return &Needed{Flags: []string{"--map", "confidence=COLUMN"}, Err: errors.New("--unread needs to know how sure the judge is of each " +
			"verdict: a column of numbers, the larger the surer, or several values of the judge for an item")}
	}
	tests := len(data.Where(asked, func(u trust.Unread) bool { return len(u.Question.Confidence) > 0 }))
	for i, p := range r.different() {
		asked[i].Tests, asked[i].Look = tests, look
		d := asked[i].Decide()
		finding := d.Finding()
		if r.notPeoples != "" {
			finding.Text = data.Capital(r.notPeoples) + ". " + finding.Text
		}
		r.MayStand = append(r.MayStand, finding)
		for k, step := range d.Steps {
			stands := "no"
			if d.Reason == "" && k == d.Widest {
				stands = "yes"
			}
			r.Unread = append(r.Unread, UnreadRow{p.Of, stats.Number(step.Threshold), step.Labelled, step.Wrong, step.Pool,
				stats.Number(step.P), stats.Number(d.Level), stands})
		}
	}
	return nil
}

// unreadQuestion asks which verdicts of the pairing may stand unread. A verdict is wrong where it is another value than that of a person
// drawn at random, by the seed, from those who labelled the item.
func (p *Pairing) unreadQuestion() trust.Unread {
	u := trust.Unread{Judge: p.Judge, Criterion: p.Criterion, Doubt: p.doubt(), Questions: p.openQuestions(), Word: p.PeopleScale.Word,
		Points:     p.PeopleScale.Kind == scales.Ordinal || p.PeopleScale.Kind == scales.Letters,
		Continuous: p.PeopleScale.Kind == scales.Continuous || p.JudgeScale.Kind == scales.Continuous}
	q := &u.Question
	q.Alpha, q.Delta, q.Seed = 1-p.o.Unread, 1-p.o.Sure, p.o.Seed
	if p.o.Sure == 0 {
		q.Delta = 1 - usualSure
	}
	confidence, source := p.confidences()
	rng := stats.NewRNG(p.o.Seed, "unread: person")
	size := map[int]int{} // of clusters
	clustered := false
	var clusters []int
	for i, v := range p.judge.Values {
		if !v.Given() {
			continue
		}
		sure, known := confidence[i]
		if !known {
			u.Without++
			continue
		}
		item := len(q.Confidence)
		q.Confidence, clusters = append(q.Confidence, sure), append(clusters, p.Clusters[i])
		size[p.Clusters[i]]++
		clustered = clustered || size[p.Clusters[i]] > 1
		var values []float64
		for _, person := range p.people {
			if x := person.Values[i]; x.Given() {
				values = append(values, x.Number())
			}
		}
		if len(values) == 0 {
			if p.Units[i].Labelled {
				u.Skipped++
			}
			continue
		}
		value := values[rng.Intn(len(values))]
		q.Labelled, q.Wrong, u.Values = append(q.Labelled, item), append(q.Wrong, value != v.Number()), append(u.Values, value)
		u.Apart = append(u.Apart, differing(values))
		if p.sampling.name == designInclusion && !p.sampling.equal {
			q.Chances = append(q.Chances, p.t.Units[i].Inclusion)
		}
	}
	if clustered {
		q.Clusters = clusters
	}
	q.Stream = len(q.Labelled) == len(q.Confidence)
	u.Source = source
	u.Skipped = max(u.Skipped, p.words["people"].Empty[p.PeoplesName])
	return u
}

// differing is the share of pairs of values that differ; NaN: there is no pair.
func differing(values []float64) float64 {
	n, pairs := 0, 0
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
	size, labelled := map[int]int{}, map[int]bool{} // of clusters with judged items
	clusters, done := 0, 0
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
	rng, drawn := stats.NewRNG(r.o.Seed, "unread: budget"), map[int]bool{}
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

// confidences are how sure the judge is of its values, by unit, and what they are in words: as the log says, or else the share of the
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
	row := 0
	for i := range p.Units {
		from := row
		more := p.series.furtherOf(i, &row)
		same := 1.0
		for k := range more {
			if folded(valueOf(&p.series.further, from+k)) == folded(p.series.Value(i)) {
				same++
			}
		}
		if len(more) > 0 {
			all[i], most = same/float64(1+len(more)), max(most, 1+len(more))
		}
	}
	if len(all) == 0 {
		return nil, ""
	}
	return all, fmt.Sprintf("the share of up to %d votes of the judge for its first value (--map confidence=COLUMN names a column)", most)
}
