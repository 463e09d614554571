package sources

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestSummaryRows checks that summary rows below a table are not ratings, and that a note names their lines. Rows of items are read
// whatever their name, if other rows follow or their values are not numbers.
func TestSummaryRows(t *testing.T) {
	const rows = "a,1,2\nb,5,4\nc,4,4\n"
	for _, c := range []struct {
		text  string
		items string
		said  string
	}{
		{"id,correct,polite\n" + rows, "a b c", ""},
		{"id,correct,polite\n" + rows + "Total,10,10\n", "a b c", `1 row below the table left out, as it sums up the others (p.csv:5: "Total")`},
		{"id,correct,polite\n" + rows + "\nMean,3.33,3.33\nSD:,2.1,1.2\n", "a b c", `p.csv:6: "Mean"; p.csv:7: "SD:"`},
		{"id,correct,polite\n" + rows + "Durchschnitt,3.33,\n", "a b c", `"Durchschnitt"`},
		{"id,correct,polite\n" + rows + ",3.3,3.3\n", "a b c", "p.csv:5: the means of the columns"},
		{"id,correct,polite\n" + rows + ",10,10\n", "a b c", "p.csv:5: the sums of the columns"},
		{"id;correct;polite\na;1;2\nb;5;4\nc;4;4\nGesamt;10;10\n", "a b c", `"Gesamt"`},
		{"id,correct,polite\na,1,2\ntotal,5,4\nc,4,4\n", "a total c", ""},
		{"id,correct,polite\n" + rows + "d,10,10\n", "a b c d", ""},
		{"id,rater,criterion,value\na,x,ok,1\nb,x,ok,2\nmean,x,ok,2\n", "a b mean", ""},
	} {
		path := write(t, "p.csv", c.text)
		log, err := Read(path, Options{People: true, Names: []string{"correct", "polite", "ok"}})
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		var items []string
		for _, s := range log.Values.All() {
			if id := log.Items[s.Item].ID; !slices.Contains(items, id) {
				items = append(items, id)
			}
		}
		said := strings.ReplaceAll(fmt.Sprint(strings.Join(log.Notes, "\n")), path, "p.csv")
		if strings.Join(items, " ") != c.items || !strings.Contains(said, c.said) || c.said == "" && strings.Contains(said, "below the table") {
			t.Errorf("%q: items %v, want %s; %s, want %s", c.text, items, c.items, said, c.said)
		}
	}
}

// TestSummaryRowWithoutIDs checks that a last row of means is not read as ratings in a table that has only numbers.
func TestSummaryRowWithoutIDs(t *testing.T) {
	for text, want := range map[string]int{"r1,r2\n1,2\n5,4\n4,4\n": 6, "r1,r2\n1,2\n5,4\n4,4\n3.33,3.33\n": 6, "r1,r2\n1,2\n5,4\n4,4\n3,3\n": 8} {
		log, err := Read(write(t, "p.csv", text), Options{People: true, Raters: true, Alone: true})
		if err != nil || log.Values.Len() != want {
			t.Errorf("%q: %+v, %v", text, log, err)
		}
	}
}
