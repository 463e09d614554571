package judges

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/judges/scoring"
	"compqa/llm"
	"compqa/rubric"
)

// A turn is one reply or error of a scripted model, with the status that results if it is the last. After an error there is no further
// call. After another faulty turn the judge is asked to repair it.
type turn struct {
	name   string
	reply  llm.Reply
	err    error
	status data.Status
}

func scripted(status data.Status, name, text string) turn {
	return turn{name: name, reply: llm.Reply{Text: text}, status: status}
}

func broken(status data.Status, name string, reply llm.Reply, err error) turn {
	return turn{name, reply, err, status}
}

var goodSheet = sheetForm(rubric.CQA(), rubric.CQA().Full())

// turns are all the ways in which a call can end.
var turns = []turn{
	scripted(data.Valid, "sheet", goodSheet),
	scripted(data.Unparsed, "empty", ""),
	scripted(data.Unparsed, "prose", "Nineteen of nineteen points!"),
	scripted(data.Unparsed, "cut without a word", goodSheet[:len(goodSheet)-3]),
	scripted(data.Incomplete, "one missing", strings.Replace(goodSheet, `"3": 1, `, "", 1)),
	scripted(data.UnknownCriterion, "one too many", strings.Replace(goodSheet, "}", `, "16": 1}`, 1)),
	scripted(data.OutOfRange, "too many points", strings.Replace(goodSheet, `"3": 1`, `"3": 5`, 1)),
	broken(data.Unparsed, "scores in the reasoning", llm.Reply{Text: "Done.", Reasoning: goodSheet}, nil),
	broken(data.Refused, "refused", llm.Reply{Text: "I can't help with that."}, &llm.Error{Kind: llm.Refused, Message: "declined"}),
	broken(data.Truncated, "truncated", llm.Reply{Text: goodSheet + " and so", Finish: "length"}, &llm.Error{Kind: llm.Truncated, Message: "cut off"}),
	broken(data.Failed, "failed", llm.Reply{}, &llm.Error{Kind: llm.Failed, HTTPStatus: 500, Message: "overloaded"}),
	broken(data.Failed, "misconfigured", llm.Reply{}, fmt.Errorf("asking: %w", &llm.Error{Kind: llm.Misconfigured, Message: "no such model"})),
	broken(data.Failed, "not of the server", llm.Reply{}, errors.New("disk full")),
	broken(data.Pending, "cancelled", llm.Reply{}, &llm.Error{Kind: llm.Cancelled, Message: "context canceled"}),
	broken(data.Pending, "stopped", llm.Reply{}, fmt.Errorf("waiting: %w", context.Canceled)),
	broken(data.Pending, "out of time", llm.Reply{}, context.DeadlineExceeded),
}

// play judges one answer with a scripted model. It returns the verdict as it is recorded, and the requests.
func play(t *testing.T, o ModelOptions, script ...turn) (data.Verdict, []llm.Request) {
	t.Helper()
	o.Model = "scripted"
	judge, _, err := NewModel(rubric.CQA(), o)
	if err != nil {
		t.Fatal(err)
	}
	var asked []llm.Request
	v := judge(context.Background(), builtinQuestion(t, "concrete", "wood"), data.Answer{Text: "Concrete."},
		func(_ context.Context, req llm.Request) (llm.Reply, error) {
			if len(asked) == len(script) {
				t.Fatalf("call %d; the script has %d", len(asked)+1, len(script))
			}
			req.Messages = append([]llm.Message(nil), req.Messages...)
			asked = append(asked, req)
			s := script[len(asked)-1]
			return s.reply, s.err
		})
	return scoring.Settle(rubric.CQA(), v), asked
}

// For every script of turns, with no, one and two repairs, the status is that of the last turn that was asked for, and only a valid sheet
// has points.
func TestEveryMixOfFaults(t *testing.T) {
	planned := 0
	counted := map[data.Status]int{}
	var try func(script []turn, repair int)
	try = func(script []turn, repair int) {
		if len(script) <= repair {
			for _, next := range turns {
				try(append(script[:len(script):len(script)], next), repair)
			}
			return
		}
		calls := 1
		for calls <= repair && script[calls-1].err == nil && script[calls-1].status != data.Valid {
			calls++
		}
		v, asked := play(t, ModelOptions{Repair: repair}, script...)
		last := script[calls-1]
		if v.Status != last.status || len(asked) != calls {
			t.Fatalf("%d repairs, %v: %v after %d calls; want %v after %d (%s)", repair, script, v.Status, len(asked), last.status, calls, v.Reason)
		}
		valid := last.status == data.Valid
		if (v.Total != nil) != valid || (v.Reason == "") != valid || valid && (*v.Total != 19 || v.Raw != goodSheet) {
			t.Fatalf("%d repairs, %v: total %v, reason %q, raw %q", repair, script, v.Total, v.Reason, v.Raw)
		}
		planned++
		counted[v.Status]++
	}
	most := 1 // number of repairs
	if sharedtest.Soaking(t) {
		most = 2
	}
	for repair := range most + 1 {
		try(nil, repair)
	}
	sum := 0
	for _, status := range data.Statuses {
		sum += counted[status]
	}
	scripts := 0
	total := 1
	for range most + 1 {
		total *= len(turns)
		scripts += total
	}
	if sum != planned || planned != scripts {
		t.Errorf("%d scripts, but the statuses add up to %d", planned, sum)
	}
}

// TestSoakEveryMixOfFaults runs TestEveryMixOfFaults with all cases.
func TestSoakEveryMixOfFaults(t *testing.T) {
	sharedtest.Soak(t)
	TestEveryMixOfFaults(t)
}

func TestRepairShowsReplyAndFault(t *testing.T) {
	bad := strings.Replace(goodSheet, `"3": 1`, `"3": 5`, 1)
	v, asked := play(t, ModelOptions{Repair: 1}, scripted(data.OutOfRange, "bad", bad), scripted(data.Valid, "good", goodSheet))
	if v.Status != data.Valid {
		t.Fatal(v)
	}
	first := asked[0].Messages
	second := asked[1].Messages
	if len(first) != 2 || len(second) != 4 || !reflect.DeepEqual(first, second[:2]) {
		t.Fatalf("the conversation went from %d to %d messages; want 2 and 4, with the same beginning", len(first), len(second))
	}
	if second[2] != (llm.Message{Role: "assistant", Content: bad}) {
		t.Errorf("the judge is shown %+v; want its reply", second[2])
	}
	if second[3].Role != "user" || !strings.Contains(second[3].Text(), "criterion 3 has 5 points; 0 to 1 are possible") {
		t.Errorf("the judge is told %+v; want the fault", second[3])
	}
	if asked[1].Model != "scripted" || string(asked[1].Schema) != string(asked[0].Schema) || asked[1].SchemaName != asked[0].SchemaName {
		t.Error("the second request differs in more than its messages")
	}
}

func TestRepairOfRepliesThatCannotBeShownAsTheyAre(t *testing.T) {
	_, asked := play(t, ModelOptions{Repair: 1}, scripted(data.Unparsed, "blank", " \n"), scripted(data.Valid, "good", goodSheet))
	if got := asked[1].Messages[2].Text(); strings.TrimSpace(got) == "" {
		t.Errorf("an empty message %q: no server takes it", got)
	}
	long := strings.Repeat("é", 8<<10)
	_, asked = play(t, ModelOptions{Repair: 1}, scripted(data.Unparsed, "long", "x"+long), scripted(data.Valid, "good", goodSheet))
	if got := asked[1].Messages[2].Text(); len(got) > 8<<10+10 || !strings.HasPrefix("x"+long, strings.TrimSuffix(got, " […]")) {
		t.Errorf("a reply of %d bytes is shown with %d", len(long)+1, len(got))
	}
}

// The judge's reply is kept, with the scores that could be read.
func TestInvalidVerdictKeepsWhatWasWritten(t *testing.T) {
	missing := strings.Replace(goodSheet, `"3": 1, `, "", 1)
	read := rubric.CQA().Full()
	delete(read, "3")
	for _, c := range []struct {
		name   string
		script []turn
		raw    string
		scores data.Scores
		reason []string
	}{
		{"faulty twice", []turn{scripted(data.Unparsed, "", "No."), scripted(data.Incomplete, "", missing)}, missing, read, []string{"criterion 3"}},
		{"faulty, then failed", []turn{scripted(data.Incomplete, "", missing), broken(data.Failed, "", llm.Reply{}, &llm.Error{Kind: llm.Failed, Message: "overloaded"})},
			missing, read, []string{"overloaded", "criterion 3"}},
		{"faulty, then cut off", []turn{scripted(data.Incomplete, "", missing), broken(data.Truncated, "", llm.Reply{Text: goodSheet}, &llm.Error{Kind: llm.Truncated, Message: "cut off"})},
			goodSheet, nil, []string{"cut off", "criterion 3"}},
		{"refused", []turn{broken(data.Refused, "", llm.Reply{Text: "I won't."}, &llm.Error{Kind: llm.Refused, Message: "declined"})}, "I won't.", nil, []string{"declined"}},
	} {
		v, _ := play(t, ModelOptions{Repair: 1}, c.script...)
		if v.Raw != c.raw || !maps.Equal(v.Scores, c.scores) || v.Total != nil {
			t.Errorf("%s: raw %q, scores %v, total %v; want %q, %v, none", c.name, v.Raw, v.Scores, v.Total, c.raw, c.scores)
		}
		for _, part := range c.reason {
			if !strings.Contains(v.Reason, part) {
				t.Errorf("%s: the reason %q does not say %q", c.name, v.Reason, part)
			}
		}
	}
}

// The request is as the options say, and the caller's options are not changed.
func TestModelRequest(t *testing.T) {
	o := ModelOptions{Examples: 2, Options: map[string]any{"temperature": 0.0}, Extra: map[string]any{"top_k": 1}}
	_, asked := play(t, o, turns[0])
	req := asked[0]
	if req.Model != "scripted" || req.Options["temperature"] != 0.0 || req.Extra["top_k"] != 1 || req.Seed != nil || req.SchemaName == "" {
		t.Errorf("the request is %+v", req)
	}
	if string(req.Schema) != string(sheetSchema(rubric.CQA())) {
		t.Errorf("the schema is %s", req.Schema)
	}
	if !reflect.DeepEqual(req.Messages, messages(t, rubric.CQA(), 2, builtinQuestion(t, "concrete", "wood"), "Concrete.")) {
		t.Error("the messages are not the prompt's")
	}
	if len(o.Options) != 1 || len(o.Extra) != 1 {
		t.Errorf("the options became %v, %v", o.Options, o.Extra)
	}
	key := func() string {
		_, asked := play(t, o, turns[0])
		_, key, err := asked[0].Canonical(1)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	if a, b := key(), key(); a != b {
		t.Error("the same call has two keys")
	}
}

// The fingerprint differs exactly if verdicts may differ.
func TestFingerprint(t *testing.T) {
	fingerprint := func(r rubric.Rubric, o ModelOptions) string {
		_, f, err := NewModel(r, o)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	base := ModelOptions{Model: "m", Options: map[string]any{"temperature": 0, "top_p": 1}, Examples: DefaultExamples, Repair: 1}
	first := fingerprint(rubric.CQA(), base)
	same := base
	same.Options = map[string]any{"top_p": 1, "temperature": 0}
	same.Examples = 2
	if fingerprint(rubric.CQA(), same) != first {
		t.Error("the same judge has two fingerprints")
	}
	changed := rubric.CQA()
	changed.Criteria[3].Levels[0].Text += "!"
	seen := map[string]string{first: "the first"}
	for name, f := range map[string]string{
		"model":    fingerprint(rubric.CQA(), ModelOptions{Model: "n", Options: base.Options, Examples: 2, Repair: 1}),
		"option":   fingerprint(rubric.CQA(), ModelOptions{Model: "m", Options: map[string]any{"temperature": 1, "top_p": 1}, Examples: 2, Repair: 1}),
		"extra":    fingerprint(rubric.CQA(), ModelOptions{Model: "m", Options: base.Options, Extra: base.Options, Examples: 2, Repair: 1}),
		"repair":   fingerprint(rubric.CQA(), ModelOptions{Model: "m", Options: base.Options, Examples: 2}),
		"examples": fingerprint(rubric.CQA(), ModelOptions{Model: "m", Options: base.Options, Examples: 1, Repair: 1}),
		"none":     fingerprint(rubric.CQA(), ModelOptions{Model: "m", Options: base.Options, Repair: 1}),
		"a word":   fingerprint(changed, ModelOptions{Model: "m", Options: base.Options, Repair: 1}),
		"rubric":   fingerprint(ownRubric(), base),
	} {
		if other, ok := seen[f]; ok {
			t.Errorf("%s has the fingerprint of %s", name, other)
		}
		seen[f] = name
	}
}

func TestNewModelErrors(t *testing.T) {
	for name, c := range map[string]struct {
		rubric rubric.Rubric
		o      ModelOptions
		want   string
	}{
		"too many examples":        {rubric.CQA(), ModelOptions{Examples: 4}, "there are 3"},
		"examples for own rubric":  {ownRubric(), ModelOptions{Examples: 2}, "set examples to 0"},
		"repair":                   {rubric.CQA(), ModelOptions{Repair: -1}, "negative"},
		"options JSON cannot hold": {rubric.CQA(), ModelOptions{Options: map[string]any{"f": func() {}}}, "options"},
	} {
		if _, _, err := NewModel(c.rubric, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want an error that says %q", name, err, c.want)
		}
	}
}
