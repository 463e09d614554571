package preferences

import (
	"strings"
	"testing"

	"compqa/stats/ranking"
)

// Rock, paper, scissors (as in shared/cases/labels/pairs4): the text below the ranking states the cycle, and how few preferences decide.
func TestDoubts(t *testing.T) {
	s := &systemBoard{systems: []string{"rock", "scissors", "paper"}}
	for k := range 90 {
		won := ranking.FirstWins
		if k%10 >= 7 { // 30 % go the other way; for rock and scissors 28 of 90
			won = ranking.SecondWins
		}
		s.matches = append(s.matches, ranking.Match{A: k / 30, B: (k/30 + 1) % 3, Outcome: won, Cluster: k})
		s.ids = append(s.ids, strings.Repeat("p", k+1))
	}
	s.matches[9].Outcome = ranking.FirstWins
	s.rows = []StrengthRow{{System: "rock"}}
	text := s.doubts()
	for _, want := range []string{"rock is preferred over scissors, scissors over paper and paper over rock (p ", "one ranking does not describe",
		"of 90 preferences, or even fewer (p"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	if rows := s.fragility(); len(rows) != 1 || rows[0].Removed > 3 || rows[0].Of != 90 {
		t.Errorf("%+v", rows)
	}
}
