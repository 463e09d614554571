package annotate

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/agreement"
	"compqa/web/annotate/project"
)

// The stop rule: a look every 25 items, enough at 60 items or more if the interval is at most as
// wide as the owner asks for. The value of alpha and p-values play no part.
const (
	lookEvery   = 25
	enoughItems = 60
)

// When the owner is warned about a person.
const (
	alertAfter = 3    // submitted items, or values of gold items
	muchFaster = 0.25 // of the median time of the others
	fewSeconds = 3    // median active time of an item
	goldLeast  = 0.7  // share of gold values that a person should meet
)

type Report struct {
	People         []Person
	Agreement      []Agreement
	Open           []Disagreement
	Remarks        []project.Remark
	Items, Covered int // items of the study; those with a sheet
	Sheets, Wanted int
	Raw            int // sheets for which the raw text was looked at
	Width          float64
	Changes        int64
}

type Person struct {
	project.Annotator
	Done, Due      int
	Skipped, Flags int
	ActiveMS       int64 // median of an item
	Gold, Self     compared
	Alerts         []string
	submitted      int
}

// A compared counts values that were compared, and those that are the same.
type compared struct{ n, same int }

func (c compared) share() float64 { return float64(c.same) / float64(c.n) }

func (c compared) low() bool { return c.n >= alertAfter && c.share() < goldLeast }

func (c compared) String() string {
	if c.n == 0 {
		return table.None
	}
	return strconv.FormatFloat(100*c.share(), 'f', 0, 64) + " %"
}

// An Agreement is alpha of one criterion over the units that two or more people rated on their own. A unit
// is an item, a row or an attachment.
type Agreement struct {
	Criterion string        `csv:"criterion"`
	People    string        `csv:"people"` // all, or a pair
	Level     string        `csv:"level"`
	Items     int           `csv:"items"` // with such units
	N         int           `csv:"n"`     // units
	Alpha     table.Bounded `csv:"alpha"`
	Interval  string        `csv:"-"` // in words
	Enough    string        `csv:"-"`
	Pairs     []Agreement   `csv:"-"` // of each pair of people
}

// A Disagreement is an item for the owner to decide.
type Disagreement struct {
	Item        int64
	Text        string
	Adjudicated bool
	distance    float64
}

// A rating is a person's value of a unit, on a criterion.
type rating struct {
	project.Rating
	item                 int64
	unit, rater, cluster string
}

// together is the criterion of all criteria of a rubric, each score being a unit.
const together = "all criteria together"

func Compute(p *project.Project) (*Report, error) {
	changes, err := p.Changes()
	if err != nil {
		return nil, err
	}
	work, err := p.Work()
	if err != nil {
		return nil, err
	}
	r := &Report{Width: p.Width, Changes: changes}
	for _, it := range p.Items {
		if it.Role == project.Main || it.Role == project.Overlap {
			r.Items++
			r.Wanted += map[string]int{project.Main: 1, project.Overlap: p.People}[it.Role]
		}
	}
	independent, adjudicated := map[int64][]project.Work{}, map[int64]bool{}
	for _, w := range work {
		switch {
		case w.Annotator == 0:
			adjudicated[w.Item] = adjudicated[w.Item] || w.Done()
		case w.Independent():
			independent[w.Item] = append(independent[w.Item], w)
			r.Sheets++
			if w.Last.View != "rendered" {
				r.Raw++
			}
		}
	}
	r.Covered = len(independent)
	r.Remarks, err = p.Remarks()
	if err != nil {
		return nil, err
	}
	if err := r.people(p, work); err != nil {
		return nil, err
	}
	r.agree(p, r.gather(p, independent, adjudicated))
	return r, nil
}

// gather collects people's values, in the order of the sheet, and the items on which they differ.
func (r *Report) gather(p *project.Project, independent map[int64][]project.Work, adjudicated map[int64]bool) (all []rating) {
	for _, id := range slices.Sorted(maps.Keys(independent)) {
		it := independent[id][0].About
		d := Disagreement{Item: id, Adjudicated: adjudicated[id]}
		values := map[string][]float64{}
		var totals []string
		for _, w := range independent[id] {
			for _, x := range p.Ratings(it, w.Shown, w.Last.Sheet) {
				unit := fmt.Sprint(id, "/", x.Part)
				all = append(all, rating{x, id, unit, w.Name, it.Cluster})
				if x.Criterion == project.Total {
					totals = append(totals, w.Name+" "+x.Text)
				} else if values[x.Criterion+unit] = append(values[x.Criterion+unit], x.Value); it.Kind == project.Answer {
					unit, x.Criterion = fmt.Sprint(id, "/", x.Criterion), together
					all = append(all, rating{x, id, unit, w.Name, it.Cluster})
				}
			}
		}
		differing := 0
		for _, list := range values {
			if low, high := slices.Min(list), slices.Max(list); low < high {
				differing++
				d.distance += high - low
			}
		}
		if differing > 0 {
			d.Text = fmt.Sprintf("%d of %d values differ", differing, len(values))
			if len(totals) > 0 {
				d.Text += "; totals: " + strings.Join(totals, ", ")
			}
			r.Open = append(r.Open, d)
		}
	}
	slices.SortStableFunc(r.Open, func(a, b Disagreement) int {
		return cmp.Or(cmp.Compare(dataset.Indicator(a.Adjudicated), dataset.Indicator(b.Adjudicated)), cmp.Compare(b.distance, a.distance))
	})
	return all
}

// people computes each person's state, and what the owner is warned of.
func (r *Report) people(p *project.Project, work []project.Work) error {
	annotators, err := p.Annotators()
	if err != nil {
		return err
	}
	first := map[[2]int64]project.Work{}
	for _, w := range work {
		if w.Kind != project.Repeat {
			first[[2]int64{w.Annotator, w.Item}] = w
		}
	}
	for _, a := range annotators {
		person := Person{Annotator: a}
		person.Done, person.Due, err = p.Progress(a)
		if err != nil {
			return err
		}
		var times []int64
		for _, w := range table.Where(work, func(w project.Work) bool { return w.Annotator == a.ID }) {
			person.count(p, w, first[[2]int64{a.ID, w.Item}])
			if w.Last.Kind == project.Submit && w.Kind != project.Practice {
				times = append(times, w.Active)
			}
		}
		person.submitted, person.ActiveMS = len(times), median(times)
		person.Flags = len(table.Where(r.Remarks, func(f project.Remark) bool { return f.Name == a.Name && f.Kind == project.Flag }))
		r.People = append(r.People, person)
	}
	for i := range r.People {
		r.People[i].Alerts = r.alerts(i)
	}
	return nil
}

// count adds an assignment: its state, and how often a gold or repeated sheet says the same.
func (a *Person) count(p *project.Project, w, first project.Work) {
	if w.Last.Kind == project.Skip {
		a.Skipped++
	}
	gold := w.Kind == project.Gold && w.Done()
	again := w.Kind == project.Repeat && w.Done() && first.Done()
	if !gold && !again {
		return
	}
	expected, with := map[string]float64{}, &a.Self
	if gold {
		with = &a.Gold
		first.Last.Sheet, first.Shown = *w.About.Expected, "ab"
	}
	for _, x := range p.Ratings(w.About, first.Shown, first.Last.Sheet) {
		expected[x.Criterion+"/"+x.Part] = x.Value
	}
	for _, x := range p.Ratings(w.About, w.Shown, w.Last.Sheet) {
		value, known := expected[x.Criterion+"/"+x.Part]
		if !known || x.Criterion == project.Total || x.Criterion == project.Helps {
			continue // the total and the rows that help follow from the rest
		}
		with.n++
		if value == x.Value {
			with.same++
		}
	}
}

// alerts are what the owner should look at: items that take no time, gold that is not met, sheets
// that a person does not repeat.
func (r *Report) alerts(i int) (list []string) {
	a := r.People[i]
	var others []int64
	for j, o := range r.People {
		if j != i && o.submitted >= alertAfter {
			others = append(others, o.ActiveMS)
		}
	}
	switch seconds := float64(a.ActiveMS) / 1000; {
	case a.submitted < alertAfter:
	case seconds < fewSeconds:
		list = append(list, fmt.Sprintf("too fast: %.0f s an item (less than %d s)", seconds, fewSeconds))
	case seconds < muchFaster*float64(median(others))/1000:
		list = append(list, fmt.Sprintf("much faster than the others: %.0f s an item", seconds))
	}
	if a.Gold.low() {
		list = append(list, fmt.Sprintf("misses gold: %v (less than %.0f %%)", a.Gold, 100*goldLeast))
	}
	if a.Self.low() {
		list = append(list, fmt.Sprintf("does not repeat the own sheets: %v", a.Self))
	}
	return list
}

// median is the middle time, 0 without any.
func median(times []int64) int64 {
	return append(slices.Sorted(slices.Values(times)), 0)[len(times)/2]
}

// agree computes alpha of each criterion, of all people and of each pair of them.
func (r *Report) agree(p *project.Project, all []rating) {
	for _, of := range table.Grouped(all, func(r rating) string { return r.Criterion }) {
		c := agreementOf(p, of)
		for i, a := range r.People {
			for _, b := range r.People[i+1:] {
				c.Pairs = append(c.Pairs, agreementOf(p, of, a.Name, b.Name))
			}
		}
		if c.N > 0 {
			r.Agreement = append(r.Agreement, c)
		}
	}
}

// agreementOf is alpha of the ratings in list, which are of one criterion, by the people named, or by all if none are named;
// only that of all has an interval. N is 0 if no unit has two ratings.
func agreementOf(p *project.Project, list []rating, people ...string) Agreement {
	a := Agreement{Criterion: list[0].Criterion, People: cmp.Or(strings.Join(people, ", "), "all"), Level: list[0].Level,
		Interval: "none yet: too few questions, or ratings that do not vary"}
	list = table.Where(list, func(r rating) bool { return people == nil || slices.Contains(people, r.rater) })
	t := raters.Table{Criterion: a.Criterion, Scale: raters.Scale{Level: agreement.Level(a.Level)}} // a rubric has known levels alone
	items := map[int64]bool{}
	units := table.Grouped(list, func(r rating) string { return r.unit })
	clusters := stats.ClusterLabels(table.Each(units, func(of []rating) string { return of[0].cluster }))
	for u, of := range units {
		t.Units = append(t.Units, raters.Unit{ID: of[0].unit, Cluster: clusters[u]})
		if len(of) > 1 {
			items[of[0].item] = true
		}
	}
	for u, of := range units {
		for _, r := range of {
			t.Put(r.rater, raters.Person, u, r.Value)
		}
	}
	o := raters.Options{Figures: raters.Alpha, Intervals: raters.Bootstrap, Resampling: stats.Resampling{Seed: p.Seed, Name: "annotate"}}
	if people != nil {
		o.Intervals = raters.NoIntervals
	}
	row := t.Among(t.Raters, o)
	a.N, a.Items = row.N, len(items)
	a.Alpha = dataset.Bounded(row.Alpha)
	if people != nil || !a.Alpha.Known() {
		return a
	}
	if a.Alpha.Low.Known() {
		a.Interval = a.Alpha.Low.Text(2) + " to " + a.Alpha.High.Text(2)
	}
	a.Enough = enough(a.Items, a.Alpha, p.Width)
	return a
}

// enough reports whether more than n items are needed. A width falls with the root of the number of items.
func enough(n int, alpha table.Bounded, asked float64) string {
	switch {
	case n < enoughItems:
		return fmt.Sprintf("not yet: %d of at least %d items", n, enoughItems)
	case !alpha.Low.Known():
		return "no interval yet: the ratings hardly vary"
	}
	width := *alpha.High.Number - *alpha.Low.Number
	if width <= asked {
		return fmt.Sprintf("enough: the interval is %.2f wide", width)
	}
	needed := int(math.Ceil(float64(n) * math.Pow(width/asked, 2)))
	return fmt.Sprintf("not yet: %.2f wide, %v asked for: about %d more items; check again at %d", width, asked, needed-n,
		(n/lookEvery+1)*lookEvery)
}

func minutes(ms int64) string { return fmt.Sprintf("%d:%02d", ms/60000, ms/1000%60) }

// State says where a person stands.
func (p Person) State() string {
	switch {
	case p.Revoked:
		return "revoked"
	case !p.Passed && p.Tries >= project.MostTries:
		return "failed the check twice"
	case !p.Passed:
		return "invited"
	case p.Done >= p.Due:
		return "finished"
	}
	return "active"
}

// PerHour is how many items a person does in an hour of active time.
func (p Person) PerHour() string {
	if p.ActiveMS == 0 {
		return "–"
	}
	return strconv.FormatInt(3600_000/p.ActiveMS, 10)
}

// Locked reports whether the owner can let the person in again.
func (p Person) Locked() bool { return !p.Revoked && !p.Passed && p.Tries >= project.MostTries }
