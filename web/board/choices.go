package board

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/preferences"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// choiceCell returns a cell with a choice, or with the status of a choice that is not valid.
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

// bothOrders combines the choices in both orders of a pair: a tie if they differ, and the zero Chosen if one is not valid.
func bothOrders(ab, ba store.Chosen) store.Chosen {
	if ab.Status != data.Valid || ba.Status != data.Valid {
		return store.Chosen{}
	}
	return store.Chosen{Status: data.Valid, Choice: data.BothOrders(ab.Choice, ba.Choice)}
}

// choiceCells returns three cells: the choice in order ab, that in order ba, and the combined one, marked with ≠ if the orders differ.
func choiceCells(ab, ba store.Chosen) []any {
	cell := choiceCell(bothOrders(ab, ba))
	if cell.Text != stats.Missing && ab.Choice != ba.Choice {
		cell.Text = "≠ " + cell.Text
		cell.Class = "differs"
	}
	return []any{choiceCell(ab), choiceCell(ba), cell}
}

// explanation returns a judge's rationale and the table of aspects behind the choice, in Markdown.
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

// An objectChoice says which object of a question a party chose. basis says in words how the choice is known, or why there is none. n is
// the number of arguments, rows, answers or preferences behind it.
type objectChoice struct {
	party  table.Cell
	kind   string
	choice data.Choice // "": unknown
	basis  string
	n      int
	writes bool // the party is a system, which writes answers
}

// The kinds of parties that choose.
const (
	kindArguments = "arguments"
	kindTable     = "contrastive table"
	kindPairs     = "judge of pairs"
	kindBaseline  = "baseline judge of pairs"
	kindPeople    = "people"
)

// choices returns the choices of all parties on a question, in this order: its arguments, the contrastive tables, the answers of each
// system, and people and judges of pairs.
func (v *view) choices(q *question) ([]objectChoice, error) {
	arguments := objectChoice{party: table.Cell{Text: "its arguments"}, kind: kindArguments, choice: q.Favoured(nil),
		basis: favouring(q.Question),
		n:     len(q.Arguments)}
	switch {
	case len(q.Arguments) == 0:
		arguments.basis = "no arguments are recorded"
	case arguments.choice == "":
		arguments.basis = "no argument says which object it favours"
	}
	list := []objectChoice{arguments}
	if !q.HasObjects() {
		list = nil
	}
	bySystem := map[string][]int{}
	var tables, answers []objectChoice
	for _, i := range q.answers {
		bySystem[v.s.Answers[i].System] = append(bySystem[v.s.Answers[i].System], i)
	}
	for _, system := range v.s.Systems {
		theirs := bySystem[system.Name]
		if theirs == nil || !q.HasObjects() {
			continue
		}
		party := table.Cell{Text: v.s.SystemName(system.Name)}
		if v.static == nil {
			party.To = &table.Target{Page: "answers", Query: []string{"system", system.Name}}
		}
		for _, i := range theirs {
			if a := &v.s.Answers[i]; a.Summary != nil && a.Summary.Table != nil {
				tables = append(tables, v.tableChoice(q, a, party))
				break
			}
		}
		answers = append(answers, v.answersChoice(q, theirs, party, system))
	}
	pairs, err := v.pairsChoices(q)
	return slices.Concat(list, tables, answers, pairs), err
}

// choiceOf returns which object an answer chooses. a is the question's first object, even if the answer names the objects in the other
// order.
func (q *question) choiceOf(a *dataset.AnswerRow) data.Choice {
	if !data.SameName(q.Object1, a.Object1) {
		return a.Choice().Swapped()
	}
	return a.Choice()
}

// tableChoice returns the object that the rows of an answer's contrastive table favour.
func (v *view) tableChoice(q *question, a *dataset.AnswerRow, party table.Cell) objectChoice {
	c := objectChoice{party: party, kind: kindTable, choice: a.Summary.Table.Choice(), basis: rowsFavour(a.Summary.Table, a),
		n: len(a.Summary.Table.Rows)}
	if !data.SameName(q.Object1, a.Object1) {
		c.choice = c.choice.Swapped()
	}
	switch {
	case c.n < data.FewestRows:
		c.basis = fmt.Sprintf("fewer than %d rows make no choice", data.FewestRows)
	case c.choice == "":
		c.basis = "rows do not say which object they favour"
	}
	return c
}

// rowsFavour says how many rows of an answer's table favour each object.
func rowsFavour(t *data.ContrastTable, a *dataset.AnswerRow) string {
	first, second := t.Favouring()
	return fmt.Sprintf("%s: %d for %s, %d for %s", data.Plural(len(t.Rows), "row", "rows"), first, a.Object1, second, a.Object2)
}

// answersChoice returns the object that most valid answers of a system choose.
func (v *view) answersChoice(q *question, answers []int, party table.Cell, system store.Participant) objectChoice {
	c := objectChoice{party: party, kind: system.Kind, writes: true}
	if data.IsHuman(system.Name) {
		c.kind = kindPeople
	}
	var votes []data.Choice
	for _, i := range answers {
		if a := &v.s.Answers[i]; a.Status == data.Valid {
			votes = append(votes, q.choiceOf(a))
			c.n++
		}
	}
	c.choice, c.basis = q.majority(votes, "answers choose")
	if c.n == 0 {
		c.basis = "no answer is valid"
	}
	return c
}

// majority returns the most frequent choice, and in words the number of votes for each choice. If no choice is the most frequent, it
// returns "" and why.
func (q *question) majority(votes []data.Choice, who string) (data.Choice, string) {
	counts, _, n := data.CountVotes(votes)
	if n == 0 {
		return "", "none of the " + who + " an object"
	}
	var texts []string
	for _, c := range []data.Choice{data.ChoiceA, data.ChoiceB, data.ChoiceTie} {
		if counts[c] > 0 {
			texts = append(texts, fmt.Sprintf("%d %s", counts[c], c.Named(q.Object1, q.Object2, "neither")))
		}
	}
	if none := len(votes) - n; none > 0 {
		texts = append(texts, fmt.Sprintf("%d state no choice", none))
	}
	choice, ok := data.Majority(votes)
	if !ok {
		return "", who + ": " + strings.Join(texts, ", ") + "; no choice is the most frequent"
	}
	return choice, who + ": " + strings.Join(texts, ", ")
}

// pairsChoices returns the choices of people and of judges of pairs. It uses only pairs in which one answer chooses the first object and
// the other the second. A preference for an answer counts as a vote for the object that this answer chooses.
func (v *view) pairsChoices(q *question) (list []objectChoice, err error) {
	objects := map[string]data.Choice{} // the object that each answer chooses
	for _, i := range q.answers {
		objects[v.s.Answers[i].ID] = q.choiceOf(&v.s.Answers[i])
	}
	for _, s := range v.stores {
		pairs, err := s.PairsOf(slices.Sorted(maps.Keys(objects)))
		if err != nil || len(pairs) == 0 {
			return list, err
		}
		object := func(p store.LabelledPair, c data.Choice) data.Choice {
			return map[data.Choice]data.Choice{data.ChoiceA: objects[p.AnswerA], data.ChoiceB: objects[p.AnswerB], data.ChoiceTie: data.ChoiceTie}[c]
		}
		differ := map[string]store.LabelledPair{}
		var labels []data.Choice
		for _, p := range pairs {
			if a, b := objects[p.AnswerA], objects[p.AnswerB]; a.Decided() && b == a.Swapped() {
				differ[p.ID] = p
				if p.Label != data.NoChoice {
					labels = append(labels, object(p, p.Label))
				}
			}
		}
		if slices.ContainsFunc(pairs, func(p store.LabelledPair) bool { return p.Label != data.NoChoice }) {
			list = append(list, q.preferring(table.Cell{Text: kindPeople}, kindPeople, labels, len(differ)))
		}
		judged, err := s.ChoicesOn(data.Each(pairs, func(p store.LabelledPair) string { return p.ID })...)
		if err != nil {
			return nil, err
		}
		judges, err := s.PlannedParties(store.RolePairwise)
		if err != nil {
			return nil, err
		}
		for _, judge := range judges {
			var votes []data.Choice
			compared := false
			for _, c := range judged {
				if c.Judge == judge.Name && c.Method == judge.Method {
					compared = true
					p, differs := differ[c.Pair]
					choice := combinedChoice(c.AB.Chosen, c.BA.Chosen)
					if differs && choice != "" {
						votes = append(votes, object(p, choice))
					}
				}
			}
			if compared {
				list = append(list, q.preferring(v.chooserCell(judge), kindOfJudge(judge), votes, len(differ)))
			}
		}
	}
	return list, nil
}

// chooserCell returns the name of a judge of pairs, with a link to the judge's pairs.
func (v *view) chooserCell(judge store.Participant) table.Cell {
	name := preferences.Heading(v.shownName(judge.Name), judge.Method)
	return table.Cell{Text: name, To: &table.Target{Page: "comparisons", Query: []string{"chosen_by", name}}}
}

// kindOfJudge returns the kind of a judge of pairs: kindPeople, kindBaseline or kindPairs.
func kindOfJudge(judge store.Participant) string {
	switch judge.Kind {
	case dataset.KindHuman:
		return kindPeople
	case dataset.KindFloor, dataset.KindBaseline:
		return kindBaseline
	}
	return kindPairs
}

// combinedChoice returns a judge's choice on a pair: the combined choice of both orders, or the choice in the only order that was asked.
func combinedChoice(ab, ba store.Chosen) data.Choice {
	switch {
	case ab.Status == "":
		return ba.Choice
	case ba.Status == "":
		return ab.Choice
	}
	return bothOrders(ab, ba).Choice
}

// preferring returns a party's choice from its votes, or why there is none. differ is the number of pairs whose answers choose different
// objects.
func (q *question) preferring(party table.Cell, kind string, votes []data.Choice, differ int) objectChoice {
	c := objectChoice{party: party, kind: kind, n: len(votes)}
	switch c.choice, c.basis = q.majority(votes, "preferred answers choose"); {
	case differ == 0:
		c.basis = "no pair has answers that choose different objects"
	case c.n == 0:
		c.basis = "no valid choice between answers that choose different objects"
	}
	return c
}

// choicesTable returns a table with the choice of each party.
func (v *view) choicesTable(q *question, choices []objectChoice) part {
	s := table.Section{ID: "choices" + q.mark, Title: "What each party chose" + q.about}
	if choices == nil {
		s.About = "The question has no objects to choose from."
		return part{Shown: v.titled(&s)}
	}
	s.About = fmt.Sprintf("a is %s, b is %s, a tie is neither; %s: not known, and “how” says why. "+
		"n counts the arguments, rows, answers or preferences. "+
		"A preference between two answers counts for the object that the preferred answer chooses.", q.Object1, q.Object2, stats.Missing)
	s.Table = table.New(4, "party", "kind", "choice", "how", "n")
	s.Table.Look = "list"
	for _, c := range choices {
		choice := cmp.Or(string(c.choice), stats.Missing)
		if c.choice.Decided() {
			choice += ": " + c.choice.Named(q.Object1, q.Object2, "")
		}
		s.Table.Add(c.party, c.kind, choice, c.basis, c.n)
	}
	if v.static != nil {
		return part{Shown: v.titled(&s)}
	}
	return v.sectionPart(s)
}

// lead returns a sentence on what the arguments favour, and how many systems choose each object.
func (q *question) lead(choices []objectChoice) string {
	if !q.HasObjects() {
		return ""
	}
	text := "**" + withoutBold(q.Object1) + "** or **" + withoutBold(q.Object2) + "**"
	if q.Aspect != "" {
		text += ", aspect: " + withoutBold(q.Aspect)
	}
	counts := map[data.Choice]int{}
	systems := 0
	for _, c := range choices {
		name := c.choice.Named(q.Object1, q.Object2, "neither object")
		if c.kind == kindArguments && name != "" {
			text += fmt.Sprintf(". The arguments favour **%s** (%s)", withoutBold(name), withoutBold(c.basis))
		}
		if c.writes {
			counts[c.choice]++
			systems++
		}
	}
	return fmt.Sprintf("%s. Of %s, %d choose **%s**, %d **%s**, %d neither, %d without a choice.", text,
		data.Plural(systems, "system", "systems"), counts[data.ChoiceA], withoutBold(q.Object1),
		counts[data.ChoiceB], withoutBold(q.Object2), counts[data.ChoiceTie], counts[""])
}
