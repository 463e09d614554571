package validation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"compqa/data"
	"compqa/data/sources"
	"compqa/llm/structured"
	"compqa/results/dataset"
	"compqa/results/store"
)

// ReadRun reads a run with the texts of its answers. If confidences is set and the run has log-probabilities, it also reads how sure judges
// are of their first sheets: the probability of the points of which they were least sure.
func ReadRun(dir string, confidences bool) (*dataset.Dataset, error) {
	run, err := dataset.Load(dir)
	if err != nil {
		return nil, err
	}
	s, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	record := dataset.New(run)
	texts := map[string]string{}
	err = store.EachOf(s, store.KindAnswer, func(a struct{ ID, Text string }) error {
		texts[a.ID] = a.Text
		return nil
	})
	if err != nil {
		return nil, err
	}
	record.Judgements.Texts = data.Each(record.Judgements.Items, func(item data.Rated) string { return texts[item.ID] })
	if confidences {
		record.Judgements.Confidence, err = confidencesOf(s, record)
	}
	return record, err
}

// confidencesOf returns how sure judges are of their first sheets, by rater and item. A sheet has no confidence if the probability of some
// of its points is missing.
func confidencesOf(s *store.Store, record *dataset.Dataset) (map[[2]int32]float64, error) {
	items := map[string]int32{}
	criteria := record.Rubric.IDs()
	for i, item := range record.Judgements.Items {
		items[item.ID] = int32(i)
	}
	points := map[[2]int32]map[string]float64{}
	err := store.Each(s, `SELECT v.judge, v.answer, c.raw FROM verdicts v, json_each(v.calls) k JOIN calls c ON c.id = k.value
		WHERE v.repeat = 1 AND v.status = 'valid' AND instr(c.raw, '"logprob"') ORDER BY v.judge, v.answer, k.key`, nil,
		func(call struct{ Judge, Answer, Raw string }) error {
			item, known := items[call.Answer]
			if rater := record.JudgeNamed(call.Judge); known && rater >= 0 {
				sheet := [2]int32{int32(rater), item}
				if points[sheet] == nil {
					points[sheet] = map[string]float64{}
				}
				maps.Copy(points[sheet], structured.PointsProbabilities(call.Raw, criteria)) // later calls correct earlier ones
			}
			return nil
		})
	var all map[[2]int32]float64 // nil: the run has no log-probabilities
	for sheet, probabilities := range points {
		if len(probabilities) == len(criteria) {
			if all == nil {
				all = map[[2]int32]float64{}
			}
			all[sheet] = slices.Min(slices.Collect(maps.Values(probabilities)))
		}
	}
	return all, err
}

// A Side says which score sheets of a run are read. The zero value means the first sheets of judges.
type Side struct {
	People    bool // sheets of people, not of judges
	Decisions bool // for people: also their decisions after they had seen others' sheets
	Repeats   bool // for judges: also their further sheets, as items of their own; with confidences every sheet is an item
}

// SideOfRun returns the sheets of judges (without floors) or of people as a log. Of a judge, the first sheet of an item counts, unless
// side.Repeats is set. Of people's recorded mean, all sheets count.
func SideOfRun(j *data.Judgements, side Side) *sources.Log {
	log := &sources.Log{Path: j.From, Run: true, Values: data.Judgements{Families: maps.Clone(j.Families)}}
	sheets := make([][]data.Given, len(j.Raters))
	places := make([]int32, len(j.Items)) // index of each item in the log; 0: not in it
	invalid := map[data.Status]int{}
	decided := 0
	persons := false
	for k, rater := range j.Raters {
		persons = persons || rater.Kind == data.KindPerson && rater.Name != data.Human && !rater.Decided
		if rater.Kind == data.KindFloor || (rater.Kind == data.KindPerson) != side.People || rater.Pooled { // the mean is computed anew
			continue
		}
		if rater.Name == data.Human {
			log.Mean = rater.Name
		}
		for _, s := range data.ByRater(j.Sheets, k) {
			switch {
			case j.Items[s.Item].Asked == nil || s.Repeat != 1 && rater.Name != data.Human && !side.Repeats:
			case !side.People && s.Left(): // the judge was not asked: no verdict failed
			case side.People && s.Scores == nil:
				invalid[s.Status]++
			case rater.Decided && !side.Decisions:
				decided++
			default:
				sheets[k] = append(sheets[k], s)
				places[s.Item] = 1
			}
		}
	}
	for i, item := range j.Items {
		if places[i] == 0 {
			continue
		}
		places[i] = int32(len(log.Items))
		log.Items = append(log.Items, sources.Item{ID: item.ID, Question: item.Asked.Text, Text: j.Texts[i], Line: i + 1}.With(sources.About{
			System: item.System, Scenario: strings.TrimPrefix(item.Scenario, data.NoScenario), Group: item.Asked.Pair(), File: j.From}))
	}
	apart := side.Repeats && j.Confidence != nil
	items := log.Items
	if apart {
		log.Items = nil
	}
	for k, rater := range j.Raters {
		rater.Name = strings.TrimPrefix(rater.Name, data.Human+":")
		for _, s := range sheets[k] {
			item := places[s.Item]
			if apart || side.Repeats && s.Repeat > 1 {
				sheet := items[item]
				sheet.Change(func(about *sources.About) {
					if s.Repeat > 1 {
						about.Repeat = int(s.Repeat)
					} else if sure, known := j.Confidence[[2]int32{s.Rater, s.Item}]; known {
						about.Confidence = &sure
					}
				})
				item = int32(len(log.Items))
				log.Items = append(log.Items, sheet)
			}
			log.Values.AddSheet(s, rater, j.Criteria, item)
		}
	}
	if log.Mean != "" && persons {
		log.Notes = append(log.Notes, fmt.Sprintf("%s: human is people's mean: where it has points, the mean is not computed anew", j.From))
	}
	if decided > 0 {
		log.Notes = append(log.Notes, fmt.Sprintf("%s: left out: %s that people made after seeing the scores of others", j.From,
			data.Plural(decided, "decision", "decisions")))
	}
	for _, status := range data.Statuses {
		if n := invalid[status]; n > 0 {
			log.Notes = append(log.Notes, fmt.Sprintf("%s: left out: %s of people that %s not valid (%s)", j.From,
				data.Plural(n, "score sheet", "score sheets"), data.Form(n, "is", "are"), status))
		}
	}
	return log
}

// DeclaredScales returns the scale that the rubric of a run gives each criterion, by the criterion's name.
func DeclaredScales(j *data.Judgements) map[string]string {
	all := map[string]string{}
	for _, c := range j.Criteria {
		if c.Scale != "" {
			all[c.Name] = c.Scale
		}
	}
	return all
}

// PaidPerVerdict returns the mean price of a verdict for each judge of a run. A judge that is a program costs nothing. A judge whose
// attempts have an unknown price, or whose verdicts were imported, has no price.
func PaidPerVerdict(record *dataset.Dataset) map[string]float64 {
	prices := map[string]float64{}
	cost := map[string]float64{}
	unknown := map[string]bool{}
	for _, account := range record.Costs {
		if account.Kind == store.KindVerdict {
			cost[account.Name] += account.Cost
			unknown[account.Name] = unknown[account.Name] || account.Unpriced > 0
		}
	}
	verdicts := make([]int, len(record.Judges))
	for _, sheet := range record.Sheets {
		if !sheet.Left() {
			verdicts[sheet.Rater]++
		}
	}
	for j, judge := range record.Judges {
		_, asked := cost[judge.Name]
		if embedded := judge.Kind == dataset.KindEmbedded; verdicts[j] > 0 && !unknown[judge.Name] && (asked || embedded) {
			prices[judge.Name] = cost[judge.Name] / float64(verdicts[j])
		}
	}
	return prices
}
