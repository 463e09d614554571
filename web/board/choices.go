package board

import (
	"cmp"
	"encoding/json"
	"strings"

	"compqa/data"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// choiceCell is the choice, or the status of one that is not valid.
func choiceCell(c store.Chosen) table.Cell {
	switch {
	case c.Status == "":
		return table.Cell{Text: stats.Missing}
	case c.Status != data.Valid:
		return table.Cell{Text: string(c.Status), Class: "bad"}
	case c.Choice.Decided():
		return table.Cell{Text: strings.ToUpper(string(c.Choice))}
	}
	return table.Cell{Text: string(c.Choice)}
}

// bothOrders is the choice in both orders: a tie where they differ, nothing where one is not valid.
func bothOrders(ab, ba store.Chosen) store.Chosen {
	switch {
	case ab.Status != data.Valid || ba.Status != data.Valid:
		return store.Chosen{}
	case ab.Choice != ba.Choice:
		return store.Chosen{Status: data.Valid, Choice: data.ChoiceTie}
	}
	return ab
}

// choiceCells are the choices in both orders, and that of both, marked if they differ.
func choiceCells(ab, ba store.Chosen) []any {
	cell := choiceCell(bothOrders(ab, ba))
	if cell.Text != stats.Missing && ab.Choice != ba.Choice {
		cell.Text, cell.Class = "≠ "+cell.Text, "differs"
	}
	return []any{choiceCell(ab), choiceCell(ba), cell}
}

// A pairFilter says which pairs are wanted: of a set, of one or two systems, and with flips, wrong or missing choices; "": any.
type pairFilter struct{ Set, System, Against, Show string }

// choicesOf are the pairs that a judge compared by a method.
func choicesOf(s *store.Store, judge, method string, f pairFilter) ([]store.ChosenPair, error) {
	list, err := s.ChosenPairs(judge, method, f.Set, f.System, f.Against)
	return data.Where(list, func(c store.ChosenPair) bool {
		chosen := bothOrders(c.AB, c.BA)
		switch f.Show {
		case "flips":
			return chosen.Status != "" && c.AB.Choice != c.BA.Choice
		case "wrong":
			return chosen.Status != "" && c.Label.Decided() && chosen.Choice != c.Label
		case "missing":
			return chosen.Status == ""
		}
		return true
	}), err
}

// explanation is the rationale, with the table behind the choice, in Markdown.
func explanation(e store.ExplainedChoice) string {
	var rows []map[string]string
	if json.Unmarshal([]byte(e.Table), &rows) != nil || len(rows) == 0 {
		return e.Rationale
	}
	t := table.New(4, "aspect", "only first", "both", "only second")
	for _, row := range rows {
		t.Add(row["aspect"], cmp.Or(row["only_a"], stats.Missing), cmp.Or(row["both"], stats.Missing), cmp.Or(row["only_b"], stats.Missing))
	}
	return e.Rationale + "\n\n" + t.Markdown()
}
