package sources

import (
	"bytes"
	"strings"
	"testing"
)

// TestRules checks that each rule reads its own example, and that names of criterion and person are split in either order.
func TestRules(t *testing.T) {
	for _, rule := range rules {
		if rule.example == "query" {
			continue // needs the id of a document beside it: tested below
		}
		found := strings.Contains(" "+strings.Join(names().list(rule.names), " ")+" ", " "+rule.example+" ")
		if !found && rule.names != "" {
			t.Errorf("%s: the list %s lacks %s", rule.role, rule.names, rule.example)
		}
	}
	for header, want := range map[string]string{
		"Nr;Anna - quality (1-5);Ben - quality (1-5)":      "quality (1-5) by Anna, quality (1-5) by Ben",
		"id;quality_anna;quality_ben;tone_anna;tone_ben":   "quality by anna, quality by ben, tone by anna, tone by ben",
		"id;Kim: clear?;Lou: clear?;Kim: kind?;Lou: kind?": "clear? by Kim, clear? by Lou, kind? by Kim, kind? by Lou",
		"unit;A;B;C;D":                "score by A, score by B, score by C, score by D",
		"query;docid;rater_1;rater_2": "score by rater_1, score by rater_2",
	} {
		text := header + "\n"
		for i := range 20 {
			text += "q" + string(rune('a'+i))
			for k := range strings.Count(header, ";") {
				text += ";" + string(rune('1'+(i*(k+2)+i/3)%5))
			}
			text += "\n"
		}
		s, err := OpenSheet(write(t, "a.csv", text))
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Read(Options{People: true, Raters: true, Alone: true})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range r.columns(RoleValue) {
			got = append(got, c.Criterion+" by "+c.Rater)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %s", header, strings.Join(got, ", "))
		}
	}
}

// TestGivenReading checks that a saved reading reads the same values, and that the error of a new column, a missing column or a new label
// names it.
func TestGivenReading(t *testing.T) {
	const file = "Nr,Anna,Ben\n1,yes,no\n2,no,no\n3,yes,yes\n"
	o := Options{People: true, Names: []string{"good"}}
	path := write(t, "a.csv", file)
	log, err := Read(path, o)
	if err != nil || len(Assumed(log.Readings)) == 0 {
		t.Fatalf("%v; assumed: %v", err, Assumed(log.Readings))
	}
	var b bytes.Buffer
	if err := (&Readings{Readings: log.Readings}).Write(&b); err != nil {
		t.Fatal(err)
	}
	o.Given, err = OpenReadings(write(t, "reading.yaml", b.String()))
	if err != nil {
		t.Fatal(err)
	}
	again, err := Read(path, o)
	if err != nil || again.Values.Len() != log.Values.Len() || len(Assumed(again.Readings)) != 0 {
		t.Errorf("%v: %d scores, want %d; assumed: %v", err, again.Values.Len(), log.Values.Len(), Assumed(again.Readings))
	}
	for text, want := range map[string]string{
		"Nr,Anna,Ben,Cleo\n1,yes,no,no\n": `the column "Cleo" is not in the reading`,
		"Nr,Anna\n1,yes\n":                `has no column "Ben"`,
		"Nr,Anna,Ben\n1,yes,perhaps\n":    `has the new label "perhaps"`,
	} {
		if _, err := Read(write(t, "b.csv", text), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
