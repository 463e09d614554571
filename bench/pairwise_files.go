package bench

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"compqa/bench/cli"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/data"
	"compqa/data/sources"
	"compqa/judges/pairwise"
	"compqa/judges/replies"
	"compqa/results/preferences"
	"compqa/results/table"
)

// reproduceLLMBar recomputes the authors' statistics of one result of LLMBar: one judge with one prompting style on one set. labels has the
// better side of each pair.
func reproduceLLMBar(result sources.LLMBarResult, labels map[string]data.Choice) preferences.LLMBarRow {
	r := preferences.LLMBarRow{Judge: result.Judge, Style: result.Style, Dataset: result.Set}
	choices := map[string]*preferences.LLMBarChoice{} // by pair
	for _, c := range result.Completions {
		if choices[c.Pair] == nil {
			choices[c.Pair] = &preferences.LLMBarChoice{Label: labels[c.Pair]}
		}
		choice := replies.AsLLMBar(c.Text).In(c.Order)
		if stored := c.Stored; stored.Decided() != choice.Decided() || stored.Decided() && stored != choice {
			r.ReadOtherwise++
		}
		if c.Order == data.OrderAB {
			choices[c.Pair].AB = choice
		} else {
			choices[c.Pair].BA = choice
		}
	}
	r.LLMBarStatistics = preferences.NewLLMBarStatistics(slices.Collect(maps.Values(choices)))
	if result.Statistics != nil {
		r.Identical = "no"
		if bytes.Equal(r.JSON(), bytes.TrimSpace(result.Statistics)) {
			r.Identical = "yes"
		}
	}
	return r
}

// llmbarFolder is the folder within a report that has the recomputed statistics.
const llmbarFolder = "llmbar"

// writeReproduction recomputes all of LLMBar's released statistics and writes them in LLMBar's layout. llmbar.csv compares them with the
// authors'. It prints how many are equal byte for byte, and returns an error if any differ.
func writeReproduction(bar *sources.LLMBar, dir string, out io.Writer) error {
	labels := map[string]data.Choice{}
	for _, set := range bar.Sets {
		for _, p := range set.Pairs {
			labels[p.ID] = p.Label
		}
	}
	var rows []preferences.LLMBarRow
	count := map[string]int{}
	if err := againIn("pairwise report", dir, func(to string) error {
		for _, result := range bar.Results {
			r := reproduceLLMBar(result, labels)
			if err := table.WriteFiles(filepath.Join(to, llmbarFolder, result.Path),
				map[string]func(io.Writer) error{"statistics.json": table.Text(string(r.JSON()))}); err != nil {
				return err
			}
			rows = append(rows, r)
			count[r.Identical]++
		}
		return table.WriteFiles(to, map[string]func(io.Writer) error{"llmbar.csv": table.CSV(rows)})
	}); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d of %d statistics.json of LLMBar are reproduced byte for byte from the raw completions (llmbar.csv)\n\n",
		count["yes"], count["yes"]+count["no"])
	if count["no"] > 0 {
		return fmt.Errorf("%d of LLMBar's statistics.json differ; see llmbar.csv", count["no"])
	}
	return nil
}

// The names of the files that a sampling writes.
const (
	contrastsName       = "contrasts.jsonl"
	contrastSchemaName  = "contrasts.schema.json"
	contrastSourcesName = "contrast_sources.csv"
	contrastCountsName  = "contrast_counts.csv"
)

// writeContrasts makes contrasts, pairs of a right and a wrong judgment, from sampled judgments. It writes them to a folder, checks the
// written file, and prints the counts. If product is true, every right judgment is paired with every wrong one.
func writeContrasts(sampled []plan.Sampled, product bool, dir string, out io.Writer) error {
	var made pairwise.Contrasts
	for _, s := range sampled {
		made.Add(s.Shown, s.Judgments, product)
		made.Repeated.Judgments += s.Planned[0]
		made.Hinted.Judgments += s.Planned[1]
	}
	made.Repeated.Source = pairwise.SourceRepeated
	made.Hinted.Source = pairwise.SourceHint
	counts := []pairwise.ContrastCount{made.Repeated, made.Hinted}
	path := filepath.Join(dir, contrastsName)
	err := againIn("pairwise sample", dir, func(to string) error {
		if err := table.WriteFiles(to, map[string]func(io.Writer) error{
			contrastsName:       func(w io.Writer) error { return data.WriteContrasts(w, made.List) },
			contrastSchemaName:  table.Text(data.ContrastSchema),
			contrastSourcesName: table.CSV(made.Sources),
			contrastCountsName:  table.CSV(counts),
		}); err != nil {
			return err
		}
		checked, err := data.ReadContrasts(filepath.Join(to, contrastsName))
		if err == nil && len(checked) != len(made.List) {
			err = fmt.Errorf("%s contains %d contrasts, not %d", path, len(checked), len(made.List))
		}
		if err != nil {
			return fmt.Errorf("the written file does not match its schema: %w", err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	view := table.From(1, counts, "source", "prompts", "judgments", "positive", "negative", "unclear", "against_hint", "lost",
		"contrasts", "without_contrast=without")
	if err := view.Terminal(out); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%d contrasts in %s, checked against %s\n", len(made.List), path, contrastSchemaName)
	if lost := made.Repeated.Lost + made.Hinted.Lost; lost > 0 {
		return fmt.Errorf("%w: %d judgments have no reply; %s", cli.ErrIncomplete, lost, run.RetryFailed)
	}
	return nil
}
