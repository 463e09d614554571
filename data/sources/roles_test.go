package sources

import (
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

// TestRoles checks the roles of columns, and the reasons for which columns are left out.
func TestRoles(t *testing.T) {
	rows := func(header, row string, n int) string {
		text := header + "\n"
		for i := range n {
			text += strings.NewReplacer("#", fmt.Sprint(i), "@", fmt.Sprint(1+i*i%5), "%", fmt.Sprint(12000+i*7)).Replace(row) + "\n"
		}
		return text
	}
	both := rows("id,judge,Anna,Ben", "#,@,@,@", 20)
	for name, c := range map[string]struct {
		text   string
		o      Options
		scores string // expected columns with scores
		left   string
	}{
		"tokens and constants":     {rows("id,correct,tokens_used,model_version,elapsed_s", "#,@,%,v1,1.5", 20), Options{}, "correct", "on no scale"},
		"score beside others":      {rows("id,score,polite", "#,@,@", 20), Options{}, "score polite", ""},
		"score of a criterion":     {rows("id,metric,score,other", "#,clear,@,@", 20), Options{}, "score", "beside score"},
		"ids are no scores":        {rows("id,HITId,user_id,good", "#,H#,7,@", 20), Options{}, "good", "ids"},
		"a judge's and people's":   {rows("id,llm_score,human_score", "#,@,@", 20), Options{People: true}, "human_score", "a judge's by its name"},
		"fifty labels":             {rows("id,topic_label", "#,t@", 20), Options{}, "topic_label", ""},
		"a lone code":              {rows("id,good", "#,@", 30) + "x,999\n", Options{}, "good", ""},
		"options without a choice": {rows("id,system_a,system_b,good", "#,x#,y,@", 9), Options{}, "good", "no column says which was chosen"},
		"ratings by an expert":     {rows("id,expert", "#,@", 20), Options{People: true}, "expert", ""},
		"mapped as the judge's":    {both, Options{People: true, Map: map[string]string{"judge.good": ".judge"}}, "Anna Ben", "judge (the judge's: --map"},
		"named as the judge's":     {both, Options{People: true, Judges: map[string]string{"x": "judge"}}, "Anna Ben", "judge (the judge's: --judge"},
		"mapped as people's":       {both, Options{Map: map[string]string{"people.good": "Anna"}}, "judge", "Anna (people's: --map"},
		"not mapped":               {both, Options{Map: map[string]string{"judge.good": "judge"}}, "judge", "columns Anna, Ben (not mapped)"},
		"no judge is named":        {both, Options{Judges: map[string]string{"x": "Ben"}}, "Ben", "columns judge, Anna (not mapped)"},
	} {
		s, err := OpenSheet(write(t, "a.csv", c.text))
		if err != nil {
			t.Fatal(err)
		}
		c.o.Other = []string{s.Path}
		r, err := s.Read(c.o)
		if err != nil {
			t.Fatal(err)
		}
		var scores []string
		for _, c := range r.columns(RoleValue) {
			scores = append(scores, c.Column)
		}
		if got := strings.Join(scores, " "); got != c.scores || !strings.Contains(leftOut(r.left()), c.left) {
			t.Errorf("%s: %s; left out: %s", name, got, leftOut(r.left()))
		}
	}
}

// TestHeaderRows checks that further header rows below the first are not read as values.
func TestHeaderRows(t *testing.T) {
	for text, want := range map[string]string{
		"id,good,fine\nItem,Is it good?,Is it fine?\na,1,2\nb,2,1\nc,1,1\n":                                                "a a fine 2; a a good 1; b a fine 1; b a good 2; c a fine 1; c a good 1",
		"id,good\nItem,Is it good?\n\"{\"\"ImportId\"\":\"\"x\"\"}\",\"{\"\"ImportId\"\":\"\"QID1\"\"}\"\na,1\nb,2\nc,1\n": "a a good 1; b a good 2; c a good 1",
	} {
		if got := strings.Join(said(t, "a.csv", text, Options{People: true}), "; "); got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestAlign checks that ids of the same items are joined although they are written differently.
func TestAlign(t *testing.T) {
	log := func(format string) *Log {
		l := &Log{}
		for i := range 20 {
			l.Items = append(l.Items, Item{ID: fmt.Sprintf(format, i)})
		}
		return l
	}
	for _, c := range []struct{ judged, people, want string }{
		{"%d", "%03d", "leading zeros"}, {"%d", "%d.0", ""}, {"Q%d", "q%d", "upper and lower case"}, {"%d", "item-%d", "beginning"}, {"q%d", "q%03d", "leading zeros"},
	} {
		judged := log(c.judged)
		people := log(c.people)
		notes, err := Align(judged, people, Options{})
		if err != nil || !strings.Contains(strings.Join(notes, ""), c.want) || judged.Items[7].ID != people.Items[7].ID {
			t.Errorf("%s and %s: %q, %v; %s and %s", c.judged, c.people, notes, err, judged.Items[7].ID, people.Items[7].ID)
		}
	}
}

// roleNames are the columns of which FuzzRoles tries every subset.
var roleNames = []string{"id", "question", "answer", "system_a", "system_b", "response_a", "winner", "annotator", "criterion", "score", "turn", "human_score", "llm_score", "labels"}

// FuzzRoles checks that no subset of the columns with roles, and no values in them, make a reader panic, for either side, for pairs and for
// ratings. Each score must belong to an item.
func FuzzRoles(f *testing.F) {
	f.Add(uint16(0b11000), "a\tb\t1\t2", false)
	f.Add(uint16(0xffff), "tie\t\t[1,2]\t99\tn/a\tA>B", true)
	f.Add(uint16(0b1011001), "x\ty\tmodel_a\t-1", false)
	f.Fuzz(func(t *testing.T, subset uint16, cells string, list bool) {
		read(t, t.TempDir(), subset, strings.Split(cells, "\t"), list)
	})
}

// TestRoleSubsets does what FuzzRoles does for some subsets of the columns, as CSV and as JSON Lines.
func TestRoleSubsets(t *testing.T) {
	for subset := uint16(1); subset < 1<<len(roleNames); subset += 1021 {
		readBoth(t, t.TempDir(), subset)
	}
}

// TestSoakRoleSubsets tries enough subsets that any six columns are present and missing in all 64 combinations. It also tries all subsets
// that have, or lack, at most two columns.
func TestSoakRoleSubsets(t *testing.T) {
	sharedtest.Soak(t)
	dir := t.TempDir()
	var spread []uint16
	for subset := range uint16(1 << len(roleNames)) {
		few := bits.OnesCount16(subset) <= 2 || bits.OnesCount16(subset) >= len(roleNames)-2
		if subset%29 == 1 {
			spread = append(spread, subset)
		}
		if few || subset%29 == 1 {
			readBoth(t, dir, subset)
		}
	}
	for six := range uint16(1 << len(roleNames)) {
		if bits.OnesCount16(six) != 6 {
			continue
		}
		ways := map[uint16]bool{}
		for _, subset := range spread {
			ways[subset&six] = true
		}
		if len(ways) != 1<<6 {
			t.Fatalf("the columns %b are there in %d ways, want 64", six, len(ways))
		}
	}
}

// readBoth reads a table with a subset of the columns and values of many kinds, as CSV and as JSON Lines.
func readBoth(t *testing.T, dir string, subset uint16) {
	t.Helper()
	for _, list := range []bool{false, true} {
		read(t, dir, subset, []string{"a", "b", "tie", "1", "", "n/a", "model_a", "2", "x y"}, list)
	}
}

// read writes a table with a subset of roleNames into a folder, and reads it with every reader.
func read(t *testing.T, dir string, subset uint16, cells []string, list bool) {
	t.Helper()
	var header []string
	for i, name := range roleNames {
		if subset>>i&1 == 1 {
			header = append(header, name)
		}
	}
	if header == nil {
		return
	}
	var b strings.Builder
	name := "a.csv"
	if !list {
		b.WriteString(strings.Join(header, ",") + "\n")
	} else {
		name = "a.jsonl"
	}
	index := 0
	for range 7 {
		var row []string
		for _, column := range header {
			cell := cells[index%len(cells)]
			if index++; list {
				row = append(row, fmt.Sprintf("%q: %q", column, cell))
			} else {
				row = append(row, `"`+strings.ReplaceAll(cell, `"`, `""`)+`"`)
			}
		}
		if text := strings.Join(row, ","); list {
			b.WriteString("{" + text + "}\n")
		} else {
			b.WriteString(text + "\n")
		}
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	other, errOther := Read(path, Options{})
	for _, people := range []bool{false, true} {
		log, err := Read(path, Options{People: people, Names: []string{"score"}})
		if err != nil {
			continue
		}
		for _, s := range log.Values.All() {
			if int(s.Item) >= len(log.Items) || s.IsPerson() != people {
				t.Errorf("%s: %+v of %d items", b.String(), s, len(log.Items))
			}
		}
		if errOther == nil {
			Align(other.Clone(), log, Options{})
		}
		log.Summary(people)
	}
	ReadRatings(path, "", Options{})
	ReadPairs(path, "", Options{})
	SameValues(path, path)
	ScorePath(path)
}
