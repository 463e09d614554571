package project

import (
	"database/sql"
	"errors"
	"math"
	"slices"

	"compqa/data"
	"compqa/results/store"
	"compqa/stats"
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
	err = p.s.Db.QueryRow(`SELECT `+assignmentColumns+` FROM assignments a WHERE annotator = ? AND blind = ?`, annotator, blind).Scan(assignmentFields(&a)...)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrUnknown
	}
	return a, err
}

// Progress is how many of the assigned items a person finished. More may be assigned later.
func (p *Project) Progress(annotator int64) (done, assigned int, err error) {
	err = p.s.Db.QueryRow(`SELECT count(e.id), count(*) FROM assignments a
		LEFT JOIN events e ON e.item = a.blind AND e.kind IN ('submit', 'skip', 'adjudicate')
			AND e.revision = (SELECT max(revision) FROM events m WHERE m.item = a.blind)
		WHERE a.annotator = ?`, annotator).Scan(&done, &assigned)
	return done, assigned, err
}

// Next is the id of the first unfinished item of a person, "" if there is none. A queue that
// has run out is extended.
func (p *Project) Next(a Annotator) (blind string, err error) {
	for range 2 {
		err = p.s.Db.QueryRow(`SELECT a.blind FROM assignments a WHERE a.annotator = ? AND NOT EXISTS (
			SELECT 1 FROM events e WHERE e.item = a.blind AND e.kind IN ('submit', 'skip', 'adjudicate')
				AND e.revision = (SELECT max(revision) FROM events m WHERE m.item = a.blind))
			ORDER BY a.position LIMIT 1`, a.ID).Scan(&blind)
		if !errors.Is(err, sql.ErrNoRows) {
			return blind, err
		}
		if err := p.extend(a); err != nil {
			return "", err
		}
	}
	return "", nil
}

const (
	batch       = 10  // items that are assigned together
	people      = 2   // sheets that an overlap item gets
	disagreeing = 4.0 // points between two totals from which on a third person is asked
)

// extend assigns the next items. Overlap items go first: half of them, then two in each
// batch, so that they keep appearing. Items that fewer people have come before
// others; an item of the overlap gets a third person only where two totals are far apart.
func (p *Project) extend(a Annotator) error {
	p.extending.Lock()
	defer p.extending.Unlock()
	work, err := p.Work()
	if err != nil {
		return err
	}
	items, err := p.Items()
	if err != nil {
		return err
	}
	// The order is this person's: a seed for each person and each batch.
	mine := map[int64]bool{}
	count := map[int64]int{}
	totals := map[int64][]float64{}
	position, had := 0, 0 // had: overlap items in this queue already
	last := int64(0)      // the item at the end of the queue
	var recent []Work
	for _, w := range work {
		if w.Annotator == a.ID {
			mine[w.Item] = true
			if w.Position > position {
				position, last = w.Position, w.Item
			}
			recent = append(recent, w)
			if w.Kind == Overlap {
				had++
			}
		}
		if w.Annotator > 0 && (w.Kind == Main || w.Kind == Overlap) && (!w.Revoked || w.Done()) && w.Last.Kind != Skip {
			count[w.Item]++
			if w.Done() && len(w.Last.Sheet.Scores) > 0 {
				totals[w.Item] = append(totals[w.Item], p.Rubric.Total(w.Last.Sheet.Scores))
			}
		}
	}
	rng := stats.NewRNG(p.Seed, "order", uint64(a.Seed), uint64(position))
	rng.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	var overlap, main, gold []Item
	for _, it := range items {
		t := totals[it.ID]
		wanted := 1
		if it.Role == Overlap {
			if wanted = people; len(t) == people && math.Abs(t[0]-t[1]) >= disagreeing {
				wanted = people + 1
			}
		}
		switch {
		case mine[it.ID] || it.Role != Gold && count[it.ID] >= wanted:
		case it.Role == Overlap:
			overlap = append(overlap, it)
		case it.Role == Gold:
			gold = append(gold, it)
		default:
			main = append(main, it)
		}
	}
	n := 2
	if had < len(overlap) || len(main) == 0 {
		n = batch
	}
	n = min(n, len(overlap))
	before := ""
	if i := slices.IndexFunc(items, func(it Item) bool { return it.ID == last }); i >= 0 {
		before = items[i].Cluster
	}
	next := apart(before, append(slices.Clone(overlap[:n]), main[:min(batch-min(n, batch), len(main))]...))
	if len(next) == 0 {
		return nil
	}
	return p.write(func(tx *sql.Tx) error {
		add := func(it Item, kind string) error {
			position++
			shown := data.OrderAB
			if kind == Repeat {
				if err := tx.QueryRow(`SELECT shown FROM assignments WHERE annotator = ? AND item = ? LIMIT 1`, a.ID, it.ID).Scan(&shown); err != nil {
					return err
				}
				shown = map[string]string{data.OrderAB: data.OrderBA, data.OrderBA: data.OrderAB}[shown]
			} else if stats.NewRNG(p.Seed, "sides", uint64(a.Seed), uint64(it.ID)).Uint64()&1 == 1 {
				shown = data.OrderBA
			}
			_, err := tx.Exec(`INSERT INTO assignments VALUES (?, ?, ?, ?, ?, ?)`, a.ID, it.ID, kind, p.blind(a.ID, it.ID, kind), position, shown)
			return err
		}
		for _, it := range next {
			if err := add(it, it.Role); err != nil {
				return err
			}
			if p.due(position, p.Gold, 0) && len(gold) > 0 {
				if err := add(gold[0], Gold); err != nil {
					return err
				}
				gold = gold[1:]
			}
			if p.due(position, p.Repeats, 0.5) {
				for i, w := range recent { // the oldest that was not repeated
					repeated := slices.ContainsFunc(work, func(o Work) bool { return o.Annotator == a.ID && o.Item == w.Item && o.Kind == Repeat })
					if (w.Kind == Main || w.Kind == Overlap) && w.Done() && !repeated {
						old, err := p.Item(w.Item)
						if err == nil {
							err = add(old, Repeat)
						}
						if err != nil {
							return err
						}
						recent = recent[i+1:]
						break
					}
				}
			}
		}
		return nil
	})
}

// due reports whether a special item follows the position: one in 1/share, at a phase.
func (p *Project) due(position int, share, phase float64) bool {
	return math.Floor(float64(position)*share+phase) > math.Floor(float64(position-1)*share+phase)
}

// apart puts items of one question behind each other, and behind one of the question before, only
// where nothing else is left.
func apart(before string, items []Item) []Item {
	var list []Item
	for len(items) > 0 {
		i := max(0, slices.IndexFunc(items, func(it Item) bool { return it.Cluster != before }))
		list, before = append(list, items[i]), items[i].Cluster
		items = slices.Delete(items, i, i+1)
	}
	return list
}

// Items lists the items without their texts.
func (p *Project) Items() ([]Item, error) {
	return store.Query(p.s, `SELECT id, kind, source, row, cluster, role FROM items ORDER BY id`, nil, func(it *Item) []any {
		return []any{&it.ID, &it.Kind, &it.Source, &it.Row, &it.Cluster, &it.Role}
	})
}

// ToAdjudicate assigns an item to the adjudicator and returns its blind id.
func (p *Project) ToAdjudicate(item int64) (string, error) {
	if _, err := p.Item(item); err != nil {
		return "", ErrUnknown
	}
	blind := p.blind(0, item, Adjudicate)
	return blind, p.write(func(tx *sql.Tx) error {
		_, err := tx.Exec(`INSERT INTO assignments VALUES (0, ?, 'adjudicate', ?, ?, 'ab') ON CONFLICT DO NOTHING`, item, blind, item)
		return err
	})
}
