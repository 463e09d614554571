package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/bench/escalate"
	"compqa/bench/run"
	"compqa/data"
	"compqa/results/archive"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
)

// exportCommand builds `compqa export`.
func exportCommand(streams cli.Streams) *cobra.Command {
	var out, format, sign string
	o := archive.ExportOptions{Chapters: []report.Chapter{escalate.Chapter}}
	cmd := cli.OnRun("export [DIR] --out FILE", "Pack a run and its tables into one file that anyone can check",
		func(cmd *cobra.Command, args []string) error {
			if format != "" && sign != "" {
				return config.Usagef("--sign signs an export for compqa verify; --format writes a folder for other programs")
			}
			o.Program, o.Revision = cli.BuildVersion()
			if format != "" {
				return exportFolder(args[0], out, format, o, streams)
			}
			return export(cmd.Context(), args[0], out, sign, o, streams)
		})
	cmd.Flags().StringVar(&out, "out", "", "the `FILE` to write; - for standard output")
	cmd.Flags().BoolVar(&o.WithBodies, "bodies", false, "include complete requests and responses")
	cmd.Flags().BoolVar(&o.WithoutReplies, "no-replies", false, "exclude the raw replies; verdicts cannot be parsed again then")
	cmd.Flags().StringVar(&format, "format", "",
		"write a folder for other programs instead: `NAME` is csv (pandas), hf (datasets), parquet or inspect (inspect_ai)")
	cmd.Flags().StringVar(&sign, "sign", "", "sign FILE with the SSH private key in this file, `KEY`; the signature is FILE.sig")
	cli.Require(cmd, "out")
	return cmd
}

// export writes the export of a record to the file out, and signs it if sign names a key. The file "-" is standard output.
func export(ctx context.Context, record, out, sign string, o archive.ExportOptions, streams cli.Streams) error {
	if o.WithBodies && o.WithoutReplies {
		return config.Usagef("--bodies and --no-replies contradict each other: the replies are in the bodies")
	}
	if sign != "" {
		err := archive.CheckKey(sign)
		if err == nil && out == "-" {
			err = errors.New("the signature is a file beside FILE, which cannot be standard output")
		}
		if err != nil {
			return config.Usagef("--sign: %w", err)
		}
	}
	if held := store.Holding(record); held.Content == store.ContentStrum {
		return config.Usagef("%s holds %s, and no run: publish strum.json, or have a run read it "+
			"({name: mine, provider: file, path: strum.json}) "+
			"and export that", record, held.Content)
	}
	ctx, stop := stoppable(ctx)
	defer stop()
	doing, done := stages(streams.Err, "exporting "+record)
	defer done()
	o.Doing = doing
	o.Note = func(text string) { fmt.Fprintln(streams.Err, table.Printable(text)) }
	if out == "-" {
		_, err := archive.Export(ctx, record, cli.Raw(streams.Out), o)
		return interrupted(ctx, err)
	}
	if err := unwritable(out); err != nil {
		return config.UsageError{Err: err}
	}
	m, err := archive.ExportFile(ctx, record, out, o)
	if err != nil {
		return interrupted(ctx, err)
	}
	if err := signed(out, sign, streams.Out); err != nil {
		return err
	}
	size, sum, err := archive.HashFile(out)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(streams.Out, "%s: the record and %d other files, %.1f MB; `compqa verify %s` checks them\nSHA-256 %s\n", out,
		len(m.Files)-1, float64(size)/1e6, out, sum)
	return err
}

// exportFolder writes a run into a folder in a format for another program.
func exportFolder(record, out, format string, o archive.ExportOptions, streams cli.Streams) error {
	if o.WithBodies || o.WithoutReplies || out == "-" {
		return config.Usagef("--format writes a folder without replies: leave out --bodies and --no-replies, and name a folder")
	}
	s, err := store.Open(record)
	if err != nil {
		return err
	}
	defer s.Close()
	names, err := writeFormat(s, out, format)
	if err != nil {
		return config.UsageError{Err: err}
	}
	_, err = fmt.Fprintf(streams.Out, "%s: %s\n", out, strings.Join(names, ", "))
	return err
}

// signed signs an export with the key in the file key. If key is "", it removes the signature of an earlier export.
func signed(file, key string, out io.Writer) error {
	if key == "" {
		if err := os.Remove(file + archive.SignatureSuffix); !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	path, err := archive.Sign(file, key)
	if err != nil {
		return fmt.Errorf("%s is written, but it is not signed: %w", file, err)
	}
	by, err := archive.SignedBy(file, "")
	if err == nil {
		by, _, _ = strings.Cut(by, ",")
		_, err = fmt.Fprintf(out, "%s: signed by %s\n", path, by)
	}
	return err
}

// unwritable returns an error if the export cannot be written to the file out. It is called before any work.
func unwritable(out string) error {
	folder := filepath.Dir(out)
	if !data.IsFolder(folder) {
		return fmt.Errorf("--out %s: there is no folder %s", out, folder)
	}
	if err := store.CheckFile(out); err != nil {
		return err
	}
	if info, err := os.Stat(out); err == nil && info.Mode().IsRegular() && info.Size() > 0 && !archive.IsExport(out) {
		return fmt.Errorf("--out %s exists, and is not an export, so that it is not replaced: name another file", out)
	}
	return nil
}

// stoppable returns a context that ends with ctx or at Ctrl-C, so that partial files can be removed. A second Ctrl-C kills the program.
func stoppable(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, cli.StopSignals()...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// interrupted replaces the error by ErrInterrupted if the context has ended, as after Ctrl-C.
func interrupted(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w; partial files were removed", cli.ErrInterrupted)
	}
	return err
}

// stages prints every few seconds what a command is doing. The caller sets the text with doing, and stops the printing with done.
func stages(out io.Writer, command string) (doing func(string), done func()) {
	var now atomic.Value
	begun := time.Now()
	return func(what string) { now.Store(what) }, run.Every(run.LinesEvery, func() {
		fmt.Fprintf(out, "%s: %v, for %s\n", command, now.Load(), time.Since(begun).Round(time.Second))
	})
}
