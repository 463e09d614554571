package leaderboard_test

import (
	"testing"

	"compqa/results/dataset"
	"compqa/results/leaderboard"
	"compqa/results/recordtest"
)

func computed(t *testing.T, f recordtest.Fixture) *leaderboard.Tables {
	t.Helper()
	return tablesOf(t, f.Dataset(t))
}

func tablesOf(t *testing.T, x *dataset.Dataset) *leaderboard.Tables {
	t.Helper()
	of, err := leaderboard.NewTables(x, x.AnswerTotals(x.References()...))
	if err != nil {
		t.Fatal(err)
	}
	return of
}
