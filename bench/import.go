package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/bench/plan"
	"compqa/data"
	"compqa/data/sources"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/web/annotate/project"
)

func importCommand(streams cli.Streams) *cobra.Command {
	var f importFlags
	cmd := cli.Command("import --out DIR [--release DIR] [--answers FILE] [--verdicts FILE] [--people FILE] | --cam DIR --out FILE",
		"Import existing answers, verdicts and human annotations into a run",
		func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), streams) })
	cmd.Flags().StringVar(&f.out, "out", "", "the run's folder `DIR`, created if it does not exist; with --cam, the file of questions")
	cmd.Flags().StringVar(&f.release, "release", "",
		"a checkout of the authors' release in `DIR`: import it, and read rubric: release from it")
	cmd.Flags().StringVar(&f.cam, "cam", "", "a checkout of cam-arg-relevance in `DIR`: write its questions to the file --out")
	cmd.Flags().StringVar(&f.answers, "answers", "", "the `FILE` with answers")
	cmd.Flags().StringVar(&f.verdicts, "verdicts", "", "the `FILE` with verdicts or human annotations")
	cmd.Flags().StringVar(&f.people, "people", "",
		"the `FILE` with people's scores: verdicts, or a table with a column for each criterion, or for each criterion and person")
	cmd.Flags().StringVar(&f.config, "config", "", "the configuration `FILE` that names questions and rubric (default: the built-in ones)")
	f.reading.Add(cmd.Flags())
	f.reading.AddReading(cmd.Flags())
	f.reading.AddJudge(cmd.Flags())
	cli.Require(cmd, "out")
	return cmd
}

type importFlags struct {
	out, release, cam, answers, verdicts, people, config string
	reading                                              cli.Reading
	flags                                                sources.Options // the options that reading gives
}

// run reads all files, checks names, decisions and changes against the record, and only then records each import. With --cam it writes a
// file of questions instead. With --show-reading it only prints how the files are read.
func (f importFlags) run(ctx context.Context, streams cli.Streams) error {
	nothing := f.release == "" && f.answers == "" && f.verdicts == "" && f.people == ""
	switch {
	case f.cam != "" && !(nothing && f.config == ""):
		return config.Usagef("--cam writes a file of questions; leave the other flags out")
	case f.cam != "":
		return f.questions(streams)
	case nothing:
		return config.Usagef("compqa import needs --release, --answers, --verdicts, --people or --cam")
	}
	var err error
	f.flags, err = f.reading.Options()
	if err != nil {
		return config.UsageError{Err: err}
	}
	f.flags.Alone = len(f.files()) == 1
	c, err := config.LoadOr(f.config, "constant")
	if err != nil {
		return err
	}
	only := *c
	only.Models = nil
	only.Judges = nil
	only.Release = f.release
	p, err := plan.New(&only, 0)
	if err != nil {
		return err
	}
	known, err := f.recorded(p)
	if err != nil {
		return err
	}
	if f.reading.Show {
		return f.showReadings(streams, p)
	}
	imports, err := f.read(p, known, streams.Err)
	if err != nil {
		return err
	}
	var readings []*sources.Reading
	for _, in := range imports {
		readings = append(readings, in.Readings...)
	}
	db, err := store.Create(f.out)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, in := range imports {
		if err := checkNames(in, db); err != nil {
			return err
		}
		if err := f.checkDecisions(in); err != nil {
			return err
		}
		if _, _, err := in.Compare(db, p); err != nil {
			return err
		}
	}
	for i, in := range imports {
		imports[i] = nil // lets the memory of recorded results be freed
		in.On, err = db.AnswerPlaces()
		if err != nil {
			return err
		}
		fresh, err := in.Record(ctx, db, p, streams.Err)
		if err != nil {
			return err
		}
		if !fresh {
			fmt.Fprintf(streams.Err, "%s: already recorded (%s), nothing has changed\n", in.Origin, in.Summary(p.Rubric))
		}
	}
	if err := p.NoteImport(db); err != nil {
		return err
	}
	if err := keepReadings(f.out, f.reading.Readings(f.flags), readings); err != nil {
		return err
	}
	_, err = fmt.Fprintf(streams.Err, "Next: compqa report %s, or compqa serve %s\n", f.out, f.out)
	return err
}

// questions writes the questions of cam-arg-relevance to a file.
func (f importFlags) questions(streams cli.Streams) error {
	cam, err := sources.ReadCAM(f.cam)
	if err != nil {
		return config.UsageError{Err: err}
	}
	if err := writeOut(f.out, streams.Out, table.Lines(cam.Questions)); err != nil {
		return err
	}
	kept := 0
	for _, q := range cam.Questions {
		kept += len(q.Arguments)
	}
	without := data.Where(cam.Questions, func(q data.Question) bool { return len(q.Arguments) == 0 })
	fmt.Fprintf(streams.Err, "%s: %s with %s, of which %d have no text and %d repeat a text of their pair\n", f.cam,
		data.Plural(cam.Pairs, "object pair", "object pairs"), data.Plural(cam.Arguments, "argument", "arguments"), cam.Empty, cam.Repeated)
	fmt.Fprintf(streams.Err, "%s: %s with %s; %d have none\n", f.out, data.Plural(len(cam.Questions), "question", "questions"),
		data.Plural(kept, "argument", "arguments"), len(without))
	return nil
}

// files returns the names of the files of answers and scores.
func (f importFlags) files() []string {
	return data.Where([]string{f.answers, f.verdicts, f.people}, func(path string) bool { return path != "" })
}

// read reads all files before anything is written. known holds the ids of recorded answers; read adds the ids of the answers that it reads.
func (f importFlags) read(p *plan.Plan, known map[string]bool, w io.Writer) ([]*importedResults, error) {
	var imports []*importedResults
	if f.release != "" {
		in, err := importRelease(f.release)
		if err != nil {
			return nil, err
		}
		imports = append(imports, in)
	}
	if f.answers != "" {
		in, err := f.readAnswers(p, w)
		if err != nil {
			return nil, config.UsageError{Err: err}
		}
		imports = append(imports, in)
	}
	for _, in := range imports {
		for _, a := range in.Answers {
			known[a.ID] = true
		}
	}
	for _, file := range f.scored() {
		verdicts, summary, err := f.readVerdicts(file, p, func(id string) bool { return known[id] })
		if err != nil {
			return nil, config.UsageError{Err: err}
		}
		for _, line := range append(summary.Lines, f.reading.Shown(summary.Readings)...) {
			fmt.Fprintln(w, line)
		}
		imports = append(imports, &importedResults{Origin: "verdicts " + f.source(file), Readings: summary.Readings,
			Fingerprint: config.HashOfList(verdicts.Len(), func(i int) any { return verdicts.JSON(i) }), Verdicts: verdicts})
	}
	return imports, nil
}

// readAnswers reads the file of answers. If answers name no system, the name of the file becomes their system.
func (f importFlags) readAnswers(p *plan.Plan, w io.Writer) (*importedResults, error) {
	answers, summary, err := sources.ReadAnswers(f.answers, p.Set, f.flags)
	if err != nil {
		return nil, err
	}
	readings, err := answersRead(f.answers, f.flags)
	if err != nil {
		return nil, err
	}
	for _, line := range append(data.Where([]string{summary}, func(s string) bool { return s != "" }), f.reading.Shown(readings)...) {
		fmt.Fprintln(w, line)
	}
	base := strings.TrimSuffix(filepath.Base(f.answers), filepath.Ext(f.answers))
	for i := range answers {
		if answers[i].System == "" {
			answers[i].System = base
		}
	}
	return &importedResults{Origin: "answers " + f.source(f.answers), Readings: readings,
		Fingerprint: config.HashOfList(len(answers), func(i int) any { return &answers[i] }), Answers: answers}, nil
}

// readVerdicts reads a file of scores. known reports whether an answer with this id exists.
func (f importFlags) readVerdicts(file string, p *plan.Plan, known func(string) bool) (*data.VerdictList, parties.Summary, error) {
	flags := f.flags
	flags.Other = data.Where(f.files(), func(other string) bool { return other != file })
	flags.JudgeHere = f.verdicts == ""
	return parties.ReadVerdicts(file, p.Rubric, file == f.people, known, flags)
}

// scored returns the names of the files of scores.
func (f importFlags) scored() []string {
	return data.Where([]string{f.verdicts, f.people}, func(path string) bool { return path != "" })
}

// showReadings prints how the columns of all files are read, even if values or ids in them are faulty.
func (f importFlags) showReadings(streams cli.Streams, p *plan.Plan) error {
	if f.answers != "" {
		readings, err := answersRead(f.answers, f.flags)
		if err != nil {
			return config.UsageError{Err: err}
		}
		printReadings(streams.Out, f.answers, readings, f.reading)
	}
	for _, file := range f.scored() {
		_, summary, err := f.readVerdicts(file, p, func(string) bool { return true })
		if err != nil && summary.Readings == nil {
			return config.UsageError{Err: err}
		}
		printReadings(streams.Out, file, summary.Readings, f.reading)
	}
	return nil
}

// answersRead returns how the columns of a file of answers are read. It returns nil if the file has the columns of this project's own
// files.
func answersRead(path string, o sources.Options) ([]*sources.Reading, error) {
	reading, err := sources.ReadingOfAnswers(path, o)
	if reading == nil {
		return nil, err
	}
	return []*sources.Reading{reading}, err
}

// printReadings prints how the columns of a file are read.
func printReadings(w io.Writer, path string, readings []*sources.Reading, flags cli.Reading) {
	lines := flags.Shown(readings)
	if readings == nil {
		lines = []string{path + " has the columns of this project's own files: every field has its own meaning"}
	}
	for _, line := range lines {
		fmt.Fprintln(w, table.Printable(line))
	}
}

// source returns the name under which the record keeps a file. A file in the run's folder has its path from there, so that a moved run
// still finds it. Otherwise a file below the working directory has its path from there. Any other file has its name and part of the hash of
// its path, so that the record shows no local paths.
func (f importFlags) source(file string) string {
	path, err := filepath.Abs(file)
	if err != nil {
		return file
	}
	for _, folder := range []string{f.out, "."} {
		root, err := filepath.Abs(folder)
		if err != nil {
			continue
		}
		if inside, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(inside) {
			return inside
		}
	}
	return fmt.Sprintf("%s (%.8s)", filepath.Base(file), config.HashOf(path))
}

// recorded returns the ids of the answers on record, if there is a record. Unless a flag names another rubric, it sets p.Rubric to the
// record's rubric.
func (f importFlags) recorded(p *plan.Plan) (map[string]bool, error) {
	db, err := store.Open(f.out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	defer db.Close()
	begun, err := db.LastConfig()
	if err == nil && begun != "" && f.config == "" && f.release == "" {
		p.Rubric, err = db.Rubric()
	}
	if err != nil {
		return nil, err
	}
	places, err := db.AnswerPlaces()
	return data.Among(slices.Collect(maps.Keys(places))), err
}

// checkNames returns a usage error if an imported system or judge has a name that the run's configuration uses. Otherwise verdicts could
// appear under the name of another judge.
func checkNames(in *importedResults, db *store.Store) error {
	cells, err := db.Cells(store.FromConfig)
	if err != nil {
		return err
	}
	systems := map[string]bool{}
	judges := map[string]bool{}
	for _, c := range cells {
		if c.Kind == store.KindAnswer {
			systems[c.System] = true
		} else {
			judges[c.Judge] = true
		}
	}
	for _, a := range in.Answers {
		if systems[a.System] {
			return config.Usagef("%s: the run already has a system %q; use another name for the imported system", in.Origin, a.System)
		}
	}
	for _, judge := range in.Verdicts.Judges() {
		if judges[judge] {
			return config.Usagef("%s: the run already has a judge %q; use another name for the imported judge", in.Origin, judge)
		}
	}
	return nil
}

// checkDecisions returns a usage error for an imported judge with the name, or a similar one, of decisions after disagreement. Only the
// owner of an annotation project can make such decisions. They may be imported only under the exact name into a run that has such a
// project.
func (f importFlags) checkDecisions(in *importedResults) error {
	const decisions = data.Human + ":" + project.Adjudicated
	_, err := os.Stat(filepath.Join(f.out, project.FileName))
	for _, judge := range in.Verdicts.Judges() {
		if data.Skeleton(judge) == data.Skeleton(decisions) && (judge != decisions || err != nil) {
			return config.Usagef("%s: the judge %q: %s is for decisions of the owner of an annotation, and this run has none; `compqa annotate "+
				"apply` records them", in.Origin, judge, decisions)
		}
	}
	return nil
}
