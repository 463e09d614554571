package summaries

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
)

// labelled are rows with labels, in short: Y is YES and relevant, O is OK, N is a fault.
func labelled(short string) (rows []data.RowLabel) {
	for _, l := range strings.Split(short, "") {
		is := l == "Y"
		rows = append(rows, data.RowLabel{Label: map[string]string{"Y": data.RowYes, "O": data.RowOK, "N": data.RowUndermerged}[l], Relevant: &is})
	}
	return rows
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// The worked examples of the specification of these measures (strum.md, section 2).

func TestHelpful(t *testing.T) {
	a, _, n := Helpful(labelled("YYNY"))
	b, ok, m := Helpful(labelled("YYNONYYO"))
	near(t, "macro", (float64(a)/float64(n)+float64(b)/float64(m))/2, .625)
	near(t, "micro", float64(a+b)/float64(n+m), 7./12)
	if a != 3 || n != 4 || b != 4 || m != 8 || ok != 2 {
		t.Errorf("%d of %d, %d of %d, %d OK", a, n, b, m, ok)
	}
}

func TestRedundancy(t *testing.T) {
	// room, rooms, amenities, facilities, price, staff, wifi, pool
	near(t, "redundancy", Redundancy([][]int{{1, 2}, {3, 4}, {5}, {6}, {7}, {8}}), .25)
	near(t, "redundancy of one attribute", Redundancy([][]int{{1}}), 0)
	near(t, "redundancy of two that are one", Redundancy([][]int{{1, 2}}), .5)
}

// tableOf has one row for each list of values of the first object.
func tableOf(cells ...[]string) (t data.ContrastTable) {
	for i, values := range cells {
		row := data.ContrastRow{Attribute: fmt.Sprint("a", i), Rank: i + 1, Kind: data.RowContrast}
		for _, v := range values {
			row.Object1 = append(row.Object1, data.ContrastValue{Value: v})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func TestInconsistency(t *testing.T) {
	for _, of := range []struct {
		values []string
		kept   []int
		want   int
	}{
		{[]string{"45 l", "46 l", "46 l", "46 l"}, []int{2, 3, 4}, 1},
		{[]string{"good", "great", "bad"}, []int{1, 2}, 1},
		{[]string{"$10", "$5000"}, []int{1}, 1},
		{[]string{"good"}, []int{1}, 0},
		{nil, nil, 0},
	} {
		if got := Inconsistency(tableOf(of.values), []data.KeptValues{{Object1: of.kept}}); got != of.want {
			t.Errorf("%v: %d, want %d", of.values, got, of.want)
		}
	}
	all := tableOf([]string{"45 l", "46 l", "46 l", "46 l"}, []string{"good", "great", "bad"}, []string{"$10", "$5000"})
	if got := Inconsistency(all, []data.KeptValues{{Object1: []int{2, 3, 4}}, {Object1: []int{1, 2}}, {Object1: []int{2}}}); got != 3 {
		t.Errorf("of all: %d, want 3", got)
	}
}

func TestRanking(t *testing.T) {
	for short, want := range map[string]Ranking{
		"YYONYY": {.6, .6, .6 - 4./6},
		"YNY":    {2. / 3, .4, 0},
		"N":      {0, 0, 0},
		"Y":      {1, .2, 0},
	} {
		relevant, ok := Relevant(labelled(short))
		got, known := RankingOf(relevant)
		if !ok || !known {
			t.Errorf("%s: no ranking", short)
		}
		near(t, short+" at 5", got.At5, want.At5)
		near(t, short+" strict", got.Strict, want.Strict)
		near(t, short+" lift", got.Lift, want.Lift)
	}
	if _, ok := RankingOf(nil); ok {
		t.Error("a ranking without rows")
	}
	if _, ok := Relevant([]data.RowLabel{{Label: data.RowYes}}); ok {
		t.Error("relevance that nobody gave")
	}
}

func TestAgreementExample(t *testing.T) {
	says := "YNNY"
	persons := []judge{{name: "1"}, {name: "2"}, {name: "3"}}
	by := map[string]map[unit]float64{"1": {}, "2": {}, "3": {}}
	pairs := 0.
	for i, people := range []string{"YYN", "YYY", "NNY", "YNO"} {
		var useful []bool
		for k, l := range people {
			useful = append(useful, l == 'Y')
			by[persons[k].name][unit{i, 0}] = dataset.Indicator(l == 'Y')
		}
		share, _ := Pairs(useful)
		pairs += share
	}
	most, ties := majorities(persons, by)
	agreed := 0
	for u, useful := range most {
		agreed += indicator(useful == dataset.Indicator(says[u.answer] == 'Y'))
	}
	if agreed != 2 || ties != 0 {
		t.Errorf("people and CHS agree on %d of 4, want 2; %d ties", agreed, ties)
	}
	near(t, "human", pairs/4, .5)
	delete(by, "3")
	if most, ties := majorities(persons[:2], by); len(most) != 3 || ties != 1 {
		t.Errorf("of two people: %v, %d ties", most, ties)
	}
	if _, ok := Pairs([]bool{true}); ok {
		t.Error("one person agrees with himself")
	}
}

func TestAttribution(t *testing.T) {
	values := make([]string, 10)
	tab := tableOf(values)
	support := []data.RowSupport{{}}
	for i := range values {
		v := &tab.Rows[0].Object1[i]
		v.Evidence = []data.Evidence{{Source: "s", Quote: fmt.Sprint(i)}}
		v.Supporters = []string{"s"}
		support[0].Object1 = append(support[0].Object1, data.ValueSupport{Supported: i < 8, WrongEntity: i == 3})
	}
	tab.Rows[0].Object1[0] = data.ContrastValue{Value: "good view", Evidence: []data.Evidence{{Source: "s", Quote: "0"}}, Supporters: []string{"1"}, Conflicts: strings.Split("23456789a", "")}
	n := Attribution(tab, support, func(e data.Evidence) (bool, bool) { return e.Quote != "9", true })
	near(t, "found", float64(n.Found)/float64(n.Values), .9)
	near(t, "supported", float64(n.Supported)/float64(n.Labelled), .8)
	near(t, "wrong entity", float64(n.WrongEntity)/float64(n.Labelled), .1)
	if n.Minority != 1 || n.Searched != 10 {
		t.Errorf("%+v", n)
	}
	if n := Attribution(tableOf([]string{"x"}), nil, func(data.Evidence) (bool, bool) { return true, true }); n.Found != 0 || n.Labelled != 0 {
		t.Errorf("a value without a quote: %+v", n)
	}
}

// TestThroughput: of the published figures, the printed 100 × is 115 × and 83 ×.
func TestThroughput(t *testing.T) {
	speed := map[string]float64{}
	for _, f := range publishedFigures() {
		if f.Measure == "throughput" {
			speed[f.System], _ = strconv.ParseFloat(f.Value, 64)
		}
	}
	near(t, "against few-shot", math.Round(speed["STRUM-LLM Distilled"]/speed["STRUM-LLM Few-shot"]), 115)
	near(t, "against STRUM", math.Round(speed["STRUM-LLM Distilled"]/speed["STRUM in-code"]), 83)
	if got, ok := Throughput(3, 2); !ok || got != 1.5 {
		t.Errorf("%v, %v", got, ok)
	}
	if _, ok := Throughput(3, 0); ok {
		t.Error("a throughput without time")
	}
}

func TestDistinctiveness(t *testing.T) {
	got, ok := Distinctiveness("good view clean room", "bad view clean room", "clean room")
	near(t, "distinctiveness", got, .4)
	if !ok {
		t.Error("none")
	}
	if _, ok := Distinctiveness("", ".", ""); ok {
		t.Error("of texts without words")
	}
	for _, of := range [][4]string{{"a", "b", "c", "1"}, {"rooms", "room", "", "0"}, {"a a", "a", "", "0.5"}, {"a", "a", "a", "0"}} {
		got, _ := Distinctiveness(of[0], of[1], of[2])
		if fmt.Sprint(got) != of[3] {
			t.Errorf("%v: %v", of, got)
		}
	}
}
