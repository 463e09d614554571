package board

import (
	"cmp"
	"encoding/json"
	"strings"

	"compqa/data"
	"compqa/results/store"
	"compqa/results/table"
)

// A Chosen is what a judge chose in one order; it has no status where nothing is recorded.
type Chosen struct {
	Status data.Status
	Choice data.Choice
}

// Cell is the choice, or the status of one that is not valid.
func (c Chosen) cell() table.Cell {
	switch {
	case c.Status == "":
		return table.Cell{Text: table.None}
	case c.Status != data.Valid:
		return table.Cell{Text: string(c.Status), Class: "bad"}
	case c.Choice.Decided():
		return table.Cell{Text: strings.ToUpper(string(c.Choice))}
	}
	return table.Cell{Text: string(c.Choice)}
}

// bothOrders is the choice in both orders: a tie where they differ, nothing where one is not valid.
func bothOrders(ab, ba Chosen) Chosen {
	switch {
	case ab.Status != data.Valid || ba.Status != data.Valid:
		return Chosen{}
	case ab.Choice != ba.Choice:
		return Chosen{data.Valid, data.ChoiceTie}
	}
	return ab
}

// choiceCells are the choices in both orders, and that of both, marked if they differ.
func choiceCells(ab, ba Chosen) []any {
	cell := bothOrders(ab, ba).cell()
	if cell.Text != table.None && ab.Choice != ba.Choice {
		cell.Text, cell.Class = "≠ "+cell.Text, "differs"
	}
	return []any{ab.cell(), ba.cell(), cell}
}

// A chosenPair is a pair and what a judge chose in its two orders.
type chosenPair struct {
	ID, Set, Question, SystemA, SystemB string
	Label                               data.Choice
	AB, BA                              Chosen
}

// A pairFilter says which pairs are wanted: of a set, of one or two systems, and with flips, wrong or missing choices; "": any.
type pairFilter struct{ Set, System, Against, Show string }

// choicesOf are the pairs that a judge compared by a method.
func choicesOf(s *store.Store, judge, method string, f pairFilter) ([]chosenPair, error) {
	list, err := store.Select[chosenPair](s, `SELECT p.id, p.dataset, p.question, p.system_a, p.system_b, p.label,
		coalesce(x.status, ''), coalesce(x.choice, ''), coalesce(y.status, ''), coalesce(y.choice, '') FROM pairs p
			LEFT JOIN preferences x ON x.id = p.id AND x.judge = ?1 AND x.method = ?2 AND x."order" = 'ab'
			LEFT JOIN preferences y ON y.id = p.id AND y.judge = ?1 AND y.method = ?2 AND y."order" = 'ba'
			WHERE p.active AND (x.id IS NOT NULL OR y.id IS NOT NULL) AND (?3 = '' OR p.dataset = ?3)
				AND (?4 = '' OR ?4 IN (p.system_a, p.system_b)) AND (?5 = '' OR ?5 IN (p.system_a, p.system_b))
			ORDER BY p.dataset, p.position, p.id`, judge, method, f.Set, f.System, f.Against)
	return table.Where(list, func(c chosenPair) bool {
		of := bothOrders(c.AB, c.BA)
		switch f.Show {
		case "flips":
			return of.Status != "" && c.AB.Choice != c.BA.Choice
		case "wrong":
			return of.Status != "" && c.Label.Decided() && of.Choice != c.Label
		case "missing":
			return of.Status == ""
		}
		return true
	}), err
}

// An explained is a choice with its reasons: a rationale with the table behind it, or why it is not valid.
type explained struct {
	Chosen
	Rationale, Reason, Table string
}

// A judgedPair is what a judge chose for a pair in its two orders.
type judgedPair struct {
	Judge, Method string
	AB, BA        explained
}

// choicesOn are the choices of all judges on a pair.
func choicesOn(s *store.Store, id string) ([]judgedPair, error) {
	return store.Select[judgedPair](s, `SELECT f.judge, f.method,
			coalesce(x.status, ''), coalesce(x.choice, ''), coalesce(x.rationale, ''), coalesce(x.reason, ''), coalesce(x.detail ->> 'table', ''),
			coalesce(y.status, ''), coalesce(y.choice, ''), coalesce(y.rationale, ''), coalesce(y.reason, ''), coalesce(y.detail ->> 'table', '')
		FROM (SELECT DISTINCT judge, method FROM preferences WHERE id = ?1) f
			LEFT JOIN preferences x ON x.id = ?1 AND x.judge = f.judge AND x.method = f.method AND x."order" = 'ab'
			LEFT JOIN preferences y ON y.id = ?1 AND y.judge = f.judge AND y.method = f.method AND y."order" = 'ba'
			LEFT JOIN parties j ON j.role = 'pairwise' AND j.name = f.judge AND j.method = f.method
		ORDER BY j.position, f.judge, f.method`, id)
}

// Text is the rationale, with the table behind the choice, in Markdown.
func (e explained) text() string {
	var rows []map[string]string
	if json.Unmarshal([]byte(e.Table), &rows) != nil || len(rows) == 0 {
		return e.Rationale
	}
	t := table.New(4, "aspect", "only first", "both", "only second")
	for _, row := range rows {
		t.Add(row["aspect"], cmp.Or(row["only_a"], table.None), cmp.Or(row["both"], table.None), cmp.Or(row["only_b"], table.None))
	}
	return e.Rationale + "\n\n" + t.Markdown()
}
