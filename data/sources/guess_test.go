package sources

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"compqa/data"
)

// said returns the scores in a file, as "item rater criterion value".
func said(t *testing.T, name, text string, o Options) []string {
	t.Helper()
	log, err := Read(write(t, name, text), o)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var all []string
	for _, s := range log.Values.All() {
		item := log.Items[s.Item]
		key := item.ID
		if key == "" {
			key = item.Text
		}
		all = append(all, strings.Join([]string{key, s.Rater.Name, s.ID, s.Value}, " "))
	}
	slices.Sort(all)
	return all
}

// TestPeoplesTables checks the layouts in which people's scores come.
func TestPeoplesTables(t *testing.T) {
	utf16, _ := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String("id\tok\na\tyes\nb\tno\n")
	windows, _ := charmap.Windows1252.NewEncoder().String("id;höflich\na;ja\nb;nein\n")
	for _, c := range []struct {
		name, text string
		names      []string
		want       string
	}{
		{"wide.csv", "id,clear_ann,clear_bob,kind_ann,kind_bob,note\na,1,2,yes,no,x\nb,NA,3,,n/a,\n", nil,
			"a ann clear 1; a ann kind yes; a bob clear 2; a bob kind no; b bob clear 3"},
		{"wide.csv", "id,ann_clear,bob_clear\na,1,2\nb,2,3\n", []string{"clear"}, "a ann clear 1; a bob clear 2; b ann clear 2; b bob clear 3"},
		{"wide.csv", "id,clear_ann\na,1\nb,2\n", []string{"rubric.clear"}, "a ann clear 1; b ann clear 2"},
		{"scores.csv", "id,clear,kind\na,1,yes\nb,2,no\n", nil, "a scores clear 1; a scores kind yes; b scores clear 2; b scores kind no"},
		{"rows.csv", "id,annotator,clear,kind\na,ann,1,yes\na,bob,2,no\n", nil, "a ann clear 1; a ann kind yes; a bob clear 2; a bob kind no"},
		{"long.csv", "item_id,rater,metric,score,comment\na,ann,clear,1,\nb,bob,clear,2,good\n", nil, "a ann clear 1; b bob clear 2"},
		{"long.csv", "item,annotator,label\na,ann,good\nb,bob,bad\n", nil, "a ann label good; b bob label bad"},
		{"title.csv", "Our scores; June;;\n;;;\nNr.;Answer;Clear;Comment\n1; One.;0,5;x\n2;Two.;1,0;\nMean;;0,75;\n", nil, " One. title Clear 0,5; Two. title Clear 1,0"},
		{"sep.csv", "sep=|\nid|ok\na|1\nb|0\n", nil, "a sep ok 1; b sep ok 0"},
		{"utf16.txt", utf16, nil, "a utf16 ok yes; b utf16 ok no"},
		{"windows.csv", windows, nil, "a windows höflich ja; b windows höflich nein"},
		{"list.json", `[{"id": 1, "scores": {"clear": 2, "kind": true}}, {"id": 2.0, "scores": {"clear": null}}]`, nil, "1 list scores.clear 2; 1 list scores.kind true"},
		{"pairs.csv", "question,left_system,right_system,annotator,choice\nQ,m,n,ann,right\nQ,n,m,bob,right\nQ,m,n,cat,tie\nQ,m,n,dan,\n", nil,
			" ann preference b;  bob preference a;  cat preference tie"},
	} {
		if got := strings.Join(said(t, c.name, c.text, Options{People: true, Names: c.names}), "; "); got != c.want {
			t.Errorf("%s %q:\n got %s\nwant %s", c.name, c.text, got, c.want)
		}
	}
}

// TestUserMap checks the roles that a user's map gives to paths.
func TestUserMap(t *testing.T) {
	log := `{"key": {"n": "a"}, "out": {"text": "One."}, "verdict": {"clear.v": 2, "by": "judge"}}
{"key": {"n": "b"}, "out": {"text": "Two."}, "verdict": {"clear.v": 3, "by": "judge"}}`
	m, err := ParseMap("item=.key.n,text=out.text,judge.clear=.verdict.clear\\.v,judge=verdict.by")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(said(t, "log.jsonl", log, Options{Map: m}), "; "); got != "a judge clear 2; b judge clear 3" {
		t.Errorf("%s", got)
	}
	if got := strings.Join(said(t, "log.jsonl", log, Options{Judges: map[string]string{"grader": ".verdict.clear\\.v"}}), "; "); got != "One. grader v 2; Two. grader v 3" {
		t.Errorf("--judge: %s", got)
	}
	file := write(t, "map.yaml", "item: key.n\njudge:\n  clear: verdict.clear\\.v\npeople:\n  item: id\n")
	if m, err = ParseMap(file); err != nil || fmt.Sprint(m) != `map[item:key.n judge.clear:verdict.clear\.v people.item:id]` {
		t.Errorf("%v, %v", m, err)
	}
	people, err := ParseMap("people.item=nr,people.annotator=who,people.value=v")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(said(t, "p.csv", "nr,who,v,id\na,ann,3,x\n", Options{People: true, Map: people}), "; "); got != "a ann v 3" {
		t.Errorf("people: %s", got)
	}
	for text, want := range map[string]string{"item=.key.m": `has no "key.m"; did you mean "key.n"?`, "iten=.key.n": `--map has "iten"`, "item": "cannot read", "item=": "NAME=PATH"} {
		m, err := ParseMap(text)
		if err == nil {
			_, err = Read(write(t, "log.jsonl", log), Options{Map: m})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
}

// TestHostileFiles checks that the error of an unreadable file names the place.
func TestHostileFiles(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"cut.json":    {"[{\"id\": 1}, {\"id\":\n", "cut.json:2: not JSON"},
		"twice.jsonl": {"{\"id\": \"a\", \"ok\": 1}\n{\"id\": \"b\", \"ok\": 1, \"ok\": 0}\n", `twice.jsonl:2: the key "ok" occurs twice`},
		"wide.csv":    {"id,ok\na,1\nb,1,2\n", "wide.csv:3: 3 cells, but the header has 2 columns"},
		"nothing.csv": {"", "nothing.csv is empty"},
		"zip.eval":    {"PK\x03\x04broken", "zip.eval"},
		"binary.csv":  {"a\x00b", "not a text file"},
	} {
		if _, err := Read(write(t, name, c.text), Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s", name, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("id,ok\na,1\n")
	f.Add(`[{"id": 1, "scores": {"clear": NaN}}]`)
	f.Add(`{"samples": [{"id": 1, "epoch": 1, "scores": {"a": {"value": [1]}}}], "eval": {"task": "x"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, people := range []bool{false, true} {
			log, err := Read(write(t, "f", text), Options{People: people})
			if err != nil {
				continue
			}
			for _, s := range log.Values.All() {
				if int(s.Item) >= len(log.Items) || s.IsPerson() != people || s.Failed == (s.Value != "") {
					t.Errorf("%+v of %d items", s, len(log.Items))
				}
			}
		}
	})
}

// TestMeanIsNoPerson checks that the recorded mean of people is not counted as a person.
func TestMeanIsNoPerson(t *testing.T) {
	log := &Log{Path: "run", Items: []Item{{ID: "1"}}, Mean: "human"}
	for _, by := range []string{"human", "1", "2"} {
		log.Values.Add(data.Rating{Series: data.Series{Rater: &data.Rater{Name: by, Kind: data.KindPerson}, Measured: &data.Measured{ID: "correct"}}, Value: "1"})
	}
	if got := log.Summary(true); got != "people: 3 values of 2 people and their mean (human) on 1 criterion of 1 item (run)" {
		t.Error(got)
	}
}
