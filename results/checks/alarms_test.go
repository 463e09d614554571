package checks

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/data/sources"
	"compqa/results/raters"
)

// honest returns tables of the values that honest people gave on one criterion, by name: one rater for each person.
func honest(t *testing.T) map[string][]raters.Rater {
	t.Helper()
	tables := map[string][]raters.Rater{}
	put := func(table, rater string, unit, units int, value float64) {
		persons := tables[table]
		index := -1
		for i := range persons {
			if persons[i].Name == rater {
				index = i
			}
		}
		if index < 0 {
			index = len(persons)
			values := make([]raters.Value, units)
			for i := range values {
				values[i] = raters.Missing(raters.NotAsked)
			}
			tables[table] = append(persons, raters.Rater{Name: rater, Values: values})
		}
		tables[table][index].Values[unit] = raters.Number(value)
	}
	listing, err := sources.ReadJudgeBench(sharedtest.Path(t, "data", "judge-bench", "newsroom", "newsroom.json"))
	if err != nil {
		t.Fatal(err)
	}
	for k, column := range listing.Columns {
		seen := map[int32]int{}
		for row, item := range column.Item {
			x, number := data.Number(column.Value(row))
			if number {
				put("newsroom "+listing.Criteria[k].ID, fmt.Sprint(seen[item]), int(item), int(column.Items()), x)
				seen[item]++
			}
		}
	}
	content, err := os.ReadFile(sharedtest.Path(t, "data", "pandalm", "testset-v1.json"))
	if err != nil {
		t.Fatal(err)
	}
	var pairs []map[string]any
	if err := json.Unmarshal(content, &pairs); err != nil {
		t.Fatal(err)
	}
	for i, pair := range pairs {
		for _, who := range []string{"annotator1", "annotator2", "annotator3"} {
			choice, ok := pair[who].(float64)
			if !ok {
				t.Fatalf("pair %d: %v", i, pair[who])
			}
			put("pandalm", who, i, len(pairs), choice)
		}
	}
	return tables
}

// One honest person takes the judge's place beside two others, in samples of 20, 60 and 200 items. No check that stops a criterion may find
// anything. Checks that mark one may do so in at most 7 % of the samples of each size.
func TestFalseAlarms(t *testing.T) {
	const draws = 200
	rng := rand.New(rand.NewPCG(1, 2))
	tables := honest(t)
	for _, size := range []int{20, 60, 200} {
		stops := map[string]int{}
		marks := map[string]int{}
		n := 0
		for _, name := range slices.Sorted(maps.Keys(tables)) {
			people := tables[name]
			for range draws {
				indices := rng.Perm(len(people[0].Values))[:size]
				sample := make([]raters.Rater, 3)
				for i := range sample {
					sample[i].Name = people[i].Name
					for _, unit := range indices {
						sample[i].Values = append(sample[i].Values, people[i].Values[unit])
					}
				}
				j := &Joined{Criterion: name, Judge: sample[0], People: sample[1:], Labels: name == "pandalm",
					Label: func(x float64) string { return fmt.Sprint(x) }}
				for i, side := range []string{"judge", "people"} {
					var given []string
					for _, r := range sample[i : 1+2*i] {
						for _, v := range r.Values {
							if v.Given() {
								given = append(given, fmt.Sprint(v.Number()))
							}
						}
					}
					j.Sides = append(j.Sides, Side{Name: side, Values: Count(given...)})
				}
				n++
				for _, f := range Run(j, nil) {
					switch f.Kind {
					case Stop:
						stops[f.Check]++
					case Mark:
						marks[f.Check]++
					}
				}
			}
		}
		marked := 0
		for _, count := range marks {
			marked += count
		}
		t.Logf("%d items: %d samples, marked %v", size, n, marks)
		if n == 0 || len(stops) > 0 || 100*marked > 7*n {
			t.Errorf("%d items: of %d samples stopped %v, marked %v", size, n, stops, marks)
		}
	}
}
