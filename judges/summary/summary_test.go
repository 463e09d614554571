package summary

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/llm"
)

var hotels = data.Question{Object1: "Adler", Object2: "Bellevue"}

// values returns values whose quotes are the values themselves.
func values(texts ...string) (list []data.ContrastValue) {
	for i, v := range texts {
		list = append(list, data.ContrastValue{Value: v, Evidence: []data.Evidence{{Source: fmt.Sprint(i), Quote: v}}})
	}
	return list
}

func tableOf(rows ...data.ContrastRow) (t data.ContrastTable) {
	for i, r := range rows {
		r.Rank = i + 1
		r.Kind = data.RowContrast
		if r.Attribute == "" {
			r.Attribute = fmt.Sprint("attribute ", i)
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}

func ruled(t *testing.T, table data.ContrastTable, kind string) data.Labels {
	t.Helper()
	judge, _ := Rules()
	l := judge(context.Background(), hotels, table, kind, nil)
	if l.Status != data.Valid {
		t.Fatalf("%s: %s, %s", kind, l.Status, l.Reason)
	}
	return l.Value
}

// TestRules checks the examples of the paper and its appendix A, as far as rules can handle them.
func TestRules(t *testing.T) {
	var names []data.ContrastRow
	for _, a := range []string{"room", "the rooms", "price", "price of a room", "rooms", "room price"} {
		names = append(names, data.ContrastRow{Attribute: a})
	}
	if got := fmt.Sprint(ruled(t, tableOf(names...), data.LabelPartition).Partition); got != "[[1 2 5] [3] [4 6]]" {
		t.Errorf("partition %s", got)
	}

	for _, of := range []struct{ values, kept string }{
		{"45 l|46 l|46 l in volume|46 l of space", "[2 3 4]"},
		{"good|great|bad", "[1 2]"},
		{"$10|$5000", "[1]"},
		{"not cheap|expensive", "[1 2]"},
		{"not cheap|cheap", "[1]"},
		{"open 24 hours|2 pools", "[1 2]"},
		{"built in 1990|20 rooms|30 rooms", "[1 2]"},
		{"In 2022 a survey of 900 guests found the breakfast large|The new spa of 2023 has 4 small saunas beside the pool", "[1 2]"},
		{"In 2022 a survey of 900 guests found the breakfast large|In 2022 a survey of 900 guests found the breakfast small", "[1]"},
		{strings.Repeat("good|", 20) + "bad", "[1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20]"},
	} {
		l := ruled(t, tableOf(data.ContrastRow{Object2: values(strings.Split(of.values, "|")...)}), data.LabelConsistent)
		if got := fmt.Sprint(l.Consistent[0].Object2); got != of.kept || len(l.Consistent[0].Object1) != 0 {
			t.Errorf("of %s, %s are kept, want %s", of.values, got, of.kept)
		}
	}

	quoted := func(value, quote string) data.ContrastValue {
		return data.ContrastValue{Value: value, Evidence: []data.Evidence{{Source: "1", Quote: quote}}}
	}
	l := ruled(t, tableOf(data.ContrastRow{Object1: []data.ContrastValue{quoted("clean rooms", "The rooms are clean."), quoted("a large pool", "The pool was closed."), quoted("cheap", "Bellevue is cheap."),
		quoted("cheaper", "Adler is cheaper than Bellevue."), {Value: "no quote"}}}), data.LabelSupport)
	if got := fmt.Sprint(l.Support[0].Object1); got != "[{true false} {false false} {true true} {true false} {false false}]" {
		t.Errorf("support %s", got)
	}
}

func TestEmpty(t *testing.T) {
	model, _, err := Model(Options{Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	rules, _ := Rules()
	for _, judge := range []Judge{rules, model} {
		for _, kind := range data.LabelKinds {
			if l := judge(context.Background(), hotels, data.ContrastTable{}, kind, nil); l.Status != data.Empty {
				t.Errorf("%s: %s", kind, l.Status)
			}
		}
	}
}

var two = tableOf(data.ContrastRow{Object1: values("a", "b"), Object2: values("c")}, data.ContrastRow{Object2: values("d")})

// replies are correct replies for the table "two".
var replies = map[string]string{
	data.LabelRows:       `{"1": {"label": "YES", "relevant": true}, "2": {"label": "OK", "relevant": false}}`,
	data.LabelPartition:  `{"groups": [[2, 1]]}`,
	data.LabelConsistent: `{"1": {"object1": [1], "object2": [1]}, "2": {"object1": [], "object2": [1]}}`,
	data.LabelSupport:    `{"1": {"object1": {"1": {"supported": true, "wrong_entity": false}, "2": {"supported": false, "wrong_entity": true}}, "object2": {"1": {"supported": true, "wrong_entity": false}}}, "2": {"object1": {}, "object2": {"1": {"supported": true, "wrong_entity": false}}}}`,
}

// TestModel checks that there is one call for each kind and one repair, and the statuses of replies.
func TestModel(t *testing.T) {
	judge, _, err := Model(Options{Model: "m", Repair: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range data.LabelKinds {
		for _, of := range []struct {
			replies []string
			want    data.Status
		}{
			{[]string{"Here it is: " + replies[kind]}, data.Valid},
			{[]string{"no", replies[kind]}, data.Valid},
			{[]string{"no", "{}"}, data.Unparsed},
			{[]string{"no", ""}, data.Failed},
		} {
			var asked []llm.Request
			l := judge(context.Background(), hotels, two, kind, func(_ context.Context, r llm.Request) (llm.Reply, error) {
				asked = append(asked, r)
				text := of.replies[len(asked)-1]
				if text == "" {
					return llm.Reply{}, &llm.Error{Kind: llm.Failed, Message: "down"}
				}
				return llm.Reply{Text: text}, nil
			})
			if l.Status != of.want || len(asked) != len(of.replies) || (l.Reason == "") != (l.Status == data.Valid) || l.Value.Has(kind) != (l.Status == data.Valid) {
				t.Errorf("%s, %q: %+v after %d calls, want %s", kind, of.replies, l, len(asked), of.want)
			}
			if !json.Valid(asked[0].Schema) || !strings.Contains(asked[0].Messages[1].Content, "Row 2: attribute 1") || asked[0].SchemaName != kind {
				t.Errorf("%s: asked %+v", kind, asked[0])
			}
		}
	}
}

func TestRead(t *testing.T) {
	for _, of := range []struct {
		kind, reply string
		want        data.Status
	}{
		{data.LabelRows, `{"1": {"label": "YES", "relevant": true}}`, data.Incomplete},
		{data.LabelRows, `{"1": {"label": "YES", "relevant": true}, "2": {"label": "YES"}}`, data.Incomplete},
		{data.LabelRows, `{"1": {"label": "YES", "relevant": true}, "2": {"label": "maybe", "relevant": true}}`, data.OutOfRange},
		{data.LabelRows, `{"1": {"label": "YES", "relevant": true}, "2": {"label": "YES", "relevant": true}, "3": {}}`, data.OutOfRange},
		{data.LabelRows, `{"1": "YES", "2": "YES"}`, data.Unparsed},
		{data.LabelPartition, `{"groups": [[1], [1, 2]]}`, data.Unparsed},
		{data.LabelPartition, `{"groups": [1, 2]}`, data.Unparsed},
		{data.LabelConsistent, `{"1": {"object1": [3], "object2": [1]}, "2": {"object2": [1]}}`, data.OutOfRange},
		{data.LabelConsistent, `{"1": {"object1": [1], "object2": [1]}, "2": {"object2": []}}`, data.OutOfRange},
		{data.LabelConsistent, `{"1": [1], "2": [1]}`, data.Unparsed},
		{data.LabelSupport, `{"1": {}, "2": {}}`, data.Incomplete},
	} {
		if _, status, reason := read(of.reply, two, of.kind); status != of.want || reason == "" {
			t.Errorf("%s: %s (%s), want %s", of.reply, status, reason, of.want)
		}
	}
}

// TestTemperature checks that temperature 0 is requested as a default that a model may refuse, unless the entry sets another value or null.
func TestTemperature(t *testing.T) {
	for want, o := range map[string]Options{"map[temperature:0] [temperature]": {}, "map[temperature:0.5] []": {Options: map[string]any{"temperature": .5}},
		"map[] []": {Options: map[string]any{"temperature": nil}}, "map[seed:3 temperature:0] [temperature]": {Options: map[string]any{"seed": 3}}} {
		judge, _, err := Model(o)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		judge(context.Background(), hotels, two, data.LabelRows, func(_ context.Context, r llm.Request) (llm.Reply, error) {
			got = fmt.Sprint(r.Options, r.Preferred)
			return llm.Reply{}, nil
		})
		if got != want {
			t.Errorf("%v: %s, want %s", o.Options, got, want)
		}
	}
}

// TestIdentity checks that whatever changes the labels changes the identity.
func TestIdentity(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range []Options{{Model: "a"}, {Model: "b"}, {Model: "a", Repair: 1}, {Model: "a", Options: map[string]any{"temperature": 1}}, {Model: "a", Options: map[string]any{"temperature": nil}}, {Model: "a", Extra: map[string]any{"x": 0}}} {
		_, identity, err := Model(o)
		if err != nil || seen[identity] {
			t.Errorf("%+v: %v, %s", o, err, identity)
		}
		seen[identity] = true
	}
	if _, _, err := Model(Options{Options: map[string]any{"x": func() {}}}); err == nil {
		t.Error("options that JSON cannot hold")
	}
}

func FuzzRead(f *testing.F) {
	for kind, reply := range replies {
		f.Add(kind, reply)
	}
	f.Fuzz(func(t *testing.T, kind, reply string) {
		if !slices.Contains(data.LabelKinds, kind) {
			return
		}
		l, status, reason := read(reply, two, kind)
		if (status == data.Valid) != (reason == "") || l.Has(kind) != (status == data.Valid) {
			t.Errorf("%s: %s (%s), %+v", reply, status, reason, l)
		}
	})
}

// TestExamples checks that the examples have a correct reply of each kind and come before the task. Without examples, the request and the
// identity do not mention them.
func TestExamples(t *testing.T) {
	if len(examples) != MostExamples {
		t.Errorf("%d examples", len(examples))
	}
	var asked llm.Request
	ask := func(_ context.Context, r llm.Request) (llm.Reply, error) {
		asked = r
		return llm.Reply{}, errors.New("stop")
	}
	for i, e := range examples {
		for _, kind := range data.LabelKinds {
			if _, status, reason := read(string(e.Replies[kind]), e.Table, kind); status != data.Valid {
				t.Errorf("example %d, %s: %s: %s", i+1, kind, status, reason)
			}
			plain, identity, _ := Model(Options{Model: "m"})
			plain(t.Context(), e.Question, e.Table, kind, ask)
			before := asked.Messages
			shown, other, _ := Model(Options{Model: "m", Examples: 2})
			shown(t.Context(), e.Question, e.Table, kind, ask)
			if len(before) != 2 || len(asked.Messages) != 6 || asked.Messages[0] != before[0] || asked.Messages[5] != before[1] || identity == other {
				t.Errorf("%s: %d messages and %d with examples", kind, len(before), len(asked.Messages))
			}
		}
	}
}
