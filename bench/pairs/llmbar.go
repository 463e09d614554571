package pairs

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"compqa/bench/config"
	"compqa/data"
	"compqa/data/sources"
	"compqa/judges/pairwise"
	"compqa/results/preferences"
	"compqa/results/store"
)

// releasedPreferences are those of LLMBar's judges, parsed from their completions by our
// parser.
type releasedPreferences struct {
	judges      []store.PairwiseJudge
	cells       []store.PairwiseCell
	preferences []releasedPreference
}

type releasedPreference struct {
	data.Preference
	about store.PreferenceAbout
}

// readReleasedPreferences reads the completions on the pairs of the given sets.
func readReleasedPreferences(bar *sources.LLMBar, sets []store.PairSet) releasedPreferences {
	asked := map[string]bool{}
	for _, set := range sets {
		for _, p := range set.Pairs {
			asked[p.ID] = true
		}
	}
	var r releasedPreferences
	known := map[[2]string]bool{}
	for _, of := range bar.Results {
		if key := [2]string{of.Judge, of.Style}; !known[key] {
			known[key] = true
			r.judges = append(r.judges, store.PairwiseJudge{Participant: store.Participant{Name: of.Judge, Kind: config.KindImported, About: "completions released with LLMBar"}, Method: of.Style})
		}
		planned := map[string]int{}
		for _, c := range of.Completions {
			if !asked[c.Pair] {
				continue
			}
			planned[c.Order]++
			r.preferences = append(r.preferences, releasedPreferenceOf(of, c))
		}
		for _, order := range data.Orders {
			if planned[order] > 0 {
				r.cells = append(r.cells, store.PairwiseCell{Judge: of.Judge, Method: of.Style, Dataset: of.Set, Order: order, Planned: planned[order]})
			}
		}
	}
	return r
}

// releasedPreferenceOf reads one completion. One that was cut off counts when it
// had named its choice before.
func releasedPreferenceOf(of sources.LLMBarResult, c sources.Completion) releasedPreference {
	p := data.Preference{ID: c.Pair, Judge: of.Judge, Method: of.Style, Order: c.Order, Status: data.Valid, Rationale: c.Text}
	about := store.PreferenceAbout{Fingerprint: config.HashOf("released", c.Text, c.Finish), Detail: struct{}{}}
	choice, ok := pairwise.ReadChoice(c.Text)
	switch {
	case ok:
		p.Choice = string(AsPair(choice, c.Order))
	case c.Finish == "length":
		p.Status, about.Reason = data.Truncated, "the completion was cut off before a choice (finish reason length)"
	default:
		p.Status, about.Reason = data.Unparsed, "no choice in the completion"
	}
	return releasedPreference{p, about}
}

// A reproduction compares one of the authors' statistics.json with ours.
type reproduction struct {
	sources.LLMBarResult
	ours    preferences.LLMBarStatistics
	differ  int // choices that we parse differently from the authors
	matches bool
}

// ReproduceLLMBar recomputes the statistics of everything released.
func ReproduceLLMBar(bar *sources.LLMBar) []reproduction {
	labels := map[string]data.Choice{}
	for _, set := range bar.Sets {
		for _, p := range set.Pairs {
			labels[p.ID] = p.Label
		}
	}
	var all []reproduction
	for _, of := range bar.Results {
		r := reproduction{LLMBarResult: of}
		at := map[string]int{}
		var choices []preferences.LLMBarChoice
		for _, c := range of.Completions {
			i, known := at[c.Pair]
			if !known {
				i = len(choices)
				at[c.Pair] = i
				choices = append(choices, preferences.LLMBarChoice{Label: labels[c.Pair]})
			}
			choice, _ := pairwise.ReadChoice(c.Text)
			choice = AsPair(choice, c.Order)
			if stored := c.Stored; stored.Decided() != choice.Decided() || stored.Decided() && stored != choice {
				r.differ++
			}
			if c.Order == data.OrderAB {
				choices[i].AB = choice
			} else {
				choices[i].BA = choice
			}
		}
		r.ours = preferences.NewLLMBarStatistics(choices)
		r.matches = bytes.Equal(r.ours.JSON(), bytes.TrimSpace(of.Statistics))
		all = append(all, r)
	}
	return all
}

// LlmbarFolder is the folder of a report that holds the recomputed statistics.
const LlmbarFolder = "llmbar"

// WriteReproduction writes the recomputed statistics in LLMBar's layout, and a
// table that sets them beside the authors'. It says how many are the same, byte
// for byte.
func WriteReproduction(all []reproduction, dir string, out io.Writer) error {
	var rows []preferences.LLMBarRow
	same, stored := 0, 0
	for _, r := range all {
		folder := filepath.Join(dir, LlmbarFolder, r.Path)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return fmt.Errorf("writing the statistics: %w", err)
		}
		if err := os.WriteFile(filepath.Join(folder, "statistics.json"), r.ours.JSON(), 0o644); err != nil {
			return fmt.Errorf("writing the statistics: %w", err)
		}
		rows = append(rows, preferences.NewLLMBarRow(r.Judge, r.Style, r.Set, r.ours, r.differ, r.Statistics != nil, r.matches))
		if r.Statistics != nil {
			stored++
		}
		if r.matches {
			same++
		}
	}
	if err := preferences.WriteLLMBar(filepath.Join(dir, "llmbar.csv"), rows); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d of %d statistics.json of LLMBar are reproduced byte for byte from the raw completions (llmbar.csv)\n\n", same, stored)
	if same < stored {
		return fmt.Errorf("%d of LLMBar's statistics.json differ; see llmbar.csv", stored-same)
	}
	return nil
}
