package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/bench/escalate"
	"compqa/bench/verify"
	"compqa/results/archive"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
)

func verifyCommand(streams cli.Streams) *cobra.Command {
	var verbose bool
	var asJSON cli.JSON[verify.Summary]
	var signer string
	cmd := cli.Command("verify FILE", "Recompute every table of an exported run, and say what that proves",
		func(cmd *cobra.Command, args []string) error {
			return runVerify(cmd.Context(), args[0], signer, asJSON, verbose, streams)
		})
	cmd.Flags().StringVar(&signer, "signer", "", "require a signature, FILE.sig, of an SSH public key in the file `KEY`")
	cmd.Flags().BoolVar(&verbose, "verbose", false, "list everything that rests on others, and what was not checked")
	asJSON.Add(cmd.Flags())
	return cmd
}

// runVerify verifies the export in the file name, prints the account or the summary as JSON, and returns an error if the export is not
// verified or not finished. The name "-" is standard input.
func runVerify(ctx context.Context, name, signer string, asJSON cli.JSON[verify.Summary], verbose bool, streams cli.Streams) error {
	if signer != "" {
		err := archive.CheckSigners(signer)
		if err == nil && name == "-" {
			err = errors.New("the signature is a file beside FILE, which cannot be standard input")
		}
		if err != nil {
			return config.Usagef("--signer: %w", err)
		}
	}
	ctx, stop := stoppable(ctx)
	defer stop()
	file := name
	if name == "-" {
		spooled, remove, err := spool(ctx, streams.In, "compqa-input-")
		defer remove()
		if err != nil {
			return interrupted(ctx, fmt.Errorf("reading standard input: %w", err))
		}
		file = spooled
		name = standardInput
	}
	c := &verify.Recheck{Ctx: ctx}
	doing, done := stages(streams.Err, "verifying "+name)
	program, revision := cli.BuildVersion()
	v, err := archive.Verify(ctx, file, archive.Checks{Program: program, Revision: revision, Rescore: reread, Record: c.Record,
		Earlier: c.Earlier, Chapters: []report.Chapter{escalate.Chapter}, Doing: doing, Signers: signer})
	done()
	var no archive.NoExportError
	switch {
	case ctx.Err() != nil:
		return interrupted(ctx, err)
	case errors.As(err, &no):
		return config.Usagef("%s: %w", name, err)
	case err != nil && !errors.Is(err, archive.ErrDifference):
		return fmt.Errorf("verifying %s: %w", name, err)
	}
	c.Files(v)
	if asJSON.On {
		if err := asJSON.Print(streams.Out, c.Summary(name, v, err)); err != nil {
			return err
		}
	} else if _, err := io.WriteString(streams.Out, c.Account(name, v, err, verbose, table.WidthOf(streams.Out))); err != nil {
		return err
	}
	if verdict, sentence := c.Verdict(err); verdict == verify.NotFinished {
		return fmt.Errorf("%s: %s", name, sentence)
	}
	if err != nil {
		return fmt.Errorf("%s: %s: %w%s", name, verify.NotVerified, err, madeByAnother(v.Made))
	}
	return nil
}

// standardInput is the name for standard input in messages.
const standardInput = "standard input"

// spool copies a stream to a file in a temporary folder. The caller must call remove. If a command is killed before, the next command
// removes its folder.
func spool(ctx context.Context, in io.Reader, prefix string) (file string, remove func(), err error) {
	temporary, err := store.NewTemporary(os.TempDir(), prefix)
	if err != nil {
		return "", func() {}, err
	}
	file = filepath.Join(temporary.Dir, "input")
	f, err := os.Create(file)
	if err != nil {
		return "", temporary.Close, err
	}
	copied := make(chan error, 1)
	go func() {
		_, err := io.Copy(f, in)
		copied <- errors.Join(err, f.Close())
	}()
	select {
	case err = <-copied:
	case <-ctx.Done(): // the stream may never end
		err = ctx.Err()
	}
	return file, temporary.Close, err
}

// madeByAnother returns a hint that a difference may come from another version of the program, or "" if the version is the same.
func madeByAnother(made store.Provenance) string {
	program, revision := cli.BuildVersion()
	if made.Program == "" || made.Program == program && made.Revision == revision {
		return ""
	}
	return fmt.Sprintf("\n(the run is said to be made by compqa %s, commit %s; this is %s, commit %s, which may parse or measure differently)",
		made.Program, made.Revision, program, revision)
}
