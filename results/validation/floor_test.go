package validation

import (
	"strings"
	"testing"
)

// TestFloorsAtFirstView: next to the agreement is the agreement of always giving people's most frequent value. For yes and no there is also
// TPR + TNR − 1, which is 0 for a judge that always gives one value. The page's cross table has the words of the scale.
func TestFloorsAtFirstView(t *testing.T) {
	log := "log.csv\nid,ok\n" + rows(27, "a#,pass\n") + rows(3, "b#,fail\n")
	people := "people.csv\nid,ok\n" + rows(24, "a#,pass\n") + "a24,fail\na25,fail\na26,fail\nb0,fail\nb1,fail\nb2,pass\n"
	r := study(t, log, people)
	var screen strings.Builder
	if err := r.Print(&screen, nil, "Page"); err != nil {
		t.Fatal(err)
	}
	// The judge equals people on 26 of 30 items; people pass 25 items; TPR is 24/25, TNR 2/5.
	for _, want := range []string{"agree (floor)", "0.87 (0.83)", "TPR + TNR − 1 = 0.36"} {
		if !strings.Contains(screen.String(), want) {
			t.Errorf("%q is not in\n%s", want, screen.String())
		}
	}
	if grid := string(r.Pairings[0].grid().Drawn.Picture); !strings.Contains(grid, ">pass<") || strings.Contains(grid, ">1<") && !strings.Contains(grid, ">fail<") {
		t.Error(grid)
	}
}
