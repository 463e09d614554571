package validation

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"compqa/data"
	"compqa/data/sources"
)

// Criteria are paired in linear time. When each was compared with each, 4,000 criteria took a minute. The limit allows for a loaded
// machine.
func TestManyCriteriaArePairedInLinearTime(t *testing.T) {
	const n = 4000
	log := func(person bool) *sources.Log {
		log := &sources.Log{Path: "log", Items: []sources.Item{{ID: "a"}, {ID: "b"}}}
		for i := range n {
			name := fmt.Sprintf("Criterion %d", i)
			if !person {
				name = fmt.Sprintf("scores.criterion_%d", i)
			}
			series := data.Series{Rater: &data.Rater{Name: "x", Kind: data.KindJudge}, Measured: &data.Measured{ID: name}}
			for k, value := range []string{"1", "0"} {
				log.Values.Add(data.Rating{Series: series, Item: int32(k), Value: value})
			}
		}
		return log
	}
	begin := time.Now()
	study, err := studyOf(log(false), log(true), Options{})
	if err != nil {
		t.Fatal(err)
	}
	pairings, unpaired, err := study.Pairings()
	if err != nil || len(pairings) != n || unpaired != nil || pairings[7].PeoplesName != "Criterion 7" {
		t.Fatalf("%d pairings, %d unpaired, %v", len(pairings), len(unpaired), err)
	}
	if took := time.Since(begin); took > 30*time.Second {
		t.Errorf("%d criteria took %v", n, took)
	}
}

// What is assumed about a scale is reported with the flag that corrects it. Nothing is reported if the user gives the scale.
func TestAssumedScales(t *testing.T) {
	for _, c := range []struct {
		judge, people []string
		given, want   string
	}{
		{[]string{"0", "1", "2", "1"}, []string{"0", "1", "3", "2"}, "", "the scale 0–3 was taken from the values of both sides (the judge's 0–2, people's 0–3): --scale score=LOW..HIGH corrects it"},
		{[]string{"0", "1", "2", "1"}, []string{"0", "1", "3", "2"}, "0..3", ""},
		{[]string{"1", "2", "5", "4", "3"}, []string{"1", "0", "5", "4", "3", "2"}, "", "if 0 stands for a missing value: --missing people.0"},
		{[]string{"yes", "no", "yes"}, []string{"yes", "unsure", "no"}, "", "--scale score=WORST,…,BEST names the order; if unsure stands for a missing value: --missing people.unsure"},
		{[]string{"1", "2", "3", "5"}, []string{"1", "2", "4", "5"}, "", ""},
	} {
		log := func(person bool, values []string) *sources.Log {
			log := &sources.Log{Path: "x"}
			series := data.Series{Rater: &data.Rater{Name: "x", Kind: data.KindJudge}, Measured: &data.Measured{ID: "score"}}
			for i, v := range values {
				log.Items = append(log.Items, sources.Item{ID: fmt.Sprint(i)})
				log.Values.Add(data.Rating{Series: series, Item: int32(i), Value: v})
			}
			return log
		}
		o := Options{}
		if c.given != "" {
			o.Scales = map[string]string{"score": c.given}
		}
		s, err := studyOf(log(false, c.judge), log(true, c.people), o)
		if err != nil {
			t.Fatal(err)
		}
		pairings, _, err := s.Pairings()
		if err != nil {
			t.Fatal(err)
		}
		if got := pairings[0].Assumed; c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%v against %v: %q, want %q", c.judge, c.people, got, c.want)
		}
	}
}
