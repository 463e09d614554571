package validation

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/raters"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/results/validation/scales"
	"compqa/stats"
	"compqa/stats/labels"
)

// TogetherAll is the value of Options.Together if no judge is named.
const TogetherAll = "all"

// allSystems is the name of the system in rows over all systems. If there are no systems, it is in the only row.
const allSystems = "all"

// A TogetherRow is a row of together.csv: people's mean, estimated from all judges together.
type TogetherRow struct {
	Criterion string       `csv:"criterion"` // criterion of people
	System    string       `csv:"system"`
	Judges    string       `csv:"judges"`
	Items     int          `csv:"n_items"`
	Labelled  int          `csv:"n_labelled"`
	Mean      stats.Figure `csv:"mean,low,high"`
	Basis     string       `csv:"basis"`
	Alone     stats.Figure `csv:"labels_alone,labels_low,labels_high"`
	All       stats.Figure `csv:"together,together_low,together_high"`
	Explained stats.Figure `csv:"explained"`
	Labels    stats.Figure `csv:"next_labels"`
	More      stats.Figure `csv:"next_items"`
	Half      stats.Figure `csv:"next_half_width"`
	Why       string       `csv:"why"` // why judges are not combined
}

// together estimates people's mean of each criterion that several judges rated: over all items, and for each system.
func (r *Result) together() error {
	named := r.o.Together
	if named != TogetherAll && !slices.ContainsFunc(r.Pairings, func(p *Pairing) bool { return p.Judge == named }) {
		return fmt.Errorf("--together=%s: no judge has this name; judges are %s", named,
			data.Some(data.Set(data.Each(r.Pairings, func(p *Pairing) string { return p.Judge }))))
	}
	ordered := data.Where(r.different(), func(p *Pairing) bool {
		return p.PeopleScale.Kind != scales.Nominal && p.JudgeScale.Kind != scales.Nominal && !p.series.Tuned
	})
	several := data.Where(table.Grouped(ordered, func(p *Pairing) string { return p.PeoplesName }),
		func(judges []*Pairing) bool { return len(judges) > 1 })
	if len(several) == 0 {
		return errors.New("--together needs a criterion with ordered values of people and of two judges or more that were not tuned " +
			"on these people's scores, in one log or several")
	}
	for _, judges := range several {
		if sound := data.Where(judges, func(p *Pairing) bool { return !p.marked() }); len(sound) > 1 {
			judges = sound
		}
		_, systems := stats.NumberLabels(data.Each(judges[0].Units, func(u Unit) string { return u.System }))
		systems = data.Where(systems, func(system string) bool { return system != "" })
		if len(systems) < 2 || len(systems) > mostSystems {
			systems = nil
		}
		for _, system := range append([]string{allSystems}, systems...) {
			asked := r.askTogether(judges, system)
			if len(several) == 1 {
				asked.Criterion = ""
			}
			if len(asked.Sample.Human) == 0 && system != allSystems {
				continue
			}
			d := asked.Decide()
			if system == allSystems {
				r.Jointly = append(r.Jointly, d.Finding())
			} else {
				d.Next = trust.Purchase{} // the advice on labels is for all systems
			}
			r.Together = append(r.Together, TogetherRow{judges[0].PeoplesName, system, strings.Join(asked.Judges, ", "),
				len(asked.Sample.Judges[0]), len(asked.Sample.Human), judges[0].onScale(d.Mean), d.Basis, d.Alone, d.All, d.Explained, d.Next.Labels,
				d.Next.Items, d.Next.Half, string(d.Reason)})
		}
	}
	return nil
}

// askTogether collects the data for people's mean of a system's items to which all judges gave a value.
func (r *Result) askTogether(judges []*Pairing, system string) trust.AllJudges {
	first := judges[0]
	s := stats.TogetherSample{Judges: make([][]float64, len(judges)), Seed: r.o.Seed}
	asked := trust.AllJudges{Criterion: first.PeoplesName, Judges: namesOfJudges(judges), Item: stats.Number(0),
		Doubt: doubtTogether(judges)}
	clustered := false
	sizes := map[int]int{}
	people := 0
	for i, u := range first.Units {
		if system != allSystems && u.System != system {
			continue
		}
		given := len(data.Where(judges, func(p *Pairing) bool { return p.judge.Values[i].Given() }))
		if given < len(judges) {
			if given > 0 {
				asked.LeftOut++
			}
			continue
		}
		if m := first.mean.Values[i]; m.Given() {
			s.Labelled, s.Human = append(s.Labelled, len(s.Judges[0])), append(s.Human, m.Number())
			people += len(data.Where(first.people, func(r raters.Rater) bool { return r.Values[i].Given() }))
		}
		for j, p := range judges {
			s.Judges[j] = append(s.Judges[j], p.judge.Values[i].Number())
		}
		s.Clusters = append(s.Clusters, first.Clusters[i])
		sizes[first.Clusters[i]]++
		clustered = clustered || sizes[first.Clusters[i]] > 1
	}
	if !clustered {
		s.Clusters = nil
	}
	asked.Sample = s
	asked.Drawn = first.sampling.equal
	asked.People = float64(people) / float64(max(1, len(s.Human)))
	if r.o.LabelPrice > 0 {
		asked.Label = stats.Number(r.o.LabelPrice)
	}
	for _, p := range judges {
		asked.Questions = append(asked.Questions, p.openOf(judges)...)
		price := r.o.callPrice(p.Judge)
		if !price.Known {
			asked.Unpriced = append(asked.Unpriced, p.Judge)
		}
		asked.Item = stats.Figure{Value: asked.Item.Value + price.Value, Known: asked.Item.Known && price.Known}
		if p.Judge == r.o.Together && p.SameScale {
			asked.Named = p.Judge
			asked.First, _ = p.items().Where(func(item trust.Item) bool { return system == allSystems || item.System == system }).Correct()
		}
	}
	asked.Questions = data.Set(asked.Questions)
	for _, p := range r.different() {
		if p.PeoplesName == first.PeoplesName && p.marked() && !slices.Contains(judges, p) {
			asked.Marked = append(asked.Marked, p.Judge+", of which first say "+data.List(p.openQuestions()))
		}
	}
	tuned := data.Where(r.Pairings, func(p *Pairing) bool { return p.series.Tuned && p.PeoplesName == first.PeoplesName })
	asked.Tuned = data.Set(data.Each(tuned, func(p *Pairing) string { return p.Judge }))
	return asked
}

// openOf returns a judge's open questions. If another judge does not have the same question, the judge's name is added.
func (p *Pairing) openOf(judges []*Pairing) []string {
	return data.Each(p.openQuestions(), func(question string) string {
		if slices.ContainsFunc(judges, func(q *Pairing) bool { return !slices.Contains(q.openQuestions(), question) }) {
			return "of " + p.Judge + " " + question
		}
		return question
	})
}

// namesOfJudges returns the judges' names. If a judge has several criteria for the same criterion of people, the names include the
// criterion.
func namesOfJudges(judges []*Pairing) []string {
	several := len(data.Set(data.Each(judges, func(p *Pairing) string { return p.Judge }))) < len(judges)
	return data.Each(judges, func(p *Pairing) string {
		if several {
			return p.Judge + "." + p.Criterion
		}
		return p.Judge
	})
}

// doubtTogether returns the reason why judges cannot be combined, whatever their values are, or "". It tests for each judge, and for all
// judges together, whether labels are a random sample. The level of a test is divided by the number of tests.
func doubtTogether(judges []*Pairing) (doubt trust.Reason) {
	for _, p := range judges {
		if p.marked() {
			return trust.Unchecked
		}
		for i, m := range p.mean.Values { // a threshold for one judge changes people's values, too
			if first := judges[0].mean.Values[i]; m.Given() != first.Given() || m.Given() && m.Number() != first.Number() {
				return trust.NotOneScale
			}
		}
		if p.sampling.name == designInclusion && !p.sampling.equal {
			doubt = trust.ByWeights
		}
		for _, d := range p.sampling.Differences {
			switch {
			case d.P >= chosenLevel/float64(len(judges)+1):
			case d.Name == "verdict":
				return trust.LabelsByVerdict
			default:
				doubt = trust.ByWeights
			}
		}
	}
	if doubt == "" && !judges[0].sampling.equal && chosenTogether(judges) < chosenLevel/float64(len(judges)+1) {
		return trust.LabelsByVerdict
	}
	return doubt
}

// chosenTogether returns the p-value of a test whether labelled and unlabelled items differ in the values of all judges together. Labels
// only of items on which judges agree are no random sample, although each single judge's values are the same on them.
func chosenTogether(judges []*Pairing) float64 {
	var units []int
	for i := range judges[0].Units {
		if !slices.ContainsFunc(judges, func(p *Pairing) bool { return !p.judge.Values[i].Given() }) {
			units = append(units, i)
		}
	}
	values := make([]string, len(units))
	for _, p := range judges {
		for k, level := range p.verdictLevels(units).Level {
			values[k] += fmt.Sprint(level, " ")
		}
	}
	labelled := data.Each(units, func(i int) bool { return judges[0].mean.Values[i].Given() })
	clusters := data.Each(units, func(i int) int { return judges[0].Clusters[i] })
	return labels.FindDesign(labelled, clusters, []labels.Variable{levelsOf("verdicts", values)}, designLevel).Least
}
