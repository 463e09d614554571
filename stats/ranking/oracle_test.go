package ranking

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"compqa/stats/statstest"
)

func TestRankingOracle(t *testing.T) {
	statstest.RunOracle(t, map[string]statstest.Runner{
		"bradley_terry":               runBradleyTerry,
		"bradley_terry_ties_davidson": runDavidson,
	})
}

// oracleMatch is [item, item, "x", "y" or "tie"]. The references have no questions, so every match is a cluster.
type oracleMatch Match

func (m *oracleMatch) UnmarshalJSON(raw []byte) error {
	var outcome string
	fields := []any{&m.A, &m.B, &outcome}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return err
	}
	i := slices.Index([]string{"x", "y", "tie"}, outcome)
	if i < 0 || len(fields) != 3 {
		return errors.New("not a match: " + string(raw))
	}
	m.Outcome = []Outcome{FirstWins, SecondWins, Tie}[i]
	return nil
}

func separateClusters(oracle []oracleMatch) []Match {
	matches := make([]Match, len(oracle))
	for i, m := range oracle {
		matches[i] = Match(m)
		matches[i].Cluster = i
	}
	return matches
}

func runBradleyTerry(t *testing.T, c statstest.Case) {
	var args struct {
		Items     int
		Matches   []oracleMatch
		TieWeight float64 `json:"tie_weight"`
	}
	c.Decode(t, &args)
	if args.TieWeight != 0.5 {
		t.Fatalf("tie weight %v: ties are half wins", args.TieWeight)
	}
	s, err := BradleyTerry(args.Items, separateClusters(args.Matches))
	if class, ok := c.WantError(); ok {
		var unconnected *NotConnectedError
		if class != "not_strongly_connected" || !errors.As(err, &unconnected) || len(unconnected.Components) < 2 {
			t.Fatalf("error %v, want class %q", err, class)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	fromFirst := make([]float64, args.Items)
	se := make([]float64, args.Items)
	for i := range fromFirst {
		fromFirst[i] = s.Log[i] - s.Log[0]
		se[i] = modelSE(t, s, separateClusters(args.Matches), i, 0)
	}
	c.Compare(t, map[string]any{"strength": s.Strength(), "log_strength_minus_item0": fromFirst, "se_minus_item0": se})
}

func runDavidson(t *testing.T, c statstest.Case) {
	var args struct {
		Items   int
		Matches []oracleMatch
	}
	c.Decode(t, &args)
	s, err := Davidson(args.Items, separateClusters(args.Matches))
	if err != nil {
		t.Fatal(err)
	}
	c.Compare(t, map[string]any{"strength": s.Strength(), "v": s.Tie})
}
