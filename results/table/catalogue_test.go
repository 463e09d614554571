package table

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var (
	measuredTable = Def[measured]{File: "measured.csv", Views: []View[measured]{
		{Title: "Known", In: func(m measured) bool { return m.Alpha.Known }, Words: 1, Shown: []string{"name", "alpha"}},
		{Title: "All", Words: 1, Shown: []string{"name"}}}}
	keyedTable = Def[Keyed]{File: "more/keyed.csv"}
)

// A catalogue has the files, the sections and the JSON of its tables. A table without rows has a key in JSON, but no file.
func TestCatalogue(t *testing.T) {
	c := &Catalogue{}
	Put(c, measuredTable, measurements)
	Put(c, keyedTable, nil)
	files := c.Files()
	if names := slices.Sorted(maps.Keys(files)); !slices.Equal(names, []string{"measured.csv", "more/keyed.csv"}) ||
		files["measured.csv"] == nil || files["more/keyed.csv"] != nil {
		t.Errorf("files %v", names)
	}
	if counts := c.Counts(); counts["measured.csv"] != 2 || counts["more/keyed.csv"] != 0 {
		t.Errorf("counts %v", counts)
	}
	sections := c.Sections()
	if len(sections) != 2 || len(sections[0].Table.Rows) != 1 || len(sections[1].Table.Rows) != 2 || sections[1].Title != "All" {
		t.Errorf("sections %+v", sections)
	}
	type object struct {
		First  string `json:"first"`
		Tables *Catalogue
		Last   []string `json:"last,omitempty"`
	}
	text, err := InJSON(object{"<a>", c, nil})
	want := `{"first":"<a>","measured":[{"name":"a","n":3,"alpha":0.5,"alpha_low":0.25,"alpha_high":0.75,"mean":1,"ci_low":null,"ci_high":null},` +
		`{"name":"b","n":0,"alpha":null,"alpha_low":null,"alpha_high":null,"mean":null,"ci_low":null,"ci_high":null}],"keyed":[]}`
	if err != nil || strings.TrimSpace(string(text)) != want {
		t.Errorf("%s, %v, want\n%s", text, err, want)
	}
	var keys []string
	for _, f := range reflect.VisibleFields(JSONTypeWith(reflect.TypeFor[object](), c.Definitions()...)) {
		keys = append(keys, f.Tag.Get("json"))
	}
	if !slices.Equal(keys, []string{"first", "measured", "keyed", "last,omitempty"}) {
		t.Errorf("keys %q", keys)
	}
	defer func() {
		if recover() == nil {
			t.Error("a file is twice in a catalogue")
		}
	}()
	Put(c, keyedTable, nil)
}
