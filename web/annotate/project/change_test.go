package project

import (
	"strings"
	"testing"

	"compqa/data"
	"compqa/rubric"
)

// TestChange: changing guidelines makes a version. Sheets have the version that the person had seen; an unchanged text counts as seen in
// the new version. Items and people can be added, and people who had finished get the new items. Fewer people and known items are refused.
func TestChange(t *testing.T) {
	p := create(t, Settings{People: 2, Texts: Texts{Guidelines: "one", Consent: "yes?"}}, items(2, Overlap))
	a := person(t, p, "anna")
	if err := p.Agree(a); err != nil {
		t.Fatal(err)
	}
	if err := p.Comprehension(a.ID, true); err != nil {
		t.Fatal(err)
	}
	submit := func() (version int) {
		t.Helper()
		next, err := p.Next(a)
		if err != nil || next == "" {
			t.Fatalf("nothing to do: %v", err)
		}
		e, err := p.Append(a.ID, Event{Item: next, Kind: Submit, Sheet: ScoreSheet(rubric.CQA().Full()), Nonce: next})
		if err != nil {
			t.Fatal(err)
		}
		last, err := p.Last(e.Item)
		if err != nil {
			t.Fatal(err)
		}
		return last.Version
	}
	if v := submit(); v != 1 {
		t.Errorf("version %d", v)
	}
	texts := p.Texts
	texts.Guidelines = "two"
	if err := p.Change(changed(p, texts, 2)); err != nil {
		t.Fatal(err)
	}
	if v := submit(); v != 1 {
		t.Errorf("a sheet of somebody who has not seen the new guidelines has version %d", v)
	}
	if err := p.Read(a); err != nil {
		t.Fatal(err)
	}
	more := items(3, Overlap)
	if added, _, err := p.New(more); err != nil || len(added) != 1 {
		t.Fatalf("%d new items: %v", len(added), err)
	}
	if err := p.Change(Change{Settings: changed(p, p.Texts, 3).Settings, Items: more[2:]}); err != nil {
		t.Fatal(err)
	}
	if v := submit(); v != 3 { // version 3 has the guidelines of version 2, which the person has seen
		t.Errorf("version %d, want 3", v)
	}
	if p.People != 3 || len(p.Items) != 3 || p.Versions[2].What != "1 item more, 3 people an item instead of 2" {
		t.Errorf("%d people, %d items, %+v", p.People, len(p.Items), p.Versions)
	}
	more[0].Content.A = "another text"
	if _, _, err := p.New(more); err == nil || !strings.Contains(err.Error(), "another text") {
		t.Errorf("a text that people judged changes: %v", err)
	}
	for want, c := range map[string]Change{"nothing changes": changed(p, p.Texts, 3), "fewer would leave sheets out": changed(p, texts, 2)} {
		if err := p.Change(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	// Who has to agree again, and who has not.
	texts.Consent = "yes, really?"
	if err := p.Change(changed(p, texts, 3)); err != nil {
		t.Fatal(err)
	}
	now, _ := p.Annotators()
	if p.TextsOf(now[0].ConsentVersion).Consent == p.Consent || p.TextsOf(now[0].ReadVersion).Guidelines != p.Guidelines {
		t.Errorf("%+v", now[0])
	}
	if err := p.SameScale(rubric.CQA()); err != nil {
		t.Error(err)
	}
	other := rubric.CQA()
	other.Criteria = append([]rubric.Criterion{}, other.Criteria...)
	other.Criteria[2].Text = "another question"
	if err := p.SameScale(other); err == nil || !strings.Contains(err.Error(), "criterion 3 is not the same") {
		t.Errorf("%v", err)
	}
}

// TestChangedItems: every change of an existing item is refused or reported, never ignored silently.
func TestChangedItems(t *testing.T) {
	base := Item{Kind: Stages, Source: "s", Cluster: "q", Role: Main, Content: Content{Question: "q", A: "a", B: "b", Label: data.ChoiceA,
		Rows:        []data.ContrastRow{{Attribute: "price", Object1: []data.ContrastValue{{Value: "1"}}}},
		Attachments: []Attachment{{Judge: "j", Text: "t"}}}}
	p := create(t, Settings{People: 1, Kind: Stages}, []Item{base})
	for want, change := range map[string]func(*Content){
		"another text":           func(c *Content) { c.B = "c" },
		"another question":       func(c *Content) { c.Question = "?" },
		"other rows":             func(c *Content) { c.Rows = []data.ContrastRow{{Attribute: "price"}} },
		"other tables":           func(c *Content) { c.Attachments = append(c.Attachments[:1:1], Attachment{Judge: "k", Text: "u"}) },
		"the better one":         func(c *Content) { c.Label = data.ChoiceB },
		"":                       func(c *Content) {},
		"another question than ": func(c *Content) { c.Object1 = "o" },
	} {
		it := base
		change(&it.Content)
		added, said, err := p.New([]Item{it})
		text := strings.Join(said, "")
		if err != nil {
			text = err.Error()
		}
		if len(added) != 0 || !strings.Contains(text, want) || want == "" && text != "" {
			t.Errorf("%q: %q, %d added", want, text, len(added))
		}
	}
}

// TestQuestions: a question that cannot be asked is refused with its place, a wrong answer is not stored, and answers are stored once.
func TestQuestions(t *testing.T) {
	choice := func(id string, right string) Question {
		return Question{ID: id, Text: "?", Options: []string{"a", "b"}, Right: right}
	}
	for want, q := range map[string]Questions{
		"check has one question":                      {Check: []Question{choice("x", "a")}},
		`question 2 of check: a question of the che`:  {Check: []Question{choice("x", "a"), choice("y", "c")}},
		`question 1 of before: the id is ""`:          {Before: []Question{choice("", "")}},
		`question 1 of after: the id "x" is there tw`: {Before: []Question{choice("x", "")}, After: []Question{choice("x", "")}},
		`question 1 of before: right belongs`:         {Before: []Question{choice("x", "a")}},
		`the type is "nubmer"`:                        {Before: []Question{{ID: "x", Text: "?", Type: "nubmer"}}},
		`min is above max`:                            {Before: []Question{{ID: "x", Text: "?", Type: "number", Min: new(2.0), Max: new(1.0)}}},
		`two options or more`:                         {Before: []Question{{ID: "x", Text: "?", Options: []string{"a"}}}},
	} {
		if err := q.Settle(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	set := Settings{People: 2, Texts: Texts{Questions: Questions{Before: []Question{
		{ID: "age", Text: "Age?", Type: "number", Min: new(18.0)}, choice("first", ""), {ID: "more", Text: "More?", Type: "text", Optional: true}}}}}
	if err := set.Settle(); err != nil {
		t.Fatal(err)
	}
	p := create(t, set, items(1, Overlap))
	a := person(t, p, "anna")
	reply := func(values map[string]string) map[string]string {
		t.Helper()
		faults, err := p.Reply(a, BeforeMoment, func(id string) string { return values[id] })
		if err != nil {
			t.Fatal(err)
		}
		return faults
	}
	if faults := reply(map[string]string{"age": "17", "first": "c"}); faults["age"] != "enter a number of at least 18" ||
		faults["first"] != "choose one of the options" || len(faults) != 2 {
		t.Errorf("%v", faults)
	}
	if faults := reply(map[string]string{"age": "NaN", "first": ""}); len(faults) != 2 {
		t.Errorf("%v", faults)
	}
	for range 2 {
		if faults := reply(map[string]string{"age": "44", "first": "b"}); len(faults) != 0 {
			t.Errorf("%v", faults)
		}
	}
	list, err := p.Replies()
	if err != nil || len(list) != 3 || list[0].Value != "44" || list[2].Value != "" {
		t.Errorf("%+v %v", list, err)
	}
	if open, err := p.Open(a, BeforeMoment); err != nil || len(open) != 0 {
		t.Errorf("%v %v", open, err)
	}
	if err := p.Comprehension(a.ID, true); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Forget("anna"); err != nil {
		t.Fatal(err)
	}
	if left, err := p.Replies(); err != nil || len(left) != 0 {
		t.Errorf("answers of somebody who was deleted: %v %v", left, err)
	}
}

// changed returns a change to other texts and another number of people.
func changed(p *Project, texts Texts, people int) Change {
	c := Change{Settings: p.Settings}
	c.Texts = texts
	c.People = people
	return c
}
