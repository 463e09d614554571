package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
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
	"compqa/judges/replies"
	"compqa/results/dataset"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/validation"
	"compqa/rubric"
)

// readRecord reads a run, with the texts of its answers.
func readRecord(dir string) (*dataset.Dataset, error) {
	run, err := dataset.Load(dir)
	if err != nil {
		return nil, err
	}
	s, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	record, texts := dataset.New(run), map[string]string{}
	err = store.EachOf(s, store.KindAnswer, func(a struct{ ID, Text string }) error {
		texts[a.ID] = a.Text
		return nil
	})
	record.Judgements.Texts = data.Each(record.Judgements.Items, func(item data.Rated) string { return texts[item.ID] })
	return record, err
}

// addConfidences adds how sure judges are of their first sheets, where the run has log-probabilities: the probability of the points that
// are least sure. A sheet of which some points have none has no confidence.
func addConfidences(dir string, r *dataset.Dataset) error {
	s, err := store.Open(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	items, criteria := map[string]int32{}, r.Rubric.IDs()
	for i, item := range r.Judgements.Items {
		items[item.ID] = int32(i)
	}
	points := map[[2]int32]map[string]float64{}
	err = store.Each(s, `SELECT v.judge, v.answer, c.raw FROM verdicts v, json_each(v.calls) k JOIN calls c ON c.id = k.value
		WHERE v.repeat = 1 AND v.status = 'valid' AND instr(c.raw, '"logprob"') ORDER BY v.judge, v.answer, k.key`, nil,
		func(call struct{ Judge, Answer, Raw string }) error {
			item, known := items[call.Answer]
			if rater := r.JudgeNamed(call.Judge); known && rater >= 0 {
				sheet := [2]int32{int32(rater), item}
				if points[sheet] == nil {
					points[sheet] = map[string]float64{}
				}
				maps.Copy(points[sheet], replies.PointsProbabilities(call.Raw, criteria)) // later calls correct earlier ones
			}
			return nil
		})
	for sheet, probabilities := range points {
		if len(probabilities) == len(criteria) {
			if r.Judgements.Confidence == nil {
				r.Judgements.Confidence = map[[2]int32]float64{}
			}
			r.Judgements.Confidence[sheet] = slices.Min(slices.Collect(maps.Values(probabilities)))
		}
	}
	return err
}

// sideOfRun returns one side of the sheets of a run as a log: that of judges but floors, or that of people. A judge's first sheet of an
// item counts, and each sheet of people's mean. What people decided after they had seen the sheets of others is left out unless decisions
// are asked for, and so are the further sheets of a judge: each is an item of its own. So is each sheet where confidences are known, and
// repeats are asked for.
func sideOfRun(j *data.Judgements, people, decisions, repeats bool) *sources.Log {
	log := &sources.Log{Path: j.From, Run: true, Values: data.Judgements{Families: maps.Clone(j.Families)}}
	sheets, places := make([][]data.Given, len(j.Raters)), make([]int32, len(j.Items)) // of items among those of the log; 0: none
	invalid, decided, persons := map[data.Status]int{}, 0, false
	for k, rater := range j.Raters {
		persons = persons || rater.Kind == data.KindPerson && rater.Name != data.Human && !rater.Decided
		if rater.Kind == data.KindFloor || (rater.Kind == data.KindPerson) != people || rater.Pooled { // whose mean is computed anew
			continue
		}
		if rater.Name == data.Human {
			log.Mean = rater.Name
		}
		for _, s := range data.ByRater(j.Sheets, k) {
			switch {
			case j.Items[s.Item].Asked == nil || s.Repeat != 1 && rater.Name != data.Human && !repeats:
			case people && s.Scores == nil:
				invalid[s.Status]++
			case rater.Decided && !decisions:
				decided++
			default:
				sheets[k], places[s.Item] = append(sheets[k], s), 1
			}
		}
	}
	for i, item := range j.Items {
		if places[i] == 0 {
			continue
		}
		places[i] = int32(len(log.Items))
		log.Items = append(log.Items, sources.Item{ID: item.ID, System: item.System, Scenario: strings.TrimPrefix(item.Scenario, data.NoScenario),
			Group: item.Asked.Pair(), Question: item.Asked.Text, Text: j.Texts[i], File: j.From, Line: i + 1})
	}
	apart, items := repeats && j.Confidence != nil, log.Items
	if apart {
		log.Items = nil
	}
	for k, rater := range j.Raters {
		rater.Name = strings.TrimPrefix(rater.Name, data.Human+":")
		for _, s := range sheets[k] {
			item := places[s.Item]
			if apart || repeats && s.Repeat > 1 {
				sheet := items[item]
				if s.Repeat > 1 {
					sheet.Repeat = int(s.Repeat)
				} else if sure, known := j.Confidence[[2]int32{s.Rater, s.Item}]; known {
					sheet.Confidence = &sure
				}
				item = int32(len(log.Items))
				log.Items = append(log.Items, sheet)
			}
			log.Values.AddSheet(s, rater, j.Criteria, item)
		}
	}
	if log.Mean != "" && persons {
		log.Notes = append(log.Notes, fmt.Sprintf("%s: human is people's mean: where it has points, the mean is not computed anew", j.From))
	}
	if decided > 0 {
		log.Notes = append(log.Notes, fmt.Sprintf("%s: left out: %s that people made after seeing the scores of others", j.From,
			data.Plural(decided, "decision", "decisions")))
	}
	for _, status := range data.Statuses {
		if n := invalid[status]; n > 0 {
			log.Notes = append(log.Notes, fmt.Sprintf("%s: left out: %s of people that %s not valid (%s)", j.From,
				data.Plural(n, "score sheet", "score sheets"), data.Form(n, "is", "are"), status))
		}
	}
	return log
}

// noJudge returns the error of a run without verdicts of a judge that can be validated.
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

// declaredScales returns the scales of criteria, by name.
func declaredScales(j *data.Judgements) map[string]string {
	all := map[string]string{}
	for _, c := range j.Criteria {
		if c.Scale != "" {
			all[c.Name] = c.Scale
		}
	}
	return all
}

// numbered returns the place of the criterion whose id a file of this program's sheets has: as id, as c and the id, or below scores; -1:
// none.
func numbered(r rubric.Rubric, name string) int {
	name = strings.TrimPrefix(name, "scores.")
	return slices.IndexFunc(r.IDs(), func(id string) bool { return name == id || name == "c"+id })
}

// peopleTogether returns the scores of people from a run and from a file. Criteria of the file that have the
// ids of the run's rubric, as in the sheets of annotate, get its names.
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

// belongs returns an error if nothing of a file of people's scores is of a run, whose own people would hide that: no criterion, or no
// item by id or text.
func (f *validateFlags) belongs(file, judged *sources.Log, r rubric.Rubric) error {
	names, has := data.Each(r.Criteria, func(c rubric.Criterion) string { return c.Name }), []string{}
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
		known["id "+item.ID], known[strings.Join(strings.Fields(item.Text), " ")] = true, true
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

// write writes the page, the tables and the record of a validation, and its look: all of them, or nothing. What is in the folder of an
// earlier validation is replaced.
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

// mostRecordedItems is the number of values up to which a record is made unasked: more take longer to record than to compare.
const mostRecordedItems = 20000

// record makes the record, which Ctrl-C stops: then nothing is written.
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

// makeRecord makes the run that serve, show, annotate and export open. Its configuration has the paths that the files will have.
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
	c.Dataset, c.Rubric = strings.Replace(c.Dataset, folder.New, folder.Dir, 1), strings.Replace(c.Rubric, folder.New, folder.Dir, 1)
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
