package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
	pages "compqa/web/annotate"
	"compqa/web/annotate/project"
)

// studyFile is the name of the JSON file with the report of a study.
const studyFile = "study.json"

// studyFolder is the folder within a run that has the report of its study.
const studyFolder = "study"

// annotateReportCommand builds `compqa annotate report`.
func annotateReportCommand(streams cli.Streams) *cobra.Command {
	var out string
	var wage float64
	var names bool
	var asJSON cli.JSON[*pages.Datasheet]
	cmd := onProject("report [DIR]", "Write the report of the study that a paper needs: people, exclusions, time, agreement, checks",
		func(p *project.Project, dir string, _ []string) error {
			if wage < 0 {
				return config.Usagef("--wage must not be negative")
			}
			d, err := pages.MakeDatasheet(p, wage, names)
			if err != nil {
				return err
			}
			if out == "" {
				out = filepath.Join(dir, studyFolder)
			}
			text, err := json.MarshalIndent(d, "", "  ")
			if err != nil {
				return err
			}
			output := store.Output{Command: "annotate report", Content: store.ContentStudy}
			err = store.InFolder(out, output, func(to string) error {
				if err := report.WritePages(to, to, filepath.Join(dir, project.FileName), d.Document()); err != nil {
					return err
				}
				files := map[string]func(io.Writer) error{studyFile: table.Text(string(text) + "\n")}
				for name, text := range pages.Guidelines(p) {
					files[name] = table.Text(text)
				}
				return table.WriteFiles(to, files)
			})
			if err != nil {
				return err
			}
			if asJSON.On {
				return asJSON.Print(streams.Out, d)
			}
			fmt.Fprintf(streams.Out, "%s.\n", d.Findings.Headline())
			for _, c := range d.Recruitment {
				fmt.Fprintf(streams.Out, "%s: %d\n", c.What, c.N)
			}
			fmt.Fprintf(streams.Out, "%s, %s and %s in %s have the whole report\n", report.ReportPage, report.ReportText, studyFile, out)
			return nil
		})
	cmd.Flags().StringVar(&out, "out", "", "the folder `DIR` to write (default: study in the run's folder)")
	cmd.Flags().Float64Var(&wage, "wage", 0, "the pay of an hour, an `AMOUNT` in any currency")
	addNamesFlag(cmd, &names)
	asJSON.Add(cmd.Flags())
	return cmd
}
