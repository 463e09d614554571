package sources

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
)

// keptReading writes a reading to a file and reads it back.
func keptReading(t *testing.T, r *Reading) *Readings {
	t.Helper()
	var text bytes.Buffer
	if err := (&Readings{Readings: []*Reading{r}}).Write(&text); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), ReadingName)
	if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	kept, err := OpenReadings(path)
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

// TestReadingsOfPairsGivenBack checks that a file of pairs gives the same pairs, labels and choices when its saved reading is given back.
// It uses all published layouts and the files of shared/cases5/pairs.
func TestReadingsOfPairsGivenBack(t *testing.T) {
	var files []string
	for _, l := range pairLayouts(t) {
		if l.Refused == "" {
			files = append(files, l.file(t, l.Records))
		}
	}
	for _, pattern := range []string{"*.*", "refused/*.*"} {
		more, err := filepath.Glob(filepath.Join(sharedtest.Path(t, "cases5", "pairs"), filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	n := 0
	for _, path := range files {
		first, reading, _, err := ReadPairSets(path, "", Options{})
		if err != nil || reading == nil {
			continue // TestPublishedLayouts, TestCasesOfPairs5
		}
		n++
		given, err := keptReading(t, reading).PairMap(path, TableOfPairs)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		again, _, _, err := ReadPairSets(path, "", Options{Map: given})
		if err != nil || !reflect.DeepEqual(first, again) {
			t.Errorf("%s with %v: %v\n%+v\n%+v", path, given, err, first, again)
		}
	}
	if n < 50 {
		t.Errorf("%d files have a reading", n)
	}
}

// TestReadingOfPairsThatDiffers checks that the errors of a new or missing column, a new label and another format name it. A changed role
// takes effect, in tables and in published layouts.
func TestReadingOfPairsThatDiffers(t *testing.T) {
	const table = "nr,question,response_a,response_b,human_winner,judge_winner,hint\n1,Why?,yes,no,a,b,x\n2,How?,so,thus,tie,a,y\n"
	reading := func(text string, m map[string]string) *Readings {
		_, read, _, err := ReadPairSets(write(t, "p.csv", text), "", Options{Map: m})
		if err != nil {
			t.Fatal(err)
		}
		return keptReading(t, read)
	}
	kept := reading(table, map[string]string{"context": "hint"})
	for text, want := range map[string]string{
		strings.Replace(table, "hint", "clue", 1):                                   `the column "clue" is not in the reading`,
		strings.NewReplacer(",hint", "", ",x\n", "\n", ",y\n", "\n").Replace(table): `has no column "hint", which the reading has with role "context"`,
		strings.Replace(table, ",tie,", ",both bad,", 1):                            `the column "human_winner" has the new label "both bad"`,
		strings.ReplaceAll(table, "question", "prompt"):                             `the column "prompt" is not in the reading`,
	} {
		if m, err := kept.PairMap(write(t, "p.csv", text), TableOfPairs); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %s", text, m, err, want)
		}
	}
	m, err := kept.PairMap(write(t, "p.csv", table), TableOfPairs)
	if err != nil {
		t.Fatal(err)
	}
	set, err := ReadPairs(write(t, "p.csv", table), "", Options{Map: m})
	if err != nil || len(set.Pairs) != 2 || !strings.Contains(set.Pairs[0].Question, "Hint: x") || set.Pairs[0].Label != data.ChoiceA ||
		len(set.Given) != 2 || set.Given[0].Judge != "judge" || set.Given[0].Choice != "b" {
		t.Errorf("%+v, %v (%v)", set, err, m)
	}
	for i, c := range kept.Readings[0].Columns {
		if c.Column == "human_winner" {
			kept.Readings[0].Columns[i].Role = RoleLeft
		}
	}
	m, err = kept.PairMap(write(t, "p.csv", table), TableOfPairs)
	if err != nil {
		t.Fatal(err)
	}
	if set, err = ReadPairs(write(t, "p.csv", table), "", Options{Map: m}); err != nil || set.Pairs[0].Label != data.NoChoice || len(set.Given) != 2 {
		t.Errorf("without people's choice: %+v, %v", set, err)
	}
	kept.Readings[0].Columns[0].Role = "topic"
	if _, err := kept.PairMap(write(t, "p.csv", table), TableOfPairs); err == nil || !strings.Contains(err.Error(), `the role "topic"`) {
		t.Errorf("a role that pairs do not have: %v", err)
	}
	kept.Readings[0].Format = "shp"
	if _, err := kept.PairMap(write(t, "p.csv", table), TableOfPairs); err == nil || !strings.Contains(err.Error(), "is a table, but the reading is of shp") {
		t.Errorf("another format: %v", err)
	}
}

// TestReadingOfPreferencesGivenBack checks that a file of choices is read in the same way when its saved reading is given back.
func TestReadingOfPreferencesGivenBack(t *testing.T) {
	path := write(t, "p.csv", "pair_id,annotator,winner,shown,note\n1,ann,a,ab,x\n1,ben,b,ba,x\n2,ann,tie,ab,y\n")
	find := func(id string) (data.Pair, bool) { return data.Pair{ID: id}, true }
	first, reading, _, err := ReadPreferences(path, find, Options{Map: map[string]string{"order": "shown"}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := keptReading(t, reading).PairMap(path, FormatFile)
	if err != nil {
		t.Fatal(err)
	}
	again, _, _, err := ReadPreferences(path, find, Options{Map: m})
	if err != nil || len(again) != 3 || !reflect.DeepEqual(first, again) {
		t.Errorf("%v\n%+v\n%+v\n%+v", err, m, first, again)
	}
}
