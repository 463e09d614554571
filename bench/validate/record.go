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
func (f *flags) write(ctx context.Context, logs []string, r *validation.Result, least float64) error {
	var names []string
	for _, log := range logs {
		names = append(names, filepath.Base(log))
	}
	title := strings.Join(names, ", ")
	outputs := map[string]func(io.Writer) error{}
	rec, has := r.Record()
	if has {
		outputs["rubric.yaml"] = func(w io.Writer) error { return yaml.NewEncoder(w).Encode(rec.Rubric) }
		outputs["questions.jsonl"] = func(w io.Writer) error { return importing.WriteQuestions(w, rec.Questions) }
	}
	if err := table.WriteFiles(f.out, outputs); err != nil {
		return err
	}
	tables := filepath.Join(f.out, "tables")
	files := r.Files()
	for name, write := range files {
		if write != nil {
			continue
		}
		delete(files, name)
		if err := os.Remove(filepath.Join(tables, name)); err != nil && !os.IsNotExist(err) { // of an earlier validation
			return err
		}
	}
	if err := table.WriteFiles(tables, files); err != nil {
		return err
	}
	if err := report.WritePages(f.out, tables, title, r.Document(title, f.command(logs), least)); err != nil {
		return err
	}
	if !has {
		return nil
	}
	return f.record(ctx, rec)
}

// record makes the run that serve, show, annotate and export open.
func (f *flags) record(ctx context.Context, rec validation.Record) error {
	path := filepath.Join(f.out, store.RecordName)
	for _, old := range []string{path, path + "-wal", path + "-shm"} {
		if err := os.Remove(old); err != nil && !os.IsNotExist(err) {
			return err
		}
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
	if in.On, err = db.AnswerPlaces(); err != nil {
		return err
	}
	if _, err := in.Record(ctx, db, p.Rubric, p.Questions, io.Discard); err != nil {
		return fmt.Errorf("recording the validation: %w", err)
	}
	return p.NoteImport(db)
}
