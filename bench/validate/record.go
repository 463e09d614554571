package validate

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v4"

	"compqa/bench/config"
	"compqa/bench/importing"
	"compqa/bench/plan"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/validation"
)

// write writes the page, the tables and the record of a validation. What is in its folder of an
// earlier one is replaced.
func (f *flags) write(ctx context.Context, logs []string, r *validation.Result) error {
	title := strings.Join(table.Each(logs, filepath.Base), ", ")
	outputs := map[string]func(io.Writer) error{}
	rec, has := r.Record()
	if has {
		outputs["rubric.yaml"] = func(w io.Writer) error { return yaml.NewEncoder(w).Encode(rec.Rubric) }
		outputs["questions.jsonl"] = table.Lines(rec.Questions)
	}
	if err := table.WriteFiles(f.out, outputs); err != nil {
		return err
	}
	tables, files, old := filepath.Join(f.out, "tables"), map[string]func(io.Writer) error{}, []string{}
	for name, o := range r.Outputs() {
		if name += ".csv"; len(o.Records) > 0 {
			files[name] = o.CSV
		} else {
			old = append(old, filepath.Join(tables, name))
		}
	}
	if err := remove(old...); err != nil {
		return err
	}
	if err := table.WriteFiles(tables, files); err != nil {
		return err
	}
	if err := report.WritePages(f.out, tables, title, r.Document(title, f.command(logs), f.least)); err != nil {
		return err
	}
	if !has {
		return nil
	}
	return f.record(ctx, rec)
}

// remove removes files of an earlier validation, where they are.
func remove(paths ...string) error {
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

// record makes the run that serve, show, annotate and export open.
func (f *flags) record(ctx context.Context, rec validation.Record) error {
	path := filepath.Join(f.out, store.RecordName)
	if err := remove(path, path+"-wal", path+"-shm"); err != nil {
		return err
	}
	c := &config.Config{Dataset: filepath.Join(f.out, "questions.jsonl"), Rubric: filepath.Join(f.out, "rubric.yaml"),
		Judges: []config.Judge{{Name: "constant", Asked: config.Asked{Provider: config.ProviderEmbedded}}},
		Run:    config.Run{Seed: int64(f.options.Seed), Concurrency: 1}}
	if err := c.Check(); err != nil {
		return err
	}
	c.Judges = nil
	p, err := plan.New(c, 0, nil)
	if err != nil {
		return err
	}
	db, err := store.Create(f.out)
	if err != nil {
		return err
	}
	defer db.Close()
	in := &importing.Import{Origin: "validation", Fingerprint: config.HashOf(rec.Answers), Answers: rec.Answers, Verdicts: rec.Verdicts}
	if _, err := in.Record(ctx, db, p.Rubric, p.Questions, io.Discard); err != nil {
		return fmt.Errorf("recording the validation: %w", err)
	}
	return p.NoteImport(db)
}
