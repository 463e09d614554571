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
		Long: `Reads every verdict of an export anew from its raw reply, as this compqa reads
replies, computes every table from the verdicts, and compares all of it with what
the file holds. No model is asked and no network is needed. "-" is standard input.

What is compared:
  every file with its SHA-256 in the manifest
  verdicts of models with the replies that they were read from, and with the calls
    that they rest on; preferences likewise, method by method
  verdicts of embedded judges with what these judges say of the answers
  scores of every other valid verdict with the rubric, and with their total
  answers of models with the replies they are, and the length and the citations of
    all answers with their texts
  questions, rubric and configuration with their hashes
  every table, cell by cell, with the one computed from all of this

What no file can show: that the models on record are the ones that were asked, and
that they said what is on record. Who makes up replies and fits everything else to
them passes; so does who leaves out whole runs, judges, systems or questions before
the export, or shortens the plan along with what it planned. Against that helps to
ask some of the calls again, or who has the file's SHA-256 from before. Verdicts of
people, of files and of a release are as recorded; the hash of the release says
which release it was. What else could not be checked is listed.

A newer compqa may read a reply otherwise than the one that made the run: that is
then the first difference, and "compqa report --reparse" lists all of them.

Exit codes: 0 nothing differs; 1 there is a difference, and the first one is told;
2 the file is no export that this compqa can read.`,
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

// spool puts a stream into a file, which a name can be given of.
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

// madeByAnother says that a difference may be one of programs.
func madeByAnother(made store.Provenance) string {
	program, revision := run.BuildVersion()
	if made.Program == "" || made.Program == program && made.Revision == revision {
		return ""
	}
	return fmt.Sprintf("\n(the run was made by compqa %s, commit %s; this is %s, commit %s, which may read or measure otherwise)", made.Program, made.Revision, program, revision)
}
