package strum

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/llm"
)

// A scripted model answers by the name of the schema, and records its requests.
type scripted struct {
	asked   []string // role and schema, in order
	prompts []string
	replies map[string]string // by schema, or by schema and fault of a critique: "critique_rows long"
	defects map[string]int    // by schema: number of unusable replies that come first
}

var numbered = regexp.MustCompile(`(?m)^(\d+)\. (?:view|outlook|price)`)

// ask records the request and returns, in this order: an unusable reply if defects are left, the reply from replies, a usual reply.
func (s *scripted) ask(_ context.Context, role Role, r llm.Request) (llm.Reply, error) {
	text := r.Messages[0].Text()
	name := r.SchemaName
	for _, c := range critiques {
		if strings.Contains(text, c.Fault) {
			name += " " + c.Name
		}
	}
	s.asked = append(s.asked, string(role)+" "+name)
	s.prompts = append(s.prompts, text)
	if !json.Valid(r.Schema) {
		return llm.Reply{}, fmt.Errorf("the schema of %s is no JSON", name)
	}
	if s.defects[name] > 0 {
		s.defects[name]--
		return llm.Reply{Text: "I would rather not."}, nil
	}
	if reply, ok := s.replies[name]; ok {
		if reply == "" {
			return llm.Reply{}, &llm.Error{Kind: llm.Refused, Message: "no"}
		}
		return llm.Reply{Text: reply}, nil
	}
	_, data, _ := strings.Cut(text, "The object")
	switch first, _, _ := strings.Cut(name, " "); first {
	case "extract":
		if strings.Contains(text, "this object: Adler") {
			return llm.Reply{Text: `Here: {"values": [
				{"attribute": "view", "value": "a view of the lake", "quote": "The view  of the lake is great", "source": 1},
				{"attribute": "outlook", "value": "a great view", "quote": "a great view", "source": 3},
				{"attribute": "price", "value": "free", "quote": "it is free", "source": 1}]}`}, nil
		}
		return llm.Reply{Text: `{"values": [{"attribute": "view", "value": "a view of a wall", "quote": "a wall", "source": 2}]}`}, nil
	case "attributes":
		var members []string
		for _, m := range numbered.FindAllStringSubmatch(data, -1) {
			members = append(members, m[1])
		}
		return llm.Reply{Text: `{"groups": [{"center": 1, "members": [` + strings.Join(members, ", ") + `]}]}`}, nil
	case "values":
		return llm.Reply{Text: `{"groups": [{"center": 1, "members": [1, 2], "contradicted_by": []}]}`}, nil
	case "contrast":
		return llm.Reply{Text: `{"rows": [{"row": 1, "kind": "contrast", "level": 2}]}`}, nil
	case "useful":
		return llm.Reply{Text: `{"rows": [{"row": 1, "useful": true}]}`}, nil
	}
	return llm.Reply{Text: `{"faults": []}`}, nil
}

var hotels = data.Question{Object1: "Adler", Object2: "Bellevue"}

var pages = []data.Source{
	{ID: "p1", Entity: "object1", Rank: 2, Text: "The view of the lake\nis great. It has a bar."},
	{ID: "p2", Entity: "object2", Rank: 1, Text: "You look at a wall."},
	{ID: "p3", Entity: data.EntityBoth, Text: "Adler has a great view, Bellevue has none."},
}

func build(t *testing.T, rounds int, names ...string) *Live {
	t.Helper()
	s, err := New(Options{Models: map[Role]Model{RoleExtract: {Name: "small"}, RoleContrast: {Name: "large"}}, Rounds: rounds, Critiques: append([]string{}, names...)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var plainOrder = []string{"extract extract", "extract extract", "contrast attributes", "contrast values", "contrast contrast", "contrast useful"}

// TestStages checks that, without critiques, each stage is asked once and in order, and that a value is dropped if its quote is not in its
// source.
func TestStages(t *testing.T) {
	model := &scripted{}
	table, err := build(t, 2).Table(context.Background(), hotels, pages, func(int, int) {}, model.ask)
	if err != nil || !slices.Equal(model.asked, plainOrder) {
		t.Fatalf("%v, %v", err, model.asked)
	}
	checkTable(t, hotels, pages, table)
	if len(table.Rows) != 1 {
		t.Fatalf("%+v", table.Rows)
	}
	r := table.Rows[0]
	if r.Kind != data.RowContrast || !slices.Equal(r.Members, []string{"view", "outlook"}) || len(r.Object1) != 1 || !slices.Equal(r.Object1[0].Supporters, []string{"p1", "p3"}) ||
		r.Object1[0].Evidence[0].Quote != "The view of the lake\nis great" {
		t.Errorf("%+v", r)
	}
	if len(table.Dropped) != 1 || table.Dropped[0].Reason != Unattributed || table.Dropped[0].Row.Object1[0].Evidence[0].Quote != "it is free" {
		t.Errorf("%+v", table.Dropped)
	}
	for i, prompt := range model.prompts[:2] {
		if other := []string{"look at a wall", "of the lake"}[i]; strings.Contains(prompt, other) {
			t.Errorf("prompt %d shows a source about the other object:\n%s", i+1, prompt)
		}
	}
	if text := Render(hotels, table, pages, true); strings.Contains(text, "free") || !strings.Contains(text, "a view of the lake [1] [3]") {
		t.Errorf("%s", text)
	}
}

// TestCritiques checks that each critique is a call after its stage, with a revision if it finds a fault that is not deleted, up to the
// maximum of rounds. A critique that is switched off makes no call.
func TestCritiques(t *testing.T) {
	const faulty = `{"faults": [{"number": 1, "reason": "bad"}]}`
	for _, c := range critiques {
		schema := map[string]string{StageExtract: "values", StageContrast: "rows"}[c.stage]
		critic := "critique_" + schema + " " + c.Name
		model := &scripted{}
		if _, err := build(t, 2, c.Name).Table(context.Background(), hotels, pages, func(int, int) {}, model.ask); err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		// Without faults: one call for each tile or table, in one round.
		if n := count(model.asked, critic); n != map[string]int{StageExtract: 2, StageContrast: 1}[c.stage] || len(model.asked) != len(plainOrder)+n {
			t.Errorf("%s without faults: %v", c.Name, model.asked)
		}
		model = &scripted{replies: map[string]string{critic: faulty, "revise_values": `{"values": [{"number": 1, "attribute": "view", "value": "a view of the lake from all rooms", "quote": "view", "source": 3}]}`,
			"revise_rows": `{"rows": [{"replaces": [1], "attribute": "outlook", "object1": [{"value": "to the lake", "from": [1]}], "object2": []}]}`}}
		table, err := build(t, 2, c.Name).Table(context.Background(), hotels, pages, func(int, int) {}, model.ask)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		checkTable(t, hotels, pages, table)
		deleted := slices.ContainsFunc(table.Dropped, func(d data.DroppedRow) bool { return d.Reason == c.reason() })
		revisions := count(model.asked, "revise_"+schema)
		switch {
		case c.Improve == "" && (!deleted || revisions > 0):
			t.Errorf("%s: nothing is deleted: %+v, %v", c.Name, table, model.asked)
		case c.Improve != "" && revisions != count(model.asked, critic):
			t.Errorf("%s: %v", c.Name, model.asked)
		case c.Improve != "" && c.stage == StageContrast && (table.Rows[0].Attribute != "outlook" || table.Rows[0].Kind != data.RowImportant || !deleted || count(model.asked, "contrast contrast") != 3):
			t.Errorf("%s: %+v, %v", c.Name, table, model.asked)
		}
		if n := count(model.asked, critic); n > 4 || c.stage == StageContrast && c.Improve != "" && n != 2 {
			t.Errorf("%s is asked %d times in 2 rounds", c.Name, n)
		}
		model.asked = nil
		if _, err := build(t, 0, c.Name).Table(context.Background(), hotels, pages, func(int, int) {}, model.ask); err != nil || !slices.Equal(model.asked, plainOrder) {
			t.Errorf("%s in no rounds: %v, %v", c.Name, err, model.asked)
		}
	}
	if _, err := New(Options{Critiques: []string{"contexts"}}); err == nil || !strings.Contains(err.Error(), `"context"`) {
		t.Errorf("an unknown critique: %v", err)
	}
}

func count(list []string, what string) (n int) {
	for _, s := range list {
		if strings.HasSuffix(s, what) {
			n++
		}
	}
	return n
}

// TestStageFails checks that a stage without a usable reply ends the table, after all repairs.
func TestStageFails(t *testing.T) {
	for name, bad := range map[string]string{
		"extract": `{"values": "none"}`, "attributes": `{"groups": [{"center": 1, "members": [1]}]}`, "values": `{"groups": [{"center": 3, "members": [1, 2], "contradicted_by": []}]}`,
		"contrast": `{"rows": []}`, "useful": `{"rows": [{"row": 1, "useful": true}, {"row": 2, "useful": true}]}`, "critique_rows long": `{"faults": [{"number": 9, "reason": ""}]}`,
	} {
		for _, reply := range []string{bad, "no JSON", ""} {
			model := &scripted{replies: map[string]string{name: reply}}
			s := build(t, 1, "long")
			s.o.Repair = 1
			table, err := s.Table(context.Background(), hotels, pages, func(int, int) {}, model.ask)
			stopped, ok := errors.AsType[*Stopped](err)
			if !ok || len(table.Rows) > 0 || stopped.Reply != reply || errors.Is(err, ErrReply) != (reply != "") {
				t.Errorf("%s: %q gives %+v, %v", name, reply, table, err)
			}
			if n := count(model.asked, " "+name); n != map[bool]int{true: 1, false: 2}[reply == ""] {
				t.Errorf("%s: %q is asked for %d times", name, reply, n)
			}
		}
		model := &scripted{defects: map[string]int{name: 1}}
		s := build(t, 1, "long")
		s.o.Repair = 1
		if table, err := s.Table(context.Background(), hotels, pages, func(int, int) {}, model.ask); err != nil || len(table.Rows) != 1 {
			t.Errorf("%s is not repaired: %v", name, err)
		}
	}
}

// TestTiles checks that tiles have whole sentences up to their size, and parts of longer sentences, and together contain all texts.
func TestTiles(t *testing.T) {
	s := build(t, 0)
	s.o.TileBytes = 60
	sources := []data.Source{{ID: "a", Entity: "object1", Text: "One sentence. " + "A " + strings.Repeat("long ", 30) + "one. Two more. And three."}, {ID: "b", Entity: "object2", Text: "Not this."}, {ID: "c", Entity: data.EntityBoth, Text: "This."}}
	var whole []string
	for _, tile := range s.tiles(sources, 0) {
		size := 0
		for _, text := range tile {
			size += len(text.Text)
			whole = append(whole, text.Text)
		}
		if size > 60 {
			t.Errorf("a tile of %d bytes: %+v", size, tile)
		}
	}
	if got := strings.Join(whole, ""); got != sources[0].Text+sources[2].Text || len(s.tiles(sources, 0)) != 5 {
		t.Errorf("%d tiles: %q", len(s.tiles(sources, 0)), whole)
	}
	if got, want := s.Calls(sources), 5+1+1+12+1+1; got != want {
		t.Errorf("%d calls, want %d", got, want)
	}
	if got, want := len(CritiqueNames()), 8; got != want {
		t.Errorf("%d critiques", got)
	}
}

// TestFingerprint checks that whatever affects a table changes the fingerprint.
func TestFingerprint(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range []*Live{build(t, 1), build(t, 2, "long"), build(t, 1, "long"), build(t, 1, "merge")} {
		f, err := s.Fingerprint()
		if err != nil || seen[f] {
			t.Errorf("%s, %v", f, err)
		}
		seen[f] = true
	}
}
