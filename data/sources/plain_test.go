package sources

import (
	"fmt"
	"strings"
	"testing"
)

// TestPlainRows reads tables of which some rows go straight into the columns, and others need more.
func TestPlainRows(t *testing.T) {
	for _, c := range []struct {
		table  string
		people bool
		want   string
	}{
		{"id,annotator,criterion,value\nx,anna,good,1\ny,anna,good,1\ny,ben,good,NA\nz,anna,good,[1]\nz,ben,good,1\nz,ben,fair,2\nw,ben,fair, 2\n" +
			"w,gpt-4,good,1\nv,gpt-4,good,1\nw,ben,good,2\nw,ben,  good,1\nu,,good,1\n", true,
			"0 2 anna good 1|1 3 anna good 1|2 5 anna good 1|2 6 ben good 1|3 11 ben good 2|3 12 ben good 1|5 13 t good 1|2 7 ben fair 2|3 8 ben fair 2"},
		{"id,judge,good score,fair score\nx,m,1,2\ny,m,1,2\nz,m,,2\nw,n,1,[2]\nv,n,2,2\nu,,1,2\nx,m,2,1\n", false,
			"0 2 m good score 1|1 3 m good score 1|2 4 m good score !|3 5 n good score 1|4 6 n good score 2|5 7 t good score 1|6 8 m good score 2|" +
				"0 2 m fair score 2|1 3 m fair score 2|2 4 m fair score 2|3 5 n fair score 2|4 6 n fair score 2|5 7 t fair score 2|6 8 m fair score 1"},
	} {
		log, err := Read(written(t, map[string]string{"t.csv": c.table})+"/t.csv", Options{People: c.people, Repeats: RepeatsLast})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range log.Values.All() {
			value := s.Value
			if s.Failed {
				value = "!"
			}
			got = append(got, fmt.Sprintf("%d %d %s %s %s", s.Item, s.Line, s.Rater.Name, s.ID, value))
		}
		if text := strings.Join(got, "|"); text != c.want {
			t.Errorf("%q is read as\n%s; it is\n%s", c.table, text, c.want)
		}
	}
}
