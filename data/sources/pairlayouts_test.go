package sources

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"compqa/data"
)

// A pairLayout is a fixture of a published layout of pairs, from testdata/layouts.yaml.
type pairLayout struct {
	Name, Card, Read      string // Read is the page that describes the record's fields; "" if there is none
	Records               string
	Pairs, Given, Renamed []string
	Refused               string
}

func pairLayouts(t *testing.T) (layouts []pairLayout) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "layouts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &layouts); err != nil {
		t.Fatal(err)
	}
	return layouts
}

func (l pairLayout) file(t *testing.T, records string) string {
	name := map[bool]string{true: "p.json", false: "p.jsonl"}[strings.HasPrefix(records, "[")]
	return filepath.Join(written(t, map[string]string{name: records}), name)
}

// described returns a pair in the notation of the fixtures.
func described(p data.Pair) string {
	sign := ">"
	a := p.A
	b := p.B
	x := p.SystemA
	y := p.SystemB
	switch p.Label {
	case data.ChoiceB:
		a, b, x, y = b, a, y, x
	case data.ChoiceTie:
		sign = "~"
	case data.NoChoice:
		sign = "?"
	}
	return fmt.Sprintf("%s | %s %s %s | %s", p.Question, a, sign, b, strings.TrimSpace(x+" "+y))
}

// inOrder sorts the two answers of ties and of pairs without a label, because a hash decides which answer comes first.
func inOrder(pairs []string) (list []string) {
	for _, p := range pairs {
		parts := strings.SplitN(p, " | ", 3)
		for _, sign := range []string{" ~ ", " ? "} {
			if a, b, found := strings.Cut(parts[1], sign); found && b < a {
				parts[1] = b + sign + a
				systems := strings.Fields(parts[2])
				slices.Reverse(systems)
				parts[2] = strings.Join(systems, " ")
			}
		}
		list = append(list, strings.Join(parts, " | "))
	}
	return list
}

// TestPublishedLayouts checks that each layout is recognised and read correctly, and refused with a reason if a column is renamed.
// Questions and answers contain neither names of systems nor JSON.
func TestPublishedLayouts(t *testing.T) {
	for _, l := range pairLayouts(t) {
		path := l.file(t, l.Records)
		if !strings.HasPrefix(l.Card, "https://") {
			t.Errorf("%s has no card", l.Name)
		}
		sets, _, _, err := ReadPairSets(path, "", Options{})
		if l.Refused != "" {
			if err == nil || !strings.Contains(err.Error(), l.Refused) {
				t.Errorf("%s: %v, want %s", l.Name, err, l.Refused)
			}
			continue
		}
		if err != nil || sets[0].Name != l.Name {
			t.Errorf("%s: %+v, %v", l.Name, sets, err)
			continue
		}
		pairs := data.Each(sets[0].Pairs, described)
		given := data.Each(sets[0].Given, func(p data.Preference) string { return p.Judge + " " + p.Choice })
		if !slices.Equal(inOrder(pairs), inOrder(l.Pairs)) || !slices.Equal(given, l.Given) {
			t.Errorf("%s:\n%q\nwant\n%q\n%q, want %q", l.Name, pairs, l.Pairs, given, l.Given)
		}
		for _, p := range sets[0].Pairs {
			for _, text := range []string{p.Question, p.A, p.B} {
				if strings.Contains(text, "sysalpha") || strings.Contains(text, "sysbeta") || strings.Contains(text, "sysgamma") || strings.Contains(text, `{"role`) {
					t.Errorf("%s shows %q", l.Name, text)
				}
			}
		}
		for _, column := range l.Renamed {
			renamed := strings.ReplaceAll(l.Records, `"`+column+`":`, `"zz column":`)
			if renamed == l.Records {
				t.Errorf("%s has no column %s", l.Name, column)
			}
			if set, err := ReadPairs(l.file(t, renamed), "", Options{}); err == nil || err.Error() == "" {
				t.Errorf("%s with %s renamed is read: %q (%s)", l.Name, column, data.Each(set.Pairs, described), set.Source)
			}
		}
	}
}
