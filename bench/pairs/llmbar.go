package pairs

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"

	"compqa/bench/config"
	"compqa/data"
	"compqa/data/sources"
	"compqa/judges/pairwise"
	"compqa/results/preferences"
	"compqa/results/store"
	"compqa/results/table"
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
	preferences.LLMBarRow
	path string // of the authors' files, below the folder of results
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
		r := reproduction{preferences.LLMBarRow{Judge: of.Judge, Style: of.Style, Dataset: of.Set}, of.Path}
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
				r.ReadOtherwise++
			}
			if c.Order == data.OrderAB {
				choices[i].AB = choice
			} else {
				choices[i].BA = choice
			}
		}
		r.LLMBarStatistics = preferences.NewLLMBarStatistics(choices)
		if of.Statistics != nil {
			r.Identical = "no"
			if bytes.Equal(r.JSON(), bytes.TrimSpace(of.Statistics)) {
				r.Identical = "yes"
			}
		}
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
	count := map[string]int{}
	for _, r := range all {
		if err := table.WriteFiles(filepath.Join(dir, LlmbarFolder, r.path), map[string]func(io.Writer) error{"statistics.json": table.Text(string(r.JSON()))}); err != nil {
			return err
		}
		rows = append(rows, r.LLMBarRow)
		count[r.Identical]++
	}
	if err := table.WriteFiles(dir, map[string]func(io.Writer) error{"llmbar.csv": table.CSV(rows)}); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d of %d statistics.json of LLMBar are reproduced byte for byte from the raw completions (llmbar.csv)\n\n", count["yes"], count["yes"]+count["no"])
	if count["no"] > 0 {
		return fmt.Errorf("%d of LLMBar's statistics.json differ; see llmbar.csv", count["no"])
	}
	return nil
}
