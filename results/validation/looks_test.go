package validation

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/data/sources"
)

// week returns a log of one week with people's labels of a third of it. Item names contain the week. The judge passes more items by bias.
func week(n, items int, bias float64) (judge, people *sources.Log) {
	rng := rand.New(rand.NewPCG(3, uint64(n)))
	judge = &sources.Log{}
	people = &sources.Log{}
	j := data.Series{Rater: &data.Rater{Name: "judge", Kind: data.KindJudge}, Measured: &data.Measured{ID: "ok"}}
	person := data.Series{Rater: &data.Rater{Name: "ann", Kind: data.KindPerson}, Measured: &data.Measured{ID: "ok"}}
	yes := map[bool]string{true: "yes", false: "no"}
	for i := range items {
		item := sources.Item{ID: fmt.Sprintf("w%d-%d", n, i), Text: "x"}
		judge.Items, people.Items = append(judge.Items, item), append(people.Items, item)
		q := rng.NormFloat64()
		judge.Values.Add(data.Rating{Series: j, Item: int32(i), Value: yes[q+0.5*rng.NormFloat64()+bias > 0]})
		if is := q+0.3*rng.NormFloat64() > 0; i%3 == 0 {
			people.Values.Add(data.Rating{Series: person, Item: int32(i), Value: yes[is]})
		}
	}
	return judge, people
}

// lookAt computes a look and appends it to the file.
func lookAt(t *testing.T, dir string, judge, people *sources.Log) *Result {
	t.Helper()
	before, err := ReadLooks(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := studyOf(judge, people, Options{Looks: before})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Compute(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(dir, LooksName))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := r.Looks().Write(f); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLooks: looks add up, and the same log again is not a new look. Intervals become narrower and stay within earlier ones. A judge that
// became more lenient is named; its change is later looks minus the first.
func TestLooks(t *testing.T) {
	dir := t.TempDir()
	judge, people := week(1, 300, 0)
	r := lookAt(t, dir, judge, people)
	if len(r.AnyTime) != 3 || r.AnyTime[0].N != 100 || r.Moved != nil || !strings.Contains(said(r), "Look 1 is kept") {
		t.Fatalf("%+v\n%s", r.AnyTime, said(r))
	}
	first := r.AnyTime[0]
	if again := lookAt(t, dir, judge, people); again.AnyTime[0].N != first.N || again.AnyTime[0].Low.Value != first.Low.Value ||
		!strings.Contains(said(again), "Nothing is new since look 1") {
		t.Errorf("%+v, was %+v\n%s", again.AnyTime[0], first, said(again))
	}
	judge, people = week(2, 300, 0)
	r = lookAt(t, dir, judge, people)
	second := r.AnyTime[0]
	if second.N != 200 || second.Looks != 2 || second.Low.Value < first.Low.Value || second.High.Value > first.High.Value {
		t.Errorf("%+v, was %+v", second, first)
	}
	if r.Moved[0].Moved != "nobody" || !strings.Contains(said(r), "nothing has surely moved since the first look") {
		t.Errorf("%+v\n%s", r.Moved, said(r))
	}
	for n := 3; n < 7; n++ {
		judge, people = week(n, 300, 1)
		r = lookAt(t, dir, judge, people)
	}
	if d := r.AnyTime[2]; d.Figure != anyDifference || d.Value.Value < 0.1 {
		t.Errorf("a judge that gives more than people: %+v", d)
	}
	row := r.Moved[0]
	if row.Moved != "judge" || row.Since < 3 || row.JudgeChange.Value < 0.1 || row.AnchorsChange.Value < 0.1 ||
		row.Items != 1800 || row.Labelled != 600 || !strings.Contains(said(r), "the judge has moved: its values by +") {
		t.Errorf("%+v\n%s", row, said(r))
	}
}

// TestLooksAgain: a judge that rates the same items differently has moved, even without new labels. A label that comes later is used with
// the judge's value of the look at which the item was first seen.
func TestLooksAgain(t *testing.T) {
	dir := t.TempDir()
	judge, people := week(1, 300, 0)
	lookAt(t, dir, judge, &sources.Log{Items: people.Items, Values: valuesOf(listed(people)[:50])})
	r := lookAt(t, dir, judge, people)
	if n := r.AnyTime[0].N; n != 100 || r.Moved[0].Labelled != 100 || r.Moved[0].Items != 300 {
		t.Errorf("%d labels, %+v", n, r.Moved)
	}
	lenient, _ := week(1, 300, 1.5)
	r = lookAt(t, dir, lenient, people)
	if row := r.Moved[0]; row.Moved != "judge" || row.Items != 600 || row.Since != 3 {
		t.Errorf("%+v\n%s", row, said(r))
	}
}

// TestLooksOfChosen: if people label mostly what the judge fails, labels are no random sample. The interval is missing, and the result says
// why.
func TestLooksOfChosen(t *testing.T) {
	judge, people := week(1, 900, 0)
	var chosen []data.Rating
	for i, s := range listed(people) {
		if judge.Values.At(data.RowPlace{Row: int(s.Item)}).Value == "no" || i%10 == 0 {
			chosen = append(chosen, s)
		}
	}
	people.Values = valuesOf(chosen)
	r := lookAt(t, t.TempDir(), judge, people)
	if row := r.AnyTime[0]; row.Weighted != 1 || row.Low.Known || !strings.Contains(said(r), "no interval for any time") {
		t.Errorf("%+v\n%s", row, said(r))
	}
}

// TestLooksOfABudget: labels that were drawn with equal probabilities are a random sample; with unequal probabilities they are not.
func TestLooksOfABudget(t *testing.T) {
	for _, other := range []float64{0.2, 0.3} {
		judge, people := week(1, 900, 0)
		people.Values = valuesOf(listed(people)[:180])
		for i := range people.Items {
			people.Items[i].Change(func(a *sources.About) { a.Inclusion = map[bool]float64{true: 0.2, false: other}[i%2 == 0] })
		}
		r := lookAt(t, t.TempDir(), judge, people)
		if row := r.AnyTime[0]; row.Low.Known != (other == 0.2) || (row.Weighted == 0) != (other == 0.2) {
			t.Errorf("%v: %+v\n%s", other, row, said(r))
		}
	}
}

// TestDamagedLooks: an error names the damaged line of looks.jsonl, what is wrong, and what to do. No line of the file is then used.
func TestDamagedLooks(t *testing.T) {
	line := func(look int) string {
		return fmt.Sprintf(`{"look":%d,"judge":"j","criterion":"ok","item":"a%d","question":"q","rated":1,"low":0,"high":1}`, look, look)
	}
	for text, want := range map[string]string{
		line(1) + "\n" + line(2)[:40]: "looks.jsonl:2: the line is damaged: its end is missing: restore it",
		line(1) + line(2):             "looks.jsonl:1: the line is damaged: it goes on after its item (character 93): ",
		line(1) + "}\n":               "it goes on after its item",
		line(1) + "\n\n" + line(2):    "looks.jsonl:2: the line is damaged: it is empty: ",
		line(1) + "\nnull":            "looks.jsonl:2: the line is damaged: it needs judge, criterion, item and question: ",
		line(1) + "\n" + strings.Replace(line(2), "rated", "ratxd", 1): `unknown field "ratxd"`,
		line(1) + "\n" + strings.Replace(line(2), "a2", "", 1):         "it needs judge, ",
		line(1) + "\n" + line(3):                                       "looks.jsonl:2: look 3 follows look 1, so lines are missing",
		line(1) + "\nx\n":                                              "jsonl:2: the line is damaged: it cannot be read (invalid character", line(2): "look 2 follows look 0",
		"": "or delete it",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, LooksName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if looks, err := ReadLooks(dir); err == nil || !strings.Contains(err.Error(), want) || looks != nil {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestLooksOfAnotherName: a judge that is named after its file has another name at each look. The result says so, and names the flag that
// helps.
func TestLooksOfAnotherName(t *testing.T) {
	dir := t.TempDir()
	judge, people := week(1, 90, 0)
	lookAt(t, dir, judge, people)
	judge, people = week(2, 90, 0)
	judge.Values.Raters[0].Name = "log2"
	r := lookAt(t, dir, judge, people)
	want := "is of the judge log2, but of judge, so nothing can have moved; a judge needs the same name at each look: --judge NAME=COLUMN"
	if text := said(r); !strings.Contains(text, want) || strings.Contains(text, "too few items to say whether something moved") || len(r.Moved) > 0 {
		t.Errorf("%s\n%+v", text, r.Moved)
	}
}

// movedLooks computes looks of 15 labelled items each. 14 of them have yes at first, and 5 from a certain look on.
func movedLooks(t *testing.T, looks, from int) *Result {
	t.Helper()
	dir := t.TempDir()
	var r *Result
	for look := 1; look <= looks; look++ {
		judge := &sources.Log{}
		people := &sources.Log{}
		j := data.Series{Rater: &data.Rater{Name: "judge", Kind: data.KindJudge}, Measured: &data.Measured{ID: "ok"}}
		person := data.Series{Rater: &data.Rater{Name: "ann", Kind: data.KindPerson}, Measured: &data.Measured{ID: "ok"}}
		most := map[bool]int{true: 5, false: 14}[look >= from]
		for i := range 15 {
			item := sources.Item{ID: fmt.Sprintf("w%d-%d", look, i), Text: "x"}
			judge.Items, people.Items = append(judge.Items, item), append(people.Items, item)
			value := map[bool]string{true: "yes", false: "no"}[i < most]
			judge.Values.Add(data.Rating{Series: j, Item: int32(i), Value: value})
			people.Values.Add(data.Rating{Series: person, Item: int32(i), Value: value})
		}
		r = lookAt(t, dir, judge, people)
	}
	return r
}

// TestLooksBeginAnew: if the value of a figure over all looks leaves its own interval, the figure has moved. The result says so, and the
// interval starts again with the next look. No interval ever excludes its own value.
func TestLooksBeginAnew(t *testing.T) {
	for looks := 1; looks <= 14; looks++ {
		r := movedLooks(t, looks, 4)
		for _, row := range r.AnyTime {
			if row.Value.Known && (row.Value.Value < row.Low.Value || row.Value.Value > row.High.Value) {
				t.Errorf("%d looks: %+v", looks, row)
			}
		}
		rate, text := r.AnyTime[1], said(r)
		if rate.Since > 1 && strings.Contains(text, "nothing has surely moved") {
			t.Errorf("%d looks: %s", looks, text)
		}
		if looks == 3 && (rate.Since != 1 || rate.N != 45) || looks == 14 && (rate.Since <= 4 || rate.N != 15*(15-rate.Since)) {
			t.Errorf("%d looks: %+v", looks, rate)
		}
		want := fmt.Sprintf("what people give has probably moved by look %d: ", rate.Since-1)
		if looks == 14 && (!strings.Contains(text, want) || !strings.Contains(text, fmt.Sprintf("begins anew with look %d", rate.Since))) {
			t.Errorf("%+v\n%s", rate, text)
		}
		if agreement := r.AnyTime[0]; agreement.Since != 1 {
			t.Errorf("agreement did not move: %+v", agreement)
		}
	}
}

// TestSoakLooksBeginAnew: if nothing moves, an interval excludes its own value in at most 6 % of streams of 20 looks (measured: .2 to 6 %).
func TestSoakLooksBeginAnew(t *testing.T) {
	sharedtest.Soak(t)
	const streams, looks = 400, 20
	for _, each := range []int{5, 60} {
		for _, rate := range []float64{.5, .8} {
			rng := rand.New(rand.NewPCG(uint64(each), uint64(100*rate)))
			moved := 0
			for range streams {
				var means []float64
				var lookOf []int
				for look := 1; look <= looks; look++ {
					for range each {
						means = append(means, map[bool]float64{true: 1}[rng.Float64() < rate])
						lookOf = append(lookOf, look)
					}
				}
				var row AnyTimeRow
				if row.follow(means, lookOf, 0, 1) && row.left.Known {
					moved++
				}
			}
			if moved > streams*8/100 { // two standard errors more
				t.Errorf("%d labels a look, %v: moved in %d of %d streams", each, rate, moved, streams)
			}
		}
	}
}
