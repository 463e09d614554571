package bench

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	pages "compqa/web/annotate"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/data"
	"compqa/results/store"
	"compqa/web/annotate/project"
	"compqa/web/shell"
)

// annotateCommand builds `compqa annotate`. Subcommands use execute to run another command of the program.
func annotateCommand(streams cli.Streams, execute func(args ...string) error) *cobra.Command {
	cmd := &cobra.Command{Use: "annotate", Short: "Let people score answers, compare them and label tables in a browser"}
	cmd.AddCommand(annotateInitCommand(streams), annotateChangeCommand(streams), annotateInviteCommand(streams),
		annotateServeCommand(streams), annotateStatusCommand(streams), annotateExportCommand(streams),
		annotateApplyCommand(streams, execute), annotateExcludeCommand(streams), annotateIncludeCommand(streams),
		annotateRenameCommand(streams), annotateForgetCommand(streams, execute), annotateBackupCommand(streams),
		annotateReportCommand(streams), annotateLabelStudioCommand(streams))
	return cmd
}

// onRunFolder returns a command on a run. Its last argument is the run's folder, dir, and args are the arguments before it.
func onRunFolder(use, short string, do func(dir string, args []string) error) *cobra.Command {
	return cli.OnRun(use, short, func(_ *cobra.Command, args []string) error { return do(args[len(args)-1], args[:len(args)-1]) })
}

// onProject returns a command on the annotation project in a run's folder, dir. args are the arguments before the folder.
func onProject(use, short string, do func(p *project.Project, dir string, args []string) error) *cobra.Command {
	return onRunFolder(use, short, func(dir string, args []string) error {
		return openProject(dir, func(p *project.Project) error { return do(p, dir, args) })
	})
}

// openProject opens the project in the folder, calls do with it, and closes it.
func openProject(dir string, do func(p *project.Project) error) error {
	p, err := project.Open(dir)
	if err != nil {
		return err
	}
	defer p.Close()
	return do(p)
}

// crowdName is the NAME for which `annotate invite` makes one link for many people of a platform.
const crowdName = "crowd"

const annotateListen = "127.0.0.1:8085"

// annotateInviteCommand builds `compqa annotate invite`. It makes the link of one person, the links of all people in a file (--from), or
// the link of a study for many people (--people). --revoke and --readmit change an earlier invitation.
func annotateInviteCommand(streams cli.Streams) *cobra.Command {
	var address string
	var revoke, readmit bool
	var study int
	var from, as string
	invite := func(p *project.Project, dir, name string) error {
		change := func(do func(string) error, done string) error {
			name, err := p.NameOf(name)
			if err != nil {
				return err
			}
			if err := do(name); err != nil {
				return config.UsageError{Err: err}
			}
			fmt.Fprintf(streams.Out, "%s: %s\n", name, done)
			return nil
		}
		switch {
		case revoke:
			return change(p.Revoke, "the link and all sessions are revoked; the work is kept")
		case readmit:
			return change(p.Readmit, "may answer the questions about the guidelines again; the link is the same")
		}
		if err := wholeHost(address); err != nil {
			return err
		}
		served, err := p.Address()
		if err != nil {
			return err
		}
		site := cmp.Or(address, served, "http://"+annotateListen)
		if from != "" {
			return inviteAll(streams, p, from, site)
		}
		if study < 0 || study > 0 && name != crowdName {
			return config.Usagef("--people N makes one link for N people, whose name is %s", crowdName)
		}
		if study > 0 {
			token, err := p.OpenStudy(study)
			if err != nil {
				return err
			}
			link := strings.TrimSuffix(site, "/") + "/s/" + token
			fmt.Fprintf(streams.Out, "%s?PROLIFIC_PID={{%%PROLIFIC_PID%%}}&STUDY_ID={{%%STUDY_ID%%}}&SESSION_ID={{%%SESSION_ID%%}}\n", link)
			fmt.Fprintf(streams.Err, "The link of the study, for %d people, as Prolific takes it. For Mechanical Turk, see compqa docs annotation; "+
				"its link is %s?workerId=…&assignmentId=…. An earlier link ends.\n", study, link)
			return nil
		}
		token, err := inviteOne(streams, p, name, as)
		if err != nil {
			return config.UsageError{Err: err}
		}
		fmt.Fprintf(streams.Out, "%s/a/%s\n", strings.TrimSuffix(site, "/"), token)
		fmt.Fprintf(streams.Err, "The link of %s; do not share it. It works while this runs: compqa annotate serve %s\n", name, dir)
		return nil
	}
	const short = "Make the link of an annotator, of all in a file, or of a study"
	cmd := cli.Command("invite [NAME] [DIR]", short, func(cmd *cobra.Command, args []string) error {
		name := ""
		switch {
		case from != "" && (len(args) > 1 || study != 0 || revoke || readmit || as != ""):
			return config.Usagef("--from FILE has the names: usage: %s", cmd.UseLine())
		case as != "" && (study != 0 || revoke || readmit):
			return config.Usagef("--as invites one person; leave out --people, --revoke and --readmit")
		case from == "" && len(args) == 0:
			return config.Usagef("usage: %s; give a NAME, or --from FILE with a name in each line", cmd.UseLine())
		case from == "":
			name = args[0]
			args = args[1:]
		}
		dir := append(args, config.DefaultOut)[0]
		return openProject(dir, func(p *project.Project) error { return invite(p, dir, name) })
	})
	cmd.Flags().StringVar(&from, "from", "", "invite the people in `FILE`, a name in each line, "+
		"and human:… after it for somebody who labelled before; prints each name and link, with a tab between")
	cmd.Flags().StringVar(&as, "as", "", "the person labelled before, and is the `JUDGE` human:… of the run: the sheets "+
		"come under that name, and nothing is judged twice")
	cmd.Flags().IntVar(&study, "people", 0, "of the name crowd: one link for `N` people whom a platform sends")
	cmd.Flags().StringVar(&address, "url", "", "the `ADDRESS` of the server for annotators (default: where it was served last)")
	cmd.Flags().BoolVar(&revoke, "revoke", false, "end the link and the sessions of this annotator")
	cmd.Flags().BoolVar(&readmit, "readmit", false, "let an annotator who failed the questions about the guidelines try again")
	return cmd
}

// inviteOne invites a person and returns the token of the link. as is the person's name as a judge in the run, such as human:p1, or "" if
// the person has not labelled before.
func inviteOne(streams cli.Streams, p *project.Project, name, as string) (token string, err error) {
	if as == "" {
		return p.Invite(name)
	}
	token, n, err := p.InviteAgain(name, as)
	if err == nil {
		fmt.Fprintf(streams.Err, "%s is %s of the run; of the %s of this study %d were judged then, and do not come again\n", name, as,
			data.Plural(len(p.Items), "item", "items"), n)
	}
	return token, err
}

// inviteAll invites the people in a file, which has one name per line. After the name a line may have the person's name as a judge in the
// run, such as human:p1. People who were invited before keep their links and are only counted. If a name is not valid, nobody is invited.
func inviteAll(streams cli.Streams, p *project.Project, path, address string) error {
	text, _, err := data.ReadText(path)
	if err != nil {
		return config.UsageError{Err: err}
	}
	var names []string
	again := map[string]string{} // name to the judge of the run
	before := 0
	for i, line := range strings.Split(string(text), "\n") {
		name := strings.TrimSpace(line)
		if name == "" {
			continue
		}
		if fields := strings.Fields(name); len(fields) == 2 && data.IsHuman(fields[1]) {
			name = fields[0]
			again[fields[0]] = fields[1]
		}
		known, err := p.Known(name)
		if err == nil && again[name] == "" {
			err = p.CheckNew(name)
		}
		if err == nil && again[name] != "" && !known {
			err = p.CheckAgain(name, again[name])
		}
		for _, other := range names {
			if err == nil && again[name] != "" && again[other] == again[name] && other != name {
				err = fmt.Errorf("%s and %s are both %s; a person has one name", other, name, again[name])
			}
		}
		if err == nil && (name == crowdName || slices.Contains(names, name)) {
			err = fmt.Errorf("the name %q is there twice, or means a study's link; choose another", name)
		}
		if err != nil {
			return config.Usagef("%s:%d: %w", path, i+1, err)
		}
		if known {
			before++
			continue
		}
		names = append(names, name)
	}
	for _, name := range names {
		token, err := inviteOne(streams, p, name, again[name])
		if err != nil {
			return err
		}
		fmt.Fprintf(streams.Out, "%s\t%s/a/%s\n", name, strings.TrimSuffix(address, "/"), token)
	}
	fmt.Fprintf(streams.Err, "%s invited; %d were invited before, and keep their links\n",
		data.Plural(len(names), "person is", "people are"), before)
	return nil
}

// wholeHost returns a usage error for an address with a path, because the links on the pages begin at the root of the host.
func wholeHost(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return config.Usagef("--url is %q; it must be an address such as https://annotate.example.org", address)
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return config.Usagef("--url is %q, but the pages do not work below a path: give them a host of their own, "+
			"for instance https://annotate.%s", address, u.Host)
	}
	return nil
}

// hostNames returns the host names under which browsers may reach the server: those of --host, and the host of --url.
func hostNames(address string, hosts []string) ([]string, error) {
	for _, host := range hosts {
		u, err := url.Parse("//" + host)
		if err != nil || host == "" || u.Hostname() != host {
			return nil, config.Usagef("--host is %q; it must be a name without a scheme, a port and a path, such as annotate.example.org", host)
		}
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, config.Usagef("--url is %q: %w", address, err)
	}
	if u.Hostname() == "" {
		return hosts, nil
	}
	return append(slices.Clone(hosts), u.Hostname()), nil
}

// annotateServeCommand builds `compqa annotate serve`. With --preview it serves a temporary copy of the study.
func annotateServeCommand(streams cli.Streams) *cobra.Command {
	var listen, address string
	var hosts []string
	var preview bool
	cmd := onProject("serve [DIR]", "Serve the annotation pages", func(p *project.Project, dir string, _ []string) error {
		ctx, stop := signal.NotifyContext(context.Background(), cli.StopSignals()...)
		defer stop()
		if err := wholeHost(address); err != nil {
			return err
		}
		known, err := hostNames(address, hosts)
		if err != nil {
			return err
		}
		if preview {
			return servePreview(ctx, streams, p, listen)
		}
		unlock, err := project.Lock(dir)
		if err != nil {
			return config.UsageError{Err: err}
		}
		defer unlock()
		l, err := shell.Listen(listen)
		if err != nil {
			return config.UsageError{Err: err}
		}
		s := pages.New(p, log.New(streams.Err, "", 0))
		// If other machines can reach the server at an address, it is the last one.
		s.Address = l.Addresses[len(l.Addresses)-1]
		switch {
		case address != "":
			s.Address = strings.TrimSuffix(address, "/")
		case len(hosts) > 0:
			s.Address = "https://" + hosts[0]
		}
		if err := p.SetAddress(s.Address); err != nil {
			return err
		}
		fmt.Fprintf(streams.Out,
			"The owner's page: %s%s\nAnnotators reach %s (compqa annotate invite NAME %s makes their links; Ctrl-C stops the server)\n",
			l.Addresses[0], s.OwnerPath(), s.Address, dir)
		if l.Warning != "" {
			fmt.Fprintln(streams.Out, "Warning: "+l.Warning)
		}
		return shell.Serve(ctx, l, s.Handler(known...))
	})
	cmd.Flags().StringVar(&listen, "listen", annotateListen, "the `ADDRESS` to listen on")
	cmd.Flags().StringSliceVar(&hosts, "host", nil, "another host `NAME` of the server, for example that of a proxy")
	cmd.Flags().StringVar(&address, "url", "", "the `ADDRESS` at which annotators reach the server, for their links")
	cmd.Flags().BoolVar(&preview, "preview", false, "serve a copy, which is deleted at the end, and print the link of one person: "+
		"look at the study as people see it")
	return cmd
}

// servePreview serves a temporary copy of the study to its owner, who sees it as a newly invited person does. The study itself does not
// change.
func servePreview(ctx context.Context, streams cli.Streams, p *project.Project, listen string) error {
	temporary, err := store.NewTemporary(os.TempDir(), "compqa-preview-")
	if err != nil {
		return err
	}
	defer temporary.Close()
	if err := p.Backup(ctx, filepath.Join(temporary.Dir, project.FileName)); err != nil {
		return err
	}
	return openProject(temporary.Dir, func(copied *project.Project) error {
		token, err := copied.Invite("preview-" + rand.Text())
		if err != nil {
			return err
		}
		l, err := shell.Listen(listen)
		if err != nil {
			return config.UsageError{Err: err}
		}
		s := pages.New(copied, log.New(streams.Err, "", 0))
		s.Folder = p.Dir()
		fmt.Fprintf(streams.Out, "The study as people see it: %s/a/%s\nThis is a copy: nothing that you do there is kept. Ctrl-C stops "+
			"the server.\n",
			l.Addresses[0], token)
		return shell.Serve(ctx, l, s.Handler())
	})
}

// annotateStatusCommand builds `compqa annotate status`.
func annotateStatusCommand(streams cli.Streams) *cobra.Command {
	var asJSON cli.JSON[pages.Progress]
	cmd := onProject("status [DIR]", "Show progress and agreement", func(p *project.Project, _ string, _ []string) error {
		r, err := pages.Compute(p, pages.Selection{})
		if err != nil {
			return err
		}
		if asJSON.On {
			return asJSON.Print(streams.Out, r.Progress())
		}
		fmt.Fprintf(streams.Out, "%d of about %d sheets are done; %d of %d items have one\n", r.Sheets, r.Wanted, r.Covered, r.Items)
		for _, a := range r.People {
			name := a.Name
			if a.External != "" {
				name += " (" + strings.TrimSpace(a.External+" "+a.Submission) + ")"
			}
			work := fmt.Sprintf("%d of %d done", a.Done, a.Due)
			if a.Skipped > 0 {
				work += fmt.Sprintf(", %d skipped", a.Skipped)
			}
			if a.Flags > 0 {
				work += ", " + data.Plural(a.Flags, "flag", "flags")
			}
			fmt.Fprintf(streams.Out, "%s: %s (%s)\n", name, work, a.State())
			for _, alert := range a.Alerts {
				fmt.Fprintf(streams.Out, "  %s\n", alert)
			}
			if text := a.Reasons.String(); text != "" {
				fmt.Fprintf(streams.Out, "  %s\n", text)
			}
		}
		for _, a := range r.Agreement {
			line := fmt.Sprintf("alpha of %s (%s): %s [%s], %s, %s", a.Criterion, a.Level, a.Alpha.Point().Text(2), a.Interval,
				data.Plural(a.Items, "item", "items"), data.Plural(a.N, "unit", "units"))
			if a.Enough != "" {
				line += "; " + a.Enough
			}
			fmt.Fprintln(streams.Out, line)
		}
		return nil
	})
	asJSON.Add(cmd.Flags())
	return cmd
}

// annotateExportCommand builds `compqa annotate export`. The first of pages.Formats is the program's own format, a folder of several files.
// Other formats are one file.
func annotateExportCommand(streams cli.Streams) *cobra.Command {
	var out, format string
	var names bool
	cmd := onProject("export [DIR] --out DIR", "Write the sheets as verdicts, preferences, labels and grades, with times and flags",
		func(p *project.Project, dir string, _ []string) error {
			if !slices.Contains(pages.Formats, format) {
				return config.Usagef("--format is %q; it must be one of %s", format, strings.Join(pages.Formats, ", "))
			}
			if format != pages.Formats[0] {
				var path string
				var n, left int
				err := store.InFolder(out, store.Output{Command: "annotate export"}, func(to string) (err error) {
					path, n, left, err = pages.ExportAs(p, format, to, names)
					return err
				})
				if err == nil {
					sayLeftOut(streams, left)
					fmt.Fprintf(streams.Out, "%s: %s\n", filepath.Join(out, filepath.Base(path)), data.Plural(n, "sheet", "sheets"))
				}
				return err
			}
			counts, err := exportStudy(streams, p, "annotate export", out, names, nil)
			if err == nil && countSheets(counts) > 0 {
				fmt.Fprintln(streams.Out, "Next: "+afterExport(p, dir, out))
			}
			return err
		})
	cmd.Flags().StringVar(&out, "out", "", "the folder `DIR` to write")
	cmd.Flags().StringVar(&format, "format", pages.Formats[0], "write the `FORMAT` "+strings.Join(pages.Formats, ", "))
	addNamesFlag(cmd, &names)
	cli.Require(cmd, "out")
	return cmd
}

// afterExport returns the command that makes use of an export. If the run has the items, this is `annotate apply`, otherwise `validate`
// with the exported values.
func afterExport(p *project.Project, dir, out string) string {
	run, err := store.Open(dir)
	if err == nil {
		run.Close()
	}
	switch {
	case p.Source != "" && p.Items[0].Content.B != "":
		return fmt.Sprintf("compqa annotate apply %s --pairs %s", dir, p.Source)
	case err != nil && len(p.Several) > 0:
		return fmt.Sprintf("compqa validate LOG --people %s --sets %s, where LOG has a judge's scores of these items",
			filepath.Join(out, "values.csv"), strings.Join(p.Several, ","))
	case err != nil:
		return fmt.Sprintf("compqa annotate export %s --format hf --out %s-hf, then compqa validate LOG --people %[2]s-hf/sheets.jsonl, "+
			"where LOG has a judge's scores of these items", dir, out)
	}
	return "compqa annotate apply " + dir
}

func addNamesFlag(cmd *cobra.Command, names *bool) {
	cmd.Flags().BoolVar(names, "names", false, "write the names of people, not human:p1, human:p2 … (or what annotate rename chose)")
}

// exportStudy writes the files of an export into a folder, in place of those of an earlier export. It prints the names of the files and how
// many sheets are left out. without are the names of people whose sheets are left out. It returns the number of lines of each file.
func exportStudy(streams cli.Streams, p *project.Project, command, out string, names bool, without []string) (pages.Exported, error) {
	folder, err := store.OpenFolder(out, store.Output{Command: command, Continues: command == "annotate apply"})
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	folder.Stale(pages.Files...)
	report, err := pages.Compute(p, pages.Selection{Without: without})
	if err != nil {
		return nil, err
	}
	sayLeftOut(streams, report.Left)
	counts, err := pages.Export(p, report, folder.New, streams.Out, names)
	if err == nil {
		err = folder.Commit()
	}
	if err != nil {
		return nil, err
	}
	for _, name := range pages.Files {
		if counts[name] > 0 {
			fmt.Fprintf(streams.Out, "%s: %d\n", filepath.Join(out, name), counts[name])
		}
	}
	if countSheets(counts) == 0 {
		fmt.Fprintln(streams.Out, "No item is finished yet, so there are no sheets.")
	}
	return counts, nil
}

// sayLeftOut prints how many sheets of excluded people are not in an export.
func sayLeftOut(streams cli.Streams, n int) {
	if n > 0 {
		fmt.Fprintf(streams.Out, "left out: %s of people who are excluded\n", data.Plural(n, "sheet", "sheets"))
	}
}

func countSheets(counts pages.Exported) (n int) {
	for _, name := range project.Files {
		n += counts[name]
	}
	return n
}
