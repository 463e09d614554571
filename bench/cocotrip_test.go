package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/data/sources"
	"compqa/judges/text"
	"compqa/results/summaries"
	"compqa/scenarios"
	"compqa/scenarios/strum"
)

var otherEntity = map[string]string{string(data.Object1): string(data.Object2), string(data.Object2): string(data.Object1)}

func cocotripPairs(t *testing.T) (dir string, pairs []sources.HotelPair) {
	t.Helper()
	dir = sharedtest.Path(t, "data", "cocotrip")
	pairs, err := sources.ReadCoCoTrip(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir, pairs
}

// TestSoakCoCoTrip: the command reports both parts, and the system's gap beats the first sentences'.
func TestSoakCoCoTrip(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	dir, _ := cocotripPairs(t)
	out := t.TempDir()
	code, stdout, stderr := compqa("strum", "--cocotrip", dir, "--out", out)
	if code != exitDone || !strings.Contains(stdout, "people") {
		t.Fatalf("exit %d, %s%s", code, stdout, stderr)
	}
	checkColumns(t, "", filepath.Join(out, "cocotrip.csv"))
	gaps := map[string]map[string]string{}
	for _, row := range csvTable(t, filepath.Join(out, "cocotrip.csv")) {
		if gaps[row["split"]] == nil {
			gaps[row["split"]] = map[string]string{}
		}
		gaps[row["split"]][row["system"]] = row["rouge1_gap"]
		if row["system"] == "strum" && (row["quotes_found"] != "1" || row["wrong_entity"] != "0") {
			t.Errorf("%v", row)
		}
	}
	for _, split := range []string{"train+dev", "test"} {
		of := gaps[split]
		if len(of) != 4 || !(of["strum"] > of["first sentences"] && of["people"] > of["strum"] && of["gold rows"] > of["people"]) { // 0.0… as texts
			t.Errorf("%s: %v", split, of)
		}
	}
	live := filepath.Join(out, "live.yaml")
	if err := os.WriteFile(live, []byte(`{providers: {p: {type: ollama, base_url: "http://127.0.0.1:1"}}, models: [{name: m, provider: p, model: x, method: strum}], judges: [{name: constant, provider: embedded}]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"human_references.json": {"--cocotrip", "nowhere"},
		"leave --in out":        {"--cocotrip", dir, "--in", "x.jsonl"},
		`model "m" needs --out`: {"--cocotrip", dir, "--config", live, "--model", "m"},
	} {
		if code, _, stderr := compqa(append([]string{"strum"}, args...)...); code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit %d, %s", args, code, stderr)
		}
	}
}

// TestSoakSwappedHotels: swapping the hotels swaps the cells of each table, and changes nothing else
// in it or in its score.
func TestSoakSwappedHotels(t *testing.T) {
	sharedtest.Soak(t)
	_, pairs := cocotripPairs(t)
	for _, p := range pairs {
		before := strum.Offline(p.Question, p.Sources)
		score := summaries.ScorePair(p, before)
		swapped := p
		swapped.Question.Object1, swapped.Question.Object2 = p.Question.Object2, p.Question.Object1
		swapped.Summaries = [2][]string{p.Summaries[1], p.Summaries[0]}
		swapped.Sources, swapped.Gold = slices.Clone(p.Sources), slices.Clone(p.Gold)
		for i := range swapped.Sources {
			swapped.Sources[i].Entity = otherEntity[p.Sources[i].Entity]
		}
		for i := range swapped.Gold {
			own := p.Gold[i].Own
			swapped.Gold[i].Own = [2]string{own[1], own[0]}
		}
		after := strum.Offline(swapped.Question, swapped.Sources)
		if got := summaries.ScorePair(swapped, after); got != score {
			t.Errorf("%s: the score is %+v, swapped %+v", p.Question.ID, score, got)
		}
		for i := range after.Rows {
			after.Rows[i].Object1, after.Rows[i].Object2 = after.Rows[i].Object2, after.Rows[i].Object1
		}
		if !reflect.DeepEqual(before.Rows, after.Rows) {
			t.Errorf("%s: swapping the hotels does not swap the cells", p.Question.ID)
		}
	}
}

// TestPlantedReviews: two reviews of hotel B among those of A raise the share of values of the
// wrong hotel.
func TestPlantedReviews(t *testing.T) {
	t.Parallel()
	_, pairs := cocotripPairs(t)
	raised, values, wrong := 0, 0, 0
	for _, p := range pairs {
		before := summaries.ScorePair(p, strum.Offline(p.Question, p.Sources))
		planted := slices.Clone(p.Sources)
		for i := range planted {
			if planted[i].ID == "b1" || planted[i].ID == "b2" {
				planted[i].Entity = string(data.Object1)
			}
		}
		after := summaries.ScorePair(p, strum.Offline(p.Question, planted))
		if before.Wrong != 0 {
			t.Errorf("%s: %d values of the wrong hotel", p.Question.ID, before.Wrong)
		}
		if after.Wrong > 0 {
			raised++
		}
		values, wrong = values+after.Values, wrong+after.Wrong
	}
	if share := float64(wrong) / float64(values); raised < len(pairs)-1 || share < 0.05 {
		t.Errorf("the share rises in %d of %d pairs, to %.3f", raised, len(pairs), share)
	}
}

// TestStrumChoice: how often the choice of offline strum is that of the reference answers; the
// figure stands in the description of the system.
func TestStrumChoice(t *testing.T) {
	agree, of := 0, 0
	for _, q := range data.CQA50() {
		var said string
		switch text.Analyse(q, data.References()[q.Pair()]).Choice() {
		case text.ChoseFirst:
			said = q.Object1
		case text.ChoseSecond:
			said = q.Object2
		}
		of++
		if strum.Choose(q, strum.Offline(q, strum.SourcesOf(q)), strum.SourcesOf(q)) == said {
			agree++
		}
	}
	system, _ := scenarios.OfflineNamed(strum.MethodChoice)
	if said := fmt.Sprintf("%d of %d", agree, of); !strings.Contains(system.Does, said) {
		t.Errorf("%q does not say that %s choices are those of the references", system.Does, said)
	}
}
