package sources

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"compqa/data"
)

// chosen finds the columns that say who chose which answer, in which order the answers were shown, and why. If the format has a choice
// already, these columns are left out.
func (p *pairFinder) chosen() error {
	m := &p.f.Item
	by, isJudge, err := p.chooser()
	if err != nil {
		return err
	}
	if m.Better != nil || m.Candidates != nil || m.Label != nil || len(p.f.Scores) > 0 {
		p.set(&m.Status, "status", RoleStatus)
		for _, list := range []string{"person", "judge", "reason"} {
			for c := p.byName(list); c != nil; c = p.byName(list) {
				p.take(c.name, RoleLeft, "beside the choice that "+p.f.Name+" has")
			}
		}
		return nil
	}
	columns, err := p.choiceColumns()
	if err != nil {
		return err
	}
	var order *orderColumn
	if len(columns) > 0 {
		order, err = p.order()
		if err != nil {
			return err
		}
	}
	var reason paths
	if len(columns) > 0 {
		p.set(&reason, "reason", RoleReason)
	}
	for _, c := range columns {
		if err := p.choiceOf(c, order, by, isJudge, reason, ofSeveral(columns)); err != nil {
			return err
		}
	}
	return nil
}

// A choiceColumn is a column of choices. side and who say who chose, if the column's name says so.
type choiceColumn struct {
	*pairColumn
	side, who string // side is sidePeople, sideJudge, or "" if the name does not say
	role      string // RoleChoice or one of the choice… roles below
}

// ofSeveral reports whether more than one column has choices of people or of unnamed raters.
func ofSeveral(columns []choiceColumn) bool {
	return len(data.Where(columns, func(c choiceColumn) bool { return c.side != sideJudge })) > 1
}

// The roles that a user's map can give a column of choices. Choices name the pair's own first or second answer (side), the answer that was
// shown first or second (shown), or a system; or they are a judge's, whose name is taken from the column's.
const (
	choiceSide   = "choice.side"
	choiceShown  = "choice.shown"
	choiceSystem = "choice.system"
	choiceJudge  = "choice.judge"
)

// whoChose returns the name of a column of choices without the word for the choice: judge for judge_winner.
func whoChose(column string) string {
	words := strings.Join(wordsOf(column), "_")
	if _, rest := sideOf(column); rest != "" {
		words = strings.Trim(strings.Replace(words, rest, "", 1), "_")
	}
	return cmp.Or(words, column)
}

// choiceColumns returns the columns of choices: those of the user's map, else those whose names are a word for a choice, with or without a
// side, as winner and human_winner. Several columns that are not a judge's are an error, since nobody says which is people's.
func (p *pairFinder) choiceColumns() (found []choiceColumn, err error) {
	for _, role := range []string{RoleChoice, choiceSide, choiceShown, choiceSystem, choiceJudge} {
		for _, name := range p.given[role] {
			c := p.column(name)
			if c == nil {
				return nil, p.first.Errorf("--map %s=%s: a choice is a column of its own", role, name)
			}
			choice := choiceColumn{pairColumn: c, role: role}
			if role == choiceJudge {
				choice.side, choice.who = sideJudge, whoChose(c.name)
			}
			found = append(found, choice)
		}
	}
	if found != nil {
		return found, nil
	}
	var plain []string
	for _, c := range p.columns {
		if p.used[c.name] || c.long > 0 {
			continue
		}
		if p.inList("choice", c.name) {
			found = append(found, choiceColumn{pairColumn: c, role: RoleChoice})
			plain = append(plain, c.name)
			continue
		}
		if side, rest := sideOf(c.name); side != "" && p.inList("choice", rest) {
			role := RoleChoice
			if side == sideJudge {
				role = choiceJudge
			}
			found = append(found, choiceColumn{pairColumn: c, side: side, who: whoChose(c.name), role: role})
			plain = append(plain, c.name)
		}
	}
	unnamed := data.Where(found, func(c choiceColumn) bool { return c.side != sideJudge })
	if len(unnamed) > 1 {
		return nil, p.first.Errorf("several columns have choices: %s; say which one is people's: --map choice=%s, and leave the others out: "+
			"--map left=COLUMN; or name all, each as a person's: --map \"choice=%s\"", data.List(plain), unnamed[0].name, strings.Join(plain, "|"))
	}
	return found, nil
}

func (p *pairFinder) inList(list, name string) bool {
	return slices.ContainsFunc(pairRoles().Names[list], func(n string) bool { return folded(n) == folded(name) })
}

// chooser returns the column that says who chose. isJudge says that its names are of models. by is nil without such a column.
func (p *pairFinder) chooser() (by paths, isJudge bool, err error) {
	if p.f.Item.Better != nil {
		for _, role := range []string{RolePerson, RoleJudge} {
			if columns := p.given[role]; len(columns) > 0 {
				return nil, false, p.first.Errorf("a table of chosen and rejected answers says which is better, and no choice of anybody: "+
					"--map %s=%s has no effect; leave it out", role, columns[0])
			}
		}
	}
	switch {
	case len(p.given[RolePerson]) > 0:
		return p.take(p.given[RolePerson][0], RolePerson, "--map"), false, nil
	case len(p.given[RoleJudge]) > 0:
		return p.take(p.given[RoleJudge][0], RoleJudge, "--map"), true, nil
	case p.f.Name != tableOfPairs || p.f.Item.Better != nil:
		return nil, false, nil
	}
	person := p.byName("person")
	judge := p.byName("judge")
	switch {
	case person != nil && judge != nil:
		return nil, false, p.first.Errorf("%s and %s both say who chose; say which one does: --map person=%s,left=%s, or --map judge=%s,left=%s",
			person.name, judge.name, person.name, judge.name, judge.name, person.name)
	case person != nil:
		return p.take(person.name, RolePerson, "its name"), false, nil
	case judge != nil:
		return p.take(judge.name, RoleJudge, "its name: a judge"), true, nil
	}
	return nil, false, nil
}

// An orderColumn is the column that says in which order the two answers were shown.
type orderColumn struct {
	name    string
	letters bool // its values are ab and ba, not truth values
}

// order returns the column of orders, or nil. A value that does not say which answer was shown first is an error.
func (p *pairFinder) order() (*orderColumn, error) {
	name := ""
	if given := p.given[RoleOrder]; len(given) > 0 {
		name = given[0]
	} else if c := p.byName("order"); c != nil {
		name = c.name
	} else if c := p.byName("swapped"); c != nil {
		name = c.name
	}
	if name == "" {
		return nil, nil
	}
	c := p.column(name)
	order := &orderColumn{name: name, letters: true}
	for _, value := range slices.Sorted(maps.Keys(c.values)) {
		if _, known := orderOf(value); !known || c.long > 0 {
			return nil, p.first.Errorf("the column %s has %q; an order is ab or ba, or true where the answers were exchanged; if it is no order, "+
				"leave it out: --map left=%s", name, data.Clip(value), name)
		}
		order.letters = order.letters && strings.ContainsAny(value, "abAB")
	}
	p.take(name, RoleOrder, "its name")
	return order, nil
}

// choiceOf adds a column of choices to the format: as scores of a judge or of persons if someone is named, else as the label of the pairs.
// by is the column of who chose; several says that several columns have people's choices.
func (p *pairFinder) choiceOf(c choiceColumn, order *orderColumn, by paths, isJudge bool, reason paths, several bool) error {
	codes, err := p.codes(c)
	if err != nil {
		return err
	}
	ofPair, err := p.ofPair(c, order)
	if err != nil {
		return err
	}
	m := &p.f.Item
	switch c.role {
	case choiceSystem:
		m.Is = choiceOfSystem
	case choiceSide, choiceShown:
		m.Is = choiceOfSide
	}
	why := "its name"
	if len(p.given[c.role]) > 0 {
		why = "--map"
	}
	value := p.take(c.name, c.role, why)
	orderPath := ""
	if order != nil {
		orderPath = order.name
	}
	score := scoreMap{Value: value, Choices: codes, Method: paths{"'annotation'"}, Reason: reason, OfPair: ofPair}
	if orderPath != "" {
		score.Order = paths{orderPath}
	}
	switch {
	case c.side == sideJudge:
		score.Judge = paths{"'" + c.who + "'"}
		score.Reason = nil
		p.f.Scores = append(p.f.Scores, score)
	case by != nil && isJudge:
		score.Judge = by
		p.f.Scores = append(p.f.Scores, score)
		p.f.Majority = true
	case by != nil:
		score.Person = by
		p.f.Scores = append(p.f.Scores, score)
		p.f.Majority = true
	case several && c.side == "":
		score.Person = paths{"'" + c.name + "'"}
		score.Reason = nil
		p.f.Scores = append(p.f.Scores, score)
		p.f.Majority = true
	default:
		m.Label = value
		m.Choices = codes
		m.Order = orderPath
		m.OfPair = ofPair
	}
	return nil
}

// ofPair reports whether the choices of a column name the pair's own answers, whatever the order in which they were shown. Letters next to
// an order "ab" or "ba" do; places such as left do not. For numbers, and letters next to a mark of exchanged answers, this is unknown: an
// error.
func (p *pairFinder) ofPair(c choiceColumn, order *orderColumn) (bool, error) {
	switch {
	case c.role == choiceSide, c.role == choiceSystem:
		return true, nil
	case c.role == choiceShown:
		return false, nil
	case order == nil, !c.words && !c.number:
		return false, nil
	case !c.places && !c.number && order.letters:
		return true, nil
	}
	return false, p.first.Errorf("%s names an answer, and %s says in which order they were shown; say what it names: --map "+
		"choice.side=%s (a is the "+
		"pair's own first answer) or --map choice.shown=%s (the answer that was shown first)", c.name, order.name, c.name, c.name)
}

// codes returns what the numbers in a column of choices mean. 1 and 2 are known from the values or from the names of the answers' columns;
// 0 and 1 only from those names, as response_0. Other numbers are an error.
func (p *pairFinder) codes(c choiceColumn) (map[string]data.Choice, error) {
	numbers := map[string]bool{}
	for value := range c.values {
		if x, is := data.Number(value); is {
			numbers[fmt.Sprint(x)] = true
		}
	}
	only := func(allowed ...string) bool {
		return !slices.ContainsFunc(slices.Collect(maps.Keys(numbers)), func(n string) bool { return !slices.Contains(allowed, n) })
	}
	between := func() bool {
		for value := range numbers {
			if x, _ := data.Number(value); x < 1 || x > 2 {
				return false
			}
		}
		return true
	}
	style := ""
	if a := p.f.Item.A; a != nil && p.f.Item.B != nil {
		style = lastRune(a[0]) + lastRune(p.f.Item.B[0])
	}
	switch {
	case len(numbers) == 0:
		return map[string]data.Choice{}, nil
	case only("0.5"):
		return map[string]data.Choice{"0.5": data.ChoiceTie}, nil
	case style == "01" && only("0", "1", "0.5"):
		return zeroFirst, nil
	case style == "12" && between():
		return firstSecond, nil
	case between() && numbers["2"]:
		return firstSecond, nil
	}
	return nil, p.first.Errorf("%s has the numbers %s, and nothing says which answer each one is; write a, b or tie, or name the "+
		"answers' columns "+
		"so that they say it (response_0 and response_1, or response_1 and response_2)", c.name, data.List(slices.Sorted(maps.Keys(numbers))))
}

// lastRune returns the digit or letter at the end of a column's folded name, or its only digit: 0 for response_0, 1 for 1_response.
func lastRune(name string) string {
	name = folded(name)
	if name == "" {
		return ""
	}
	if digits := strings.Trim(name, "abcdefghijklmnopqrstuvwxyz"); len(digits) == 1 {
		return digits // 1 for 1_response too
	}
	return name[len(name)-1:]
}
