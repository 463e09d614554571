package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/train"
)

// ReportFlags are those of `compqa train report`.
type ReportFlags struct{ Run, Trained, Base, Card string }

// Report compares a trained judge with its base on the pairs of a record.
func Report(f ReportFlags, streams run.Streams) error {
	if f.Base == f.Trained {
		return config.Usagef("--base and --trained are both %q; they must be different judges", f.Base)
	}
	db, err := store.Open(f.Run)
	if err != nil {
		return err
	}
	defer db.Close()
	record, err := db.LoadPairwise("")
	if err != nil {
		return config.UsageError{Err: err}
	}
	var card *train.Card
	if f.Card != "" {
		text, err := os.ReadFile(f.Card)
		if err == nil {
			err = json.Unmarshal(text, &card)
		}
		if err == nil && (card == nil || len(card.Splits.Questions) == 0) {
			err = fmt.Errorf("it names no questions; use the %s of compqa train export", train.CardName)
		}
		if err != nil {
			return config.Usagef("reading the card %s: %w", f.Card, err)
		}
	}
	rows, err := train.Compare(db, record, f.Base, f.Trained, card)
	if refused := (train.Refusal{}); errors.As(err, &refused) {
		return config.UsageError{Err: err}
	}
	if err != nil {
		return err
	}
	view := train.ComparisonView(rows)
	text := train.ComparisonText(rows, f.Base, f.Trained, card)
	err = table.WriteFiles(f.Run, map[string]func(io.Writer) error{"trained.csv": table.CSV(rows), "trained.md": table.Text(text)})
	if err != nil {
		return err
	}
	return view.Terminal(streams.Out)
}
