package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/data/sources"
	"compqa/results/summaries"
	"compqa/results/table"
	"compqa/scenarios/strum"
)

func strumCommand(streams run.Streams) *cobra.Command {
	var f strumFlags
	cmd := &cobra.Command{
		Use:   "strum --cocotrip DIR [--out DIR]",
		Short: "Make contrastive tables of CoCoTrip and compare them with its gold tables",
		RunE:  func(*cobra.Command, []string) error { return f.cocotripTables(streams.Out) },
	}
	cmd.Flags().StringVar(&f.cocotrip, "cocotrip", "", "the folder `DIR` with the files of CoCoTrip")
	cmd.Flags().StringVar(&f.out, "out", "", "write the figures (cocotrip.csv) and the tables (cocotrip.jsonl) to the folder `DIR`")
	require(cmd, "cocotrip")
	return cmd
}

type strumFlags struct{ cocotrip, out string }

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
	view := table.View(2, rows, "system", "split=pairs", "pairs:0=number", "attribute_f1:3", "kind_accuracy:3", "rouge1_own:3=ROUGE-1, own", "rouge1_other:3=other", "rouge1_gap:3=gap", "quotes_found:3", "wrong_entity:3")
	if err := view.Terminal(out); err != nil {
		return err
	}
	if f.out != "" {
		fmt.Fprintf(out, "\n%s has all figures, and the tables as JSON.\n", filepath.Clean(f.out))
	}
	return nil
}
