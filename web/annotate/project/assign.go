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
	Shown     string // order of the sides of a pair: ab or ba
	State     string // kind of the event that counts, see the kinds of events
	About     Item   `db:"-"`
}

// finished is the SQL list of the states of finished items.
const finished = `('submit', 'skip', 'adjudicate')`

// Finished reports whether the person has submitted or skipped the item, or the owner has adjudicated it.
func (a Assignment) Finished() bool {
	return a.State == Submit || a.State == Skip || a.State == Adjudicate
}

// Assignment returns the assignment of an item, by its blind id, to a person. It returns ErrUnknown if the item is not in the person's
// queue.
func (p *Project) Assignment(annotator int64, blind string) (Assignment, error) {
	a, err := firstRow[Assignment](p, `SELECT `+store.Columns[Assignment]()+` FROM assignments
		WHERE annotator = ? AND blind = ?`, annotator, blind)
	a.About = p.Item(a.Item)
	return a, err
}

// Next returns the blind id of the person's first unfinished item. If there is none, it assigns one more item (queue.choose). It returns
// "" if nothing is left, and then records that the person has finished.
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
		shown = map[string]string{data.OrderAB: data.OrderBA, data.OrderBA: data.OrderAB}[q.sideOrder[id]]
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

// A Progress has the numbers of items that a person finished (Done) and is to do in all (Due), with practice and checks. Due is fixed from
// the first item on, until the owner changes the study; at the end it equals Done.
type Progress struct{ Done, Due int }

// Progress returns the progress of each of some people.
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

// progress counts the items that the person finished and all that are due: practice, planned study items, and the checks among them.
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
	disagreeing = 2   // number of sheets after which a third person may be asked
	repeatAfter = 5   // minimum distance between an item and its repetition, if there are enough items
	overlapLate = 0.2 // probability of an overlap item once half of them are done
)

// A queue has the assignments of one person, and the items that the person can still be given.
type queue struct {
	p         *Project
	a         Annotator
	list      []Assignment // in the order of their positions
	done      int
	skipped   int                // number of skipped study items
	count     map[string]int     // number of assignments, by kind
	sideOrder map[int64]string   // order of the sides, by item
	unseen    map[string][]stock // items that the person has not had, by role
	people    int                // number of people who take part
	planned   int                // number of study items that this person is to get
}

// A stock is an item with counts of its sheets. A sheet counts if it is finished, or assigned to somebody who takes part.
type stock struct {
	ID           int64
	Role         string
	Cluster      string
	Sheets       int     // number of sheets, without skipped ones
	Had          int     // number of people taking part who have been given the item
	Spread       float64 // difference between the highest and the lowest total
	Scored       int     // number of sheets with a total
	wantedSheets int     // number of sheets that the study wants
}

// stocks returns all items except examples, with counts of their sheets.
func (p *Project) stocks() ([]stock, error) {
	working := `(` + takesPart + ` AND n.stopped = '' AND (n.external = '' OR ` + p.holdsPlace() + `))`
	return store.Select[stock](p.s, `SELECT i.id, i.role, i.cluster,
			count(CASE WHEN a.state = 'submit' OR a.state <> 'skip' AND `+working+` THEN 1 END), count(CASE WHEN `+working+` THEN 1 END),
			coalesce(max(a.total) - min(a.total), 0), count(a.total)
		FROM items i LEFT JOIN assignments a ON a.item = i.id AND a.kind IN ('main', 'overlap') AND NOT a.excluded
			LEFT JOIN annotators n ON n.id = a.annotator
		WHERE i.role <> 'example' GROUP BY i.id ORDER BY i.id`)
}

// queue returns a person's queue. It counts the assignments, leaves out items that the person judged before the study, and sets how many
// sheets each item needs. An overlap item needs one more if the totals of its two sheets differ by Third points.
func (p *Project) queue(a Annotator, stocks []stock) (*queue, error) {
	list, err := store.Select[Assignment](p.s, `SELECT `+store.Columns[Assignment]()+` FROM assignments WHERE annotator = ?
		ORDER BY position`, a.ID)
	if err != nil {
		return nil, err
	}
	q := &queue{p: p, a: a, list: list, count: map[string]int{}, sideOrder: map[int64]string{}, unseen: map[string][]stock{}}
	for _, e := range q.list {
		q.count[e.Kind]++
		q.sideOrder[e.Item] = e.Shown
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
		s.wantedSheets = 1
		if s.Role == Overlap {
			s.wantedSheets = p.People
			if p.People == disagreeing && s.Scored == disagreeing && p.Third > 0 && s.Spread >= p.Third {
				s.wantedSheets++
			}
		}
		if _, seen := q.sideOrder[s.ID]; !seen && !slices.Contains(earlier, s.ID) {
			q.unseen[s.Role] = append(q.unseen[s.Role], s)
		}
	}
	q.people, err = firstRow[int](p, `SELECT count(*) FROM annotators n
		WHERE id > 0 AND `+takesPart+` AND n.stopped = '' AND (passed OR tries < ?)`, MostTries)
	if err != nil {
		return nil, err
	}
	q.planned, err = firstRow[int](p, `SELECT planned FROM annotators WHERE id = ?`, a.ID)
	if count := q.studied(); count >= q.planned {
		q.planned = count + q.expectedItems() // not fixed yet, or more items became available
	}
	return q, err
}

// studied returns the number of study items that the person was given.
func (q *queue) studied() int { return q.count[Main] + q.count[Overlap] }

// expectedItems returns how many further items this person can expect. An item that other people may do instead counts as a fraction.
func (q *queue) expectedItems() int {
	more := 0.0
	for _, c := range q.candidates() {
		more += min(1, float64(c.wantedSheets-c.Sheets)/float64(max(1, q.people-c.Had)))
	}
	if q.p.Each > 0 {
		more = min(more, float64(max(0, q.p.Each-q.studied())))
	}
	return int(math.Round(more))
}

// candidates returns the study items that still need a sheet and that this person can do.
func (q *queue) candidates() (list []stock) {
	if q.p.Each > 0 && q.studied() >= q.p.Each {
		return nil
	}
	return data.Where(slices.Concat(q.unseen[Main], q.unseen[Overlap]), func(s stock) bool { return s.Sheets < s.wantedSheets })
}

// dueChecks returns how many of the asked checks of a kind belong before the person's next item. Each check is at a random place in the
// middle half of its share of the planned items, so that checks are spread over the whole work.
func (q *queue) dueChecks(kind string, asked int) (n int) {
	for ; n < asked; n++ {
		within := .25 + .5*q.p.random(kind, uint64(q.a.Seed), uint64(n)).Float64()
		if (float64(n)+within)/float64(asked)*float64(q.planned) >= float64(q.studied()) {
			break
		}
	}
	return n
}

// choose returns the next item and its kind of assignment. It tries practice, then due checks (gold, attention, repeat), then study items.
// kind is "" if nothing is left.
func (q *queue) choose() (id int64, kind string) {
	if practice := q.unseen[Practice]; len(practice) > 0 {
		return practice[0].ID, Practice
	}
	rng := q.p.random("order", uint64(q.a.Seed), uint64(len(q.list)))
	if gold := q.rarest(q.unseen[Gold]); len(gold) > 0 && q.count[Gold] < q.dueChecks(Gold, q.p.Gold) {
		return gold[rng.Intn(len(gold))].ID, Gold
	}
	if items := q.unseen[Attention]; len(items) > 0 && q.count[Attention] < q.dueChecks(Attention, q.p.Attention) {
		return items[rng.Intn(len(items))].ID, Attention
	}
	candidates := q.candidates()
	if q.count[Repeat] < q.dueChecks(Repeat, q.p.Repeats) {
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
	next := q.bestItem(candidates, rng.Intn, rng.Float64())
	return next.ID, next.Role
}

// rarest returns the gold items whose known sheet the person has met least often. If all gold items had the same values, somebody who
// always gives these values would never be noticed.
func (q *queue) rarest(gold []stock) []stock {
	had := map[string]int{}
	sheet := func(id int64) string { return fmt.Sprint(q.p.Item(id).Expected.Values) } // fmt prints maps sorted by key
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

// repeatable returns the study items that were assigned at least a number of items ago and were neither skipped nor repeated.
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

// bestItem returns the study item to give next. By these rules, each of which applies if it leaves an item: in a study with a fixed order,
// the first; overlap items until half of them are done, then with probability overlapLate; no item of the same question as the last one;
// with a maximum per person, the items with the fewest sheets; else by chance.
func (q *queue) bestItem(candidates []stock, pick func(n int) int, chance float64) stock {
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

// ToAdjudicate assigns an item to the owner, who decides it, and returns its blind id.
func (p *Project) ToAdjudicate(item int64) (string, error) {
	if p.Item(item).ID == 0 {
		return "", ErrUnknown
	}
	blind := p.blind(0, item, Adjudicate)
	return blind, p.exec(`INSERT INTO assignments VALUES (0, ?, 'adjudicate', ?, ?, 'ab', 0, '', 0, NULL, '', 0) ON CONFLICT DO NOTHING`, item,
		blind, item)
}
