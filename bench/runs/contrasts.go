package runs

import (
	"fmt"
	"io"
	"path/filepath"

	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/results/table"
)

// The files of a sampling.
const (
	ContrastsName       = "contrasts.jsonl"
	contrastSchemaName  = "contrasts.schema.json"
	contrastSourcesName = "contrast_sources.csv"
	ContrastCountsName  = "contrast_counts.csv"
)

// writeContrasts makes contrasts of sampled judgments, writes them to a folder, checks the file, and
// prints the counts. With product, every right judgment is paired with every wrong one.
func writeContrasts(sampled []plan.Sampled, product bool, dir string, out io.Writer) error {
	var made pairwise.Contrasts
	for _, s := range sampled {
		made.Add(s.Shown, s.Judgments, product)
		made.Repeated.Judgments += s.Planned[0]
		made.Hinted.Judgments += s.Planned[1]
	}
	made.Repeated.Source, made.Hinted.Source = pairwise.SourceRepeated, pairwise.SourceHint
	counts := []pairwise.ContrastCount{made.Repeated, made.Hinted}
	err := table.WriteFiles(dir, map[string]func(io.Writer) error{
		ContrastsName:       func(w io.Writer) error { return data.WriteContrasts(w, made.List) },
		contrastSchemaName:  table.Text(data.ContrastSchema),
		contrastSourcesName: table.CSV(made.Sources),
		ContrastCountsName:  table.CSV(counts),
	})
	if err != nil {
		return err
	}
	path := filepath.Join(dir, ContrastsName)
	if checked, err := data.ReadContrasts(path); err != nil {
		return fmt.Errorf("the written file does not match its schema: %w", err)
	} else if len(checked) != len(made.List) {
		return fmt.Errorf("%s contains %d contrasts, not %d", path, len(checked), len(made.List))
	}
	view := table.View(1, counts, "source", "prompts", "judgments", "positive", "negative", "unclear", "against_hint", "lost",
		"contrasts", "without_contrast=without")
	if err := view.Terminal(out); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%d contrasts in %s, checked against %s\n", len(made.List), path, contrastSchemaName)
	if lost := made.Repeated.Lost + made.Hinted.Lost; lost > 0 {
		return fmt.Errorf("%w: %d judgments have no reply; %s", run.ErrIncomplete, lost, run.RetryFailed)
	}
	return nil
}
