package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/data"
	"compqa/results/store"
	pages "compqa/web/annotate"
	"compqa/web/annotate/project"
)

// appliedFolder is the folder within a run that has the sheets imported from the run's annotation project.
const appliedFolder = "annotation"

// annotateApplyCommand builds `compqa annotate apply`. It works in these steps:
// 1. check people's flags;
// 2. export the sheets into a folder of the run;
// 3. delete results of people who are left out;
// 4. report or delete means from before the study;
// 5. import the verdicts or preferences.
func annotateApplyCommand(streams cli.Streams, execute func(args ...string) error) *cobra.Command {
	var pairs string
	var without []string
	var flagged, names, replace bool
	cmd := onRunFolder("apply [DIR]", "Import the sheets into the run they came from", func(dir string, _ []string) error {
		out := filepath.Join(dir, appliedFolder)
		var counts pages.Exported
		var again []string // judges who had labelled before the study began
		err := openProject(dir, func(p *project.Project) error {
			report, err := pages.Compute(p, pages.Selection{})
			if err != nil {
				return err
			}
			if err := printFlags(streams.Out, report.People, without, flagged); err != nil {
				return err
			}
			counts, err = exportStudy(streams, p, "annotate apply", out, names, without)
			if err != nil {
				return err
			}
			for _, a := range report.People {
				if a.Returns {
					again = append(again, pages.Judge(a.Alias))
				}
			}
			// The run may have earlier sheets of people who are left out now, or who had another alias then.
			return dropPeople(streams.Out, p, dir, report.People, names, without)
		})
		if err != nil {
			return err
		}
		if err := sayMeans(streams.Out, dir, out, replace); err != nil {
			return err
		}
		if counts[project.VerdictsFile] > 0 {
			if err := execute("import", "--out", dir, "--verdicts", filepath.Join(out, project.VerdictsFile)); err != nil {
				return err
			}
		}
		if counts[project.PreferencesFile] > 0 {
			args := []string{"pairwise", "import", "--out", dir, "--in", filepath.Join(out, project.PreferencesFile)}
			if pairs != "" {
				args = append(args, "--pairs", pairs)
			} else {
				for _, judge := range again {
					args = append(args, "--keep", judge)
				}
				if counts[pages.GradesFile] > 0 {
					args = append(args, "--grades", filepath.Join(out, pages.GradesFile))
				}
			}
			if err := execute(args...); err != nil {
				return err
			}
		}
		if counts[project.LabelsFile] > 0 {
			fmt.Fprintf(streams.Out, "Next: under summary_judges in compqa.yaml {name: people, provider: file, path: %s}, then compqa run\n",
				filepath.Join(out, project.LabelsFile))
		}
		return nil
	})
	cmd.Flags().StringVar(&pairs, "pairs", "", "the `FILE` of annotate init --pairs, if the run has no pairs")
	cmd.Flags().BoolVar(&flagged, "include-flagged", false,
		"import also the sheets of people with flags (too fast, or as if the person did not look)")
	cmd.Flags().BoolVar(&replace, "replace-mean", false,
		"where the run has people's mean from before the study, compute it anew of single people's sheets")
	cmd.Flags().StringSliceVar(&without, "exclude", nil,
		"leave out the sheets of the person `NAME` this time; annotate exclude does it for good")
	addNamesFlag(cmd, &names)
	return cmd
}

// sayMeans reports the answers for which the run already has a mean of people's scores from before the study. Such a mean is not
// recomputed, and the sheets are added beside it. With replace, sayMeans deletes these means, so that they are recomputed from the sheets.
func sayMeans(streams io.Writer, dir, out string, replace bool) error {
	run, err := store.Open(dir)
	if err != nil {
		return ignoreMissing(err) // the study's items are in no run
	}
	recorded, err := run.MeansBeside("verdicts " + filepath.Join(appliedFolder, project.VerdictsFile))
	if err := errors.Join(err, run.Close()); err != nil {
		return err
	}
	lines, err := os.ReadFile(filepath.Join(out, pages.PooledFile))
	if err != nil {
		return ignoreMissing(err)
	}
	var answers []string
	for line := range strings.Lines(string(lines)) {
		var mean struct{ ID string }
		if err := json.Unmarshal([]byte(line), &mean); err != nil {
			return err
		}
		if slices.Contains(recorded, mean.ID) {
			answers = append(answers, mean.ID)
		}
	}
	switch {
	case len(answers) == 0:
		return nil
	case !replace:
		fmt.Fprintf(streams, "the run has people's mean (judge human) of %d of these answers, from before this study. It stays what judges are "+
			"compared with; the sheets stand beside it. To compute it of single people's sheets, those of this study among them: "+
			"compqa annotate apply %s --replace-mean\n", len(answers), dir)
		return nil
	}
	run, err = store.Create(dir)
	if err != nil {
		return err
	}
	n := 0
	err = run.Write(func(b store.Batch) error {
		var failed error
		n, failed = b.DropMeans(answers)
		return failed
	})
	if err := errors.Join(err, run.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(streams, "%s of people (judge human) from before this study deleted; the sheets of single people make it now\n",
		data.Plural(n, "mean", "means"))
	return err
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// dropPeople deletes from a run the annotation results of people who are not in the export, or not with all their sheets. It also deletes
// results under the name that is not used any more, the person's name or the alias. What people judged before the study stays.
func dropPeople(out io.Writer, p *project.Project, dir string, people []pages.Person, names bool, without []string) error {
	var judges []string
	for _, a := range people {
		leaves := a.Sheets == 0 || a.Left > 0 || slices.Contains(without, a.Name)
		if a.Returns { // keep what the person judged before the study
			if leaves {
				if err := dropSheets(out, p, dir, a.Annotator); err != nil {
					return err
				}
			}
			continue
		}
		used := a.Alias
		unused := a.Name
		if names {
			used = a.Name
			unused = a.Alias
		}
		if a.Name != a.Alias {
			judges = append(judges, pages.Judge(unused))
		}
		if leaves {
			judges = append(judges, pages.Judge(used))
		}
	}
	return dropJudges(out, dir, judges)
}

// dropSheets deletes from a run the results that a person gave in the study. Results from before the study stay.
func dropSheets(out io.Writer, p *project.Project, dir string, a project.Annotator) error {
	sources, err := p.Sources(a)
	if err != nil {
		return err
	}
	run, err := store.Create(dir)
	if err != nil {
		return err
	}
	n := 0
	err = run.Write(func(b store.Batch) error {
		var failed error
		n, failed = b.DropSheets(pages.Judge(a.Alias), sources, p.Form().Results...)
		return failed
	})
	if n > 0 {
		fmt.Fprintf(out, "%s: %s of %s from this study deleted from the record of the run; earlier ones stay\n", dir,
			data.Plural(n, "result", "results"), pages.Judge(a.Alias))
	}
	return errors.Join(err, run.Close())
}

// recordedPeople returns the people who have results in a run, or nil without a run.
func recordedPeople(dir string) ([]string, error) {
	run, err := store.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the study's items are in no run
	}
	if err != nil {
		return nil, err
	}
	known, err := run.PeopleJudges()
	return known, errors.Join(err, run.Close())
}

// dropJudges deletes the results of the people with these judge names from a run. It does nothing without a run.
func dropJudges(out io.Writer, dir string, judges []string) error {
	known, err := recordedPeople(dir)
	if err != nil {
		return err
	}
	judges = data.Where(known, func(name string) bool { return slices.Contains(judges, name) }) // only those on record, each once
	if len(judges) == 0 {
		return nil
	}
	run, err := store.Create(dir)
	if err != nil {
		return err
	}
	n := 0
	err = run.Write(func(b store.Batch) error {
		n, err = b.DropPeople(judges)
		return err
	})
	if err := errors.Join(err, run.Close()); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %s of %s deleted from the record of the run\n", dir, data.Plural(n, "result", "results"), data.List(judges))
	return nil
}

// scrubRecord rewrites the record of a run with VACUUM, so that the file no longer contains deleted content in free pages. It does nothing
// without a run.
func scrubRecord(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, store.RecordName)); errors.Is(err, fs.ErrNotExist) {
		return nil // the study's items are in no run
	}
	run, err := store.Create(dir)
	if err != nil {
		return err
	}
	return errors.Join(run.Run("VACUUM"), run.Close())
}

// printFlags prints the flags of people whose sheets are to be imported. It returns a usage error in two cases: people have flags and
// include is false, or without names somebody who does not take part.
func printFlags(out io.Writer, people []pages.Person, without []string, include bool) error {
	names := data.Each(people, func(a pages.Person) string { return a.Name })
	for _, name := range without {
		if !slices.Contains(names, name) {
			return config.Usagef("--exclude: there is no person %q%s", name, data.Suggest(name, "people", names))
		}
	}
	var flagged []string
	for _, a := range people {
		if len(a.Alerts) == 0 || a.Excluded != "" || slices.Contains(without, a.Name) {
			continue
		}
		fmt.Fprintf(out, "%s: %s\n", a.Name, strings.Join(a.Alerts, "; "))
		flagged = append(flagged, a.Name)
	}
	if len(flagged) > 0 && !include {
		return config.Usagef("%s: look at the flags first; --include-flagged imports these sheets, --exclude NAME leaves a person out, "+
			"annotate exclude NAME --why TEXT does so for good", data.List(flagged))
	}
	return nil
}
