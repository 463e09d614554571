package strum

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/llm"
)

// TestClaims checks that other numbers, units and negations make another claim, and other words do not.
func TestClaims(t *testing.T) {
	r := readerOf(data.Question{Object1: "iPhone 14", Object2: "Pixel 7"}, nil)
	for _, c := range []struct {
		a, b  string
		agree bool
	}{
		{"Battery life of 10 hours", "A battery life of ten hours", true},
		{"Battery life of 10 hours", "Battery life of 6 hours", false},
		{"Battery life of 10 hours", "Battery life of 10 minutes", false},
		{"$1,000 a month", "1000 dollars a month", true},
		{"$45 a month", "$450 a month", false},
		{"It weighs 1.50 kg", "It weighs 1.5 kilograms", true},
		{"The display is bright", "The display is not bright", false},
		{"The price is $5000", "The price is not $5000", false},
		{"The battery lasts six hours", "The battery never lasts 6 hours", false},
		{"The view is good", "The view is bad", false},
		{"No dogs", "Dogs are prohibited", true},
		{"Dogs are allowed", "No dogs are allowed", false},
		{"Dogs are not prohibited", "Dogs are prohibited", false},
		{"The iPhone 14 is light", "The Pixel 7 is light", true}, // numbers in names are not quantities
		{"It was cheap [1] [2]", "It was cheap [3]", true},
	} {
		if got := r.claimOf(c.a).agrees(r.claimOf(c.b)); got != c.agree {
			t.Errorf("%q and %q: one claim is %v", c.a, c.b, got)
		}
	}
	for text, another := range map[string]bool{"The iPhone 14 Pro has a camera.": true, "The Pixel 6 is worse.": true, "The iPhone 14 is good.": false,
		"The Pixel 7 lasts.": false, "A Pixel 7 Pro": true, "Pixel 6 hours": false, "The iPhone 14, Pro users say, is fine.": false} {
		if got := r.another(text); got != another {
			t.Errorf("%q is about another entity: %v", text, got)
		}
	}
}

// TestFiguresInDispute has cases counted by hand. Two sources that give different figures for an attribute contradict each other, whatever
// else they say, if one of the statements is plain. A charging time, a difference, a price per day, and walks to two different places
// contradict nothing.
func TestFiguresInDispute(t *testing.T) {
	r := readerOf(data.Question{Object1: "Arvo 3", Object2: "Belto X"}, nil)
	for _, c := range []struct {
		attribute string
		values    []string
		disputed  []int // for each value, the number of sources that contradict it
	}{
		{"battery", []string{"Excellent: it lasted 38 hours in our test", "The battery lasts about 38 hours",
			"Battery life is 24 hours at most with noise cancellation on", "The battery charges fully in 2 hours"}, []int{1, 1, 2, 0}},
		{"battery", []string{"24 h", "38 h", "38 hours"}, []int{2, 1, 1}},
		{"battery", []string{"38 hours in our test", "24 hours with noise cancellation on"}, []int{0, 0}},
		{"price", []string{"The Arvo 3 costs 249 euros", "I paid 229 euros on sale", "costs 100 euros more", "3 euros a day", "$5"}, []int{1, 1, 0, 0, 0}},
		{"location", []string{"5 minutes from the beach", "10 minutes from the station"}, []int{0, 0}},
	} {
		var values []data.ContrastValue
		for i, text := range c.values {
			id := fmt.Sprint(i)
			values = append(values, data.ContrastValue{Value: text, Evidence: []data.Evidence{{Source: id, Quote: text}}, Supporters: []string{id}})
		}
		r.dispute(c.attribute, values)
		for i, v := range values {
			if len(v.Conflicts) != c.disputed[i] {
				t.Errorf("%s: %q is contradicted by %q, want %d sources", c.attribute, v.Value, v.Conflicts, c.disputed[i])
			}
		}
	}
}

// TestTwoSubjects checks that a sentence with two subjects is two statements, and that the number of a list item belongs to no sentence.
func TestTwoSubjects(t *testing.T) {
	text := "Staff very polite and room very clean. The staff and the room are great."
	var list []data.Source
	for i := range 3 {
		list = append(list, data.Source{ID: fmt.Sprint(i), Entity: "object1", Text: text})
	}
	r := readerOf(data.Question{Object1: "Alpha", Object2: "Beta"}, list)
	var got []string
	for _, span := range sentences(text) {
		for _, p := range r.topicParts(text, span) {
			got = append(got, p.topic+": "+p.Of(text))
		}
	}
	want := []string{"staff: Staff very polite", "room: room very clean. ", "staff: The staff and the room are great."}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	text = "1. All was near 2. The staff helped 3. The stay cost 40. Fine."
	got = nil
	for _, span := range sentences(text) {
		got = append(got, strings.TrimSpace(span.Of(text)))
	}
	if want := []string{"1.", "All was near", "2.", "The staff helped", "3.", "The stay cost 40.", "Fine."}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// checkClaims checks that no quote of a value has another number or negation than the value.
func checkClaims(t *testing.T, q data.Question, table data.ContrastTable) {
	t.Helper()
	r := readerOf(q, nil)
	for _, row := range table.Rows {
		for _, v := range slices.Concat(row.Object1, row.Object2) {
			for _, e := range v.Evidence {
				if !r.claimOf(v.Value).isIn(r.claimOf(e.Quote)) {
					t.Errorf("%s: %q is no evidence for %q", row.Attribute, e.Quote, v.Value)
				}
			}
		}
	}
}

// TestEvidenceOfClaims checks that no quote is evidence for a value that it contradicts, for sources with different numbers, units and
// negations.
func TestEvidenceOfClaims(t *testing.T) {
	q := data.Question{Object1: "Alpha", Object2: "Beta"}
	forms := []string{"The battery lasts %s.", "The battery never lasts %s.", "A battery life of %s.", "The price is %s.", "The price is not %s.", "There is no fee of %s."}
	amounts := []string{"10 hours", "ten hours", "6 hours", "10 minutes", "$45", "$450", "45 dollars", "€45"}
	for seed := range 30 {
		var sources []data.Source
		for i := range 12 {
			k := seed*7 + i*5 + i*i
			text := fmt.Sprintf(forms[k%len(forms)], amounts[(k/3)%len(amounts)]) + " " + fmt.Sprintf(forms[(k/2)%len(forms)], amounts[(k/5)%len(amounts)])
			sources = append(sources, data.Source{ID: fmt.Sprint(i), Entity: []string{"object1", "object2"}[i%2], Text: text})
		}
		checkClaims(t, q, Offline(q, sources))
	}
	for _, q := range data.CQA50() {
		checkClaims(t, q, Offline(q, SourcesOf(q)))
	}
}

// TestLiveClaims checks that a model's reply is not followed if it joins values with different numbers, or quotes a passage with another
// number.
func TestLiveClaims(t *testing.T) {
	sources := []data.Source{{ID: "a1", Entity: "object1", Text: "Battery life of 10 hours."}, {ID: "a2", Entity: "object1", Text: "Battery life of 6 hours."},
		{ID: "b1", Entity: "object2", Text: "Battery life of 8 hours."}}
	model := &scripted{replies: map[string]string{
		"extract": `{"values": [{"attribute": "battery", "value": "10 hours", "quote": "Battery life of 10 hours", "source": 1},
			{"attribute": "battery", "value": "six hours", "quote": "Battery life of 6 hours", "source": 2},
			{"attribute": "battery", "value": "9 hours", "quote": "Battery life of 8 hours", "source": 3},
			{"attribute": "battery", "value": "8 hours", "quote": "life of 8 hours", "source": 3}]}`,
		"values": `{"groups": [{"center": 1, "members": [1, 2], "contradicted_by": []}]}`,
	}}
	q := data.Question{Object1: "Alpha", Object2: "Beta"}
	table, err := build(t, 0).Table(context.Background(), q, sources, func(int, int) {}, model.ask)
	if err != nil || len(table.Rows) != 1 {
		t.Fatalf("%v, %+v", err, table)
	}
	checkClaims(t, q, table)
	got := Render(q, table, sources, false)
	if want := "Alpha – 10 hours [1] (disputed: 1 source contradicts it [2]); six hours [2] (disputed: 1 source contradicts it [1]). Beta – 8 hours [3]."; !strings.Contains(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestManyValues checks that values are asked about again after a round, if they did not fit into one prompt.
func TestManyValues(t *testing.T) {
	m := &tableBuild{Live: build(t, 0), reader: readerOf(hotels, nil)}
	asked := 0
	m.ask = func(_ context.Context, _ Role, r llm.Request) (llm.Reply, error) {
		asked++
		n := strings.Count(r.Messages[0].Text(), "word") // all values of a prompt say the same
		var members []string
		for i := range n {
			members = append(members, fmt.Sprint(i+1))
		}
		return llm.Reply{Text: `{"groups": [{"center": 1, "members": [` + strings.Join(members, ", ") + `], "contradicted_by": []}]}`}, nil
	}
	var list []extraction
	for i := range 2*mostShown + 5 {
		value := fmt.Sprintf("word%c%c", 'a'+i/26, 'a'+i%26)
		list = append(list, extraction{value: value, evidence: data.Evidence{Source: fmt.Sprint(i), Quote: value}})
	}
	values, err := m.values(context.Background(), "view", 0, m.mergeEqual(list))
	if err != nil || len(values) != 1 || len(values[0].Supporters) != len(list) || asked != 4 {
		t.Errorf("%v: %d values after %d calls", err, len(values), asked)
	}
}

// casePair reads the sources of a case in COMPQA_SHARED.
func casePair(t *testing.T, name string) (q data.Question, list []data.Source) {
	t.Helper()
	f, err := os.Open(sharedtest.Path(t, "cases", "strum", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var s struct {
			data.Source
			Object1, Object2 string
		}
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		q.Object1, q.Object2, list = s.Object1, s.Object2, append(list, s.Source)
	}
	return q, list
}

// TestCases checks the cases of offline tables. Camp has six facets in Gunel et al., Figure 1.
func TestCases(t *testing.T) {
	attributes := func(table data.ContrastTable) (names []string) {
		for _, r := range table.Rows {
			names = append(names, r.Attribute)
		}
		return names
	}
	for name, want := range map[string][]string{
		"camp":   {"dog", "fee", "parking", "shower", "distance", "reservation", "view"},
		"ipad":   {"battery life", "price", "display", "app selection", "weight", "multitasking", "usb"},
		"num":    {"battery life", "price"},
		"iphone": {"battery", "display", "camera"},
		"conf":   {"battery", "display", "price"},
	} {
		q, list := casePair(t, name)
		table := Offline(q, list)
		if got := attributes(table); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		checkTable(t, q, list, table)
		checkClaims(t, q, table)
		text := Render(q, table, list, true)
		for _, wrong := range []string{"hours [1] [2]", "month [3] [4]", "bright [1] [2]", "$5000 [4] [5]", "Pro", "Pixel 6"} {
			if strings.Contains(text, wrong) {
				t.Errorf("%s: %q stands in\n%s", name, wrong, text)
			}
		}
	}
	q, list := casePair(t, "conf")
	if text := Render(q, Offline(q, list), list, false); !strings.Contains(text, "bright [1] [3] (disputed: 1 source contradicts it [2])") {
		t.Errorf("a contradiction is not shown:\n%s", text)
	}
	if q, list := casePair(t, "num"); strings.Contains(Render(q, Offline(q, list), list, true), "Best option") {
		t.Error("two rows are too few for a choice")
	}
}
