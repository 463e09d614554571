package summaries

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"compqa/data"
	"compqa/stats"
)

// labelled returns rows with labels: Y is YES and relevant, O is OK, N is a fault.
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

// The tests below use the examples in the specification of the measures (strum.md, section 2).

// measured returns a measure of a table, by its name in summaries.csv.
func measured(t *testing.T, name string, of data.ContrastTable, l data.Labels) []float64 {
	t.Helper()
	for _, m := range measures {
		if m.name == name {
			return m.measure(of, l)
		}
	}
	t.Fatalf("no measure %s", name)
	return nil
}

func TestHelpful(t *testing.T) {
	a := data.Labels{Rows: labelled("YYNY")}
	b := data.Labels{Rows: labelled("YYNONYYO")}
	of := func(name string) (all []float64) {
		for _, l := range []data.Labels{a, b} {
			all = append(all, measured(t, name, data.ContrastTable{}, l)...)
		}
		return all
	}
	near(t, "macro", stats.Mean(of("chs")), .625)
	near(t, "micro", stats.Mean(of("chs_micro")), 7./12)
	near(t, "OK", of("ok")[1], .25)
	people := data.Labels{Rows: []data.RowLabel{{Label: data.RowUseful}, {Label: data.RowNotUseful}}}
	if ok := measured(t, "ok", data.ContrastTable{}, people); ok != nil || measured(t, "chs", data.ContrastTable{}, people)[0] != .5 {
		t.Errorf("labels of people: OK %v", ok)
	}
}

func TestRedundancy(t *testing.T) {
	redundancy := func(rows int, groups [][]int) float64 {
		return measured(t, "redundancy", tableOf(make([][]string, rows)...), data.Labels{Partition: groups})[0]
	}
	// room, rooms, amenities, facilities, price, staff, wifi, pool
	near(t, "redundancy", redundancy(8, [][]int{{1, 2}, {3, 4}, {5}, {6}, {7}, {8}}), .25)
	near(t, "redundancy of one attribute", redundancy(1, [][]int{{1}}), 0)
	near(t, "redundancy of two that are one", redundancy(2, [][]int{{1, 2}}), .5)
}

// tableOf returns a table with a row for each list of values of the first object.
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

// Inconsistency is the number of values that are not kept.
func TestInconsistency(t *testing.T) {
	for _, of := range []struct {
		values []string
		kept   []int
		want   float64
	}{
		{[]string{"45 l", "46 l", "46 l", "46 l"}, []int{2, 3, 4}, 1},
		{[]string{"good", "great", "bad"}, []int{1, 2}, 1},
		{[]string{"$10", "$5000"}, []int{1}, 1},
		{[]string{"good"}, []int{1}, 0},
		{nil, nil, 0},
	} {
		if got := measured(t, "inconsistency", tableOf(of.values), data.Labels{Consistent: []data.KeptValues{{Object1: of.kept}}})[0]; got != of.want {
			t.Errorf("%v: %v, want %v", of.values, got, of.want)
		}
	}
	all := tableOf([]string{"45 l", "46 l", "46 l", "46 l"}, []string{"good", "great", "bad"}, []string{"$10", "$5000"})
	kept := []data.KeptValues{{Object1: []int{2, 3, 4}}, {Object1: []int{1, 2}}, {Object1: []int{2}}}
	if got := measured(t, "inconsistency", all, data.Labels{Consistent: kept})[0]; got != 3 {
		t.Errorf("of all: %v, want 3", got)
	}
}

func TestRanking(t *testing.T) {
	names := []string{"p_at_5", "p_at_5_strict", "lift_at_5"}
	for short, want := range map[string][3]float64{
		"YYONYY": {.6, .6, .6 - 4./6},
		"YNY":    {2. / 3, .4, 0},
		"N":      {0, 0, 0},
		"Y":      {1, .2, 0},
	} {
		for i, name := range names {
			near(t, short+" "+name, measured(t, name, data.ContrastTable{}, data.Labels{Rows: labelled(short)})[0], want[i])
		}
	}
	for _, name := range names {
		if got := measured(t, name, data.ContrastTable{}, data.Labels{Rows: []data.RowLabel{{Label: data.RowYes}}}); got != nil {
			t.Errorf("%s of relevance that nobody gave: %v", name, got)
		}
	}
}

// Shares of values whose quotes are found, that a judge supports, that are about the wrong object, and that most sources contradict.
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
	var n attributed
	n.add(tab, support, map[string]string{"s": "0 1 2 3 4 5 6 7 8"})
	near(t, "found", n.found.figure().Value, .9)
	near(t, "supported", n.supported.figure().Value, .8)
	near(t, "wrong entity", n.foreign.figure().Value, .1)
	near(t, "minority", n.minority.figure().Value, .1)
	n = attributed{}
	if n.add(tableOf([]string{"x"}), nil, map[string]string{}); n.found != (ratio{0, 1}) || n.supported.figure().Known {
		t.Errorf("a value without a quote: %+v", n)
	}
}

// TestThroughput checks the published figures: what the paper calls 100 × is 115 × and 83 ×.
func TestThroughput(t *testing.T) {
	speed := map[string]float64{}
	for _, f := range publishedFigures() {
		if f.Measure == "throughput" {
			speed[f.System], _ = strconv.ParseFloat(f.Value, 64)
		}
	}
	near(t, "against few-shot", math.Round(speed["STRUM-LLM Distilled"]/speed["STRUM-LLM Few-shot"]), 115)
	near(t, "against STRUM", math.Round(speed["STRUM-LLM Distilled"]/speed["STRUM in-code"]), 83)
}

func TestDistinctiveness(t *testing.T) {
	near(t, "distinctiveness", distinctiveness([3]string{"good view clean room", "bad view clean room", "clean room"})[0], .4)
	if got := distinctiveness([3]string{"", ".", ""}); got != nil {
		t.Errorf("of texts without words: %v", got)
	}
	for _, of := range [][4]string{{"a", "b", "c", "1"}, {"rooms", "room", "", "0"}, {"a a", "a", "", "0.5"}, {"a", "a", "a", "0"}} {
		if got := distinctiveness([3]string(of[:3])); fmt.Sprint(got[0]) != of[3] {
			t.Errorf("%v: %v", of, got)
		}
	}
}
