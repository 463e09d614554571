package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/bench/plan"
	"compqa/data"
	"compqa/data/sources"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/validation"
	"compqa/rubric"
)

// noJudge returns the error for a run without verdicts of a judge that can be validated.
func noJudge(j *data.Judgements) error {
	var floors []string
	for _, rater := range j.Raters {
		if rater.Kind == data.KindFloor {
			floors = append(floors, rater.Name)
		}
	}
	text := "has no verdicts of a judge"
	if len(floors) > 0 {
		text = fmt.Sprintf("has only verdicts of %s, which give every answer the same or random points and cannot stand in for people",
			data.List(floors))
	}
	return fmt.Errorf("%s %s: add a judge under judges in its configuration and run it again (compqa run --out %[1]s), or give a file of a "+
		"judge's values: compqa validate FILE --people %[1]s", j.From, text)
}

// numbered returns the index of the criterion that a column is about, if its name has the criterion's id: as 1, c1 or scores.1. It returns
// -1 if no criterion fits.
func numbered(r rubric.Rubric, name string) int {
	name = strings.TrimPrefix(name, "scores.")
	return slices.IndexFunc(r.IDs(), func(id string) bool { return name == id || name == "c"+id })
}

// peopleTogether joins people's scores from a run with those from a file. Criteria that the file calls by an id of the rubric, as sheets of
// annotate do, get their names.
func peopleTogether(run, file *sources.Log, criteria rubric.Rubric) *sources.Log {
	if file == nil {
		return run
	}
	file.Values.Rename(func(r data.Rater) data.Rater {
		r.Name = strings.TrimPrefix(r.Name, data.Human+":")
		return r
	}, func(m data.Measured) data.Measured {
		if index := numbered(criteria, m.ID); index >= 0 {
			m.ID = criteria.Criteria[index].Name
		}
		return m
	})
	return sources.Together(file, run)
}

// belongs returns an error if a file of people's scores has no criterion of a run, or no item of it by id or text. Without the error, the
// scores of the run's own people would hide the mistake.
func (f *validateFlags) belongs(file, judged *sources.Log, r rubric.Rubric) error {
	names := data.Each(r.Criteria, func(c rubric.Criterion) string { return c.Name })
	has := []string{}
	ofRubric := false
	for _, s := range file.Values.Series() {
		if !slices.Contains(has, s.ID) {
			has = append(has, s.ID)
		}
	}
	for _, name := range has {
		ofRubric = ofRubric || numbered(r, name) >= 0 || len(f.options.Pairs) > 0 ||
			slices.ContainsFunc(names, func(first string) bool { return sources.SameCriterion(first, name) })
	}
	if !ofRubric {
		near := data.Nearest(has[0], names)
		if near != "" {
			near = fmt.Sprintf("; did you mean %q?", near)
		}
		return fmt.Errorf("%s has no criterion of the run: it has %s; the run has %s (--pair JUDGE=PEOPLE says which belong together)%s",
			file.Path,
			strings.Join(has, ", "), strings.Join(names, ", "), near)
	}
	known := map[string]bool{}
	for _, item := range judged.Items {
		known["id "+item.ID] = true
		known[strings.Join(strings.Fields(item.Text), " ")] = true
	}
	delete(known, "")
	if !slices.ContainsFunc(file.Items, func(i sources.Item) bool {
		return i.ID != "" && known["id "+i.ID] || known[strings.Join(strings.Fields(i.Text), " ")]
	}) {
		return fmt.Errorf("%s has no item of the run, by id or by text: %q is its first (--map people.item=COLUMN)", file.Path,
			cmp.Or(file.Items[0].ID, data.Clip(file.Items[0].Text)))
	}
	return nil
}

// write writes the page, the tables and the record of a validation, and its look for --record. If an error occurs, it writes nothing. Files
// of an earlier validation in the folder are replaced.
func (f *validateFlags) write(ctx context.Context, logs []string, r *validation.Result, folder, looks *store.Folder) error {
	title := strings.Join(data.Each(logs, filepath.Base), ", ")
	var rec validation.Record
	has := !f.unrecorded
	if has {
		rec, has = r.Record()
	}
	folder.Stale("rubric.yaml", "questions.jsonl", validation.InputName, store.RecordName, store.RecordName+"-wal", store.RecordName+"-shm")
	f.recorded = has
	if has {
		files := map[string]func(io.Writer) error{"questions.jsonl": table.Lines(rec.Questions),
			"rubric.yaml": func(w io.Writer) error { return yaml.NewEncoder(w).Encode(rec.Rubric) }}
		input, err := f.input.JSON()
		f.unpacked = input == nil
		if !f.unpacked {
			files[validation.InputName] = func(w io.Writer) error { _, err := w.Write(input); return err }
		}
		if err == nil {
			err = table.WriteFiles(folder.New, files)
		}
		if err == nil {
			err = f.record(ctx, rec, folder)
		}
		if err != nil {
			return err
		}
	}
	folder.Stale(sources.ReadingName)
	if f.readings != nil && len(f.readings.Readings) > 0 {
		if err := table.WriteFiles(folder.New, map[string]func(io.Writer) error{sources.ReadingName: f.readings.Write}); err != nil {
			return err
		}
	}
	tables, files := filepath.Join(folder.New, "tables"), r.Catalogue().Files()
	for name, write := range files {
		if write == nil {
			folder.Stale(filepath.Join("tables", name))
		}
	}
	if err := table.WriteFiles(tables, files); err != nil {
		return err
	}
	if err := report.WritePages(folder.New, tables, title, r.Document(title, f.command(logs))); err != nil {
		return err
	}
	kept := r.Looks()
	if looks != nil && kept != nil && len(kept.Lines) > 0 {
		if err := table.WriteFiles(looks.New, map[string]func(io.Writer) error{validation.LooksName: kept.Write}); err != nil {
			return err
		}
	}
	err := folder.Commit()
	if err == nil && looks != nil {
		err = looks.Commit()
	}
	return err
}

// mostRecordedItems is the largest number of values for which a record is made without --answers. Recording more would take longer than
// comparing them.
const mostRecordedItems = 20000

// record makes the record. If Ctrl-C stops it, nothing is written.
func (f *validateFlags) record(ctx context.Context, rec validation.Record, folder *store.Folder) error {
	ctx, stop := signal.NotifyContext(ctx, cli.StopSignals()...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C kills the program
	err := f.makeRecord(ctx, rec, folder)
	if ctx.Err() != nil {
		return fmt.Errorf("%w; nothing was written, and what was in %s is as it was", cli.ErrInterrupted, f.out)
	}
	return err
}

// makeRecord makes a record of the validation that serve, show, annotate and export can open as a run. Its configuration has the paths that
// the files will have after Commit.
func (f *validateFlags) makeRecord(ctx context.Context, rec validation.Record, folder *store.Folder) (err error) {
	c := &config.Config{Dataset: filepath.Join(folder.New, "questions.jsonl"), Rubric: filepath.Join(folder.New, "rubric.yaml"),
		Judges: []config.Judge{config.EmbeddedJudge("constant")}, Run: config.Run{Seed: int64(f.options.Seed), Concurrency: 1}}
	if err := c.Check(); err != nil {
		return err
	}
	c.Judges = nil
	p, err := plan.New(c, 0)
	if err != nil {
		return err
	}
	c.Dataset = strings.Replace(c.Dataset, folder.New, folder.Dir, 1)
	c.Rubric = strings.Replace(c.Rubric, folder.New, folder.Dir, 1)
	db, err := store.Create(folder.New)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	in := &importedResults{Origin: store.OriginValidation, Fingerprint: config.HashOf(rec.Answers), Answers: rec.Answers,
		Verdicts: data.Verdicts(rec.Verdicts...)}
	if _, err := in.Record(ctx, db, p, io.Discard); err != nil {
		return fmt.Errorf("recording the validation: %w", err)
	}
	return p.NoteImport(db)
}
