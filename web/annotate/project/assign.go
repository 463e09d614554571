package project

import (
	"cmp"
	"database/sql"
	"fmt"
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
	State     string // kind of the event that counts
	About     Item   `db:"-"`
}

// finished are the states of a finished item.
const finished = `('submit', 'skip', 'adjudicate')`

// Finished reports whether the person is done with the item.
func (a Assignment) Finished() bool {
	return a.State == Submit || a.State == Skip || a.State == Adjudicate
}

// Assignment returns one of a person's assignments. That of another person is ErrUnknown.
func (p *Project) Assignment(annotator int64, blind string) (Assignment, error) {
	a, err := first[Assignment](p, `SELECT `+store.Columns[Assignment]()+` FROM assignments
		WHERE annotator = ? AND blind = ?`, annotator, blind)
	a.About = p.Item(a.Item)
	return a, err
}

// Next returns the id of the first unfinished item of a person, "" if there is none. A queue that has run out gets one more item.
func (p *Project) Next(a Annotator) (blind string, err error) {
	p.assigning.Lock()
	defer p.assigning.Unlock()
	stocks, err := p.stocks()
	if err != nil {
		return "", err
	}
	q, err := p.queue(a, stocks)
	if err != nil {
		return "", err
	}
	if open := slices.IndexFunc(q.list, func(a Assignment) bool { return !a.Finished() }); open >= 0 {
		return q.list[open].Blind, nil
	}
	id, kind := q.choose()
	if kind == "" {
		if a.Finished == "" && q.done > 0 {
			err = p.exec(`UPDATE annotators SET finished = ? WHERE id = ?`, utc(p.Now()), a.ID)
		}
		return "", err
	}
	it := p.Item(id)
	shown := it.Shown
	switch {
	case it.Content.B == "": // one text has no sides
		shown = data.OrderAB
	case shown != "":
	case kind == Repeat:
		shown = map[string]string{data.OrderAB: data.OrderBA, data.OrderBA: data.OrderAB}[q.shown[id]]
	default:
		shown = data.Orders[p.random("sides", uint64(a.Seed), uint64(id)).Uint64()&1]
	}
	blind = p.blind(a.ID, id, kind)
	return blind, p.write(func(tx *sql.Tx) error {
		if _, err := tx.Exec(`UPDATE annotators SET planned = ?, finished = '' WHERE id = ?`, q.planned, a.ID); err != nil {
			return err
		}
		_, err := tx.Exec(`INSERT INTO assignments VALUES (?, ?, ?, ?, ?, ?, 0, '', 0, NULL, '', 0)`, a.ID, id, kind, blind, len(q.list)+1, shown)
		return err
	})
}

// A Progress is how many items a person finished, and how many there are to do in all, with practice and checks. The second number is
// fixed from the first item on, until the owner changes the study; at the end it is what the person did.
type Progress struct{ Done, Due int }

// Progress returns how far each of some people is.
func (p *Project) Progress(people ...Annotator) (list []Progress, err error) {
	stocks, err := p.stocks()
	if err != nil {
		return nil, err
	}
	for _, a := range people {
		q, err := p.queue(a, stocks)
		if err != nil {
			return nil, err
		}
		list = append(list, q.progress())
	}
	return list, nil
}

func (q *queue) progress() Progress {
	if _, more := q.choose(); more == "" && q.done == len(q.list) {
		return Progress{q.done, q.done}
	}
	due := q.count[Practice] + len(q.unseen[Practice]) + q.planned
	for kind, asked := range map[string]int{Gold: q.p.Gold, Attention: q.p.Attention} {
		due += min(asked, q.count[kind]+len(q.unseen[kind]))
	}
	return Progress{q.done, max(q.done, due+max(0, min(q.p.Repeats, q.planned-1)))}
}

const (
	disagreeing = 2   // sheets after which a third person may be asked
	repeatAfter = 5   // items at least between an item and its repetition, where there are enough
	overlapLate = 0.2 // chance of an overlap item once half of them are done
)

// A queue is what one person has been given, and what is there to give.
type queue struct {
	p       *Project
	a       Annotator
	list    []Assignment // in the order of their positions
	done    int
	skipped int                // items of the study
	count   map[string]int     // of assignments by kind
	shown   map[int64]string   // sides, by item
	unseen  map[string][]stock // items by role
	people  int                // who take part
	planned int                // items of the study that this person is to get
}

// A stock is an item with the sheets that it has: finished, or assigned to somebody who takes part.
type stock struct {
	ID      int64
	Role    string
	Cluster string
	Sheets  int     // of people, without skipped ones
	Had     int     // people who take part and have been given the item
	Spread  float64 // between totals
	Scored  int     // totals
	wanted  int     // sheets
}

// stocks returns the items that people are given, with their sheets.
func (p *Project) stocks() ([]stock, error) {
	working := `(` + takesPart + ` AND n.stopped = '' AND (n.external = '' OR ` + p.holdsPlace() + `))`
	return store.Select[stock](p.s, `SELECT i.id, i.role, i.cluster,
			count(CASE WHEN a.state = 'submit' OR a.state <> 'skip' AND `+working+` THEN 1 END), count(CASE WHEN `+working+` THEN 1 END),
			coalesce(max(a.total) - min(a.total), 0), count(a.total)
		FROM items i LEFT JOIN assignments a ON a.item = i.id AND a.kind IN ('main', 'overlap') AND NOT a.excluded
			LEFT JOIN annotators n ON n.id = a.annotator
		WHERE i.role <> 'example' GROUP BY i.id ORDER BY i.id`)
}

func (p *Project) queue(a Annotator, stocks []stock) (*queue, error) {
	list, err := store.Select[Assignment](p.s, `SELECT `+store.Columns[Assignment]()+` FROM assignments WHERE annotator = ?
		ORDER BY position`, a.ID)
	if err != nil {
		return nil, err
	}
	q := &queue{p: p, a: a, list: list, count: map[string]int{}, shown: map[int64]string{}, unseen: map[string][]stock{}}
	for _, e := range q.list {
		q.count[e.Kind]++
		q.shown[e.Item] = e.Shown
		if e.Finished() {
			q.done++
		}
		if e.State == Skip && (e.Kind == Main || e.Kind == Overlap) {
			q.skipped++
		}
	}
	earlier, err := store.Select[int64](p.s, `SELECT item FROM earlier WHERE annotator = ?`, a.ID)
	if err != nil {
		return nil, err
	}
	for _, s := range stocks {
		s.wanted = 1
		if s.Role == Overlap {
			s.wanted = p.People
			if p.People == disagreeing && s.Scored == disagreeing && p.Third > 0 && s.Spread >= p.Third {
				s.wanted++
			}
		}
		if _, seen := q.shown[s.ID]; !seen && !slices.Contains(earlier, s.ID) {
			q.unseen[s.Role] = append(q.unseen[s.Role], s)
		}
	}
	q.people, err = first[int](p, `SELECT count(*) FROM annotators n
		WHERE id > 0 AND `+takesPart+` AND n.stopped = '' AND (passed OR tries < ?)`, MostTries)
	if err != nil {
		return nil, err
	}
	q.planned, err = first[int](p, `SELECT planned FROM annotators WHERE id = ?`, a.ID)
	if count := q.studied(); count >= q.planned {
		q.planned = count + q.more() // none is fixed yet, or more came free
	}
	return q, err
}

// studied returns the number of items of the study that the person was given.
func (q *queue) studied() int { return q.count[Main] + q.count[Overlap] }

// more returns how many items are left for this person. Items that others may do instead count by their share.
func (q *queue) more() int {
	more := 0.0
	for _, c := range q.candidates() {
		more += min(1, float64(c.wanted-c.Sheets)/float64(max(1, q.people-c.Had)))
	}
	if q.p.Each > 0 {
		more = min(more, float64(max(0, q.p.Each-q.studied())))
	}
	return int(math.Round(more))
}

// candidates returns the items of which the study wants another sheet from this person.
func (q *queue) candidates() (list []stock) {
	if q.p.Each > 0 && q.studied() >= q.p.Each {
		return nil
	}
	return data.Where(slices.Concat(q.unseen[Main], q.unseen[Overlap]), func(s stock) bool { return s.Sheets < s.wanted })
}

// due returns how many of a kind of checks stand before the next item: each is at a random place in the middle of its stretch of the
// planned items, so that both halves of the work have one.
func (q *queue) due(kind string, asked int) (n int) {
	for ; n < asked; n++ {
		within := .25 + .5*q.p.random(kind, uint64(q.a.Seed), uint64(n)).Float64()
		if (float64(n)+within)/float64(asked)*float64(q.planned) >= float64(q.studied()) {
			break
		}
	}
	return n
}

// choose returns the next item: practice first, then the items of the study with checks among them.
func (q *queue) choose() (id int64, kind string) {
	if practice := q.unseen[Practice]; len(practice) > 0 {
		return practice[0].ID, Practice
	}
	rng := q.p.random("order", uint64(q.a.Seed), uint64(len(q.list)))
	if gold := q.rarest(q.unseen[Gold]); len(gold) > 0 && q.count[Gold] < q.due(Gold, q.p.Gold) {
		return gold[rng.Intn(len(gold))].ID, Gold
	}
	if items := q.unseen[Attention]; len(items) > 0 && q.count[Attention] < q.due(Attention, q.p.Attention) {
		return items[rng.Intn(len(items))].ID, Attention
	}
	candidates := q.candidates()
	if q.count[Repeat] < q.due(Repeat, q.p.Repeats) {
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
	return next.ID, next.Role
}

// rarest returns the known items whose sheet this person has had least often as the right one: gold of one value finds nobody.
func (q *queue) rarest(gold []stock) []stock {
	had := map[string]int{}
	sheet := func(id int64) string { return fmt.Sprint(q.p.Item(id).Expected.Values) } // maps are printed in the order of their keys
	for _, a := range q.list {
		if a.Kind == Gold {
			had[sheet(a.Item)]++
		}
	}
	fewest := math.MaxInt
	for _, s := range gold {
		fewest = min(fewest, had[sheet(s.ID)])
	}
	return data.Where(gold, func(s stock) bool { return had[sheet(s.ID)] == fewest })
}

// repeatable returns the items of the study that this person had at least some items ago, and that were not repeated or skipped
// yet.
func (q *queue) repeatable(after int) (list []int64) {
	repeats := data.Where(q.list, func(a Assignment) bool { return a.Kind == Repeat })
	repeated := data.Among(data.Each(repeats, func(a Assignment) int64 { return a.Item }))
	for _, e := range q.list[:max(0, len(q.list)-after)] {
		if (e.Kind == Main || e.Kind == Overlap) && e.State != Skip && !repeated[e.Item] {
			list = append(list, e.Item)
		}
	}
	return list
}

// best returns the item to give next. Overlap items come first until half of them are done, and then now
// and then; people with a number of items get those that have the fewest sheets, so that all items
// get as many as are wanted. Two items of one question follow each other only if nothing else is left.
func (q *queue) best(candidates []stock, pick func(n int) int, chance float64) stock {
	list := candidates
	only := func(keep func(stock) bool) {
		if kept := data.Where(list, keep); kept != nil {
			list = kept
		}
	}
	if q.p.Ordered {
		return slices.MinFunc(list, func(a, b stock) int { return cmp.Compare(a.ID, b.ID) })
	}
	late := q.count[Overlap] >= len(q.unseen[Overlap])
	only(func(s stock) bool { return (s.Role == Overlap) == (!late || chance < overlapLate) })
	if len(q.list) > 0 {
		before := q.p.Item(q.list[len(q.list)-1].Item).Cluster
		only(func(s stock) bool { return s.Cluster != before })
	}
	if q.p.Each > 0 {
		fewest := slices.MinFunc(list, func(a, b stock) int { return cmp.Compare(a.Sheets, b.Sheets) })
		only(func(s stock) bool { return s.Sheets == fewest.Sheets })
	}
	return list[pick(len(list))]
}

// ToAdjudicate assigns an item to the owner and returns its blind id.
func (p *Project) ToAdjudicate(item int64) (string, error) {
	if p.Item(item).ID == 0 {
		return "", ErrUnknown
	}
	blind := p.blind(0, item, Adjudicate)
	return blind, p.exec(`INSERT INTO assignments VALUES (0, ?, 'adjudicate', ?, ?, 'ab', 0, '', 0, NULL, '', 0) ON CONFLICT DO NOTHING`, item,
		blind, item)
}
