// Package bench is the command line of compqa: one cobra command per file. The manual is docs, which `compqa docs` prints.
package bench

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/data"
	"compqa/data/sources"
	"compqa/judges"
	"compqa/llm/fleet"
	"compqa/llm/telemetry"
	"compqa/results/store"
	"compqa/results/table"
	trained "compqa/results/train"
)

// Main runs the command line until ctx ends, and returns the exit code, one of the constants below.
func Main(ctx context.Context, args []string, streams cli.Streams) int {
	streams.Out, streams.Err = cli.NewScreen(streams.Out), cli.NewScreen(streams.Err)
	version, _ := cli.BuildVersion()
	stop := telemetry.Start(version, func(text string) { fmt.Fprintln(streams.Err, text) })
	err := execute(ctx, streams, args...)
	stop()
	if err != nil && !errors.Is(err, cli.ErrSilent) {
		table.PrintError(streams.Err, fmt.Sprintf("compqa: %v%s", err, advice(err)))
	}
	return exitCode(err)
}

// execute builds the commands and runs the one that args name.
func execute(ctx context.Context, streams cli.Streams, args ...string) error {
	root := newRoot(streams)
	root.SetArgs(args)
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	return root.ExecuteContext(ctx)
}

// Exit codes, as the manual lists them: done; failed; wrong usage, configuration or input; done, but some items have no valid result; the
// gate failed; ended by Ctrl-C.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitIncomplete  = 3
	exitGate        = 4
	exitInterrupted = 130 // as a shell reports a program that Ctrl-C ended
)

// exitCode returns the exit code for the error of a command.
func exitCode(err error) int {
	var usage config.UsageError
	var line *data.LineError
	var refusal trained.Refusal
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, cli.ErrInterrupted), errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, cli.ErrIncomplete):
		return exitIncomplete
	case errors.As(err, new(gateError)):
		return exitGate
	case errors.Is(err, store.ErrRecord): // even if the folder is the command's input
		return exitFailed
	case errors.As(err, new(store.OutputError)), errors.As(err, &usage), errors.As(err, &line), errors.As(err, &refusal),
		errors.Is(err, fleet.ErrAddress),
		errors.Is(err, fleet.ErrKey), errors.Is(err, fs.ErrNotExist):
		return exitUsage
	}
	return exitFailed
}

// advice returns what the user can do about an error of the operating system, or "" if the error's text says it already.
func advice(err error) string {
	if errors.Is(err, syscall.ENOSPC) {
		return ": free some space, then run the same command again; no recorded data is lost"
	}
	return ""
}

// Streams are the input and outputs of a command.
type Streams = cli.Streams

// cobra must not sort the commands, because the help lists them in groups with an order. This variable is global, so it is set once, before
// commands run at the same time.
func init() { cobra.EnableCommandSorting = false }

// newRoot builds the command compqa with all its subcommands, their help and their checks of flags and outputs.
func newRoot(streams cli.Streams) *cobra.Command {
	root := &cobra.Command{
		Use:           "compqa",
		Short:         "Benchmark for comparative question answering and its judges",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(flagError)
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		if err := finiteFlags(cmd); err != nil {
			return err
		}
		return checkOutputs(cmd, args)
	}
	program, revision := cli.BuildVersion()
	root.Version = fmt.Sprintf("%s (commit %s, %s)", program, revision, cli.BuildDate())
	root.SetVersionTemplate("compqa {{.Version}}\n")
	addCommands(root, streams)
	root.SetHelpCommandGroupID(groupMore)
	root.SetCompletionCommandGroupID(groupMore)
	root.CompletionOptions.HiddenDefaultCmd = true // compqa completion --help says how to set it up
	complete(root)
	explain(root, "compqa")
	wrapHelp(root)
	return root
}

// wrapHelp prints the help of all commands on a terminal in its width.
func wrapHelp(root *cobra.Command) {
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		out := cmd.OutOrStdout()
		var text strings.Builder
		cmd.SetOut(&text)
		help(cmd, args)
		cmd.SetOut(out)
		table.PrintRows(out, text.String())
	})
}

const groupMore = "More"

// hidden leaves a command out of the help. The command still works, but is seldom needed.
func hidden(cmd *cobra.Command) *cobra.Command {
	cmd.Hidden = true
	return cmd
}

// addCommands adds all commands in the groups in which the help lists them.
func addCommands(root *cobra.Command, streams cli.Streams) {
	again := func(args ...string) error { return execute(root.Context(), streams, args...) }
	for _, group := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"First", []*cobra.Command{runCommand(streams), doctorCommand(streams), estimateCommand(streams), serveCommand(streams),
			validateCommand(streams), exportCommand(streams)}},
		{"Configure", []*cobra.Command{initCommand(streams), modelsCommand(streams)}},
		{"Results", []*cobra.Command{reportCommand(streams), showCommand(streams), compareCommand(streams), mcpCommand(streams)}},
		{"People", []*cobra.Command{annotateCommand(streams, again), agreeCommand(streams)}},
		{"Pairs and tables", []*cobra.Command{pairwiseCommand(streams), strumCommand(streams)}},
		{"Share", []*cobra.Command{verifyCommand(streams), importCommand(streams)}},
		{groupMore, []*cobra.Command{judgeCommand(streams), datasheetCommand(streams), trainCommand(streams), reproduceCommand(streams),
			fleetCommand(streams), docsCommand(streams),
			hidden(fetchCommand(streams)), hidden(schemaCommand(streams)), hidden(manCommand(streams))}},
	} {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title + ":"})
		for _, c := range group.commands {
			c.GroupID = group.title
			root.AddCommand(c)
		}
	}
}

// complete makes each group of commands, such as annotate, answer an unknown subcommand with the nearest known one.
func complete(cmd *cobra.Command) {
	if cmd.RunE == nil {
		cmd.Args = cobra.ArbitraryArgs // so that an unknown command gets our message
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		}
	}
	for _, c := range cmd.Commands() {
		complete(c)
	}
}

// helpTexts holds the help of each command in a file of its name: what it does, then a line "Examples:" and examples. Words
// in braces are replaced by lists that the program knows.
//
//go:embed help
var helpTexts embed.FS

// helpLists replaces the words in braces in help texts by lists of what the program knows.
var helpLists = sync.OnceValue(func() *strings.Replacer {
	attacks := data.Each(judges.Attacks, func(a judges.Attack) string { return fmt.Sprintf("  %-24s  %s\n", a.Name, a.About) })
	return strings.NewReplacer(append(helpTables(), "{logs}", logFormats(), "{reading}", cli.ReadingHelp,
		"{attacks}", strings.Join(attacks, ""),
		"{kinds}", kindsHelp(), "{embedded}", judges.EmbeddedNames(), "{scorings}", strconv.Itoa(1+len(judges.Attacks)),
		"{probes}", strconv.Itoa(len(judges.Attacks)))...)
})

// explain sets the help of a command and of its subcommands from helpTexts. name is the name of the command's file, such as annotate-init.
func explain(cmd *cobra.Command, name string) {
	if text, err := helpTexts.ReadFile("help/" + name + ".txt"); err == nil {
		long, examples, _ := strings.Cut(helpLists().Replace(string(text)), "\nExamples:\n")
		cmd.Long = strings.TrimSpace(long)
		cmd.Example = strings.TrimRight(examples, "\n")
	}
	for _, c := range cmd.Commands() {
		explain(c, strings.TrimPrefix(name+"-"+c.Name(), "compqa-"))
	}
}

// earlierCommands maps the name of a command that earlier versions or other programs have to the command that does its work.
var earlierCommands = map[string]string{"prices": "compqa models", "columns": "compqa docs columns", "manual": "compqa docs",
	"version": "compqa --version"}

func unknownCommand(group *cobra.Command, typed string) error {
	names := data.Each(data.Where(group.Commands(), func(c *cobra.Command) bool { return !c.Hidden }), (*cobra.Command).Name)
	known := data.Suggest(typed, "commands", names)
	if now := earlierCommands[typed]; !group.HasParent() && now != "" {
		known = "; it is `" + now + "`"
	} else if !group.HasParent() && data.Nearest(typed, names) == "" { // a list of all commands would be long
		known = "; `compqa --help` lists them"
	}
	return config.Usagef("there is no command %q%s", typed, known)
}

var (
	unknownFlag    = regexp.MustCompile(`^unknown flag: --(.+)$`)
	folderArgument = regexp.MustCompile(`(?:^\S+|NAME\]?) \[?(DIR|LOG…|RUN)`)
	fileArgument   = regexp.MustCompile(`(?:^\S+|NAME\]?) \[?(DIR|LOG…|RUN|FILE)`)
	badValue       = regexp.MustCompile(`^invalid argument "(.*)" for "(.+)" flag: .*$`)
)

// sameFlags maps the name of a flag to names that other commands use for the same thing. They are used to suggest a flag. --out stands for
// a run's folder only if its value is a folder.
var sameFlags = map[string][]string{
	"run": {"out"}, "dir": {"out"}, "output": {"out"}, "input": {"in"}, "file": {"in"}, "in": {"units"}, "config-file": {"config"},
	"answers": {"in"}, "log": {"in"}, "questions": {"limit"}, "seed": {"sample"}, "format": {"log-format"},
	"judges": {"judge"}, "part": {"only"}, "llmbar": {"pairs"}, "set": {"pairs"}, "retry": {"retry-failed"}, "retry-invalid": {"retry-failed"},
	"samples": {"sample"}, "parallel": {"concurrency"}, "workers": {"concurrency"},
}

// argumentFlags maps the name of a flag to a pattern for commands that take the value as an argument instead.
var argumentFlags = map[string]*regexp.Regexp{"run": fileArgument, "dir": folderArgument, "out": folderArgument, "record": folderArgument,
	"in": fileArgument, "archive": fileArgument}

// configured maps the name of a flag to the place in the configuration that has its value.
var configured = map[string]string{
	"order": "order of a set under pairs", "gold": "gold of a set under pairs", "criterion": "criterion of a set under pairs",
	"samples": "samples of an entry under pairwise", "sample": "sample of an entry under judges", "seed": "seed under run",
	"parallel": "concurrency of a provider", "workers": "concurrency of a provider",
	"temperature": "temperature in options of an entry", "repeats": "repeats of an entry",
}

// flagError turns an error of the library about a flag into a usage error that suggests what to type. For an unknown flag it tries in
// order: an argument, the same flag under another name, a key of the configuration, another command, and a flag with a similar name.
func flagError(cmd *cobra.Command, err error) error {
	if m := unknownFlag.FindStringSubmatch(err.Error()); m != nil {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if pattern := argumentFlags[m[1]]; pattern != nil && pattern.MatchString(cmd.Use) {
			return config.Usagef("%s has no flag --%s; it is the argument: %s", cmd.CommandPath(), m[1], cmd.UseLine())
		}
		for _, other := range sameFlags[m[1]] {
			f := cmd.Flags().Lookup(other)
			if f != nil && (other != "out" || takesFolder(f) || m[1] == "output") {
				return config.Usagef("%s has no flag --%s; --%s is the same here", cmd.CommandPath(), m[1], other)
			}
		}
		if key := configured[m[1]]; key != "" && slices.Contains(names, "config") {
			return config.Usagef("%s has no flag --%s; the configuration has it: %s", cmd.CommandPath(), m[1], key)
		}
		if commands := commandsWith(cmd.Root(), m[1]); len(commands) == 1 {
			return config.Usagef("%s has no flag --%s; %s has it", cmd.CommandPath(), m[1], commands[0].CommandPath())
		}
		if near := data.Nearest(m[1], names); near != "" {
			return config.Usagef("%s has no flag --%s; did you mean --%s?", cmd.CommandPath(), m[1], near)
		}
		return config.Usagef("%s has no flag --%s; `%[1]s --help` lists them", cmd.CommandPath(), m[1])
	}
	if m := badValue.FindStringSubmatch(err.Error()); m != nil {
		name := strings.TrimPrefix(m[2], "--")
		if f := cmd.Flags().Lookup(name); f != nil {
			return config.Usagef("--%s is %q; %s is needed", name, m[1], config.NeededText(f.Value.Type()))
		}
	}
	return config.UsageError{Err: err}
}

// takesFolder reports whether the value of a flag is a folder.
func takesFolder(f *pflag.Flag) bool {
	value, _ := pflag.UnquoteUsage(f)
	return value == "DIR"
}

// commandsWith returns the commands at or below cmd that have a flag. It leaves out subcommands that are hidden.
func commandsWith(cmd *cobra.Command, flag string) (found []*cobra.Command) {
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			found = append(found, commandsWith(c, flag)...)
		}
	}
	if cmd.Flags().Lookup(flag) != nil {
		found = append(found, cmd)
	}
	return found
}

// writeOut writes a file, which it replaces only when all is written. "-" is standard output.
func writeOut(path string, stdout io.Writer, write func(io.Writer) error) error {
	if path == "-" {
		return write(stdout)
	}
	err := store.WriteOutput(path, write)
	if err != nil && !errors.Is(err, syscall.ENOSPC) && !errors.As(err, new(store.OutputError)) {
		return config.Usagef("cannot write %s: %w", path, config.UnwrapPath(err))
	}
	return err
}

// finiteFlags returns an error for flags whose number is infinite or NaN, which the library accepts.
func finiteFlags(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() != "float64" {
			return
		}
		if x, _ := strconv.ParseFloat(f.Value.String(), 64); math.IsNaN(x) || math.IsInf(x, 0) {
			err = config.Usagef("--%s is %s; a finite number is needed", f.Name, f.Value)
		}
	})
	return err
}

// outputs says what the commands write. The first key is the command, the second a flag or the number of an argument from the left. For a
// folder, the value says which existing folders the command may write into. For a file, the value is nil.
var outputs = map[string]map[string]*store.Output{
	"agree":                       {"out": nil},
	"annotate backup":             {"1": nil},
	"annotate export":             {"out": {}},
	"annotate import-labelstudio": {"out": nil},
	"annotate init":               {"1": {Any: true}},
	"annotate report":             {"out": {Content: store.ContentStudy}},
	"doctor":                      {"out": {Content: store.ContentRun, Any: true}}, // a later run writes to it
	"estimate":                    {"out": {Content: store.ContentRun, Any: true}},
	"export":                      {"out": nil}, // with --format a folder, which is new or empty
	"fetch":                       {"out": {}},
	"import":                      {"out": {Content: store.ContentRun, Any: true, Beside: []string{sources.ReadingName}}},
	"init":                        {"1": {}},
	"judge":                       {"out": nil},
	"judge calibrate":             {"out": nil, "systems": nil},
	"judge score":                 {"out": nil},
	"man":                         {"1": {}},
	"pairwise calibrate":          {"out": nil},
	"pairwise import":             {"out": {Content: store.ContentRun, Beside: []string{sources.ReadingName}}},
	"pairwise sample":             {"out": {Content: store.ContentRun}},
	"reproduce":                   {"out": {}},
	"run":                         {"out": {Content: store.ContentRun}},
	"serve":                       {"write": {}},
	"strum":                       {"out": {Content: store.ContentStrum}},
	"train export":                {"out": {}},
}

// checkOutputs returns an error, before a command begins, if it must not write to one of its outputs. The command later opens its outputs
// by the same rules.
func checkOutputs(cmd *cobra.Command, args []string) error {
	path := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
	value := func(name string) string {
		if f := cmd.Flags().Lookup(name); f != nil {
			return f.Value.String()
		}
		return ""
	}
	for name, folder := range outputs[path] {
		to := value(name)
		if name == "1" && len(args) > 0 {
			to = args[0]
		}
		var err error
		switch {
		case to == "", value("format") != "" && path == "export":
		case folder == nil, value("cam") != "" && path == "import":
			err = store.CheckFile(to)
		default:
			err = store.CheckFolder(to, outputOf(path, *folder))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// outputOf returns the rule o for an output of a command, with the command's name in it.
func outputOf(command string, o store.Output) store.Output {
	o.Command = command
	return o
}

// againIn lets a command write files beside a record into the record's folder, in place of earlier ones. Either all files of write are
// kept, or none.
func againIn(command, dir string, write func(dir string) error) error {
	return store.InFolder(dir, store.Output{Command: command, Any: true, Again: true}, write)
}

// inFolder lets a command write its files into a folder, by the command's rule in outputs. Either all files of write are kept, or none.
func inFolder(command, dir string, write func(dir string) error) error {
	o := store.Output{}
	for _, folder := range outputs[command] {
		if folder != nil {
			o = *folder
		}
	}
	return store.InFolder(dir, outputOf(command, o), write)
}
