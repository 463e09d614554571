package pairs

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/data/sources"
	"compqa/judges/pairwise"
	"compqa/results/preferences"
	"compqa/results/store"
	"compqa/results/table"
)

// ReportLLMBar makes a record of LLMBar's pairs and completions, lets the judges that need
// no model decide on the pairs, and writes the reports.
func ReportLLMBar(ctx context.Context, f Flags, streams run.Streams) error {
	c, err := defaultPairwise()
	if err != nil {
		return err
	}
	var reproduced error
	return f.decide(ctx, c, streams, func(r *Session) error {
		for _, skipped := range slices.Compact(r.Bar.Skipped) {
			fmt.Fprintf(streams.Err, "skipped: %s contains no completions\n", skipped)
		}
		reproduced = writeReproduction(r.Bar, f.Out, streams.Out)
		return nil
	}, func(*Session, context.Context) error { return reproduced })
}

// recordReleased records the preferences of LLMBar's judges on the pairs of the run's sets,
// read from their completions by our parser. It returns the judges and their plan.
func (r *Session) recordReleased(b store.Batch) (judges []store.PairwiseJudge, cells []store.PairwiseCell, err error) {
	if r.Bar == nil {
		return nil, nil, nil
	}
	asked := map[string]bool{}
	for _, set := range r.Sets {
		for _, p := range set.Pairs {
			asked[p.ID] = true
		}
	}
	for _, of := range r.Bar.Results {
		judge := store.PairwiseJudge{Participant: store.Participant{Name: of.Judge, Kind: config.KindImported, About: "completions released with LLMBar"}, Method: of.Style}
		if !slices.Contains(judges, judge) {
			judges = append(judges, judge)
		}
		planned := map[string]int{}
		for _, c := range of.Completions {
			if asked[c.Pair] {
				planned[c.Order]++
				p, about := releasedPreference(of, c)
				if err := b.Preference(p, about, nil); err != nil {
					return nil, nil, err
				}
			}
		}
		cells = append(cells, byOrder(store.PairwiseCell{Judge: of.Judge, Method: of.Style, Dataset: of.Set}, planned)...)
	}
	return judges, cells, nil
}

// releasedPreference reads one completion. One that was cut off counts when it had named
// its choice before.
func releasedPreference(of sources.LLMBarResult, c sources.Completion) (data.Preference, store.PreferenceAbout) {
	p := data.Preference{ID: c.Pair, Judge: of.Judge, Method: of.Style, Order: c.Order, Status: data.Valid, Rationale: c.Text}
	about := store.PreferenceAbout{Fingerprint: config.HashOf("released", c.Text, c.Finish), Detail: struct{}{}}
	choice := pairwise.ReadChoice(c.Text)
	switch {
	case choice != "":
		p.Choice = string(AsPair(choice, c.Order))
	case c.Finish == "length":
		p.Status, about.Reason = data.Truncated, "the completion was cut off before a choice (finish reason length)"
	default:
		p.Status, about.Reason = data.Unparsed, "no choice in the completion"
	}
	return p, about
}

// reproduceLLMBar recomputes the authors' statistics of a judge in a style on a set.
func reproduceLLMBar(of sources.LLMBarResult, labels map[string]data.Choice) preferences.LLMBarRow {
	r := preferences.LLMBarRow{Judge: of.Judge, Style: of.Style, Dataset: of.Set}
	at := map[string]int{}
	var choices []preferences.LLMBarChoice
	for _, c := range of.Completions {
		i, known := at[c.Pair]
		if !known {
			i = len(choices)
			at[c.Pair] = i
			choices = append(choices, preferences.LLMBarChoice{Label: labels[c.Pair]})
		}
		choice := AsPair(pairwise.ReadChoice(c.Text), c.Order)
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
	return r
}

// LlmbarFolder is the folder of a report that holds the recomputed statistics.
const LlmbarFolder = "llmbar"

// writeReproduction recomputes the statistics of everything released and writes them in
// LLMBar's layout, with a table that compares them with the authors'. It prints how many
// are equal, byte for byte.
func writeReproduction(bar *sources.LLMBar, dir string, out io.Writer) error {
	labels := map[string]data.Choice{}
	for _, set := range bar.Sets {
		for _, p := range set.Pairs {
			labels[p.ID] = p.Label
		}
	}
	var rows []preferences.LLMBarRow
	count := map[string]int{}
	for _, of := range bar.Results {
		r := reproduceLLMBar(of, labels)
		if err := table.WriteFiles(filepath.Join(dir, LlmbarFolder, of.Path), map[string]func(io.Writer) error{"statistics.json": table.Text(string(r.JSON()))}); err != nil {
			return err
		}
		rows = append(rows, r)
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
