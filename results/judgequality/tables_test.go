package judgequality_test

import (
	"testing"

	"compqa/data/sharedtest"
	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/leaderboard"
	"compqa/results/recordtest"
)

func computed(t *testing.T, f recordtest.Fixture) *judgequality.Tables {
	t.Helper()
	return tablesOf(t, f.Dataset(t))
}

func tablesOf(t *testing.T, x *dataset.Dataset) *judgequality.Tables {
	t.Helper()
	people := x.AnswerTotals(x.References()...)
	boards, err := leaderboard.NewTables(x, people)
	if err != nil {
		t.Fatal(err)
	}
	of, err := judgequality.NewTables(boards, people)
	if err != nil {
		t.Fatal(err)
	}
	return of
}

var releaseTables *judgequality.Tables

// ofTheRelease returns the tables of the release, which are computed once for all tests.
func ofTheRelease(t *testing.T) *judgequality.Tables {
	t.Helper()
	if shared := sharedtest.Path(t); releaseTables == nil {
		releaseTables = computed(t, recordtest.Release(t, shared))
	}
	return releaseTables
}
