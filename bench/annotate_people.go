package bench

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	pages "compqa/web/annotate"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/data"
	"compqa/results/report"
	"compqa/web/annotate/project"
)

// annotateExcludeCommand builds `compqa annotate exclude`.
func annotateExcludeCommand(streams cli.Streams) *cobra.Command {
	var why, from string
	cmd := onPerson("exclude NAME [DIR] --why TEXT", "Take a person's sheets out of all figures; the record keeps them",
		func(p *project.Project, dir, name string, _ []string) error {
			if strings.TrimSpace(why) == "" {
				return config.Usagef("--why TEXT: say why %s is excluded; the report of the study has it", name)
			}
			since, err := parseDay(from)
			if err != nil {
				return err
			}
			if err := p.Exclude(name, strings.TrimSpace(why), since); err != nil {
				return config.UsageError{Err: err}
			}
			fmt.Fprintf(streams.Out, "%s is excluded. The sheets stay in the record, and their items go back to the queue.\n", name)
			if err := compareWithout(streams.Out, p); err != nil {
				return err
			}
			fmt.Fprintf(streams.Out, "Next: compqa annotate apply %s\n", dir)
			return nil
		})
	cmd.Flags().StringVar(&why, "why", "", "the reason, a `TEXT` that the report of the study has")
	cmd.Flags().StringVar(&from, "from", "", "exclude only sheets that were finished on this `DATE` (2026-11-28, UTC) or later")
	return cmd
}

// onPerson returns a command on a person. Its first argument is the person's name or the id that a platform gave the person. args are the
// arguments between the person and the folder.
func onPerson(use, short string, do func(p *project.Project, dir, name string, args []string) error) *cobra.Command {
	return onProject(use, short, func(p *project.Project, dir string, args []string) error {
		name, err := p.NameOf(args[0])
		if err != nil {
			return err
		}
		return do(p, dir, name, args[1:])
	})
}

// parseDay returns the beginning of the day (UTC) in the format of the times of events, or "" for "".
func parseDay(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return "", config.Usagef("--from is %q; it must be a date such as 2026-11-28", text)
	}
	return t.Format("2006-01-02T15:04:05.000000Z"), nil
}

func annotateIncludeCommand(streams cli.Streams) *cobra.Command {
	return onPerson("include NAME [DIR]", "Take an exclusion back", func(p *project.Project, _, name string, _ []string) error {
		if err := p.Include(name); err != nil {
			return config.UsageError{Err: err}
		}
		fmt.Fprintf(streams.Out, "%s is included.\n", name)
		return compareWithout(streams.Out, p)
	})
}

// compareWithout prints the figures of the study with the sheets of excluded people and without them.
func compareWithout(out io.Writer, p *project.Project) error {
	for _, whose := range []struct {
		name string
		pages.Selection
	}{{"with excluded people", pages.Selection{Everyone: true}}, {"without", pages.Selection{}}} {
		r, err := pages.Compute(p, whose.Selection)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %s on %d of %d items", whose.name, data.Plural(r.Sheets, "sheet", "sheets"), r.Covered, r.Items)
		if r.Points.Known {
			fmt.Fprintf(out, "; mean total %s", r.Points.Text(2))
		}
		fmt.Fprintf(out, "; %s\n", r.Findings().Headline())
	}
	return nil
}

func annotateRenameCommand(streams cli.Streams) *cobra.Command {
	return onPerson("rename NAME ALIAS [DIR]", "Choose the name under which a person is published",
		func(p *project.Project, dir, name string, args []string) error {
			if err := p.Rename(name, args[0]); err != nil {
				return config.UsageError{Err: err}
			}
			fmt.Fprintf(streams.Out, "%s is published as human:%s. Next: compqa annotate apply %s\n", name, args[0], dir)
			return nil
		})
}

// annotateForgetCommand builds `compqa annotate forget`. In this order, it deletes the person's results from the run, the person from the
// project, the report of the study, and the last export in the run's folder. It then applies the sheets of the others again and rewrites
// the run's report.
func annotateForgetCommand(streams cli.Streams, execute func(args ...string) error) *cobra.Command {
	const short = "Delete a person with all sheets, remarks and results in the run"
	return onRunFolder("forget NAME [DIR]", short, func(dir string, args []string) error {
		left := 0
		names := false
		var without []string // other people with sheets who were not in the run
		err := openProject(dir, func(p *project.Project) error {
			people, err := p.Annotators()
			if err != nil {
				return err
			}
			name, err := p.NameOf(args[0])
			if err != nil {
				return err
			}
			a, is := data.First(people, func(a project.Annotator) bool { return a.Name == name })
			if !is {
				names := data.Each(people, func(a project.Annotator) string { return a.Name })
				return config.Usagef("there is no person %q%s", args[0], data.Suggest(args[0], "people", names))
			}
			has, err := inLastApply(dir)
			if err != nil {
				return err
			}
			for _, other := range people {
				names = names || other.Name != other.Alias && has(other.Name)
				if other.Name != a.Name && !has(other.Name) && !has(other.Alias) {
					without = append(without, other.Name)
				}
			}
			// The run is changed first. If it is in use, nothing is deleted. If the program ends here, the command can be repeated with the
			// same name.
			if err := dropJudges(streams.Out, dir, []string{pages.Judge(a.Name), pages.Judge(a.Alias)}); err != nil {
				return err
			}
			if err := scrubRecord(dir); err != nil {
				return err
			}
			stone, err := p.Forget(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(streams.Out, "Deleted: %s, %s, %s. What stays is that somebody with these numbers was deleted at %s.\n",
				data.Plural(stone.Sheets, "sheet", "sheets"), data.Plural(stone.Events, "event", "events"),
				data.Plural(stone.Remarks, "remark", "remarks"), stone.At[:16])
			r, err := pages.Compute(p, pages.Selection{})
			if err == nil {
				left = r.Sheets
			}
			return err
		})
		if err != nil {
			return err
		}
		if err := deleteDerived(streams.Out, dir); err != nil {
			return err
		}
		fmt.Fprintln(streams.Out, "Copies that you exported, backed up or published are not changed.")
		out := filepath.Join(dir, appliedFolder)
		if _, err := os.Stat(out); err == nil {
			if err := os.RemoveAll(out); err != nil {
				return err
			}
			if left > 0 { // recompute the means of people in the run
				again := []string{"annotate", "apply", dir, "--include-flagged", fmt.Sprintf("--names=%v", names)}
				for _, name := range without {
					again = append(again, "--exclude", name)
				}
				if err := execute(again...); err != nil {
					return err
				}
			}
		}
		if _, err := os.Stat(filepath.Join(dir, report.ReportPage)); err != nil {
			return nil
		}
		return execute("report", dir)
	})
}

// inLastApply returns a function that says whether a person is in the files of the last `annotate apply`, under this name.
func inLastApply(dir string) (has func(name string) bool, err error) {
	text, err := os.ReadFile(filepath.Join(dir, appliedFolder, pages.TimesFile)) // a line begins with the judge; names have no commas
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return func(name string) bool { return strings.Contains("\n"+string(text), "\n"+pages.Judge(name)+",") }, nil
}

// deleteDerived deletes the report of the study in the run's folder, because it names all people.
func deleteDerived(out io.Writer, dir string) error {
	study := filepath.Join(dir, studyFolder)
	deleted := false
	for _, name := range []string{report.ReportPage, report.ReportText, studyFile} {
		err := os.Remove(filepath.Join(study, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		deleted = deleted || err == nil
	}
	if deleted {
		fmt.Fprintf(out, "The report in %s is deleted, too; compqa annotate report %s writes it again.\n", study, dir)
	}
	return nil
}

// annotateBackupCommand builds `compqa annotate backup`.
func annotateBackupCommand(streams cli.Streams) *cobra.Command {
	cmd := cli.OnRun("backup FILE [DIR]", "Copy annotation.db completely, also while people work",
		func(cmd *cobra.Command, args []string) error {
			return openProject(args[1], func(p *project.Project) error {
				if _, err := os.Stat(args[0]); err == nil {
					return config.Usagef("%s exists; a backup never overwrites a file", args[0])
				}
				if err := p.Backup(cmd.Context(), args[0]); err != nil {
					return err
				}
				fmt.Fprintf(streams.Out, "%s is a complete copy. To go on from it, put it into a folder under the name %s.\n", args[0],
					project.FileName)
				if n := len(pages.Images(p.Texts, p.Items)); n > 0 {
					fmt.Fprintf(streams.Out, "It does not have the %s that its texts show; copy these files to the new folder, too.\n",
						data.Plural(n, "image", "images"))
				}
				return nil
			})
		})
	return cmd
}
