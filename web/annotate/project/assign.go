package project

import (
	"cmp"
	"database/sql"
	"errors"
	"math"
	"slices"

	"compqa/data"
	"compqa/results/store"
)

// An Assignment is an item in one person's queue.
type Assignment struct {
	Annotator int64
	Item      int64
	Kind      string
	Blind     string
	Position  int
	Shown     string // sides of a pair: ab or ba
}

const assignmentColumns = `a.annotator, a.item, a.kind, a.blind, a.position, a.shown`

func assignmentFields(a *Assignment) []any {
	return []any{&a.Annotator, &a.Item, &a.Kind, &a.Blind, &a.Position, &a.Shown}
}

// Assignment is one of a person's assignments. That of another person is ErrUnknown.
func (p *Project) Assignment(annotator int64, blind string) (a Assignment, err error) {
	err = p.s.Db.QueryRow(`SELECT `+assignmentColumns+` FROM assignments a WHERE annotator = ? AND blind = ?`, annotator,
		blind).Scan(assignmentFields(&a)...)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrUnknown
	}
	return a, err
}

// Next is the id of the first unfinished item of a person, "" if there is none. A queue that
// has run out gets one more item.
func (p *Project) Next(a Annotator) (blind string, err error) {
	p.assigning.Lock()
	defer p.assigning.Unlock()
	q, err := p.queue(a)
	if err != nil || q.open != "" {
		return q.open, err
	}
	if err := q.load(); err != nil {
		return "", err
	}
	id, kind := q.choose()
	if kind == "" {
		return "", nil
	}
	it, err := p.Item(id)
	if err != nil {
		return "", err
	}
	shown := it.Shown
	switch {
	case it.Content.B == "": // one text has no sides
		shown = data.OrderAB
	case kind == Repeat && shown == "":
		shown = map[string]string{data.OrderAB: data.OrderBA, data.OrderBA: data.OrderAB}[q.shown[id]]
	case shown == "" && p.random("sides", uint64(a.Seed), uint64(id)).Uint64()&1 == 1:
		shown = data.OrderBA
	case shown == "":
		shown = data.OrderAB
	}
	blind = p.blind(a.ID, id, kind)
	return blind, p.exec(`INSERT INTO assignments VALUES (?, ?, ?, ?, ?, ?, 0, '', NULL)`, a.ID, id, kind, blind, len(q.list)+1, shown)
}

// Progress is how many items a person finished, and how many there are to do in all, with practice
// and checks. Items that others may do instead count by their share.
func (p *Project) Progress(a Annotator) (done, due int, err error) {
	q, err := p.queue(a)
	if err == nil {
		err = q.load()
	}
	if err != nil {
		return 0, 0, err
	}
	own := q.count[Main] + q.count[Overlap]
	more := 0.0
	for _, c := range q.candidates() {
		more += min(1, float64(c.wanted-c.sheets)/float64(max(1, q.people-c.had)))
	}
	all := own + int(math.Round(more))
	due = len(q.list) + all - own
	due += max(0, min(p.checks("gold", a, all, p.Gold), q.count[Gold]+len(q.unseen[Gold]))-q.count[Gold])
	due += max(0, min(p.checks("repeat", a, all, p.Repeats), all-1)-q.count[Repeat])
	return q.done, due + len(q.unseen[Practice]), nil
}

const (
	disagreeing = 2   // sheets after which a third person may be asked
	repeatAfter = 5   // items at least between an item and its repetition, where there are enough
	overlapLate = 0.2 // chance of an overlap item once half of them are done
)

// A queue is what one person has been given, and what is there to give.
type queue struct {
	p      *Project
	a      Annotator
	list   []entry // in the order of their positions
	open   string  // the first that is not finished
	done   int
	count  map[string]int // of assignments by kind
	shown  map[int64]string
	unseen map[string][]stock // items by role
	people int                // who take part
}

type entry struct {
	item    int64
	kind    string
	cluster string
	done    bool
	blind   string
	shown   string
}

// A stock is an item with the sheets that it has: finished, or assigned to somebody who takes part.
type stock struct {
	id      int64
	role    string
	cluster string
	sheets  int     // of people, without skipped ones
	had     int     // people who take part and have been given the item
	wanted  int     // sheets
	spread  float64 // between totals
	scored  int     // totals
}

func (p *Project) queue(a Annotator) (*queue, error) {
	q := &queue{p: p, a: a, count: map[string]int{}, shown: map[int64]string{}, unseen: map[string][]stock{}}
	var err error
	q.list, err = store.Query(p.s, `SELECT a.item, a.kind, i.cluster, a.state IN ('submit', 'skip', 'adjudicate'), a.blind, a.shown
		FROM assignments a JOIN items i ON i.id = a.item WHERE a.annotator = ? ORDER BY a.position`, []any{a.ID}, func(e *entry) []any {
		return []any{&e.item, &e.kind, &e.cluster, &e.done, &e.blind, &e.shown}
	})
	for _, e := range q.list {
		q.count[e.kind]++
		q.shown[e.item] = e.shown
		if e.done {
			q.done++
		} else if q.open == "" {
			q.open = e.blind
		}
	}
	return q, err
}

// load reads what there is to give.
func (q *queue) load() error {
	p := q.p
	items, err := store.Query(p.s, `SELECT i.id, i.role, i.cluster,
			count(CASE WHEN a.state = 'submit' OR a.state <> 'skip' AND NOT n.revoked THEN 1 END), count(CASE WHEN NOT n.revoked THEN 1 END),
			coalesce(max(a.total) - min(a.total), 0), count(a.total)
		FROM items i LEFT JOIN assignments a ON a.item = i.id AND a.kind IN ('main', 'overlap') LEFT JOIN annotators n ON n.id = a.annotator
		WHERE i.role <> 'example' GROUP BY i.id ORDER BY i.id`, nil, func(s *stock) []any {
		return []any{&s.id, &s.role, &s.cluster, &s.sheets, &s.had, &s.spread, &s.scored}
	})
	if err != nil {
		return err
	}
	for _, s := range items {
		if s.wanted = 1; s.role == Overlap {
			s.wanted = p.People
			if p.People == disagreeing && s.scored == disagreeing && p.Third > 0 && s.spread >= p.Third {
				s.wanted++
			}
		}
		if _, seen := q.shown[s.id]; !seen {
			q.unseen[s.role] = append(q.unseen[s.role], s)
		}
	}
	return p.s.Db.QueryRow(`SELECT count(*) FROM annotators WHERE id > 0 AND NOT revoked AND (passed OR tries < ?)`, MostTries).Scan(&q.people)
}

// candidates are the items of which the study wants another sheet from this person.
func (q *queue) candidates() (list []stock) {
	for _, role := range []string{Main, Overlap} {
		for _, s := range q.unseen[role] {
			if s.sheets < s.wanted {
				list = append(list, s)
			}
		}
	}
	return list
}

// checks is how many checks stand among the first items of a person: one in each stretch of
// 1/rate items, at a random place in it. share is that of all items of the person, so that gold,
// repetitions and items together have the shares that were asked for.
func (p *Project) checks(name string, a Annotator, items int, share float64) (n int) {
	if share <= 0 {
		return 0
	}
	rate := share / (1 - p.Gold - p.Repeats)
	for {
		place := (float64(n) + p.random(name, uint64(a.Seed), uint64(n)).Float64()) / rate
		if place >= float64(items) {
			return n
		}
		n++
	}
}

// choose is the next item: practice first, then the items of the study with checks among them.
func (q *queue) choose() (id int64, kind string) {
	if practice := q.unseen[Practice]; len(practice) > 0 {
		return practice[0].id, Practice
	}
	own := q.count[Main] + q.count[Overlap]
	rng := q.p.random("order", uint64(q.a.Seed), uint64(len(q.list)))
	if gold := q.unseen[Gold]; len(gold) > 0 && q.count[Gold] < q.p.checks("gold", q.a, own, q.p.Gold) {
		return gold[rng.Intn(len(gold))].id, Gold
	}
	candidates := q.candidates()
	if q.count[Repeat] < q.p.checks("repeat", q.a, own, q.p.Repeats) {
		if old := q.repeatable(repeatAfter); len(old) > 0 {
			return old[rng.Intn(len(old))], Repeat
		}
		if old := q.repeatable(1); len(old) > 0 && len(candidates) == 0 {
			return old[0], Repeat
		}
	}
	if len(candidates) == 0 {
		return 0, ""
	}
	next := q.best(candidates, rng.Intn, rng.Float64())
	return next.id, next.role
}

// repeatable are the items of the study that this person had at least some items ago, and that were
// not repeated yet.
func (q *queue) repeatable(after int) (list []int64) {
	repeated := map[int64]bool{}
	for _, e := range q.list {
		repeated[e.item] = repeated[e.item] || e.kind == Repeat
	}
	for _, e := range q.list[:max(0, len(q.list)-after)] {
		if (e.kind == Main || e.kind == Overlap) && !repeated[e.item] {
			list = append(list, e.item)
		}
	}
	return list
}

// best is the item to give next. Overlap items come first until half of them are done, and then now
// and then. Two items of one question follow each other only if nothing else is left.
func (q *queue) best(candidates []stock, pick func(n int) int, chance float64) stock {
	list := candidates
	only := func(keep func(stock) bool) {
		var kept []stock
		for _, s := range list {
			if keep(s) {
				kept = append(kept, s)
			}
		}
		if len(kept) > 0 {
			list = kept
		}
	}
	if q.p.Ordered {
		return slices.MinFunc(list, func(a, b stock) int { return cmp.Compare(a.id, b.id) })
	}
	late := q.count[Overlap] >= len(q.unseen[Overlap])
	only(func(s stock) bool { return (s.role == Overlap) == (!late || chance < overlapLate) })
	if len(q.list) > 0 {
		before := q.list[len(q.list)-1].cluster
		only(func(s stock) bool { return s.cluster != before })
	}
	return list[pick(len(list))]
}

// ToAdjudicate assigns an item to the owner and returns its blind id.
func (p *Project) ToAdjudicate(item int64) (string, error) {
	if _, err := p.Item(item); err != nil {
		return "", err
	}
	blind := p.blind(0, item, Adjudicate)
	return blind, p.exec(`INSERT INTO assignments VALUES (0, ?, 'adjudicate', ?, ?, 'ab', 0, '', NULL) ON CONFLICT DO NOTHING`, item,
		blind, item)
}
