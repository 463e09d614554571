package judgequality

import "compqa/results/leaderboard"

// Leaderboard returns the boards from which the tables were computed, for tests.
func (t *Tables) Leaderboard() *leaderboard.Tables { return t.boards }
