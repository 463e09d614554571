package pairwise

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/llm"
)

// A script answers requests, and records them.
type script struct {
	asked []string // role and number of the sample
	text  []string // prompts
	reply func(role Role, sample int, prompt string) (string, error)
}

func (s *script) ask(_ context.Context, role Role, sample int, req llm.Request) (llm.Reply, error) {
	s.asked = append(s.asked, fmt.Sprintf("%s %d", role, sample))
	s.text = append(s.text, req.Messages[0].Text())
	text, err := s.reply(role, sample, req.Messages[0].Text())
	return llm.Reply{Text: text}, err
}

func (s *script) count(role Role) int {
	n := 0
	for _, a := range s.asked {
		if strings.HasPrefix(a, string(role)+" ") {
			n++
		}
	}
	return n
}

var capitals = OrderedPair{ID: "p", Order: data.OrderAB, Question: "Capital of France?", First: "Paris.", Second: "Lyon.", Gold: data.ChoiceA}

func build(t *testing.T, o Options) Built {
	t.Helper()
	if o.Models == nil {
		o.Models = map[Role]Model{RolePreference: {Name: "m"}}
	}
	b, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// numbered returns a table whose first cell has the number of its sample.
func numbered(sample int) string {
	return fmt.Sprintf(`{"1": {"only_a": "table %d", "both": "NA", "only_b": "x"}}`, sample)
}

// bestOf is a comparator that prefers the table of sample best, or else the table of the higher sample.
func bestOf(best int, prompt string) string {
	_, tables, _ := strings.Cut(prompt, "The tables to be decided on:")
	a, b, _ := strings.Cut(tables, "Table B:")
	number := func(s string) int {
		_, s, _ = strings.Cut(s, "| table ")
		var n int
		fmt.Sscan(s, &n)
		if n == best {
			return 1 << 20
		}
		return n
	}
	if number(a) > number(b) {
		return "More consistent: A\nJustification: it is."
	}
	return "More consistent: B\nJustification: it is."
}

// With a consistent comparator, its favourite table wins however the tables are paired, in as many duels as the paper says.
func TestSC2Selection(t *testing.T) {
	for _, c := range []struct {
		selection    string
		draws, duels int
	}{
		{SelectTournament, 8, 7}, {SelectTournament, 6, 5}, {SelectTournament, 5, 4}, {SelectTournament, 2, 1}, {SelectTournament, 1, 0},
		{SelectExact, 8, 56}, {SelectExact, 3, 6}, {SelectExact, 1, 0}, {SelectRandom, 8, 0},
	} {
		for best := 1; best <= c.draws; best++ {
			s := &script{reply: func(role Role, sample int, prompt string) (string, error) {
				switch role {
				case RoleComparisons:
					return numbered(sample), nil
				case RoleComparator:
					return bestOf(best, prompt), nil
				}
				return "Comparison: …\nPreferred: A", nil
			}}
			j := build(t, Options{Method: MethodSC2, Selection: c.selection, Samples: c.draws, Aspects: []string{"Fact"}, Seed: int64(best)})
			o := j.Judge(t.Context(), capitals, s.ask)
			if o.Status != data.Valid || o.Choice != data.ChoiceA || s.count(RoleComparisons) != c.draws || s.count(RoleComparator) != c.duels || s.count(RolePreference) != 1 {
				t.Errorf("%s of %d: %+v after %v", c.selection, c.draws, o, s.asked)
			}
			if len(s.asked) != j.Calls {
				t.Errorf("%s of %d: %d calls, announced %d", c.selection, c.draws, len(s.asked), j.Calls)
			}
			if c.selection != SelectRandom && (o.Detail.Chosen != best || o.Detail.Table[0].OnlyA != fmt.Sprintf("table %d", best)) {
				t.Errorf("%s of %d: table %d is chosen, want %d", c.selection, c.draws, o.Detail.Chosen, best)
			}
			if last := s.text[len(s.text)-1]; !strings.Contains(last, "| Fact | table ") {
				t.Errorf("the preference is taken without the table:\n%s", last)
			}
		}
	}
}

// The same seed gives the same choices; another seed may give others.
func TestChanceIsSeeded(t *testing.T) {
	pick := func(seed int64, method, selection string) string {
		s := &script{reply: func(role Role, sample int, _ string) (string, error) {
			switch role {
			case RoleComparisons:
				return numbered(sample), nil
			case RoleComparator:
				return "More consistent: neither", nil
			}
			return "Preferred: " + string("AB"[sample%2]), nil
		}}
		o := build(t, Options{Method: method, Selection: selection, Aspects: map[bool][]string{true: {"Fact"}}[method == MethodSC2], Seed: seed}).Judge(t.Context(), capitals, s.ask)
		if method == MethodSC2 && selection == SelectTournament && o.Detail.Undecided != 7 {
			t.Errorf("%d undecided duels, want 7", o.Detail.Undecided)
		}
		return fmt.Sprint(o.Choice, o.Detail.Chosen)
	}
	for _, c := range [][2]string{{MethodCoTSelfCon, ""}, {MethodSC2, SelectRandom}, {MethodSC2, SelectTournament}} {
		seen := map[string]bool{}
		for seed := range int64(30) {
			first := pick(seed, c[0], c[1])
			if again := pick(seed, c[0], c[1]); again != first {
				t.Errorf("%v, seed %d: %s, then %s", c, seed, first, again)
			}
			seen[first] = true
		}
		if len(seen) < 2 {
			t.Errorf("%v: 30 seeds decide alike: %v", c, seen)
		}
	}
}

// Unusable samples are left out. If more than half are unusable, the opinion is missing, and the status is that of the first unusable one.
func TestLostSamples(t *testing.T) {
	truncated := &llm.Error{Kind: llm.Truncated, Provider: "p", Message: "cut"}
	cancelled := &llm.Error{Kind: llm.Cancelled, Provider: "p", Message: "stopped"}
	for _, c := range []struct {
		method string
		lost   int
		err    error
		want   data.Status
	}{
		{MethodCoTSelfCon, 4, truncated, data.Valid}, {MethodCoTSelfCon, 5, truncated, data.Truncated}, {MethodCoTSelfCon, 5, nil, data.Unparsed},
		{MethodCoTSelfCon, 1, cancelled, data.Pending}, {MethodSC2, 4, truncated, data.Valid}, {MethodSC2, 5, truncated, data.Truncated},
		{MethodSC2, 8, nil, data.Unparsed}, {MethodSC2, 1, cancelled, data.Pending}, {MethodSC2, 1, errors.New("odd"), data.Valid},
	} {
		s := &script{reply: func(role Role, sample int, _ string) (string, error) {
			drawn := role == RoleComparisons || c.method == MethodCoTSelfCon
			if drawn && sample <= c.lost {
				return "nothing of use", c.err
			}
			switch role {
			case RoleComparisons:
				return numbered(sample), nil
			case RoleComparator:
				return "More consistent: A", nil
			}
			return "Preferred: B", nil
		}}
		o := Options{Method: c.method}
		if c.method == MethodSC2 {
			o.Aspects = []string{"Fact"}
		}
		got := build(t, o).Judge(t.Context(), capitals, s.ask)
		if got.Status != c.want || (got.Choice != "") != (c.want == data.Valid) || (got.Reason != "") == (c.want == data.Valid) {
			t.Errorf("%s, %d of 8 lost by %v: %+v, want %s", c.method, c.lost, c.err, got, c.want)
		}
		if c.want == data.Valid && c.method == MethodSC2 && got.Detail.Tables != 8-c.lost {
			t.Errorf("%d tables, want %d", got.Detail.Tables, 8-c.lost)
		}
	}
	// A failed call of the comparator is not an undecided duel.
	s := &script{reply: func(role Role, sample int, _ string) (string, error) {
		if role == RoleComparator {
			return "", &llm.Error{Kind: llm.Failed, Provider: "p", Message: "gone"}
		}
		return numbered(sample), nil
	}}
	if o := build(t, Options{Method: MethodSC2, Aspects: []string{"Fact"}}).Judge(t.Context(), capitals, s.ask); o.Status != data.Failed || s.count(RoleComparator) != 1 {
		t.Errorf("%+v after %v", o, s.asked)
	}
}

func TestMajority(t *testing.T) {
	first := func(int) int { return 0 }
	for _, c := range []struct {
		votes []string
		want  data.Choice
	}{
		{nil, ""}, {[]string{"failed", "unparsed"}, ""}, {[]string{"a"}, data.ChoiceA}, {[]string{"a", "b", "b"}, data.ChoiceB},
		{[]string{"tie", "tie", "a"}, data.ChoiceTie}, {[]string{"a", "b"}, data.ChoiceA}, {[]string{"b", "failed", "failed"}, data.ChoiceB},
	} {
		if got := Majority(c.votes, first); got != c.want {
			t.Errorf("%v: %q, want %q", c.votes, got, c.want)
		}
	}
	if got := Majority([]string{"a", "b"}, func(n int) int { return n - 1 }); got != data.ChoiceB {
		t.Errorf("the last of two: %q", got)
	}
}

// The most frequent aspects are taken, equally frequent ones in order of appearance, whatever their case, number or word order.
func TestAspects(t *testing.T) {
	lists := []string{
		"Reasoning: …\nAspects:\n- Accuracy\n- Tone\n- Level of detail",
		"Aspects:\n1. **Detail level**: how much is said\n2. accuracy\n3) Humour",
		"Aspects:\n* Accuracy of facts\n* Tone - friendly or not\n* Coverage\n* a sentence that is far too long to be the name of any aspect at all",
	}
	var read [][]string
	for _, l := range lists {
		read = append(read, readAspects(l))
	}
	if want := []string{"Accuracy of facts", "Tone", "Coverage"}; !slices.Equal(read[2], want) {
		t.Errorf("read %v, want %v", read[2], want)
	}
	var names []string
	for _, a := range tallyAspects(read) {
		names = append(names, fmt.Sprintf("%s %d", a.name, a.count))
	}
	want := []string{"Accuracy 2", "Tone 2", "Level of detail 2", "Humour 1", "Accuracy of facts 1", "Coverage 1"}
	if !slices.Equal(names, want) {
		t.Errorf("tallied %v, want %v", names, want)
	}
	if got := readAspects("no list here"); got != nil {
		t.Errorf("%v", got)
	}
}

func TestExtractAspects(t *testing.T) {
	var corpus []OrderedPair
	for i := range 50 {
		corpus = append(corpus, OrderedPair{ID: fmt.Sprint(i), Question: "Q?", First: fmt.Sprint("a", i), Second: fmt.Sprint("b", i)})
	}
	s := &script{reply: func(_ Role, _ int, prompt string) (string, error) {
		if strings.Contains(prompt, "until 5 aspects are left") {
			if !strings.Contains(prompt, "- Clarity (100)") {
				t.Errorf("the counts are not shown:\n%s", prompt)
			}
			return "Aspects:\n- One\n- Two\n- Three\n- Four\n- Five\n- Six", nil
		}
		return "Aspects:\n- Clarity", nil
	}}
	names, err := ExtractAspects(t.Context(), Model{Name: "m"}, corpus, 1, s.ask)
	if err != nil || !slices.Equal(names, []string{"One", "Two", "Three", "Four", "Five"}) || len(s.asked) != ExtractCalls(50) {
		t.Errorf("%v, %v after %d calls", names, err, len(s.asked))
	}
	for _, reply := range []string{"Aspects:\n- One", "none"} {
		s := &script{reply: func(Role, int, string) (string, error) { return reply, nil }}
		if names, err := ExtractAspects(t.Context(), Model{Name: "m"}, corpus[:1], 1, s.ask); err == nil {
			t.Errorf("%q: %v", reply, names)
		}
	}
}

// Overlap by hand: the content words of the shared cell {both, polite, correct} are {polite, correct}, those of the exclusive cells
// {correct, long}; one of three is common, so Jaccard's index is 1/3.
func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		table Table
		want  float64
		ok    bool
	}{
		{nil, 0, false},
		{Table{{Aspect: "x", OnlyA: "one", OnlyB: "other"}}, 0, false},
		{Table{{Aspect: "x", Both: "shared"}}, 0, false},
		{Table{{Aspect: "x", OnlyA: "right", Both: "polite", OnlyB: "wrong"}}, 0, true},
		{Table{{Aspect: "x", OnlyA: "correct", Both: "both are polite and correct", OnlyB: "long"}}, 1.0 / 3, true},
		{Table{{Aspect: "x", OnlyA: "polite", Both: "polite"}}, 1, true},
		{Table{{Aspect: "x", OnlyA: "polite", Both: "polite"}, {Aspect: "y", OnlyA: "right", Both: "brief", OnlyB: "wrong"}, {Aspect: "z", OnlyB: "only"}}, 0.5, true},
	} {
		got, ok := c.table.Overlap()
		if ok != c.ok || got-c.want > 1e-12 || c.want-got > 1e-12 {
			t.Errorf("%v: %v, %v; want %v, %v", c.table, got, ok, c.want, c.ok)
		}
	}
	// The comparator's examples say which table is the more consistent one.
	for _, d := range duels() {
		a, _ := d.TableA.Overlap()
		b, _ := d.TableB.Overlap()
		if (a < b) != (d.Consistent == "A") {
			t.Errorf("example on pair %d: overlaps %v and %v, and %s is called consistent", d.Pair, a, b, d.Consistent)
		}
	}
}

func TestConJFallback(t *testing.T) {
	s := &script{reply: func(_ Role, _ int, prompt string) (string, error) {
		if strings.Contains(prompt, "Reply in JSON") {
			return "It is better.", nil
		}
		return "Because it is \"so\".", nil
	}}
	o := build(t, Options{Method: MethodConJIncorrect}).Judge(t.Context(), capitals, s.ask)
	if o.Status != data.Valid || o.Choice != data.ChoiceB || o.Rationale != `Because it is "so".` || !o.Detail.Fallback || len(s.asked) != 2 {
		t.Errorf("%+v after %v", o, s.asked)
	}
	for _, prompt := range s.text {
		if !strings.Contains(prompt, "answer 2 is better than answer 1") {
			t.Errorf("the hint is not in\n%s", prompt)
		}
	}
	// If the model replies with a whole judgment in place of the rationale, it decides which answer is better.
	whole := &script{reply: func(_ Role, _ int, prompt string) (string, error) {
		if strings.Contains(prompt, "Reply in JSON") {
			return "It is better.", nil
		}
		return `{"rationale": "The first has it.", "better_answer": 1}`, nil
	}}
	o = build(t, Options{Method: MethodConJIncorrect}).Judge(t.Context(), capitals, whole.ask)
	if o.Choice != data.ChoiceA || o.Rationale != "The first has it." {
		t.Errorf("%+v", o)
	}
	for text, status := range map[string]data.Status{"I'm sorry, but I can't help with that.": data.Refused, "I cannot argue for that.": data.Refused,
		"I can see why it is better.": data.Valid, "I cannot give Answer 2 more points.": data.Valid, "A sorry answer, the other one.": data.Valid} {
		declines := &script{reply: func(Role, int, string) (string, error) { return text, nil }}
		if o = build(t, Options{Method: MethodConJCorrect}).Judge(t.Context(), capitals, declines.ask); o.Status != status {
			t.Errorf("%q: %+v", text, o)
		}
	}
	shown := capitals
	shown.Gold = data.NoChoice
	if o := build(t, Options{Method: MethodConJCorrect}).Judge(t.Context(), shown, s.ask); o.Status != data.Skipped {
		t.Errorf("nothing to hint at: %+v", o)
	}
}

// Two hinted judgments with the same rationale make no contrast, because only the number differs.
func TestContrastOfRationales(t *testing.T) {
	for wrong, want := range map[string]int{"I cannot help with that.": 0, "The second has it.": 1} {
		var c Contrasts
		c.Add(capitals, []Judgment{
			{Source: SourceCorrect, Status: data.Valid, Choice: data.ChoiceA, Text: JudgmentText("I cannot help with that.", data.ChoiceA)},
			{Source: SourceIncorrect, Status: data.Valid, Choice: data.ChoiceB, Text: JudgmentText(wrong, data.ChoiceB)},
		}, false)
		if len(c.List) != want {
			t.Errorf("%q: %d contrasts, want %d", wrong, len(c.List), want)
		}
	}
}

func TestOptions(t *testing.T) {
	model := map[Role]Model{RolePreference: {Name: "m"}}
	for name, o := range map[string]Options{
		"no model":             {Method: MethodDirect},
		"no method":            {Models: model},
		"misspelt":             {Method: "sc3", Models: model},
		"no aspects for sc2":   {Method: MethodSC2, Models: model, NoAspects: true},
		"empty aspects":        {Method: MethodSC2, Models: model, Aspects: []string{}},
		"aspect samples, file": {Method: MethodSC2, Models: model, Aspects: []string{"x"}, AspectSamples: 3},
	} {
		if b, err := New(o); err == nil {
			t.Errorf("%s: built %+v", name, b.Calls)
		}
	}
	if _, err := New(Options{Method: "con-y", Models: model}); err == nil || !strings.Contains(err.Error(), `"con-j"`) {
		t.Errorf("no hint at what is meant: %v", err)
	}
	// The fingerprint changes with options that make a difference, and only with these.
	base := build(t, Options{Method: MethodSC2, Models: model}).Fingerprint
	for name, c := range map[string]struct {
		o    Options
		same bool
	}{
		"the defaults said":  {Options{Method: MethodSC2, Models: model, Samples: 8, AspectSamples: 8, Selection: SelectTournament}, true},
		"fewer samples":      {Options{Method: MethodSC2, Models: model, Samples: 4}, false},
		"another seed":       {Options{Method: MethodSC2, Models: model, Seed: 2}, false},
		"another comparator": {Options{Method: MethodSC2, Models: map[Role]Model{RolePreference: {Name: "m"}, RoleComparator: {Name: "n"}}}, false},
		"its own comparator": {Options{Method: MethodSC2, Models: map[Role]Model{RolePreference: {Name: "m"}, RoleComparator: {Name: "m"}}}, true},
	} {
		if got := build(t, c.o).Fingerprint == base; got != c.same {
			t.Errorf("%s: the same fingerprint: %v", name, got)
		}
	}
}
