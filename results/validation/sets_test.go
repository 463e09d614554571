package validation

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sources"
	"compqa/results/trust"
	"compqa/stats/agreement"
)

// setLogs returns logs of judges and people from their values of one criterion, by rater and item.
func setLogs(judges, people map[string][]string) (judged, peoples *sources.Log) {
	fill := func(values map[string][]string, person bool) *sources.Log {
		log := &sources.Log{}
		for _, name := range slices.Sorted(func(yield func(string) bool) {
			for name := range values {
				if !yield(name) {
					return
				}
			}
		}) {
			rater := data.Rater{Name: name, Kind: map[bool]string{true: data.KindPerson, false: data.KindJudge}[person]}
			series := data.Series{Rater: &rater, Measured: &data.Measured{ID: "tone"}}
			for i, value := range values[name] {
				if i == len(log.Items) {
					log.Items = append(log.Items, sources.Item{ID: fmt.Sprint("i", i), Text: fmt.Sprint("t", i)})
				}
				log.Values.Add(data.Rating{Series: series, Item: int32(i), Value: value})
			}
		}
		return log
	}
	return fill(judges, false), fill(people, true)
}

// indeterminate simulates the setting of Guerdan et al. (2025). On 3 of 10 items two answers are right; people who must choose prefer rude,
// if it is right. Judge A gives one answer, as people choose. Judge B gives all right answers, but names the other one first.
func indeterminate(rng *rand.Rand, items int) (judges, people map[string][]string, truth []agreement.Set) {
	options := []string{"kind", "neutral", "rude"}
	judges = map[string][]string{}
	people = map[string][]string{}
	for range items {
		right := []string{options[rng.IntN(3)]}
		if rng.Float64() < .3 {
			right = []string{"rude", options[rng.IntN(2)]}
		}
		set := agreement.Set(0)
		for _, option := range right {
			set |= 1 << slices.Index(options, option)
		}
		truth = append(truth, set)
		for _, name := range []string{"ann", "ben", "cem"} {
			given := slices.Clone(right)
			if rng.Float64() < .05 {
				given = []string{options[rng.IntN(3)]}
			}
			people[name] = append(people[name], strings.Join(given, "|"))
		}
		a := right[:1]
		b := slices.Clone(right)
		slices.Reverse(b)
		if rng.Float64() < .05 {
			a, b = []string{options[rng.IntN(3)]}, []string{options[rng.IntN(3)]}
		}
		judges["A"], judges["B"] = append(judges["A"], a[0]), append(judges["B"], strings.Join(b, "|"))
	}
	return judges, people, truth
}

// TestForcedChoiceMisranks: in each of 8 simulated studies, forced choice ranks A first, and sets rank B first. B is closer to the right
// answers, and its shares of items with each answer are closer to the true shares.
func TestForcedChoiceMisranks(t *testing.T) {
	t.Parallel()
	options := []string{"kind", "neutral", "rude"}
	for run := range uint64(8) {
		judges, people, truth := indeterminate(rand.New(rand.NewPCG(run, 1)), 150)
		judged, peoples := setLogs(judges, people)
		r, err := computedOf(t, judged, peoples, Options{Sets: []string{"tone"}, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		text := r.Accepted.Texts()[0]
		if !strings.Contains(text, "Forced choice puts A first; counted as sets, B") || strings.Contains(text, "By sets") {
			t.Errorf("run %d: %s", run, text)
		}
		share := func(sets []agreement.Set, k int) float64 { return shareOf(sets, k) }
		bias := map[string]float64{}
		distance := map[string]float64{}
		for name, values := range judges {
			sets := make([]agreement.Set, len(values))
			for i, value := range values {
				for _, option := range SetOf(value) {
					sets[i] |= 1 << slices.Index(options, option)
				}
				for k := range options {
					x := float64(sets[i]>>k&1) - float64(truth[i]>>k&1)
					distance[name] += x * x
				}
			}
			for k := range options {
				bias[name] += math.Abs(share(sets, k) - share(truth, k))
			}
		}
		if bias["B"] >= bias["A"] || distance["B"] >= distance["A"] {
			t.Errorf("run %d: bias %v, distance %v", run, bias, distance)
		}
	}
}

// TestSetDistance: on average, the distance from three people equals the squared distance from the shares of all people.
func TestSetDistance(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 2))
	shares := []float64{.9, .5, .1}
	sum := 0.0
	for range 20000 {
		people := make([]agreement.Set, 3)
		for p := range people {
			for k, share := range shares {
				if rng.Float64() < share {
					people[p] |= 1 << k
				}
			}
		}
		sum += setDistance(0b011, people, 3) / 20000
	}
	if want := (.01 + .25 + .01) / 3; math.Abs(sum-want) > .005 {
		t.Errorf("distance %v, want %v", sum, want)
	}
}

// TestSetBounds: the bounds of a mean are in its possible range.
func TestSetBounds(t *testing.T) {
	t.Parallel()
	var s sample
	for i, value := range []float64{0, 0, 0, 1, 1, 1} {
		s.add(value, i/3)
	}
	if f := s.figure(0, 1); f.Low != 0 || f.High != 1 || f.Value != .5 {
		t.Errorf("%+v", f)
	}
}

// TestFindingNamesJudge: a finding that holds for only one of two judges names the judge.
func TestFindingNamesJudge(t *testing.T) {
	t.Parallel()
	judges, people, _ := indeterminate(rand.New(rand.NewPCG(4, 4)), 100)
	for i, value := range judges["B"] {
		if first, _, _ := strings.Cut(value, "|"); first == "rude" {
			judges["B"][i] = "neutral"
		}
	}
	judged, peoples := setLogs(judges, people)
	r, err := computedOf(t, judged, peoples, Options{Sets: []string{"tone"}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if texts := strings.Join(r.Concluded.Known.Texts(), "\n"); !strings.Contains(texts, `tone (B): only people gave "rude"`) {
		t.Error(texts)
	}
}

// TestSets: sets must be declared. Each option becomes a criterion, and JSON lists are sets. Sets in alphabetical order have no forced
// choice. The test also has one judge with one person, unknown names, and too many answers.
func TestSets(t *testing.T) {
	t.Parallel()
	judges, people, _ := indeterminate(rand.New(rand.NewPCG(4, 4)), 100)
	study := func(change func(value string) string, sets ...string) (*Result, error) {
		changed := map[string][]string{}
		for name, values := range people {
			for _, value := range values {
				changed[name] = append(changed[name], change(value))
			}
		}
		judged, peoples := setLogs(judges, changed)
		s, err := NewStudy(judged, peoples, Options{Sets: sets, Seed: 1})
		if err != nil {
			return nil, err
		}
		return s.Compute(nil, nil)
	}
	same := func(value string) string { return value }
	_, err := study(same)
	if err == nil || !strings.Contains(err.Error(), "declare sets: validate --sets CRITERION") {
		t.Errorf("not declared: %v", err)
	}
	r, err := study(same, "tone")
	if err != nil {
		t.Fatal(err)
	}
	criteria := map[string]bool{}
	for _, p := range r.Pairings {
		criteria[p.Criterion] = true
	}
	if len(criteria) != 4 || !criteria["tone: rude"] || len(r.Sets) != 2 || r.Sets[0].N != 100 || r.Sets[0].Options != 3 {
		t.Errorf("%v, %+v", criteria, r.Sets)
	}
	listed, err := study(func(value string) string { return `["` + strings.ReplaceAll(value, "|", `", "`) + `"]` }, "tone")
	if err != nil || listed.Sets[1] != r.Sets[1] {
		t.Errorf("lists: %+v, want %+v; %v", listed.Sets, r.Sets, err)
	}
	sorted, err := study(func(value string) string {
		set := strings.Split(value, "|")
		slices.Sort(set)
		return strings.Join(set, "|")
	}, "tone")
	if err != nil || sorted.Sets[0].Forced.Known || !strings.Contains(sorted.Accepted.Texts()[0], "Counted as sets, B is first") {
		t.Errorf("sorted: %+v, %v, %v", sorted.Sets, sorted.Accepted.Texts(), err)
	}
	for _, p := range sorted.Pairings {
		if whole := p.Criterion == "tone"; whole != (p.decision.Reason == trust.NotFirst) {
			t.Errorf("sorted, %s: %s", p.Criterion, p.decision.Reason)
		}
	}
	_, err = study(func(value string) string { return strings.ReplaceAll(value, "|", ", ") }, "tone")
	if err == nil || !strings.Contains(err.Error(), `is a list of other answers; between answers of a set write | or ;, as`) {
		t.Errorf("commas: %v", err)
	}
	n := 0
	empty, err := study(func(value string) string {
		if n++; n%3 == 0 {
			return "|"
		}
		return value
	}, "tone")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range empty.People {
		for i := range empty.Units {
			if s.Value(i) == "|" {
				t.Errorf("%s %s has an empty set on item %d", s.Rater.Name, s.ID, i)
			}
		}
	}
	if !slices.Contains(empty.Notes, "tone: 100 sets without an answer (as |) left out") {
		t.Errorf("notes %q", empty.Notes)
	}
	_, err = study(same, "colour")
	if err == nil || err.Error() != "--sets colour: no criterion colour; criteria are tone" {
		t.Errorf("unknown: %v", err)
	}
	n = 0
	_, err = study(func(string) string { n++; return fmt.Sprint("label", n) }, "tone")
	if err == nil || !strings.Contains(err.Error(), "2 to 20") {
		t.Errorf("too many: %v", err)
	}
	judged, peoples := setLogs(map[string][]string{"A": judges["A"]}, map[string][]string{"ann": people["ann"]})
	one, err := computedOf(t, judged, peoples, Options{Sets: []string{"tone"}, Seed: 1})
	if err != nil || one.Sets != nil || len(one.Accepted) != 1 ||
		!strings.HasSuffix(one.Accepted[0].Text, "no item has answers of two people.") {
		t.Errorf("one person: %+v, %v", one.Sets, err)
	}
}
