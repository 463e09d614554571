// Package annotate holds the commands of `compqa annotate`: people score answers in a
// browser, and their sheets become verdicts.
package annotate

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/results/table"
	"compqa/rubric"
	pages "compqa/web/annotate"
	"compqa/web/annotate/project"
	"compqa/web/shell"
)

// Command is `compqa annotate`.
func Command(streams run.Streams) *cobra.Command {
	names := []string{"init", "invite", "serve", "status", "export", "import-labelstudio"}
	cmd := &cobra.Command{
		Use:   "annotate",
		Short: "Let people score answers in a browser, and export their verdicts",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return config.UsageError{Err: fmt.Errorf("there is no command %q%s", "annotate "+args[0], data.Suggest(args[0], "commands", names))}
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(initCommand(streams), inviteCommand(streams), serveCommand(streams), statusCommand(streams), exportCommand(streams), labelStudioCommand(streams))
	return cmd
}

func sub(use, short string, args int, do func(cmd *cobra.Command, args []string) error) *cobra.Command {
	count := func(cmd *cobra.Command, given []string) error {
		if len(given) != args {
			return config.UsageError{Err: fmt.Errorf("%s is used as `compqa annotate %s`", cmd.CommandPath(), use)}
		}
		return nil
	}
	return &cobra.Command{Use: use, Short: short, Args: count, RunE: do}
}

func runFlag(cmd *cobra.Command, dir *string) *cobra.Command {
	cmd.Flags().StringVar(dir, "run", "results/runs/latest", "the run's folder `DIR`")
	return cmd
}

// open opens the project; do uses it.
func open(dir string, do func(p *project.Project) error) error {
	p, err := project.Open(dir)
	if err != nil {
		return err
	}
	defer p.Close()
	return do(p)
}

func inviteCommand(streams run.Streams) *cobra.Command {
	var dir, address string
	var revoke bool
	cmd := runFlag(sub("invite NAME", "Make the link of an annotator", 1, func(_ *cobra.Command, args []string) error {
		return open(dir, func(p *project.Project) error {
			if revoke {
				if err := p.Revoke(args[0]); err != nil {
					return config.UsageError{Err: err}
				}
				fmt.Fprintf(streams.Out, "%s: the link and all sessions are revoked; the work is kept\n", args[0])
				return nil
			}
			token, err := p.Invite(args[0])
			if err != nil {
				return config.UsageError{Err: err}
			}
			fmt.Fprintf(streams.Out, "%s/a/%s\n", strings.TrimSuffix(address, "/"), token)
			fmt.Fprintf(streams.Err, "The link of %s; do not share it. It works while this runs: compqa annotate serve --run %s\n", args[0], dir)
			return nil
		})
	}), &dir)
	cmd.Flags().StringVar(&address, "url", "http://127.0.0.1:8085", "the `ADDRESS` of the server for annotators")
	cmd.Flags().BoolVar(&revoke, "revoke", false, "end the link and the sessions of this annotator")
	return cmd
}

func serveCommand(streams run.Streams) *cobra.Command {
	var dir, listen string
	var hosts []string
	cmd := runFlag(sub("serve", "Serve the annotation pages", 0, func(cmd *cobra.Command, _ []string) error {
		ctx := cmd.Context()
		if ctx == nil {
			ctx = context.Background()
		}
		ctx, stop := signal.NotifyContext(ctx, run.StopSignals()...)
		defer stop()
		return open(dir, func(p *project.Project) error {
			l, err := net.Listen("tcp", listen)
			if err != nil {
				return config.UsageError{Err: fmt.Errorf("cannot listen on %s: %w", listen, err)}
			}
			s := pages.New(p, log.New(streams.Err, "", 0))
			fmt.Fprintf(streams.Out, "The owner's page: http://%s%s\nAnnotators use the links of `compqa annotate invite NAME --run %s`. Ctrl-C stops the server.\n", l.Addr(), s.OwnerPath(), dir)
			return shell.Serve(ctx, l, s.Handler(hosts...))
		})
	}), &dir)
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:8085", "the `ADDRESS` to listen on")
	cmd.Flags().StringSliceVar(&hosts, "host", nil, "another host `NAME` of the server, for example that of a proxy")
	return cmd
}

func statusCommand(streams run.Streams) *cobra.Command {
	var dir string
	return runFlag(sub("status", "Show progress and agreement", 0, func(*cobra.Command, []string) error {
		return open(dir, func(p *project.Project) error {
			r, err := pages.Compute(p)
			if err != nil {
				return err
			}
			fmt.Fprintf(streams.Out, "%d of %d items have a sheet\n", r.Covered, r.Items)
			for _, a := range r.People {
				fmt.Fprintf(streams.Out, "%s: %d of %d assigned items done, %d skipped, %d flags (%s)\n", a.Name, a.Done, a.Assigned, a.Skipped, a.Flags, a.State())
			}
			for _, a := range r.Agreement {
				fmt.Fprintf(streams.Out, "alpha of %s: %s [%s], %d items; %s\n", a.What, a.AlphaText(), a.IntervalText(), a.N, a.Enough)
			}
			return nil
		})
	}), &dir)
}

func exportCommand(streams run.Streams) *cobra.Command {
	var dir, out string
	cmd := runFlag(sub("export --out DIR", "Write the sheets as verdicts, preferences and times", 0, func(cmd *cobra.Command, _ []string) error {
		if out == "" {
			return config.UsageError{Err: fmt.Errorf("%s needs --out", cmd.CommandPath())}
		}
		return open(dir, func(p *project.Project) error {
			counts, err := pages.Export(p, out)
			if err != nil {
				return err
			}
			for _, name := range []string{pages.VerdictsFile, pages.PreferencesFile, pages.LabelsFile, pages.TimesFile} {
				if counts[name] > 0 {
					fmt.Fprintf(streams.Out, "%s/%s: %d\n", out, name, counts[name])
				}
			}
			if counts[pages.VerdictsFile]+counts[pages.PreferencesFile]+counts[pages.LabelsFile] == 0 {
				fmt.Fprintln(streams.Out, "No item is finished yet, so there are no sheets to export.")
			}
			if counts[pages.VerdictsFile] > 0 {
				fmt.Fprintf(streams.Out, "Next: compqa import --out %s --verdicts %s/%s\n", dir, out, pages.VerdictsFile)
			}
			if counts[pages.PreferencesFile] > 0 {
				fmt.Fprintf(streams.Out, "Next, with the FILE of annotate init --pairs: compqa pairwise import --out %s --pairs FILE --in %s/%s\n", dir, out, pages.PreferencesFile)
			}
			if counts[pages.LabelsFile] > 0 {
				fmt.Fprintf(streams.Out, "Next: a line under summary_judges in compqa.yaml, then compqa run: {name: people, provider: file, path: %s/%s}\n", out, pages.LabelsFile)
			}
			return nil
		})
	}), &dir)
	cmd.Flags().StringVar(&out, "out", "", "the folder `DIR` to write")
	return cmd
}

func labelStudioCommand(streams run.Streams) *cobra.Command {
	var file, id, out string
	cmd := sub("import-labelstudio --in FILE --out FILE", "Convert a JSON export of Label Studio to verdicts or preferences", 0, func(cmd *cobra.Command, _ []string) error {
		if file == "" || out == "" {
			return config.UsageError{Err: fmt.Errorf("%s needs --in and --out", cmd.CommandPath())}
		}
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		read, err := pages.ReadLabelStudio(f, id, rubric.CQA())
		if err != nil {
			return config.UsageError{Err: fmt.Errorf("%s: %w", file, err)}
		}
		if len(read.Verdicts) > 0 && len(read.Preferences) > 0 {
			return config.UsageError{Err: fmt.Errorf("%s holds both scores and pairwise results; export the two projects separately", file)}
		}
		if err := table.WriteFile(out, func(w io.Writer) error {
			if len(read.Preferences) > 0 {
				return pages.WriteLines(w, read.Preferences)
			}
			return pages.WriteLines(w, read.Verdicts)
		}); err != nil {
			return err
		}
		fmt.Fprintf(streams.Out, "%s: %d verdicts, %d preferences\n", out, len(read.Verdicts), len(read.Preferences))
		return nil
	})
	cmd.Flags().StringVar(&file, "in", "", "the `FILE` that Label Studio exported (format JSON)")
	cmd.Flags().StringVar(&id, "id", "id", "the `FIELD` of a task's data with the id of the answer or pair")
	cmd.Flags().StringVar(&out, "out", "", "the `FILE` of verdicts or preferences to write")
	return cmd
}
