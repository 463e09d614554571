package annotate

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"compqa/results/raters"
	"compqa/web/annotate/project"
)

// TestStrictPeople: of four people, one gives fewer points and one values at random; each person gets a text. Totals and all criteria
// together are left out, because they follow from the criteria. With too few items, the text is the reason.
func TestStrictPeople(t *testing.T) {
	t.Parallel()
	names := []string{"ann", "ben", "cem", "dan"}
	study := func(items int, criteria ...string) (tables []raters.Table) {
		rng := rand.New(rand.NewPCG(3, 3))
		for _, criterion := range criteria {
			t := raters.Table{Criterion: criterion, Units: make([]raters.Unit, items)}
			for i := range items {
				t.Units[i].Cluster = i
				quality := 2 + rng.NormFloat64()
				for k, name := range names {
					x := quality + .5*rng.NormFloat64()
					switch k {
					case 2:
						x--
					case 3:
						x = 4 * rng.Float64()
					}
					t.Put(name, raters.Person, i, math.Round(min(4, max(0, x))))
				}
			}
			tables = append(tables, t)
		}
		return tables
	}
	texts := strict(study(80, "clear", "short", project.Total, together))
	for name, want := range map[string]string{"ann": "mild on 2 of 2 criteria", "cem": "strict on 2 of 2 criteria",
		"dan": "random on 2 of 2 criteria"} {
		if !strings.HasPrefix(texts[name], "severity ") || !strings.Contains(texts[name], want) {
			t.Errorf("%s: %s, want %s", name, texts[name], want)
		}
	}
	if strings.HasPrefix(texts["ann"], "severity +") || !strings.HasPrefix(texts["cem"], "severity +") {
		t.Errorf("signs: %s, %s", texts["ann"], texts["cem"])
	}
	if got := strict(study(20, "clear"))["ann"]; !strings.Contains(got, "rated 20 items, 30 are needed") {
		t.Error(got)
	}
}
