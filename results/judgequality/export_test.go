package judgequality

import "compqa/results/leaderboard"

// Leaderboard returns the boards that the tables were computed with; Report.Leaderboard shows them to others.
func (t *Tables) Leaderboard() *leaderboard.Tables { return t.boards }
