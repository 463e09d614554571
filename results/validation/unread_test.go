package validation

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sources"
	"compqa/results/trust"
)

// A sureLog describes a judge that is right where it is sure, and labels of two people for a random part of the items. each is the number
// of items of a question.
type sureLog struct{ items, each, labelled int }

// logs returns the logs of the judge and of people.
func (l sureLog) logs() (judge, people *sources.Log) {
	rng := rand.New(rand.NewPCG(5, uint64(l.items)))
	judge = &sources.Log{}
	people = &sources.Log{}
	series := data.Series{Rater: &data.Rater{Name: "judge", Kind: data.KindJudge}, Measured: &data.Measured{ID: "ok"}}
	persons := data.Each([]string{"ann", "ben"}, func(name string) data.Series {
		return data.Series{Rater: &data.Rater{Name: name, Kind: data.KindPerson}, Measured: &data.Measured{ID: "ok"}}
	})
	yes := map[bool]string{true: "yes", false: "no"}
	for i := range l.items {
		confidence := rng.Float64()
		passes := rng.IntN(2) == 0
		right := rng.Float64() < .5+confidence
		item := sources.Item{ID: fmt.Sprint("i", i), Question: fmt.Sprint("q", i/l.each), Text: fmt.Sprint("t", i)}.With(
			sources.About{Confidence: &confidence})
		judge.Items, people.Items = append(judge.Items, item), append(people.Items, item)
		judge.Values.Add(data.Rating{Series: series, Item: int32(i), Value: yes[passes]})
		if rng.IntN(l.items) < l.labelled {
			for _, person := range persons {
				people.Values.Add(data.Rating{Series: person, Item: int32(i), Value: yes[passes == right]})
			}
		}
	}
	return judge, people
}

func computedOf(t *testing.T, judge, people *sources.Log, o Options) (*Result, error) {
	t.Helper()
	s, err := studyOf(judge, people, o)
	if err != nil {
		t.Fatal(err)
	}
	return s.Compute(nil, nil)
}

// TestUnread: verdicts of which a judge is sure may stand unread. There is a row for each threshold, and one of them stands. Without the
// option there is none. The input of an export gives the same rows. Of a question with several items, one label counts, and the next items
// to label are of other questions.
func TestUnread(t *testing.T) {
	judge, people := sureLog{900, 1, 300}.logs()
	o := Options{Unread: .9, Seed: 1}
	r, err := computedOf(t, judge, people, o)
	if err != nil {
		t.Fatal(err)
	}
	stands := 0
	for i, row := range r.Unread {
		if row.Stands == "yes" {
			stands++
			if row.Threshold.Value > .45 || row.Threshold.Value < .05 || row.P.Value > row.Level.Value {
				t.Errorf("%+v stands", row)
			}
		}
		if i > 0 && (row.Threshold.Value >= r.Unread[i-1].Threshold.Value || row.Pool <= r.Unread[i-1].Pool) {
			t.Errorf("row %d does not follow the one before", i)
		}
	}
	if stands != 1 || len(r.Unread) != 10 || r.Unread[9].Pool != 900 || r.Concluded.Unread[0].Claim != trust.ClaimUnread ||
		r.Concluded.All()[0].Claim != trust.ClaimDecisions {
		t.Errorf("%d rows stand of %+v; %v", stands, r.Unread, r.Concluded.Unread)
	}
	text, err := json.Marshal(NewInput(judge, people, nil, o))
	var in Input
	if err == nil {
		err = json.Unmarshal(text, &in)
	}
	if err != nil {
		t.Fatal(err)
	}
	again, err := in.Result()
	if err != nil || !reflect.DeepEqual(again.Unread, r.Unread) {
		t.Errorf("the input of an export has other rows (%v)", err)
	}
	without, err := computedOf(t, judge, people, Options{Seed: 1})
	if err != nil || without.Unread != nil || without.Concluded.Unread != nil {
		t.Errorf("it was not asked (%v)", err)
	}

	judge, people = sureLog{900, 3, 300}.logs()
	o.Budget = 40
	r, err = computedOf(t, judge, people, o)
	if err != nil {
		t.Fatal(err)
	}
	labelled := map[string]bool{}
	drawn := map[string]bool{}
	for _, u := range r.Units {
		labelled[u.Question] = labelled[u.Question] || u.Labelled
	}
	for _, u := range r.ToLabel {
		if labelled[u.Question] || drawn[u.Question] || !(u.Chosen.Value > 0 && u.Chosen.Value < .34) {
			t.Errorf("%s of %s is drawn again, or has the probability %v", u.ID, u.Question, u.Chosen.Value)
		}
		drawn[u.Question] = true
	}
	questions := len(labelled) - len(r.ToLabel)
	if last := r.Unread[9]; len(drawn) != 40 || last.Labelled > questions || last.Pool != 900 ||
		!strings.Contains(r.MayStand[0].Text, "one label of each of ") {
		t.Errorf("%d drawn; %+v; %s", len(drawn), last, r.MayStand[0].Text)
	}
}

// TestUnreadVotes: without a column, the confidence is the share of equal repeats. People read items without repeats. If no item has
// repeats, the error names the flag.
func TestUnreadVotes(t *testing.T) {
	judge, people := sureLog{600, 1, 300}.logs()
	for i := range judge.Items {
		judge.Items[i].Change(func(a *sources.About) { a.Confidence = nil })
	}
	var needed *Needed
	_, err := computedOf(t, judge, people, Options{Unread: .9})
	if !errors.As(err, &needed) || needed.Flags[1] != "confidence=COLUMN" {
		t.Errorf("without a confidence: %v", err)
	}
	for i := range 500 {
		for epoch := range 4 {
			item := judge.Items[i]
			item.Change(func(a *sources.About) { a.Repeat = epoch + 2 })
			value := judge.Values.At(data.RowPlace{Row: i}).Value
			if epoch < i%5 {
				value = map[string]string{"yes": "no", "no": "yes"}[value]
			}
			judge.Items = append(judge.Items, item)
			judge.Values.Add(data.Rating{Series: judge.Values.At(data.RowPlace{Row: i}).Series, Item: int32(len(judge.Items) - 1), Value: value})
		}
	}
	r, err := computedOf(t, judge, people, Options{Unread: .9})
	if err != nil {
		t.Fatal(err)
	}
	var thresholds []float64
	for _, row := range r.Unread {
		thresholds = append(thresholds, row.Threshold.Value)
	}
	if !reflect.DeepEqual(thresholds, []float64{1, .8, .6, .4, .2}) || r.Unread[4].Pool != 500 ||
		!strings.Contains(r.MayStand[0].Text, "up to 5 votes") ||
		!strings.Contains(r.MayStand[0].Text, "People read 48 verdicts without a confidence") {
		t.Errorf("%v, %+v: %s", thresholds, r.Unread, r.MayStand[0].Text)
	}
}

// cascadeLogs returns a cheap judge, which is right where it is sure, and an expensive judge, which is nearly always right. If all, the
// expensive judge rated all items, else only the labelled ones. One person labelled a random third.
func cascadeLogs(all bool) (judges, people *sources.Log) {
	rng := rand.New(rand.NewPCG(6, 1))
	judges = &sources.Log{}
	people = &sources.Log{}
	series := data.Each([]string{"cheap", "dear", "ann"}, func(by string) data.Series {
		kind := data.KindJudge
		if by == "ann" {
			kind = data.KindPerson
		}
		return data.Series{Rater: &data.Rater{Name: by, Kind: kind}, Measured: &data.Measured{ID: "ok"}}
	})
	add := func(log *sources.Log, by, i int, confidence *float64, passes bool) {
		log.Items = append(log.Items, sources.Item{ID: fmt.Sprint("i", i), Text: fmt.Sprint("t", i)}.With(sources.About{Confidence: confidence}))
		log.Values.Add(data.Rating{Series: series[by], Item: int32(len(log.Items) - 1), Value: map[bool]string{true: "yes", false: "no"}[passes]})
	}
	for i := range 900 {
		passes := rng.IntN(2) == 0
		labelled := rng.IntN(3) == 0
		first := rng.Float64()
		second := rng.Float64()
		add(judges, 0, i, &first, passes == (rng.Float64() < .5+first))
		if dear := passes == (rng.Float64() < .97); all || labelled {
			add(judges, 1, i, &second, dear)
		}
		if labelled {
			add(people, 2, i, nil, passes)
		}
	}
	return judges, people
}

// TestEscalate: judges are asked in order. One step stands, and each item that it decides has the judge and value. If the second judge was
// asked only about labelled items, the answer says about how many more it must be asked.
func TestEscalate(t *testing.T) {
	o := Options{Unread: .9, Seed: 1, Escalate: []string{"cheap", "dear"}, LabelPrice: 2,
		CallPrices: map[string]float64{"": 0, "dear": .1}}
	all, people := cascadeLogs(true)
	r, err := computedOf(t, all, people, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Escalation) != 20 || r.Unread != nil || len(r.Decided) != 900 || r.MayStand[0].Claim != trust.ClaimUnread {
		t.Fatalf("%d rows of steps, %d of items: %s", len(r.Escalation), len(r.Decided), r.MayStand[0].Text)
	}
	decided := map[string]int{}
	stands := map[string]int{}
	for _, row := range r.Decided {
		decided[row.Judge]++
		if row.Judge != "human" && (row.Value == "" || !row.Confidence.Known) {
			t.Errorf("%+v has no value of its judge", row)
		}
	}
	for _, row := range r.Escalation {
		if row.Stands == "yes" {
			stands[row.Judge] = row.Items
		}
		if !row.Cost.Known || row.Cost.Value < 0 || row.Cost.Value > 2.1 {
			t.Errorf("%+v: the cost is not between nothing and all judges with a person", row)
		}
	}
	if stands["cheap"] == 0 || stands["dear"] == 0 || decided["cheap"] != stands["cheap"] || decided["dear"] != stands["dear"] {
		t.Errorf("items have the judges %v, the step %v", decided, stands)
	}
	part, people := cascadeLogs(false)
	r, err = computedOf(t, part, people, o)
	if err != nil || r.MayStand[0].Claim != trust.ClaimAsk || !strings.Contains(r.MayStand[0].Text, "Next: ask dear about ") {
		t.Errorf("the second judge was asked about labels alone: %v, %s", err, r.MayStand.Texts())
	}
	o.Escalate = []string{"cheap", "nobody"}
	if _, err := computedOf(t, part, people, o); err == nil || !strings.Contains(err.Error(), "the judges are cheap, dear") {
		t.Errorf("a judge that is not there: %v", err)
	}
}

// TestUnreadWithoutPeople: before there are labels, items to label are drawn.
func TestUnreadWithoutPeople(t *testing.T) {
	judge, _ := sureLog{900, 1, 300}.logs()
	r, err := computedOf(t, judge, nil, Options{Unread: .9, Budget: 40, Seed: 1})
	if err != nil || len(r.ToLabel) != 40 || r.MayStand != nil {
		t.Errorf("%v: %d items, %v", err, len(r.ToLabel), r.MayStand)
	}
}

// TestUnreadCosts: each label of each person costs the price of a label. A judge without a price is named.
func TestUnreadCosts(t *testing.T) {
	judge, people := sureLog{900, 1, 300}.logs()
	r, err := computedOf(t, judge, people, Options{Unread: .9, Seed: 1, CallPrices: map[string]float64{"": .1}, LabelPrice: 2})
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("the labels cost $%d.00.", 4*r.Unread[9].Labelled); !strings.Contains(r.MayStand[0].Text, want) {
		t.Errorf("no %q in %q", want, r.MayStand[0].Text)
	}
	all, people := cascadeLogs(true)
	r, err = computedOf(t, all, people, Options{Unread: .9, Seed: 1, Escalate: []string{"cheap", "dear"},
		CallPrices: map[string]float64{"cheap": .1}})
	if err != nil || !strings.Contains(r.MayStand[0].Text, "What an item costs is not said, as the price of a verdict of dear is not known.") {
		t.Errorf("%v: %s", err, r.MayStand.Texts())
	}
}

// TestEscalateUnsure: a judge without a confidence is an error in a cascade, as it is alone.
func TestEscalateUnsure(t *testing.T) {
	all, people := cascadeLogs(true)
	for i := range all.Items {
		if all.Values.At(data.RowPlace{Row: i}).Rater.Name == "cheap" {
			all.Items[i].Change(func(a *sources.About) { a.Confidence = nil })
		}
	}
	_, err := computedOf(t, all, people, Options{Unread: .9, Escalate: []string{"cheap", "dear"}})
	if needed, is := errors.AsType[*Needed](err); !is || !strings.Contains(needed.Error(), "needs to know how sure cheap is of each verdict") {
		t.Errorf("%v", err)
	}
}
