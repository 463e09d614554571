package validation

import (
	"fmt"
	"testing"
	"time"

	"compqa/data/sources"
)

// Criteria are paired in linear time: comparing each with each, 4,000 took a minute. The limit is for a loaded machine.
func TestManyCriteriaArePairedInLinearTime(t *testing.T) {
	const n = 4000
	log := func(person bool) *sources.Log {
		log := &sources.Log{Path: "log", Items: []sources.Item{{ID: "a"}, {ID: "b"}}}
		for i := range n {
			name := fmt.Sprintf("Criterion %d", i)
			if !person {
				name = fmt.Sprintf("scores.criterion_%d", i)
			}
			of := &sources.Series{By: "x", Person: person, Criterion: name}
			for k, value := range []string{"1", "0"} {
				log.Scores = append(log.Scores, sources.Score{Series: of, Item: int32(k), Value: value})
			}
		}
		return log
	}
	begin := time.Now()
	study, err := NewStudy(log(false), log(true), Options{})
	if err != nil {
		t.Fatal(err)
	}
	pairings, unpaired, err := study.Pairings()
	if err != nil || len(pairings) != n || unpaired != nil || pairings[7].PeoplesName != "Criterion 7" {
		t.Fatalf("%d pairings, %d unpaired, %v", len(pairings), len(unpaired), err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("%d criteria took %v", n, took)
	}
}
