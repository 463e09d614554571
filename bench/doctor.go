package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"compqa/llm"
)

func doctorCommand(streams Streams) *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the configuration, its providers and models, and say what to do",
		Long: `Reads the configuration with everything it names, asks each provider whether it
can be reached with the key there is, whether it knows each model, and whether the
model keeps to a JSON schema, and says what it found and what to do about it.

Exit codes: 0 all is well; 1 something cannot be reached; 2 the configuration is
wrong.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := LoadConfig(path)
			if err != nil {
				return err
			}
			p, err := newPlan(c, 0, nil)
			if err != nil {
				return err
			}
			fmt.Fprintf(streams.Out, "%s: fine: %d questions, %d scenarios, rubric %s (%d criteria, %v points), %d models, %d judges\n",
				path, len(p.questions), len(p.scenarios), p.rubric.Name, len(p.rubric.Criteria), p.rubric.Max(), len(p.systems), len(p.judges))
			fmt.Fprintf(streams.Out, "%s: %s\n", defaultOut, writable(defaultOut))
			return c.examine(cmd.Context(), streams)
		},
	}
	cmd.Flags().StringVar(&path, "config", defaultConfig, "the configuration `FILE`")
	return cmd
}

// writable says whether a run can be recorded in a folder.
func writable(dir string) string {
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			break
		}
		dir = filepath.Dir(dir)
	}
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return fmt.Sprintf("cannot be written: %v; give a run another --out", unwrapPath(err))
	}
	_, err = f.Write(make([]byte, 1<<20))
	f.Close()
	os.Remove(f.Name())
	if err != nil {
		return fmt.Sprintf("cannot be written: %v; free some space, or give a run another --out", unwrapPath(err))
	}
	return "can be written"
}

// examine asks each provider that a model or a judge uses.
func (c *Config) examine(ctx context.Context, streams Streams) error {
	wanted := map[string][]string{}
	want := func(provider, model string) {
		if _, ok := c.Providers[provider]; ok && !slices.Contains(wanted[provider], model) {
			wanted[provider] = append(wanted[provider], model)
		}
	}
	for _, m := range c.Models {
		want(m.Provider, m.Model)
	}
	for _, j := range c.Judges {
		want(j.Provider, j.Model)
	}
	if len(wanted) == 0 {
		fmt.Fprintln(streams.Out, "no model behind a provider is configured: nothing to reach (`compqa models` prints entries to copy)")
		return nil
	}
	names := make([]string, 0, len(wanted))
	for name := range wanted {
		names = append(names, name)
	}
	slices.Sort(names)
	ill := 0
	for _, name := range names {
		provider := c.Providers[name]
		provider.Name = name
		for _, model := range wanted[name] {
			found, fine := examineModel(ctx, provider, model)
			fmt.Fprintf(streams.Out, "%s, %s: %s\n", name, model, found)
			if !fine {
				ill++
			}
		}
	}
	if ill > 0 {
		return fmt.Errorf("%d of the models cannot be used as things are", ill)
	}
	return nil
}

func examineModel(ctx context.Context, provider llm.Provider, model string) (string, bool) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return diagnose(llm.Check(ctx, provider, model, os.Getenv, llm.Hooks{}))
}

// diagnose says in words what a check found and what to do about it, and
// whether the model can be used.
func diagnose(f llm.Facts) (string, bool) {
	switch {
	case !f.KeySet:
		return fmt.Sprintf("no key: the environment variable %s is not set; export it and run this again", f.KeyEnv), false
	case f.Config != nil:
		return fmt.Sprintf("the provider is not configured right: %v", f.Config), false
	case f.Reachable != nil:
		return fmt.Sprintf("nothing answers at %s: %v; is the server running, and is base_url right?", f.BaseURL, f.Reachable), false
	case f.Answer != nil && f.Models != nil && !f.Listed:
		return fmt.Sprintf("the server does not know this model (%v); it offers %s", f.Answer, abridged(f.Models)), false
	case f.Answer != nil:
		return fmt.Sprintf("reachable, but a small chat failed: %v", f.Answer), false
	case !f.Schema:
		return fmt.Sprintf("answers (%v), but does not keep to a JSON schema: as a judge its replies are parsed leniently and may need repair", f.Latency.Round(time.Millisecond)), true
	}
	return fmt.Sprintf("answers in %v and keeps to a JSON schema (%s)", f.Latency.Round(time.Millisecond), f.Format), true
}

// abridged names the first few of many.
func abridged(names []string) string {
	const few = 8
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}
