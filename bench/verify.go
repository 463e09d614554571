package bench

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/bench/verify"
	"compqa/results/archive"
	"compqa/results/store"
	"compqa/rubric"
)

func verifyCommand(streams run.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "verify FILE",
		Short: "Recompute every table of an exported run and report the first difference",
		Long: `Parses every raw reply of an export again, computes all tables, and compares
verdicts and tables with those in the file. No model is called and no network is
needed. "-" is standard input.

What is compared:
  every file with its SHA-256 in the manifest
  verdicts of models with their replies and calls; preferences likewise, for each
    method
  verdicts of embedded judges with those that these judges give now
  scores of every other valid verdict with the rubric, and with their total
  answers of models with their replies, and the length and the citations of all
    answers with their texts
  questions, rubric and configuration with their hashes
  every table, cell by cell, with the one computed from all of this

A file cannot prove that the recorded models were called or that they gave these
replies. Consistently fabricated replies will pass. So will an export that omits
whole runs, judges, systems or questions, together with their plan. Re-running some
calls, or comparing the SHA-256 with one published earlier, helps to detect this.
Verdicts from people, files and releases are not checked against another source; the
hash identifies the release. Anything else that could not be checked is listed.

A newer compqa may parse a reply differently; this is then reported as the first
difference, and "compqa report --reparse" lists all of them.

Exit codes: 0 no differences; 1 a difference was found; 2 the file is not a readable
export.`,
		Example: `  compqa verify leaderboard.compqa.gz
  curl -s https://example.org/leaderboard.compqa.gz | compqa verify -`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runVerify(args[0], streams) },
	}
}

func runVerify(name string, streams run.Streams) error {
	ctx, stop := stoppable()
	defer stop()
	file := name
	if name == "-" {
		spooled, err := spool(streams.In)
		if err != nil {
			return fmt.Errorf("reading standard input: %w", err)
		}
		defer os.Remove(spooled)
		file, name = spooled, "standard input"
	}
	stages := newStages(streams.Err, "verifying "+name)
	defer stages.close()
	c := &verify.Recheck{Ctx: ctx}
	v, err := archive.Verify(ctx, file, archive.Checks{Rescore: reread, Record: c.Record, Doing: stages.doing,
		RubricHash: func(r rubric.Rubric) string { return config.HashOf(r) }})
	var no archive.NoExportError
	switch {
	case ctx.Err() != nil:
		return interrupted(ctx, err)
	case errors.As(err, &no):
		return config.UsageError{Err: fmt.Errorf("%s: %w", name, err)}
	case errors.Is(err, archive.ErrDifference):
		return fmt.Errorf("%s: %w%s", name, err, madeByAnother(v.Made))
	case err != nil:
		return fmt.Errorf("verifying %s: %w", name, err)
	}
	_, err = io.WriteString(streams.Out, c.Account(name, v))
	return err
}

// spool copies a stream into a temporary file.
func spool(in io.Reader) (string, error) {
	f, err := os.CreateTemp("", "compqa-verify-*.gz")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, in)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
	}
	return f.Name(), err
}

// madeByAnother says that a difference may come from another version of the program.
func madeByAnother(made store.Provenance) string {
	program, revision := run.BuildVersion()
	if made.Program == "" || made.Program == program && made.Revision == revision {
		return ""
	}
	return fmt.Sprintf("\n(the run was made by compqa %s, commit %s; this is %s, commit %s, which may parse or measure differently)", made.Program, made.Revision, program, revision)
}
