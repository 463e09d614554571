package preferences

import (
	"testing"

	"compqa/data"
	"compqa/results/dataset"
)

// TestPanel checks the panel of models. On a pair that at least three models judged, the majority decides, or it is a tie if choices are
// equally frequent. If most models have no preference, the panel has none. Judges without a model, or told the answer, do not vote. With
// two models the panel is missing.
func TestPanel(t *testing.T) {
	f := &pairwiseFixture{}
	for _, id := range []string{"1", "2", "3", "4"} {
		f.pair(id, id, data.ChoiceA)
	}
	f.judge("j", "a/a", "a/b", "a/-", "a/a")
	f.judge("k", "a/b", "b/b", "-/-", "b/b")
	f.judge("l", "b/b", "a/a", "-/-", "t/t")
	b, _ := f.board(t)
	with := b.withPanel()
	if len(with.Judges) != len(b.Judges)+1 || len(b.Judges) != 3 {
		t.Fatalf("%d judges", len(with.Judges))
	}
	got := map[string]string{}
	for _, p := range with.Prefs[len(b.Prefs):] {
		got[with.Pairs[p.Pair].Id+p.Order] = string(p.Status) + " " + string(p.Choice)
	}
	for at, want := range map[string]string{"1ab": "valid a", "1ba": "valid b", "2ab": "valid a", "2ba": "valid b", "3ab": "incomplete ", "3ba": "incomplete ",
		"4ab": "valid tie", "4ba": "valid tie"} {
		if got[at] != want {
			t.Errorf("%s: %q, want %q", at, got[at], want)
		}
	}
	panels := newBoard(with).judges
	if last := panels[len(panels)-1]; last.Name != panel || last.Kind != dataset.KindImported || last.About != "the majority of j, k and l" || len(last.pairs) != 4 {
		t.Errorf("%+v", last.Participant)
	}
	b.judges[1].degenerate = "always the same"
	if b.withPanel() != b.PairwiseRecord {
		t.Error("two models make a panel")
	}
	b.judges[1].degenerate = ""
	b.Judges[1].Kind = dataset.KindEmbedded
	if b.withPanel() != b.PairwiseRecord {
		t.Error("a judge without a model is a member")
	}
}
