package judgequality

import (
	"math"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/stats"
)

// Identical is the probe that pairs an answer with itself.
const Identical = "identical answers"

// A Change is a probe: its name, a description of the change, and what the judge should do.
type Change struct{ Name, About, Expects string }

// ReadSheets fills the datasheet from the recorded run of the judge. It returns the totals of the first valid verdicts, by the answer's ID.
func (d *Datasheet) ReadSheets(run *dataset.Run) map[string]float64 {
	d.Rubric, d.Maximum = run.Rubric.Name, run.Rubric.Max()
	index := store.Named(run.Judges, d.Judge)
	if index < 0 {
		return nil
	}
	d.Kind = run.Judges[index].Kind
	d.About = run.Judges[index].About
	totals := map[string]float64{}
	equal := 0
	sum := 0.0
	for _, s := range run.Sheets {
		id := run.Answers[s.Item].ID
		switch before, has := totals[id]; {
		case int(s.Rater) != index:
		case s.Status != data.Valid:
			d.Failed++
		case s.Repeat == 1:
			totals[id] = s.Total
		case has: // has a first total, as sheets are sorted by repeat
			d.Repeats.N++
			equal += int(dataset.Indicator(s.Total == before))
			sum += math.Abs(s.Total - before)
		}
	}
	d.Repeats.Equal, d.Repeats.MeanDifference = stats.Ratio(equal, d.Repeats.N), stats.Ratio(sum, d.Repeats.N)
	return totals
}

// CompareSheets compares the judge with the people who scored in the run in dir. Each score by a person is compared with the score of the
// judge's first valid verdict on the same answer.
func (d *Datasheet) CompareSheets(dir string) error {
	run, err := dataset.Load(dir)
	if err != nil {
		return err
	}
	index := store.Named(run.Judges, d.Judge)
	values := map[int32][]float64{}
	for _, s := range run.Sheets {
		if int(s.Rater) == index && s.Status == data.Valid && values[s.Item] == nil {
			values[s.Item] = s.Scores
		}
	}
	for j, person := range run.Judges {
		if !data.IsHuman(person.Name) {
			continue
		}
		var judged, people []float64
		for _, s := range run.Sheets {
			scores := values[s.Item]
			if int(s.Rater) != j || scores == nil || s.Scores == nil {
				continue
			}
			for c, v := range s.Scores {
				if !math.IsNaN(v) {
					judged = append(judged, scores[c])
					people = append(people, v)
				}
			}
		}
		if judged != nil {
			d.People = append(d.People, NewChance(person.Name, judged, people))
		}
	}
	return nil
}

// ReadPairs fills the datasheet from the record of a judge of pairs: its choices on the set probes, and how often it repeats them. Repeats
// are on the set again, where rounds of the judge answered the same pairs. changes describes the probes, by the domain of their pairs.
func (d *Datasheet) ReadPairs(record *dataset.PairwiseRecord, probes, again string, changes []Change) (err error) {
	index := slices.IndexFunc(record.Judges, func(j store.Participant) bool { return j.Name == d.Judge })
	if index < 0 {
		return nil
	}
	d.Kind = record.Judges[index].Kind
	d.About = record.Judges[index].Method + ", " + record.Judges[index].About
	changes = append([]Change{{Identical, "the answer beside itself, with one more blank", data.Stays}}, changes...)
	choices := map[int][2]data.Choice{}
	rounds := map[[2]any][]data.Choice{}
	for _, p := range record.Prefs {
		judge := record.Judges[p.Judge].Name
		set := record.Sets[record.Pairs[p.Pair].Set].Name
		switch {
		case p.Judge == index && set == probes && p.Status != data.Valid:
			d.Failed++
		case p.Judge == index && set == probes:
			both := choices[p.Pair]
			both[slices.Index(data.Orders, p.Order)] = p.Choice
			choices[p.Pair] = both
		case set == again && record.Judges[p.Judge].Kind != dataset.KindFloor && p.Status == data.Valid:
			if base, _ := store.BaseOf(judge); base == d.Judge+" "+again {
				key := [2]any{p.Pair, p.Order}
				rounds[key] = append(rounds[key], p.Choice)
			}
		}
	}
	var pairs []ProbedPair
	for _, change := range changes {
		for i, p := range record.Pairs {
			both := choices[i]
			if p.Domain == change.Name && both[0] != "" && both[1] != "" {
				pairs = append(pairs, ProbedPair{Probe: change.Name, About: change.About, Expects: change.Expects,
					Question: stats.Count(p.Cluster).Text(0), Choices: both})
			}
		}
	}
	d.Pairs, d.Orders, err = PairProbeRows(d.Judge, pairs)
	equal := 0
	for _, said := range rounds {
		if len(said) == 2 {
			d.Repeats.N++
			equal += int(dataset.Indicator(said[0] == said[1]))
		}
	}
	d.Repeats.Equal = stats.Ratio(equal, d.Repeats.N)
	return err
}

// ComparePairs compares the judge's choices with the labels of the pairs in a run, in each order. Only pairs with label a or b count.
func (d *Datasheet) ComparePairs(dir string) error {
	db, err := store.Open(dir)
	if err != nil {
		return err
	}
	defer db.Close()
	if has, err := db.HasPairs(); err != nil || !has {
		return err
	}
	record, err := dataset.LoadPairs(db, "")
	if err != nil {
		return err
	}
	code := map[data.Choice]float64{data.ChoiceA: 1, data.ChoiceB: -1, data.ChoiceTie: 0}
	var judged, labels []float64
	for _, p := range record.Prefs {
		if label := record.Pairs[p.Pair].Label; record.Judges[p.Judge].Name == d.Judge && p.Status == data.Valid && label.Decided() {
			judged = append(judged, code[p.Choice])
			labels = append(labels, code[label])
		}
	}
	if judged != nil {
		d.People = append(d.People, NewChance("labels of pairs", judged, labels))
	}
	return nil
}
