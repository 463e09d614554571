package pairs

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data/sources"
	"compqa/judges/pairwise"
)

// ImportCommand is `compqa pairwise import`.
func ImportCommand(streams run.Streams, out string) *cobra.Command {
	var f Flags
	cmd := &cobra.Command{
		Use:   "import",
		Short: "Import preferences of people and judges, with their pairs or for the pairs of a run",
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.Logged(cmd, streams, Import) },
	}
	cmd.Flags().StringVar(&f.Config, "config", "", "the configuration `FILE` (default: "+config.DefaultConfig+", if it exists)")
	f.Add(cmd, out, "use only the first `N` pairs of each set (0: all)")
	cmd.Flags().StringVar(&f.Format, "format", FormatFile, "the format of --in: "+strings.Join(append([]string{FormatFile}, sources.PairFormatNames()...), ", "))
	cmd.Flags().StringVar(&f.In, "in", "", "read the preferences of this `PATH`: a file, or the folder of a published set")
	cmd.Flags().StringVar(&f.Pairs, "pairs", "", "with --format file: the `FILE` of the pairs (default: the pairs of the run)")
	AddGold(cmd, &f)
	cmd.Flags().Float64Var(&f.Margin, "margin", 1, "a difference of up to `POINTS` human points counts as a tie")
	return cmd
}

// AddGold adds the flag --gold.
func AddGold(cmd *cobra.Command, f *Flags) {
	cmd.Flags().StringVar(&f.Gold, "gold", GoldLabel, fmt.Sprintf("the reference `NAME`: %s (of the pairs), %s (of people's preferences), or a person, for instance human:1", GoldLabel, GoldMajority))
}

// FormatsHelp describes the formats.
func FormatsHelp() string {
	var b strings.Builder
	for _, f := range sources.PairFormats() {
		fmt.Fprintf(&b, "  %-20s %s\n", f.Name, f.About)
	}
	return b.String()
}

// MethodsHelp describes the methods that ask models.
func MethodsHelp() string {
	var b strings.Builder
	for _, m := range pairwise.Methods {
		if m.Live() {
			fmt.Fprintf(&b, "  %-22s %s\n", m.Name, strings.ReplaceAll(m.About, "\n", "\n"+strings.Repeat(" ", 25)))
		}
	}
	return b.String()
}
