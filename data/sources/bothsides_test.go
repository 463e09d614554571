package sources

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// gradedTable returns a table of 20 items with the columns of a header. The first of each two columns has values 1–5; the second has yes
// and no, unless one is true.
func gradedTable(header string, one bool) string {
	names := strings.Split(header, ";")
	text := "item;" + header + "\n"
	for i := range 20 {
		text += fmt.Sprintf("q%d", i)
		for k := range names {
			value := fmt.Sprint((i*(k/2+2)+i/3)%5 + 1)
			if k%2 == 1 && !one {
				value = []string{"yes", "no"}[(i*(k+2)/3)%2]
			}
			text += ";" + value
		}
		text += "\n"
	}
	return text
}

// bySide returns the values that a side reads from a file, as "criterion by rater", in the order of columns.
func bySide(t *testing.T, path string, people bool) string {
	t.Helper()
	o := Options{People: people, Other: []string{path}}
	if people {
		judged, err := Read(path, Options{Other: []string{path}})
		if err != nil {
			return err.Error()
		}
		o.Names = slices.Compact(criteriaOf(judged))
	}
	log, err := Read(path, o)
	if err != nil {
		return err.Error()
	}
	var all []string
	for _, c := range log.Readings[0].columns(RoleValue) {
		all = append(all, c.Criterion+" by "+c.Rater)
	}
	return strings.Join(all, ", ")
}

// TestOneSideMarked checks a file in which only one side's columns are marked by their names: the other columns are the other side's, and
// their names contain criterion and rater, whatever the separator.
func TestOneSideMarked(t *testing.T) {
	for header, want := range map[string][2]string{
		"Kim - clear (1-5);Kim - polite (yes/no);Lou - clear (1-5);Lou - polite (yes/no);LLM judge - clear (1-5);LLM judge - polite (yes/no)": {
			"clear (1-5) by LLM judge, polite (yes/no) by LLM judge",
			"clear (1-5) by Kim, polite (yes/no) by Kim, clear (1-5) by Lou, polite (yes/no) by Lou"},
		"Kim - clear (1-5);Kim - polite (yes/no);LLM judge - clear (1-5);LLM judge - polite (yes/no)": {
			"clear (1-5) by LLM judge, polite (yes/no) by LLM judge", "clear (1-5) by Kim, polite (yes/no) by Kim"},
		"clear_kim;polite_kim;clear_lou;polite_lou;clear_judge;polite_judge": {"clear by judge, polite by judge",
			"clear by kim, polite by kim, clear by lou, polite by lou"},
		"Clear (Kim);Polite (Kim);Clear (Lou);Polite (Lou);Clear (LLM);Polite (LLM)": {"Clear by LLM, Polite by LLM",
			"Clear by Kim, Polite by Kim, Clear by Lou, Polite by Lou"},
		"Kim clear;Kim polite;Lou clear;Lou polite;GPT-4o clear;GPT-4o polite": {"clear by GPT-4o, polite by GPT-4o",
			"clear by Kim, polite by Kim, clear by Lou, polite by Lou"},
		"Kim: clear?;Kim: polite?;Bot: clear?;Bot: polite?":   {"clear? by Bot, polite? by Bot", "clear? by Kim, polite? by Kim"},
		"Kim - clear;Kim - polite;llm_clear;llm_polite":       {"clear by llm, polite by llm", "clear by Kim, polite by Kim"},
		"Kim - clear;Kim - polite;gpt-4o_clear;gpt-4o_polite": {"clear by gpt, polite by gpt", "clear by Kim, polite by Kim"},
		"human_clear_kim;human_polite_kim;clear;polite":       {"clear by , polite by ", "clear by kim, polite by kim"},
		"clear;polite;llm_clear;llm_polite":                   {"clear by , polite by ", "clear by , polite by "},
		"Human 1 - clear (1-5);Human 1 - polite (yes/no);Human 2 - clear (1-5);Human 2 - polite (yes/no);AI - clear (1-5);AI - polite (yes/no)": {
			"clear (1-5) by AI, polite (yes/no) by AI",
			"clear (1-5) by Human 1, polite (yes/no) by Human 1, clear (1-5) by Human 2, polite (yes/no) by Human 2"},
	} {
		path := write(t, "a.csv", gradedTable(header, false))
		for i, people := range []bool{false, true} {
			if got := bySide(t, path, people); got != want[i] {
				t.Errorf("%s: people %v: %s; want %s", header, people, got, want[i])
			}
		}
	}
}

// TestOneScaleOfRaters checks that unmarked columns are raters only if they have the scale of the marked columns. Marked columns with
// different scales are refused.
func TestOneScaleOfRaters(t *testing.T) {
	path := write(t, "a.csv", gradedTable("kim;lou;judge bot", true))
	if got := bySide(t, path, true); got != "score by kim, score by lou" {
		t.Error(got)
	}
	path = write(t, "b.csv", gradedTable("kim;grade;judge bot", false))
	if got := bySide(t, path, true); got != "score by kim" {
		t.Error(got)
	}
	path = write(t, "c.csv", gradedTable("kim;lou;judge one;judge two", false))
	if got := bySide(t, path, true); !strings.Contains(got, "kim, lou, judge one, judge two") {
		t.Error(got)
	}
}
