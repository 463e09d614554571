// Package cli is what the commands share: their flags, streams and signals, what they print on a terminal, as JSON and as a log, and the
// question whether a configuration of somebody else may send secrets. It knows nothing of tasks: those are of package run.
package cli

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"compqa/bench/config"
)

// Command returns a command. Its use says how many arguments it takes: NAME is one that is needed, [NAME] one that may be left
// out, and … any number.
func Command(use, short string, do func(cmd *cobra.Command, args []string) error) *cobra.Command {
	least, most := arguments(use)
	return &cobra.Command{Use: use, Short: short, RunE: do, Args: func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			text := "usage: " + cmd.UseLine()
			out := cmd.Flags().Lookup("out")
			if flag := withoutEquals(cmd); flag != "" && len(args) > most {
				text += fmt.Sprintf("; a value of --%s follows a =, as in --%[1]s=%s", flag, args[0])
			} else if out != nil && most == 0 && len(args) == 1 && strings.Contains(out.Usage, "folder `DIR`") {
				text += "; the folder is --out DIR"
			}
			return config.Usagef("%s", text)
		}
		return nil
	}}
}

// withoutEquals returns a flag that was set without the value that it may have; "" if none was.
func withoutEquals(cmd *cobra.Command) (name string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.NoOptDefVal != "" && f.Value.Type() == "string" && f.Value.String() == f.NoOptDefVal {
			name = f.Name
		}
	})
	return name
}

// OnRun returns a command on recorded runs. Where its last argument, a folder, is left out, it is that of the latest run.
func OnRun(use, short string, do func(cmd *cobra.Command, args []string) error) *cobra.Command {
	least, _ := arguments(use)
	return Command(use, short, func(cmd *cobra.Command, args []string) error {
		if len(args) == least {
			args = append(args, config.DefaultOut)
		}
		return do(cmd, args)
	})
}

// flagsOfUse matches the flags in the use of a command, with their values.
var flagsOfUse = regexp.MustCompile(`\[?--\S+( [^\s|]+)?|\|`)

// arguments returns the least and the most number of arguments of a command.
func arguments(use string) (least, most int) {
	for _, name := range strings.Fields(flagsOfUse.ReplaceAllString(use, ""))[1:] {
		most++
		if !strings.HasPrefix(name, "[") {
			least++
		}
		if strings.ContainsAny(name, "….") {
			most = math.MaxInt
		}
	}
	return least, most
}

// Require has a command check that it has values for some flags; the message names all that are missing.
func Require(cmd *cobra.Command, names ...string) {
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return Missing(cmd, names...) }
}

// Missing returns an error about flags without a value.
func Missing(cmd *cobra.Command, names ...string) error {
	slices.Sort(names)
	var missing []string
	for _, name := range names {
		if cmd.Flag(name).Value.String() == "" {
			missing = append(missing, "--"+name)
		}
	}
	if missing == nil {
		return nil
	}
	needs := strings.Join(missing, " and ")
	if example, _, _ := strings.Cut(strings.TrimSpace(cmd.Example), "\n"); example != "" {
		command, _, _ := strings.Cut(example, "  #")
		return config.Usagef("%s needs %s, for example: %s; see `%[1]s --help`", cmd.CommandPath(), needs, strings.TrimSpace(command))
	}
	return config.Usagef("%s needs %s; see `%[1]s --help`", cmd.CommandPath(), needs)
}
