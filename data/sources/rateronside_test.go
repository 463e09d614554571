package sources

import (
	"fmt"
	"strings"
	"testing"
)

// longTable returns a long table of 20 items with a value of each rater. A rater is "NAME:DIGITS"; raters with equally many digits have
// equal values.
func longTable(raters ...string) string {
	text := "item,rater,criterion,value\n"
	for i := range 20 {
		for _, rater := range raters {
			name, k, _ := strings.Cut(rater, ":")
			text += fmt.Sprintf("q%d,%s,clear,%d\n", i, name, (i*len(k)+len(k)*i/3)%5+1)
		}
	}
	return text
}

func whoScores(log *Log) string {
	n := map[string]int{}
	for _, s := range log.Values.All() {
		n[s.Rater.Name]++
	}
	return fmt.Sprint(n)
}

// TestRatersOfBothSides checks who is the judge in one long file: raters whom the user names, or else, as an assumption, those with a word
// for judges in their names.
func TestRatersOfBothSides(t *testing.T) {
	for _, c := range []struct {
		raters        []string
		names         []string
		judge, people string
	}{
		{[]string{"Kim:1", "Lou:11", "judge-v1:111"}, nil, "map[judge-v1:20]", "map[Kim:20 Lou:20]"},
		{[]string{"Kim:1", "Lou:11", "gpt-4o:111"}, nil, "map[gpt-4o:20]", "map[Kim:20 Lou:20]"},
		{[]string{"Kim:1", "Lou:11", "X:111"}, []string{"x"}, "map[X:20]", "map[Kim:20 Lou:20]"},
		{[]string{"Kim:1", "Lou:11", "X:111"}, nil, `with raters Kim, Lou, X: which of them is the judge? --judge NAME says it`, ""},
		{[]string{"Kim:1"}, nil, "all of its values are of one rater, Kim", ""},
		{[]string{"Kim:1", "Lou:11", "X:111"}, []string{"Nobody"}, "which of them is the judge?", ""},
	} {
		path := write(t, "a.csv", longTable(c.raters...))
		judged, err := Read(path, Options{Other: []string{path}, JudgeNames: c.names})
		if err != nil {
			if c.people != "" || !strings.Contains(err.Error(), c.judge) {
				t.Errorf("%v: %v", c.raters, err)
			}
			continue
		}
		people, err := Read(path, Options{Other: []string{path}, JudgeNames: c.names, People: true, Names: []string{"clear"}})
		if err != nil || whoScores(judged) != c.judge || whoScores(people) != c.people {
			t.Errorf("%v: %v, %s, %s", c.raters, err, whoScores(judged), whoScores(people))
		}
		if assumed := len(Assumed(judged.Readings)) > 0; assumed != (c.names == nil) {
			t.Errorf("%v: assumed %v", c.raters, assumed)
		}
	}
}

// TestLeaveTwice checks that a rater who is on both sides with equal values counts on only one side.
func TestLeaveTwice(t *testing.T) {
	for _, c := range []struct {
		judges, people             []string
		wantJudges, wantPeople, in string
	}{
		{[]string{"Kim:1", "Lou:11", "bot:111"}, []string{"Kim:1", "Lou:11"}, "map[bot:20]", "map[Kim:20 Lou:20]", "20 values of Kim"},
		{[]string{"bot:111"}, []string{"Kim:1", "bot:111"}, "map[bot:20]", "map[Kim:20]", "20 values of bot"},
		{[]string{"X:111"}, []string{"Kim:1", "X:111"}, "map[X:20]", "map[Kim:20]", "20 values of X"},
		{[]string{"Kim:11", "bot:111"}, []string{"Kim:1"}, "map[Kim:20 bot:20]", "map[Kim:20]", ""},
	} {
		judged, err := Read(write(t, "j.csv", longTable(c.judges...)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		people, err := Read(write(t, "p.csv", longTable(c.people...)), Options{People: true, Names: []string{"clear"}})
		if err != nil {
			t.Fatal(err)
		}
		LeaveTwice(judged, people)
		if whoScores(judged) != c.wantJudges || whoScores(people) != c.wantPeople {
			t.Errorf("%v: %s, %s", c, whoScores(judged), whoScores(people))
		}
		if said := judged.Summary(false) + people.Summary(true); !strings.Contains(said, c.in) {
			t.Errorf("%v: %s", c, said)
		}
	}
}

// TestConstantCriterion checks that a column with a single value is a criterion if both sides have it, in one file or two, and is left out
// otherwise.
func TestConstantCriterion(t *testing.T) {
	table := func(header string, constant int) string {
		lines := strings.Split(strings.TrimSpace(gradedTable(header, true)), "\n")
		for i := range lines[1:] {
			cells := strings.Split(lines[i+1], ";")
			cells[constant] = "4"
			lines[i+1] = strings.Join(cells, ";")
		}
		return strings.Join(lines, "\n") + "\n"
	}
	const header = "human_clear_kim;human_tone_kim;human_clear_lou;human_tone_lou;llm_clear;llm_tone"
	if got := bySide(t, write(t, "a.csv", table(header, 6)), false); got != "clear by , tone by " {
		t.Error(got)
	}
	people := write(t, "p.csv", gradedTable("Kim - clear;Kim - tone;Lou - clear;Lou - tone", true))
	judge := write(t, "j.csv", table("clear;tone;mark", 2))
	log, err := Read(judge, Options{Other: []string{people}})
	if err != nil || len(log.Readings[0].columns(RoleValue)) != 3 {
		t.Errorf("%v, %v", err, log.Readings[0])
	}
	log, err = Read(write(t, "k.csv", table("clear;tone;mark", 3)), Options{Other: []string{people}})
	if err != nil || len(log.Readings[0].columns(RoleValue)) != 2 {
		t.Errorf("%v, %v", err, log.Readings[0])
	}
}

// TestMapOfColumns checks that several columns for one criterion are several people, and that a name that occurs twice in a map is refused.
func TestMapOfColumns(t *testing.T) {
	if _, err := ParseMap("people.clear=A,people.clear=B"); err == nil || !strings.Contains(err.Error(), "people.clear=A|B") {
		t.Error(err)
	}
	path := write(t, "a.csv", gradedTable("Kim - clear;Kim - tone;Lou - clear;Lou - tone", true))
	log, err := Read(path, Options{People: true, Map: map[string]string{"people.clear": "Kim - clear|Lou - clear", "people.tone": "Kim - tone|Lou - tone"}})
	if err != nil || whoScores(log) != "map[Kim:40 Lou:40]" {
		t.Errorf("%v, %v", err, log)
	}
}

// TestPlainCriterion checks that a criterion's name is the same with and without its scale or labels.
func TestPlainCriterion(t *testing.T) {
	for name, want := range map[string]string{"correct (yes/no)": "correct", "Clear (1-5)": "clear", "Right [0 or 1]": "right", "tone (Kim)": "tonekim"} {
		if got := FoldedName(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
