package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/bench/run"
	"compqa/data"
	"compqa/data/sources"
	"compqa/results/store"
	"compqa/results/summaries"
	"compqa/results/table"
	"compqa/scenarios"
	"compqa/scenarios/strum"
)

func strumCommand(streams cli.Streams) *cobra.Command {
	var f strumFlags
	cmd := cli.Command("strum --in FILE --out DIR [--config FILE --model NAME] | --cocotrip DIR [--out DIR]",
		"Make contrastive tables of your own sources, or of CoCoTrip",
		func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), streams) })
	cmd.Flags().StringVar(&f.in, "in", "", "the `FILE` with the sources")
	cmd.Flags().StringVar(&f.out, "out", "",
		"the folder `DIR` to write strum.md, strum.json and strum.html to; with --cocotrip, the figures (cocotrip.csv) and the tables "+
			"(cocotrip.jsonl)")
	cmd.Flags().StringVar(&f.cocotrip, "cocotrip", "", "the folder `DIR` with the files of CoCoTrip: compare its tables with the gold tables")
	cmd.Flags().BoolVar(&f.trusted, "trust", false, cli.TrustUsage)
	cmd.Flags().StringVar(&f.config, "config", "", "the configuration `FILE` with the model (default: "+config.DefaultConfig+")")
	cmd.Flags().StringVar(&f.model, "model", strum.Method,
		"the `NAME` of an entry under models, or strum or strum+choice, which need no model")
	return cmd
}

type strumFlags struct {
	in, out, config, model, cocotrip string
	trusted                          bool
}

// run makes contrastive tables of the sources in --in and writes them. With --cocotrip it makes and compares the tables of CoCoTrip.
func (f strumFlags) run(ctx context.Context, streams cli.Streams) error {
	switch {
	case f.cocotrip != "" && f.in != "":
		return config.Usagef("--cocotrip reads its own sources; leave --in out")
	case f.cocotrip != "":
		return f.cocotripTables(ctx, streams)
	case f.in == "" || f.out == "":
		return config.Usagef("compqa strum needs --in and --out, or --cocotrip")
	}
	sets, err := data.ReadSources(f.in)
	if err != nil {
		return config.UsageError{Err: err}
	}
	made, err := f.make(ctx, streams, f.in, sets)
	if err != nil {
		return err
	}
	err = inFolder("strum", f.out, func(dir string) error { return table.WriteFiles(dir, strumFiles(made)) })
	if err != nil {
		return err
	}
	valid := validTables(made, streams.Err)
	fmt.Fprintf(streams.Out, "%d of %s: see %s/strum.html, strum.md and strum.json\n", len(valid), data.Plural(len(made), "table", "tables"),
		f.out)
	return someMissing(len(made)-len(valid), len(made))
}

// make makes a contrastive table for each set of sources with the system that --model names. file is the file that the sources are from.
func (f strumFlags) make(ctx context.Context, streams cli.Streams, file string, sets []data.PairSources) (made []tableMade, err error) {
	c, m, err := f.entry()
	if err != nil {
		return nil, err
	}
	m.Sources = file
	m.Batch = ""
	system, err := parties.BuildSystem(c, m, func() ([]data.PairSources, error) { return sets, nil })
	if err != nil {
		return nil, err
	}
	if system.Kind == config.KindModel && f.out == "" {
		return nil, config.Usagef("model %q needs --out, where its calls are recorded", m.Name)
	}
	system.OnPart = func(q data.Question, done, parts int) {
		if done == parts || done*10/parts > (done-1)*10/parts {
			fmt.Fprintf(streams.Err, "%s or %s: %d of %s of the sources read\n", q.Object1, q.Object2, done, data.Plural(parts, "part", "parts"))
		}
	}
	var db *store.Store
	if system.Kind == config.KindModel { // record the calls, so that none is paid for twice
		db, err = store.Create(f.out)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
	}
	made = make([]tableMade, len(sets))
	tasks := make([]run.Task, len(sets))
	for i, set := range sets {
		q := data.Question{Object1: set.Object1, Object2: set.Object2, Text: data.DefaultQuestion(set.Object1, set.Object2, "")}
		q.ID = q.Pair()
		tasks[i] = run.Task{Party: store.Party{Kind: store.KindAnswer, Name: system.Name}, Provider: system.Provider}
		tasks[i].Do = func(ctx context.Context, ask run.Asker) (run.Item, error) {
			a := system.Answer(ctx, ask, q, scenarios.Scenario{ID: data.NoScenario}, 1)
			a.ID = data.AnswerID(system.Name, data.NoScenario, q.ID, 1)
			a.System = system.Name
			made[i] = tableMade{Question: q, Sources: set.Sources, Answer: a}
			if a.Table != nil && cmp.Or(m.Method, m.BuiltIn()) == strum.MethodChoice {
				made[i].Choice = strum.Choose(q, *a.Table, set.Sources)
			}
			return run.Item{Status: a.Status}, nil
		}
	}
	if _, err := perform(ctx, streams, run.New(c, db, nil), system.Providers(), tasks); err != nil {
		return nil, err
	}
	for i := range made {
		if s := made[i].Answer.Status; s == "" || s == data.Pending {
			return nil, fmt.Errorf("%w after %d of %d tables", cli.ErrInterrupted, i, len(made))
		}
	}
	return made, nil
}

// validTables returns the indices of the tables that were made, including tables without rows. It writes to w why a table is missing or has
// no rows.
func validTables(made []tableMade, w io.Writer) (valid []int) {
	for i, t := range made {
		if t.Answer.Status == data.Valid || t.Answer.Status == data.Empty {
			valid = append(valid, i)
		}
		if t.Answer.Status != data.Valid {
			fmt.Fprintf(w, "%s or %s: %s: %s\n", t.Question.Object1, t.Question.Object2, t.Answer.Status, t.Answer.Reason)
		}
	}
	return valid
}

func someMissing(missing, all int) error {
	if missing == 0 {
		return nil
	}
	return fmt.Errorf("%w: %d of %d tables", cli.ErrIncomplete, missing, all)
}

// entry returns the system that --model names, with its configuration. It is an entry of the configuration that makes contrastive tables,
// or a built-in system, which needs no configuration.
func (f strumFlags) entry() (*config.Config, config.Model, error) {
	if f.config == "" && slices.Contains(strum.Methods, f.model) {
		c, err := config.LoadOr("", "constant")
		return c, config.Model{Entry: config.Entry{Name: f.model, Asked: config.Asked{Provider: config.ProviderBaseline}}}, err
	}
	c, err := config.LoadWithoutJudges(cmp.Or(f.config, config.DefaultConfig))
	if err != nil {
		return nil, config.Model{}, err
	}
	c.Trusted = f.trusted
	var known []string
	for _, m := range c.Models {
		offline, _ := scenarios.OfflineNamed(m.BuiltIn())
		if m.Method == "" && !(m.Provider == config.ProviderBaseline && offline.Tables) {
			continue
		}
		known = append(known, m.Name)
		if m.Name == f.model {
			return c, m, run.CheckBudget(c)
		}
	}
	return nil, config.Model{}, config.Usagef("no model %q makes contrastive tables%s", f.model,
		data.Suggest(f.model, "models with method strum or strum+choice", known))
}

// cocotripTables makes a table for each pair of hotels of CoCoTrip, and prints how the tables compare with the gold tables. A pair whose
// table could not be made is left out.
func (f strumFlags) cocotripTables(ctx context.Context, streams cli.Streams) error {
	all, err := sources.ReadCoCoTrip(f.cocotrip)
	if err != nil {
		return config.UsageError{Err: err}
	}
	sets := make([]data.PairSources, len(all))
	for i, p := range all {
		sets[i] = data.PairSources{Object1: p.Question.Object1, Object2: p.Question.Object2, Sources: p.Sources}
	}
	made, err := f.make(ctx, streams, f.cocotrip, sets)
	if err != nil {
		return err
	}
	var pairs []sources.HotelPair
	var found []data.ContrastTable
	var lines []byte
	for _, i := range validTables(made, streams.Err) {
		pairs = append(pairs, all[i])
		found = append(found, *made[i].Answer.Table)
		line, err := json.Marshal(map[string]any{"object1": all[i].Question.Object1, "object2": all[i].Question.Object2, "split": all[i].Split,
			"table": made[i].Answer.Table})
		if err != nil {
			return err
		}
		lines = append(append(lines, line...), '\n')
	}
	rows, err := summaries.CoCoTrip(f.model, pairs, found)
	if err != nil {
		return err
	}
	view := table.From(2, rows, "system", "split=pairs", "pairs:0=n", "attribute_f1=attribute F1", "kind_accuracy=kind", "rouge1_gap:3=gap",
		"quotes_found:2=quotes", "wrong_entity:2=wrong")
	if err := view.Terminal(streams.Out); err != nil {
		return err
	}
	if f.out != "" {
		err := inFolder("strum", f.out, func(dir string) error {
			return table.WriteFiles(dir, map[string]func(io.Writer) error{"cocotrip.csv": table.CSV(rows),
				"cocotrip.jsonl": table.Text(string(lines))})
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(streams.Out, "\n%s has all figures, and the tables as JSON.\n", filepath.Clean(f.out))
	}
	return someMissing(len(made)-len(found), len(made))
}
