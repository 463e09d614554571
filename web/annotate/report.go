package annotate

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/results/table"
	"compqa/results/trust"
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

// A Report is what a study has shown so far: people, their agreement, and what is open.
type Report struct {
	People         []Person
	Agreement      []Agreement
	Open           []Disagreement
	Remarks        []project.Remark
	Items, Covered int // items of the study; those with a sheet
	Sheets, Wanted int
	Raw            int          // sheets for which the raw text was looked at
	Left           int          // sheets that do not count: of people who are excluded
	Points         stats.Figure // mean of the items' mean totals
	Width          float64
	Changes        int64

	whose    Selection
	work     []project.Work // all assignments
	raters   []string       // people with sheets that count
	criteria []*criterion   // in the order of the sheet; all criteria together come last
}

// An Agreement is alpha of one criterion over the units that two or more people rated on their own. A unit
// is an item, a row or an attachment.
type Agreement struct {
	Criterion string       `csv:"criterion"`
	People    string       `csv:"people"` // all, or a pair
	Level     string       `csv:"level"`
	Items     int          `csv:"items"` // with such units
	N         int          `csv:"n"`     // units
	Alpha     stats.Figure `csv:"alpha,alpha_low,alpha_high"`
	Interval  string       `csv:"-"` // in words
	Enough    string       `csv:"-"`
}

// A Progress is how far a study is, for programs.
type Progress struct {
	Items     int                   `json:"items"`
	Covered   int                   `json:"items_with_a_sheet"`
	Sheets    int                   `json:"sheets"`
	Wanted    int                   `json:"sheets_wanted"` // about
	People    []PersonProgress      `json:"people"`
	Agreement table.Rows[Agreement] `json:"agreement"`
}

// A PersonProgress is what one person did.
type PersonProgress struct {
	Name    string   `json:"name"`
	State   string   `json:"state"`
	Done    int      `json:"done"`
	Due     int      `json:"due"`
	Skipped int      `json:"skipped"`
	Flags   int      `json:"flags"`
	Alerts  []string `json:"alerts"`
	Reasons string   `json:"reasons,omitempty"` // how they were written, where that is worth a look
}

// Progress is the report's part for `annotate status`.
func (r *Report) Progress() Progress {
	p := Progress{Items: r.Items, Covered: r.Covered, Sheets: r.Sheets, Wanted: r.Wanted, People: []PersonProgress{}, Agreement: r.Agreement}
	for _, a := range r.People {
		p.People = append(p.People, PersonProgress{a.Name, a.State(), a.Done, a.Due, a.Skipped, a.Flags, append([]string{}, a.Alerts...),
			a.Reasons.String()})
	}
	return p
}

// A Disagreement is an item for the owner to decide.
type Disagreement struct {
	Item        int64
	Text        string
	Adjudicated bool
	distance    float64
}

// A criterion has what people gave to the units of a criterion.
type criterion struct {
	name, level string
	items       []int64  // of each unit
	clusters    []string // of each unit
	given       []rated  // by unit
	places      map[unitKey]int32
}

// A rated is a person's value of a unit; both are indices.
type rated struct {
	unit, rater int32
	value       float64
}

// A unitKey identifies a unit of a criterion: an item, or a part of it.
type unitKey struct {
	item int64
	part string
}

// add adds a person's value of a unit.
func (c *criterion) add(it project.Item, part string, rater int32, value float64) {
	key := unitKey{it.ID, part}
	unit, known := c.places[key]
	if !known {
		unit = int32(len(c.items))
		c.places[key] = unit
		c.items, c.clusters = append(c.items, it.ID), append(c.clusters, it.Cluster)
	}
	c.given = append(c.given, rated{unit, rater, value})
}

// together is the criterion of all criteria of a rubric, each score being a unit.
const together = "all criteria together"

// Findings are how far people agree: on all criteria together, where they make a sheet, and on each.
func (r *Report) Findings() (all table.Findings) {
	for _, a := range r.Agreement {
		f := trust.PeopleAgree(a.Criterion, a.Alpha, a.Items)
		if a.leads() {
			all = append(table.Findings{f}, all...)
		} else {
			all = append(all, f)
		}
	}
	if all == nil {
		return table.Findings{trust.PeopleAgree("", stats.Figure{}, 0)}
	}
	return all
}

// A Selection says whose sheets count. The zero value leaves out those of excluded people.
type Selection struct {
	Without  []string // people who are left out, too
	Everyone bool     // nobody is left out
}

// work lists all assignments, and which of them do not count.
func (s Selection) work(p *project.Project) ([]project.Work, error) {
	work, err := p.Work()
	for i, w := range work {
		work[i].Out = !s.Everyone && (w.Out || w.Annotator > 0 && slices.Contains(s.Without, w.Name))
	}
	return work, err
}

// Compute computes the report of a study from the work of the people selected.
func Compute(p *project.Project, whose Selection) (*Report, error) {
	changes, err := p.Changes()
	if err != nil {
		return nil, err
	}
	work, err := whose.work(p)
	if err != nil {
		return nil, err
	}
	r := &Report{Width: p.Width, Changes: changes, whose: whose, work: work}
	for _, it := range p.Items {
		if it.Role == project.Main || it.Role == project.Overlap {
			r.Items++
			r.Wanted += map[string]int{project.Main: 1, project.Overlap: p.People}[it.Role]
		}
	}
	independent, adjudicated := map[int64][]*project.Work{}, map[int64]bool{}
	for i := range work {
		w := &work[i]
		switch {
		case w.Annotator == 0:
			adjudicated[w.Item] = adjudicated[w.Item] || w.Done()
		case w.Independent():
			independent[w.Item] = append(independent[w.Item], w)
			r.Sheets++
			if w.Last.View != "rendered" {
				r.Raw++
			}
		case w.Out && w.Done() && (w.Kind == project.Main || w.Kind == project.Overlap):
			r.Left++
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
	r.gather(p, independent, adjudicated)
	r.agree(p, r.criteria)
	if total := r.criterion(project.Total); len(total.given) > 0 {
		r.Points = stats.Number(stats.Mean(total.itemMeans()))
	}
	return r, nil
}

// agree computes the agreement of all people on each criterion that two of them rated.
func (r *Report) agree(p *project.Project, criteria []*criterion) {
	for _, c := range criteria {
		if a := r.agreement(p, c); a.N > 0 {
			r.Agreement = append(r.Agreement, a)
		}
	}
}

// itemMeans are the means of people's values of each item.
func (c *criterion) itemMeans() (means []float64) {
	for _, item := range table.Grouped(c.given, func(g rated) int64 { return c.items[g.unit] }) {
		means = append(means, stats.Mean(data.Each(item, func(g rated) float64 { return g.value })))
	}
	return means
}

// gather collects people's values, by criterion and unit, and the items on which they differ.
func (r *Report) gather(p *project.Project, independent map[int64][]*project.Work, adjudicated map[int64]bool) {
	byName, people := map[string]*criterion{}, map[string]int32{}
	named := func(name, level string) *criterion {
		if byName[name] == nil {
			byName[name] = &criterion{name: name, level: level, places: map[unitKey]int32{}}
			r.criteria = append(r.criteria, byName[name])
		}
		return byName[name]
	}
	whole := &criterion{name: together, places: map[unitKey]int32{}}
	for _, id := range slices.Sorted(maps.Keys(independent)) {
		it := independent[id][0].About
		d := Disagreement{Item: id, Adjudicated: adjudicated[id]}
		values := map[[2]string][]float64{} // of a criterion and a part
		var totals []string
		for _, w := range independent[id] {
			rater, known := people[w.Name]
			if !known {
				rater = int32(len(r.raters))
				people[w.Name], r.raters = rater, append(r.raters, w.Name)
			}
			for _, x := range p.Ratings(it, w.Shown, w.Last.Sheet) {
				named(x.Criterion, x.Level).add(it, x.Part, rater, x.Value)
				if x.Criterion == project.Total {
					totals = append(totals, w.Name+" "+x.Text)
					continue
				}
				values[[2]string{x.Criterion, x.Part}] = append(values[[2]string{x.Criterion, x.Part}], x.Value)
				if it.Kind == project.Answer {
					whole.level = x.Level
					whole.add(it, x.Criterion, rater, x.Value)
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
	if len(whole.given) > 0 {
		r.criteria = append(r.criteria, whole)
	}
	for _, c := range r.criteria {
		slices.SortStableFunc(c.given, func(a, b rated) int { return cmp.Compare(a.unit, b.unit) })
	}
	slices.SortStableFunc(r.Open, func(a, b Disagreement) int {
		return cmp.Or(cmp.Compare(dataset.Indicator(a.Adjudicated), dataset.Indicator(b.Adjudicated)), cmp.Compare(b.distance, a.distance))
	})
}

// leads reports whether the agreement is of whole sheets: of all criteria together, or of the choice between two answers as a whole.
func (a Agreement) leads() bool { return a.Criterion == together || a.Criterion == "choice" }

// whole is the agreement of whole sheets, or else of the first criterion; false: there is none.
func (r *Report) whole() (a Agreement, ok bool) {
	if a, ok = data.First(r.Agreement, Agreement.leads); ok || len(r.Agreement) == 0 {
		return a, ok
	}
	return r.Agreement[0], true
}

// Together lists the pairs of people who rated the same units, of all criteria together or of the first one, the lowest alpha first.
func (r *Report) Together() []Agreement {
	a, ok := r.whole()
	if !ok {
		return nil
	}
	pairs := r.pairs(a.Criterion)
	slices.SortStableFunc(pairs, func(a, b Agreement) int { return stats.CompareFigures(a.Alpha.Point(), b.Alpha.Point(), 1) })
	return pairs
}

// With is the agreement of a person with the others, of all criteria together or of the first one.
func (r *Report) With(person string) string {
	a, _ := r.whole()
	with := r.withOthers(a.Criterion, person)
	if with.Items == 0 {
		return stats.Missing
	}
	return fmt.Sprintf("%s (%s)", with.Alpha.Point().Text(2), data.Plural(with.Items, "item", "items"))
}

// criterion finds what people gave on a criterion, which has no units if nobody rated it.
func (r *Report) criterion(name string) *criterion {
	index := slices.IndexFunc(r.criteria, func(c *criterion) bool { return c.name == name })
	if index < 0 {
		return &criterion{name: name}
	}
	return r.criteria[index]
}

// pairs are alpha of each two people who rated the same units, without intervals.
func (r *Report) pairs(name string) (pairs []Agreement) {
	c := r.criterion(name)
	byRater := make([][]rated, len(r.raters)) // each in the order of units
	for _, g := range c.given {
		byRater[g.rater] = append(byRater[g.rater], g)
	}
	place := map[string]int{}
	for i, rater := range r.raters {
		place[rater] = i
	}
	people := data.Where(r.People, func(a Person) bool { return slices.Contains(r.raters, a.Name) })
	for i, a := range people {
		for _, b := range people[i+1:] {
			var both [][2]float64
			var units []int32
			first, second := byRater[place[a.Name]], byRater[place[b.Name]]
			for len(first) > 0 && len(second) > 0 {
				switch {
				case first[0].unit < second[0].unit:
					first = first[1:]
				case first[0].unit > second[0].unit:
					second = second[1:]
				default:
					both, units = append(both, [2]float64{first[0].value, second[0].value}), append(units, first[0].unit)
					first, second = first[1:], second[1:]
				}
			}
			if len(both) > 0 {
				pairs = append(pairs, c.paired(a.Name+", "+b.Name, both, units))
			}
		}
	}
	return pairs
}

// withOthers is alpha of one person and the others: each unit counts once for each other person who rated it.
func (r *Report) withOthers(name, person string) Agreement {
	c := r.criterion(name)
	mine := int32(slices.Index(r.raters, person))
	var values [][2]float64 // of the person, and of another one
	var units []int32
	for start, end := 0, 0; start < len(c.given); start = end {
		for end = start; end < len(c.given) && c.given[end].unit == c.given[start].unit; end++ {
		}
		ratings := c.given[start:end]
		if own, known := data.First(ratings, func(g rated) bool { return g.rater == mine }); known {
			for _, other := range ratings {
				if other.rater != mine {
					values, units = append(values, [2]float64{own.value, other.value}), append(units, own.unit)
				}
			}
		}
	}
	return c.paired(person, values, units)
}

// paired is alpha of two columns of values of units, without an interval.
func (c *criterion) paired(people string, values [][2]float64, units []int32) Agreement {
	a := Agreement{Criterion: c.name, People: people, Level: c.level}
	t := raters.Table{Criterion: c.name, Scale: raters.Scale{Level: agreement.Level(c.level)}, Units: make([]raters.Unit, len(values)),
		Raters: []raters.Rater{{Name: "first", Kind: raters.Person}, {Name: "second", Kind: raters.Person}}}
	items := map[int64]bool{}
	for i, pair := range values {
		items[c.items[units[i]]] = true
		for k, value := range pair {
			t.Raters[k].Values = append(t.Raters[k].Values, raters.Number(value))
		}
	}
	row := t.Among(t.Raters, raters.Options{Figures: raters.Alpha, Intervals: raters.NoIntervals})
	a.N, a.Items, a.Alpha = row.N, len(items), row.Alpha
	return a
}

// agreement is alpha of all people's values of a criterion. N is 0 if no unit has two values.
func (r *Report) agreement(p *project.Project, c *criterion) Agreement {
	a := Agreement{Criterion: c.name, People: "all", Level: c.level, Interval: "none yet: too few questions, or ratings that do not vary"}
	t := raters.Table{Criterion: c.name, Scale: raters.Scale{Level: agreement.Level(c.level)}} // a rubric has known levels alone
	for unit, cluster := range stats.ClusterLabels(c.clusters) {
		t.Units = append(t.Units, raters.Unit{ID: strconv.Itoa(unit), Cluster: cluster})
	}
	places := map[int32]int{} // of raters in the table
	counts := make([]int, len(c.items))
	items := map[int64]bool{} // with units that two people rated
	for _, g := range c.given {
		place, known := places[g.rater]
		if !known {
			place = len(t.Raters)
			places[g.rater] = place
			t.Add(r.raters[g.rater], raters.Person)
		}
		t.Raters[place].Values[g.unit] = raters.Number(g.value)
		counts[g.unit]++
		if counts[g.unit] == 2 {
			items[c.items[g.unit]] = true
		}
	}
	row := t.Among(t.Raters, raters.Options{Figures: raters.Alpha, Resampling: stats.Resampling{Seed: p.Seed, Name: "annotate"}})
	a.N, a.Items, a.Alpha = row.N, len(items), row.Alpha
	if !a.Alpha.Known {
		return a
	}
	if a.Alpha.Bounded {
		a.Interval = a.Alpha.Lower().Text(2) + " to " + a.Alpha.Upper().Text(2)
	}
	a.Enough = enough(a.Items, a.Alpha, p.Width)
	return a
}

// enough reports whether more than n items are needed. A width falls with the root of the number of items.
func enough(n int, alpha stats.Figure, asked float64) string {
	switch {
	case n < enoughItems:
		return fmt.Sprintf("not yet: %d of at least %d items", n, enoughItems)
	case !alpha.Bounded:
		return "no interval yet: the ratings hardly vary"
	}
	width := alpha.High - alpha.Low
	if width <= asked {
		return fmt.Sprintf("enough: the interval is %.2f wide", width)
	}
	needed := int(math.Ceil(float64(n) * math.Pow(width/asked, 2)))
	return fmt.Sprintf("not yet: %.2f wide, %v asked for: about %d more items; check again at %d", width, asked, needed-n,
		(n/lookEvery+1)*lookEvery)
}
