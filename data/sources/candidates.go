package sources

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"compqa/data"
)

// A candidateMap says where a record has the answers to one question, and which values rank them. "Of a member" marks paths that start at
// an entry of List.
type candidateMap struct {
	List                 paths  // the list of answers; their members may be texts
	Columns              string // instead of List: the common beginning of numbered columns, as response_ of response_1
	Text, System         paths  // of a member
	Rank, Score          paths  // of a member; the lowest rank or the highest score is best
	Systems              paths  // a list of systems, in the order of the answers
	Ranks, Scores, Right paths  // one value for each answer, in their order; Right has true or false
	Games                paths  // an object of comparisons, as {"gpt-4,claude": "A"}
	Best                 paths  // one answer that is better than all in List
	Ordered              paths  // a list of objects with a rank and the name of an answer's column, as Argilla writes rankings
}

// A candidate is one of several answers to one question.
type candidate struct {
	text, system string
	points       float64 // the higher, the better
	known        bool    // points is set
}

// listed reports whether a value is a list of candidate answers, not a conversation (a list of messages) or a list of typed parts.
func listed(v gjson.Result) bool {
	texts := v.Array()
	return v.IsArray() && (len(texts) == 0 || texts[0].Type == gjson.String || listed(texts[0]) && !isMessage(texts[0].Get("0")) ||
		texts[0].IsObject() && !isMessage(texts[0]) && !texts[0].Get("type").Exists())
}

// betterAndWorse adds a pair of each better answer with each worse one. better and worse are single answers or lists.
func (r *reader) betterAndWorse(record *scope, item Item, p data.Pair, better, worse gjson.Result) error {
	members := func(v gjson.Result) []gjson.Result {
		if listed(v) {
			return v.Array()
		}
		return []gjson.Result{v}
	}
	var all []candidate
	for i, list := range [2][]gjson.Result{members(better), members(worse)} {
		for _, member := range list {
			c, err := candidateOf(record, member, "")
			if err != nil {
				return err
			}
			c.system = cmp.Or(c.system, [2]string{p.SystemA, p.SystemB}[i])
			c.points = float64(1 - i)
			c.known = true
			all = append(all, c)
		}
	}
	if len(members(better)) == 0 || len(members(worse)) == 0 {
		r.lose(record, "without a better answer, or without a worse one")
		return nil
	}
	return r.pairUp(record, item, p, all)
}

// candidates reads the answers of a record and adds pairs of them: by recorded comparisons (Games), else each best answer with each other
// one. Two answers without ranks or scores become a pair without a label.
func (r *reader) candidates(record *scope, item Item, p data.Pair) error {
	m := r.Item.Candidates
	var all []candidate
	var err error
	if m.Columns != "" {
		all, err = r.ofColumns(record)
	} else {
		all, err = r.ofList(record)
	}
	if err != nil {
		return err
	}
	if len(all) < 2 {
		r.lose(record, "with fewer than two answers")
		return nil
	}
	if m.Games != nil {
		return r.games(record, item, p, all)
	}
	if slices.ContainsFunc(all, func(c candidate) bool { return !c.known }) {
		if len(all) == 2 {
			p.A = all[0].text
			p.B = all[1].text
			p.SystemA = all[0].system
			p.SystemB = all[1].system
			if p.Question, err = r.question(record, nil, p.A, p.B); err != nil {
				return err
			}
			p.Cluster = cmp.Or(p.Cluster, data.QuestionCluster(p.Question))
			r.unlabelled++
			r.addPair(item, p)
			return nil
		}
		r.lose(record, "whose answers have no ranks or scores")
		return nil
	}
	return r.pairUp(record, item, p, all)
}

// candidateOf returns the answer in a member of a list. If system is "", the member itself may name the system.
func candidateOf(record *scope, member gjson.Result, system string) (candidate, error) {
	turns, by, ok := turnsOf(member)
	if !ok {
		return candidate{}, record.Errorf("an answer is an object without a text that is known (%s)", strings.Join(textMembers, ", "))
	}
	for len(turns) > 1 && turns[0].byUser() {
		turns = turns[1:]
	}
	return candidate{text: conversation(turns), system: cmp.Or(system, by)}, nil
}

// ofList returns the candidates in the list of a record, with the points that the record gives them. Without ranks or scores, known is
// false.
func (r *reader) ofList(record *scope) (all []candidate, err error) {
	m := r.Item.Candidates
	systems := parsed(record.first(m.Systems)).Array()
	points := r.pointsOf(record)
	list := parsed(record.first(m.List)).Array()
	if m.Best != nil {
		best, err := candidateOf(record, record.first(m.Best), "")
		if err != nil {
			return nil, err
		}
		best.points = 1
		best.known = true
		all = append(all, best)
	}
	for i, member := range list {
		inner := &scope{Document: record.Document, value: member, key: strconv.Itoa(i), up: record}
		system := ""
		if i < len(systems) {
			system = textOf(systems[i])
		}
		if m.System != nil {
			system = inner.text(m.System)
		}
		text := member
		if m.Text != nil {
			text = inner.first(m.Text)
		}
		c, err := candidateOf(record, text, system)
		if err != nil {
			return nil, err
		}
		switch {
		case m.Best != nil:
			c.known = true
		case m.Rank != nil:
			c.points, c.known = data.Number(inner.text(m.Rank))
			c.points = -c.points
		case m.Score != nil:
			c.points, c.known = data.Number(inner.text(m.Score))
		case i < len(points):
			c.points = points[i].points
			c.known = points[i].known
		}
		all = append(all, c)
	}
	return all, nil
}

// pointsOf returns the points of the answers of a record, in their order, from its list of ranks, scores or truth values. Ranks are
// negated, so that more points are better.
func (r *reader) pointsOf(record *scope) (points []candidate) {
	m := r.Item.Candidates
	ranks := m.Ranks != nil
	for _, v := range parsed(record.first(slices.Concat(m.Ranks, m.Scores))).Array() {
		text := valueOf(v)
		x, known := data.Number(text)
		switch strings.ToLower(text) {
		case "true":
			x = 1
			known = true
		case "false":
			x = 0
			known = true
		}
		if ranks {
			x = -x
		}
		points = append(points, candidate{points: x, known: known})
	}
	return points
}

// ofColumns returns the candidates in numbered columns, such as response_1 to response_32.
func (r *reader) ofColumns(record *scope) (all []candidate, err error) {
	m := r.Item.Candidates
	points := r.pointsOf(record)
	ordered := map[string]candidate{}
	for _, v := range parsed(record.first(m.Ordered)).Array() {
		rank, known := data.Number(v.Get("rank").String())
		ordered[folded(v.Get("value").Str)] = candidate{points: -rank, known: known}
	}
	for i := 1; i <= 1000; i++ {
		name := m.Columns + strconv.Itoa(i)
		v := record.get(name)
		if !v.Exists() {
			break
		}
		if v.Type == gjson.Null {
			continue
		}
		c, err := candidateOf(record, v, "")
		if err != nil {
			return nil, err
		}
		if i <= len(points) {
			c.points = points[i-1].points
			c.known = points[i-1].known
		}
		if given, has := ordered[folded(name[strings.LastIndexByte(name, '.')+1:])]; has {
			c.points = given.points
			c.known = given.known
		}
		all = append(all, c)
	}
	return all, nil
}

// pairUp adds a pair of each best candidate with each of the others. Two equally good candidates are one tie; more than two, all equally
// good, make no pair. If a record has several pairs, the id of each ends with the positions of its two answers, and Item groups the pairs.
func (r *reader) pairUp(record *scope, item Item, p data.Pair, all []candidate) error {
	best := slices.MaxFunc(all, func(a, b candidate) int { return cmp.Compare(a.points, b.points) }).points
	var better, worse []candidate
	var texts []string
	for _, c := range all {
		texts = append(texts, c.text)
		if c.points == best {
			better = append(better, c)
		} else {
			worse = append(worse, c)
		}
	}
	p.Label = data.ChoiceA
	switch {
	case len(worse) == 0 && len(better) == 2:
		better, worse, p.Label = better[:1], better[1:], data.ChoiceTie
	case len(worse) == 0:
		r.lose(record, "whose answers are all equally good")
		return nil
	}
	question, err := r.question(record, nil, texts...)
	if err != nil {
		return err
	}
	if question == "" {
		return record.Errorf("the question is missing")
	}
	p.Question = question
	p.Cluster = cmp.Or(p.Cluster, data.QuestionCluster(question))
	name := cmp.Or(item.ID, strconv.Itoa(record.Line))
	if len(better)*len(worse) > 1 || r.Item.Each {
		p.Item = name
	}
	for i, chosen := range better {
		for k, rejected := range worse {
			p.A = chosen.text
			p.B = rejected.text
			p.SystemA = chosen.system
			p.SystemB = rejected.system
			if p.SystemA == p.SystemB {
				p.SystemA = ""
				p.SystemB = ""
			}
			one := item
			one.ID = name
			if p.Item != "" {
				one.ID = fmt.Sprintf("%s:%d-%d", name, i+1, k+1)
			}
			r.addPair(one, p)
		}
	}
	return nil
}

// games adds a pair for each recorded comparison of two systems, as {"gpt-4,claude": "A"}. A comparison without a choice is counted as
// unlabelled.
func (r *reader) games(record *scope, item Item, p data.Pair, all []candidate) error {
	bySystem := map[string]candidate{}
	for _, c := range all {
		bySystem[c.system] = c
	}
	question, err := r.question(record, nil, data.Each(all, func(c candidate) string { return c.text })...)
	if err != nil {
		return err
	}
	p.Question, p.Cluster = question, cmp.Or(p.Cluster, data.QuestionCluster(question))
	name := cmp.Or(item.ID, strconv.Itoa(record.Line))
	games := parsed(record.first(r.Item.Candidates.Games))
	if !games.IsObject() || question == "" {
		r.lose(record, "without comparisons or without a question")
		return nil
	}
	games.ForEach(func(key, word gjson.Result) bool {
		first, second, _ := strings.Cut(key.Str, ",")
		a, okA := bySystem[strings.TrimSpace(first)]
		b, okB := bySystem[strings.TrimSpace(second)]
		said, known := ChoiceOf(textOf(word))
		switch {
		case !okA || !okB:
			err = record.Errorf("%q compares systems that have no answer here", data.Clip(key.Str))
		case !known && r.o.missing(textOf(word)):
			r.unlabelled++
			return true
		case !known:
			err = notOne(record, key.Str, textOf(word), nil)
		default:
			one := item
			one.ID = name + ":" + strings.ReplaceAll(key.Str, ",", "-")
			p.A = a.text
			p.B = b.text
			p.SystemA = a.system
			p.SystemB = b.system
			p.Label = said.Choice
			r.addPair(one, p)
		}
		return err == nil
	})
	return err
}
