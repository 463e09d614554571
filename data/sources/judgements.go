package sources

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"

	"compqa/data"
)

// LogOf returns one side of the sheets of judgements as a log: that of judges but floors, or that of people. A judge's first sheet of an
// item counts, and each sheet of people's mean. What people decided after they had seen the sheets of others is left out unless decisions
// are asked for, and so are the further sheets of a judge: each is an item of its own. So is each sheet where confidences are known, and
// repeats are asked for.
func LogOf(j *data.Judgements, people, decisions, repeats bool) *Log {
	log := &Log{Path: j.From, Run: true, Families: maps.Clone(j.Families), Tuned: map[string]bool{}}
	sheets, places := make([][]data.Given, len(j.Raters)), make([]int32, len(j.Items)) // of items among those of the log; 0: none
	invalid, decided, persons := map[data.Status]int{}, 0, false
	for k, rater := range j.Raters {
		log.Tuned[rater.Name] = rater.Tuned
		persons = persons || rater.Kind == data.KindPerson && rater.Name != data.Human && !rater.Decided
		if rater.Kind == data.KindFloor || (rater.Kind == data.KindPerson) != people || rater.Pooled { // whose mean is computed anew
			continue
		}
		if rater.Name == data.Human {
			log.Mean = rater.Name
		}
		for _, s := range data.ByRater(j.Sheets, k) {
			switch {
			case j.Items[s.Item].Asked == nil || s.Repeat != 1 && rater.Name != data.Human && !repeats:
			case people && s.Scores == nil:
				invalid[s.Status]++
			case rater.Decided && !decisions:
				decided++
			default:
				sheets[k], places[s.Item] = append(sheets[k], s), 1
			}
		}
	}
	for i, item := range j.Items {
		if places[i] == 0 {
			continue
		}
		places[i] = int32(len(log.Items))
		log.Items = append(log.Items, Item{ID: item.ID, System: item.System, Scenario: strings.TrimPrefix(item.Scenario, data.NoScenario),
			Group: item.Asked.Pair(), Question: item.Asked.Text, Text: j.Texts[i], File: j.From, Line: i + 1})
	}
	apart, items := repeats && j.Confidence != nil, log.Items
	if apart {
		log.Items = nil
	}
	for k, rater := range j.Raters {
		series := data.Each(j.Criteria, func(c data.Measured) *Series {
			return &Series{By: strings.TrimPrefix(rater.Name, data.Human+":"), Person: people, Criterion: c.Name}
		})
		for _, s := range sheets[k] {
			item := places[s.Item]
			if apart || repeats && s.Repeat > 1 {
				sheet := items[item]
				if s.Repeat > 1 {
					sheet.Repeat = int(s.Repeat)
				} else if sure, known := j.Confidence[[2]int32{s.Rater, s.Item}]; known {
					sheet.Confidence = &sure
				}
				item = int32(len(log.Items))
				log.Items = append(log.Items, sheet)
			}
			log.addSheet(s, item, series)
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

// addSheet adds the scores of a sheet, by criterion. A judge's sheet is complete and in range, or it has no value, with a reason; a
// person's may have gaps.
func (log *Log) addSheet(s data.Given, item int32, series []*Series) {
	for k, one := range series {
		score := Score{Item: item, Series: one, Reason: s.Reason}
		switch {
		case s.Scores == nil:
			score.Failed, score.Reason = true, cmp.Or(s.Reason, string(s.Status))
		case math.IsNaN(s.Scores[k]):
			continue
		default:
			score.Value = strconv.FormatFloat(s.Scores[k], 'f', -1, 64)
		}
		log.Scores.Add(score)
	}
}
