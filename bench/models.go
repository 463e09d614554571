package bench

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"compqa/bench/config"
	"compqa/bench/run"
)

// entries.yaml holds entries to copy into compqa.yaml.
//
//go:embed entries.yaml
var entries string

func modelsCommand(streams run.Streams) *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "models",
		Short: "List the configuration's models and judges, and entries to copy for new ones",
		Long: `Lists who answers and who judges in the configuration, and prints entries to copy
into it for OpenAI, Azure-style and self-hosted servers, Ollama, and hosted
services that speak the same language.`,
		Example: `  compqa models
  compqa models --config mine.yaml`,
		RunE: func(*cobra.Command, []string) error {
			c, err := config.Load(path)
			if err != nil {
				return err
			}
			listParties(c, streams.Out)
			_, err = fmt.Fprintf(streams.Out, "\nEntries to copy:\n\n%s", entries)
			return err
		},
	}
	cmd.Flags().StringVar(&path, "config", config.DefaultConfig, "the configuration `FILE`")
	return cmd
}

// list names the configuration's parties, a line each.
func listParties(c *config.Config, w io.Writer) {
	fmt.Fprintf(w, "Models in %s:\n", c.File)
	for _, m := range c.Models {
		fmt.Fprintf(w, "  %-20s %s\n", m.Name, whose(m.Provider, m.Model, m.Path))
	}
	fmt.Fprintf(w, "Judges in %s:\n", c.File)
	for _, j := range c.Judges {
		fmt.Fprintf(w, "  %-20s %s\n", j.Name, whose(j.Provider, j.Model, j.Path))
	}
	if len(c.Pairwise) > 0 {
		fmt.Fprintf(w, "Judges of pairs in %s:\n", c.File)
	}
	for _, ref := range c.Pairwise {
		fmt.Fprintf(w, "  %-20s %s, %s\n", ref.Name, ref.Method, cmp.Or(whose(ref.Provider, ref.Model, ""), "no model"))
	}
}

func whose(provider, model, path string) string {
	switch {
	case path != "":
		return "from " + path
	case model != "":
		return model + " at " + provider
	}
	return provider
}
