package bench

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/bench/escalate"
	"compqa/bench/run"
	"compqa/data"
	"compqa/data/sources/release"
	"compqa/judges/replies"
	"compqa/judges/scoring"
	"compqa/llm/structured"
	"compqa/results/paper"
	"compqa/results/preferences"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/validation"
	"compqa/rubric"
)

// reportCommand builds `compqa report`. With --reparse it parses all recorded replies again and lists the differences.
func reportCommand(streams cli.Streams) *cobra.Command {
	var out string
	var reparse bool
	var asJSON cli.JSON[report.JSON]
	cmd := cli.OnRun("report [DIR…]", "Compute the reports of one or several runs from their records",
		func(_ *cobra.Command, dirs []string) error {
			if out == "" {
				if len(dirs) > 1 {
					return config.Usagef("a report over several runs needs --out, the folder it is written to")
				}
				out = dirs[0]
			}
			if err := validation.Free(out); err != nil {
				return config.UsageError{Err: err}
			}
			program, _ := cli.BuildVersion()
			var t *report.Report
			var differences string
			err := reportInto("report", dirs, out, func(to string) (err error) {
				if reparse {
					t, differences, err = report.ReportRescored(dirs, to, reread, program)
				} else {
					t, err = report.Write(dirs, to, preferences.Chapter, escalate.Chapter)
				}
				return err
			})
			if err != nil {
				return err
			}
			if asJSON.On {
				return asJSON.Print(streams.Out, t.JSON(out))
			}
			if err := t.Print(streams.Out, out, true); err != nil {
				return err
			}
			if reparse {
				_, err := fmt.Fprintf(streams.Out, "\n%s", differences)
				return err
			}
			return preferences.Print(dirs, streams.Out)
		})
	asJSON.Add(cmd.Flags())
	cmd.Flags().BoolVar(&reparse, "reparse", false, "parse all replies again, and list the differences")
	cmd.Flags().StringVar(&out, "out", "", "write the reports to `DIR` (default: the run's own folder)")
	return cmd
}

// reportInto writes a report into the folder of a run in dirs, if out is one, or else into a folder of its own.
func reportInto(command string, dirs []string, out string, write func(to string) error) error {
	if slices.ContainsFunc(dirs, func(dir string) bool { return dir == out || run.SameFile(dir, out) }) {
		return againIn(command, out, write)
	}
	return store.InFolder(out, store.Output{Command: command, Content: store.ContentReport}, write)
}

// reread parses a model's verdict again from its raw reply. If a faulty reply was repaired, this is the last one. Verdicts without a reply,
// such as those of embedded judges or people, only get a new total. A verdict without a complete reply does not change. The result read
// reports whether a reply was parsed.
func reread(r rubric.Rubric, judge store.Participant, v data.Verdict, judged string) (now data.Verdict, read bool) {
	switch {
	case judge.Kind == config.KindModel && v.Raw != "" && v.Status.FromReply():
		v.Scores, v.Status, v.Reason = replies.Sheet(v.Raw, r, structured.MaterialOf(judged))
		return scoring.Settle(r, v), true
	case v.Status == data.Valid && judge.Kind != config.KindModel:
		return scoring.Settle(r, v), false
	}
	return v, false
}

// reproduceCommand builds `compqa reproduce`.
func reproduceCommand(streams cli.Streams) *cobra.Command {
	var dir, out string
	var asJSON cli.JSON[table.Rows[paper.ReproducedCell]]
	cmd := cli.Command("reproduce --release DIR --out DIR", "Recompute the CompQA paper's tables from its authors' release",
		func(cmd *cobra.Command, _ []string) error {
			read, err := release.Read(dir)
			if err != nil {
				return config.UsageError{Err: err}
			}
			r, err := paper.Reproduce(read, rubric.CQA())
			if err != nil {
				return err
			}
			if err := inFolder("reproduce", out, r.Write); err != nil {
				return err
			}
			if asJSON.On {
				return asJSON.Print(streams.Out, r.Cells)
			}
			return r.Print(streams.Out)
		})
	cmd.Flags().StringVar(&dir, "release", "", "a checkout of the release in `DIR` (`make data` fetches one)")
	cmd.Flags().StringVar(&out, "out", "",
		"write table1.csv to table5.csv, figure6.csv to figure8.csv, reproduce.json and reproduce.md to `DIR`")
	asJSON.Add(cmd.Flags())
	cli.Require(cmd, "release", "out")
	return cmd
}
