package judgequality_test

import (
	"strings"
	"testing"

	"compqa/results/recordtest"
	"compqa/results/store"
)

// The text says which model replied if its name differs from the requested one. Two names for one requested model are a warning.
func TestAnsweredText(t *testing.T) {
	account := func(party, model string, by ...store.Answering) store.CostAccount {
		return store.CostAccount{Party: store.Party{Kind: store.KindAnswer, Name: party}, Provider: "p", Model: model, AnsweredBy: by}
	}
	x := recordtest.Of(nil, recordtest.By("j", "s", "1", 1, 2)).Dataset(t)
	for name, test := range map[string]struct {
		costs []store.CostAccount
		want  string
	}{
		"nobody asked":       {nil, ""},
		"no name in replies": {[]store.CostAccount{account("s", "m")}, ""},
		"the model itself":   {[]store.CostAccount{account("s", "m", store.Answering{Model: "m", Replies: 5})}, ""},
		"a router's prefix":  {[]store.CostAccount{account("s", "openai/m", store.Answering{Model: "m", Replies: 5}, store.Answering{Model: "openai/m", Replies: 1})}, ""},
		"another prefix": {[]store.CostAccount{account("s", "openai/m", store.Answering{Model: "azure/m", Replies: 5})},
			"Models by their own names: asked for openai/m, answered by azure/m (5)."},
		"a snapshot": {[]store.CostAccount{account("s", "m", store.Answering{Model: "m-2026-10", Replies: 5})},
			"Models by their own names: asked for m, answered by m-2026-10 (5)."},
		"of two parties": {[]store.CostAccount{account("s", "m", store.Answering{Model: "m-2026-10", Replies: 5}),
			account("r", "m", store.Answering{Model: "m-2026-10", Replies: 2}, store.Answering{Model: "z", Replies: 2})},
			"Models by their own names: asked for m, answered by m-2026-10 (7), z (2). WARNING: several models answered for m within this run, " +
				"so its figures are of a mixture."},
	} {
		x.Run.Costs = test.costs
		if got := tablesOf(t, x).AnsweredText(); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// Imported judges have a mark and a note everywhere; other judges and people have none.
func TestImportedJudges(t *testing.T) {
	x := recordtest.Of(map[string]string{"j": "imported", "human": "human", "k": "model"}, recordtest.By("j", "s", "1", 1, 2, 3),
		recordtest.By("k", "s", "1", 1, 2, 3), recordtest.By("human", "s", "1", 1, 2, 2)).Dataset(t)
	of := tablesOf(t, x)
	if got := x.Mark("j", "") + "," + x.Mark("k", "") + "," + x.Mark("human", ""); got != "°,," {
		t.Errorf("marks %q", got)
	}
	if got := of.ImportedText(); got != "The verdicts of j are imported: nothing shows who made them." {
		t.Errorf("%q", got)
	}
	if len(of.Leaderboard().FittedNotes) != 1 || of.Leaderboard().FittedNotes[0].Subject != "j" || !strings.HasPrefix(of.Leaderboard().FittedNotes[0].Text, "° The verdicts of j are imported") {
		t.Errorf("%+v", of.Leaderboard().FittedNotes)
	}
	for name, view := range map[string]string{"trust": of.TrustSection().Table.Markdown(), "agreement": of.AgreementDocument().Sections[0].Table.Markdown()} {
		if !strings.Contains(view, "j°") || strings.Contains(view, "k°") {
			t.Errorf("%s:\n%s", name, view)
		}
	}
}
