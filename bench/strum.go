package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"compqa/bench/config"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/bench/tables"
	"compqa/data"
	"compqa/data/sources"
	"compqa/results/store"
	"compqa/results/summaries"
	"compqa/results/table"
	"compqa/scenarios"
	"compqa/scenarios/strum"
)

func strumCommand(streams run.Streams) *cobra.Command {
	var f strumFlags
	cmd := &cobra.Command{
		Use:   "strum --in FILE --out DIR [--config FILE --model NAME] | --cocotrip DIR [--out DIR]",
		Short: "Make contrastive tables of your own sources, or of CoCoTrip",
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), streams) },
	}
	cmd.Flags().StringVar(&f.in, "in", "", "the `FILE` with the sources")
	cmd.Flags().StringVar(&f.out, "out", "", "the folder `DIR` to write strum.md, strum.json and strum.html to; with --cocotrip, the figures (cocotrip.csv) and the tables (cocotrip.jsonl)")
	cmd.Flags().StringVar(&f.cocotrip, "cocotrip", "", "the folder `DIR` with the files of CoCoTrip: compare its tables with the gold tables")
	cmd.Flags().StringVar(&f.config, "config", "", "the configuration `FILE` with the model (default: "+config.DefaultConfig+")")
	cmd.Flags().StringVar(&f.model, "model", strum.MethodChoice, "the `NAME` of an entry under models, or strum or strum+choice, which need no model")
	return cmd
}

type strumFlags struct{ in, out, config, model, cocotrip string }

func (f strumFlags) run(ctx context.Context, streams run.Streams) error {
	switch {
	case f.cocotrip != "" && f.in != "":
		return config.UsageError{Err: fmt.Errorf("--cocotrip reads its own sources; leave --in out")}
	case f.cocotrip != "":
		return f.cocotripTables(streams.Out)
	case f.in == "" || f.out == "":
		return config.UsageError{Err: fmt.Errorf("compqa strum needs --in and --out, or --cocotrip")}
	}
	c, m, err := f.entry()
	if err != nil {
		return err
	}
	sets, err := data.ReadSources(f.in)
	if err != nil {
		return config.UsageError{Err: err}
	}
	m.Sources, m.Batch = f.in, false
	system, err := plan.BuildSystem(c, m, func() ([]data.PairSources, error) { return sets, nil })
	if err != nil {
		return err
	}
	system.OnPart(func(q data.Question, done, parts int) {
		if done == parts || done*10/parts > (done-1)*10/parts {
			fmt.Fprintf(streams.Err, "%s or %s: %d of %s of the sources read\n", q.Object1, q.Object2, done, data.Plural(parts, "part", "parts"))
		}
	})
	made, err := tablesOf(ctx, streams, c, &system, cmp.Or(m.Method, m.Baseline()) == strum.MethodChoice, sets, f.out)
	if err != nil {
		return err
	}
	if err := table.WriteFiles(f.out, tables.Files(made)); err != nil {
		return err
	}
	invalid := 0
	for _, t := range made {
		if t.Answer.Status != data.Valid {
			invalid++
			fmt.Fprintf(streams.Err, "%s or %s: %s: %s\n", t.Question.Object1, t.Question.Object2, t.Answer.Status, t.Answer.Reason)
		}
	}
	fmt.Fprintf(streams.Out, "%d of %s: see %s/strum.html, strum.md and strum.json\n", len(made)-invalid, data.Plural(len(made), "table", "tables"), f.out)
	if invalid > 0 {
		return fmt.Errorf("%w: %d of %d tables", run.ErrIncomplete, invalid, len(made))
	}
	return nil
}

// entry is the system: an entry of the configuration with a method or of the offline systems,
// or an offline system, which needs no configuration.
func (f strumFlags) entry() (*config.Config, config.Model, error) {
	if f.config == "" && slices.Contains(strum.Methods, f.model) {
		c := &config.Config{Judges: []config.Judge{{Name: "constant", Asked: config.Asked{Provider: config.ProviderEmbedded}}}, Run: config.Run{Seed: 1, Concurrency: 8}}
		return c, config.Model{Name: f.model, Asked: config.Asked{Provider: config.ProviderBaseline}}, c.Check()
	}
	c, err := config.Load(cmp.Or(f.config, config.DefaultConfig))
	if err != nil {
		return nil, config.Model{}, err
	}
	var known []string
	for _, m := range c.Models {
		offline, _ := scenarios.OfflineNamed(m.Baseline())
		if m.Method == "" && !(m.Provider == config.ProviderBaseline && offline.Tables) {
			continue
		}
		if known = append(known, m.Name); m.Name == f.model {
			return c, m, run.CheckBudget(c)
		}
	}
	return nil, config.Model{}, config.UsageError{Err: fmt.Errorf("no model %q makes contrastive tables%s", f.model, data.Suggest(f.model, "models with method strum or strum+choice", known))}
}

// tablesOf makes the tables of all pairs. The calls of models are recorded in the folder dir, so
// that none is paid for twice. choice: the system chooses.
func tablesOf(ctx context.Context, streams run.Streams, c *config.Config, system *plan.System, choice bool, sets []data.PairSources, dir string) (made []tables.Made, err error) {
	var db *store.Store
	if system.Kind == config.KindModel {
		if db, err = store.Create(dir); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
	}
	e := run.New(c, db, nil)
	ctx, end := e.Start(ctx, streams.Err)
	p := &plan.Plan{Config: c, Answers: []plan.AnswerCell{{Contestant: system}}}
	if err := p.Connect(ctx, e, true, streams.Err); err != nil {
		return nil, errors.Join(err, end())
	}
	made = make([]tables.Made, len(sets))
	failed := e.Run(ctx, []run.Source{{Tasks: func(context.Context) iter.Seq2[run.Task, error] {
		return func(yield func(run.Task, error) bool) {
			for i, set := range sets {
				q := data.Question{Object1: set.Object1, Object2: set.Object2, Text: data.DefaultQuestion(set.Object1, set.Object2, "")}
				q.ID = q.Pair()
				t := system.Task(func(ctx context.Context, ask run.Asker) data.Status {
					a := system.Answer(ctx, ask, q, scenarios.Scenario{ID: data.NoScenario}, 1)
					a.ID, a.System = data.AnswerID(system.Name, data.NoScenario, q.ID, 1), system.Name
					made[i] = tables.Made{Question: q, Sources: set.Sources, Answer: a}
					if a.Table != nil && choice {
						made[i].Choice = cmp.Or(strum.Choose(q, *a.Table, set.Sources), "Neither")
					}
					return a.Status
				})
				if !yield(t, nil) {
					return
				}
			}
		}
	}}})
	if err := errors.Join(failed, end()); err != nil {
		return nil, err
	}
	for i := range made {
		if s := made[i].Answer.Status; s == "" || s == data.Pending {
			return nil, fmt.Errorf("%w after %d of %d tables", run.ErrInterrupted, i, len(made))
		}
	}
	return made, nil
}

// cocotripTables makes the table of each pair of hotels, and prints how they compare with the
// gold tables.
func (f strumFlags) cocotripTables(out io.Writer) error {
	pairs, err := sources.ReadCoCoTrip(f.cocotrip)
	if err != nil {
		return config.UsageError{Err: err}
	}
	tables := make([]data.ContrastTable, len(pairs))
	for i, p := range pairs {
		tables[i] = strum.Offline(p.Question, p.Sources)
	}
	rows, err := summaries.CoCoTrip("strum", pairs, tables)
	if err != nil {
		return err
	}
	if f.out != "" {
		err := table.WriteFiles(f.out, map[string]func(io.Writer) error{"cocotrip.csv": table.CSV(rows), "cocotrip.jsonl": func(w io.Writer) error {
			for i, p := range pairs {
				line, err := json.Marshal(map[string]any{"object1": p.Question.Object1, "object2": p.Question.Object2, "split": p.Split, "table": tables[i]})
				if err != nil {
					return err
				}
				if _, err := fmt.Fprintf(w, "%s\n", line); err != nil {
					return err
				}
			}
			return nil
		}})
		if err != nil {
			return err
		}
	}
	view := table.View(2, rows, "system", "split=pairs", "pairs:0=n", "attribute_f1=attribute F1", "kind_accuracy=kind", "rouge1_gap:3=gap", "quotes_found:2=quotes", "wrong_entity:2=wrong")
	if err := view.Terminal(out); err != nil {
		return err
	}
	if f.out != "" {
		fmt.Fprintf(out, "\n%s has all figures, and the tables as JSON.\n", filepath.Clean(f.out))
	}
	return nil
}
