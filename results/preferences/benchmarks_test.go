package preferences

import (
	"fmt"
	"math"
	"testing"

	"compqa/data"
)

// TestItems checks best of n, computed by hand. Of three questions with three candidates each, the first is right in all pairs, the second
// in two of three. The third has a pair that is not valid in order ba.
func TestItems(t *testing.T) {
	f := &pairwiseFixture{}
	for i := range 9 {
		f.pair(fmt.Sprint("p", i), fmt.Sprint("c", i/3), "a")
		f.set.Pairs[i].Item = fmt.Sprint("q", i/3)
	}
	f.judge("j", "a/a", "a/a", "a/a", "a/a", "a/a", "b/b", "a/a", "a/-", "a/a")
	b, _ := f.board(t)
	for i, want := range []struct {
		n     int
		share float64
	}{{3, 2.0 / 3}, {2, 1.0 / 2}, {2, 1.0 / 2}} { // ab, ba, both
		if r := each(b.groups, group.rows)[i]; r.Items != want.n || !equals(r.ItemAccuracy.Point(), want.share) {
			t.Errorf("%s: %s of %d, want %+v", r.Order, r.ItemAccuracy.Point().Text(3), r.Items, want)
		}
	}
}

// TestBenchmarks checks scores by the rules of the benchmarks' own scripts, computed by hand.
func TestBenchmarks(t *testing.T) {
	type pair struct{ id, domain, item, choices string } // a is better
	for name, test := range map[string]struct {
		pairs []pair
		want  map[string]float64
	}{
		// calculate_scores_per_section of rewardbench: subsets weighted by their prompts, math-prm as 984; final: mean of four.
		"RewardBench (filtered)": {[]pair{
			{"1", "alpacaeval-easy", "", "a/a"}, {"2", "alpacaeval-easy", "", "b/b"}, {"3", "mt-bench-med", "", "a/b"}, // (1 + 0 + .5) / 3
			{"4", "llmbar-natural", "", "t/a"},                                                   // (.5 + 1) / 2
			{"5", "donotanswer", "", "-/-"},                                                      // .5
			{"6", "math-prm", "", "a/a"}, {"7", "hep-go", "", "b/b"}, {"8", "hep-go", "", "b/b"}, // 984 / 986
			{"9", "unknown", "", "b/b"}, // in no section
		}, map[string]float64{"Chat": 0.5, "Chat Hard": 0.75, "Safety": 0.5, "Reasoning": 984.0 / 986, "all": (0.5 + 0.75 + 0.5 + 984.0/986) / 4}},
		// run_v2.py of rewardbench: a prompt is right if the chosen answer is the best of four.
		"RewardBench 2": {[]pair{
			{"1:1-1", "Math", "1", "a/a"}, {"1:1-2", "Math", "1", "a/b"}, {"1:1-3", "Math", "1", "a/a"}, // right in ab alone
			{"2:1-1", "Focus", "2", "a/a"}, {"2:1-2", "Focus", "2", "a/a"},
			{"3:1-1", "Ties", "3", "b/b"},
			{"4:1-1", "Safety", "4", "a/t"}, {"4:1-2", "Safety", "4", "a/a"}, // ½ in ba
		}, map[string]float64{"Math": 0.5, "Focus": 1, "Safety": 0.75, "all": 0.75}},
		// compute_accuracy of RM-Bench: triangles of the 3 x 3 matrix; domains count the same.
		"RM-Bench": {[]pair{
			{"1:1-2", "chat", "1", "b/b"}, {"1:2-1", "chat", "1", "a/a"}, {"1:2-2", "chat", "1", "a/t"},
			{"2:1-3", "math", "2", "a/a"}, {"2:3-1", "math", "2", "a/a"}, {"2:1-1", "math", "2", "a/a"}, {"3:1-3", "math", "3", "a/a"},
		}, map[string]float64{"easy": 1, "normal": 0.75, "hard": 0.5, "all": 2.25 / 3}},
		// compute_final_metrics of JudgeBench: +1 and -1 over both orders, right above 0; the overall score is over all pairs.
		"JudgeBench (gpt)": {[]pair{
			{"1", "mmlu-pro-law", "", "a/a"}, {"2", "mmlu-pro-math", "", "a/t"}, {"3", "mmlu-pro-math", "", "a/b"}, {"4", "livebench-math", "", "b/a"},
			{"5", "livecodebench", "", "t/t"},
		}, map[string]float64{"Knowledge": 2.0 / 3, "Math": 0, "Coding": 0, "all": 2.0 / 5}},
	} {
		f := &pairwiseFixture{}
		f.set.Source = name
		var choices []string
		for _, p := range test.pairs {
			f.pair(p.id, p.id, data.ChoiceA)
			of := &f.set.Pairs[len(f.set.Pairs)-1]
			of.Domain = p.domain
			of.Item = p.item
			choices = append(choices, p.choices)
		}
		f.judge("j", choices...)
		b, _ := f.board(t)
		got := map[string]float64{}
		for _, r := range each(b.groups, group.benchmarkRows) {
			got[r.Section] = r.Score.Value
		}
		for section, want := range test.want {
			if x, known := got[section]; !known || x-want > 1e-12 || want-x > 1e-12 {
				t.Errorf("%s, %s: %v, want %v", name, section, x, want)
			}
		}
		if len(got) != len(test.want) {
			t.Errorf("%s: sections %v", name, got)
		}
	}
}

// TestTies checks the score of RewardBench 2's subset Ties for a judge with scores, by the formulas of process_single_model. In question 0,
// ref has the scores 5 | 3, 1 (correct | incorrect; lead 2), and tied 6, 5.5 | 4, 2 (lead 1.5, difference .5). In question 1, ref has 1 | 2
// (lead -1), and tied 8, 5 | 4 (lead 1, difference 3). The score is
//
//	.3 · 2/2 + .3 · 1/2 + .2 · 1/2 + .2 · 1/2 + .01 · (tanh(1.5/.5 − 1) + tanh(−1/3 − 1)) / 2
func TestTies(t *testing.T) {
	f := &pairwiseFixture{}
	f.set.Source = "RewardBench 2"
	var choices []string
	var leads []float64
	for _, p := range []struct {
		item           string
		correct, wrong []float64
	}{{"rb2-ref:0", []float64{5}, []float64{3, 1}}, {"rb2-tied:0", []float64{6, 5.5}, []float64{4, 2}}, {"rb2-ref:1", []float64{1}, []float64{2}},
		{"rb2-tied:1", []float64{8, 5}, []float64{4}}} {
		for i, c := range p.correct {
			for k, w := range p.wrong {
				label := []data.Choice{data.ChoiceA, data.ChoiceB}[(i+k)%2]
				f.pair(fmt.Sprintf("%s:%d-%d", p.item, i+1, k+1), p.item, label)
				of := &f.set.Pairs[len(f.set.Pairs)-1]
				of.Domain = "Ties"
				of.Item = p.item
				lead := c - w
				if label == data.ChoiceB { // a leads by
					lead = -lead
				}
				leads = append(leads, lead)
				choices = append(choices, map[bool]string{true: "a/a", false: "b/b"}[lead > 0])
			}
		}
	}
	f.judge("j", choices...)
	f.judge("without scores", choices...)
	b, _ := f.board(t)
	first := b.groups[0]
	for i, j := range first.pairs {
		for order, sign := range []float64{1, -1} {
			lead := sign * leads[i]
			ending := *j.by[order].PreferenceEnding
			ending.Detail.Difference = &lead
			j.by[order].PreferenceEnding = &ending
		}
	}
	want := 0.3 + 0.3/2 + 0.2/2 + 0.2/2 + 0.01*(math.Tanh(2)+math.Tanh(-1.0/3-1))/2
	rows := first.benchmarkRows()
	if len(rows) != 2 || rows[0].Section != "Ties" || rows[0].N != 4 || math.Abs(rows[0].Score.Value-want) > 1e-12 || rows[1].N != 4 {
		t.Errorf("%+v, want %v", rows, want)
	}
	if rows := b.groups[1].benchmarkRows(); rows != nil {
		t.Errorf("without scores: %+v", rows)
	}
	first.pairs[0].by[0].Status = data.Unparsed
	first.pairs[0].by[1].Status = data.Unparsed // ref:0 has no lead
	if rows := first.benchmarkRows(); math.Abs(rows[0].Score.Value-(0.3+0.2/2+0.01*(-1+math.Tanh(-1.0/3-1))/2)) > 1e-12 {
		t.Errorf("with a failed pair: %+v", rows)
	}
}
