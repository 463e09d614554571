package annotate

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
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
	Pairs     []Agreement  `csv:"-"` // of each pair of people
	Others    []Agreement  `csv:"-"` // of each person with all others
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

// A rating is a person's value of a unit, on a criterion.
type rating struct {
	project.Rating
	item                 int64
	unit, rater, cluster string
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
	all := r.gather(p, independent, adjudicated)
	r.agree(p, all)
	totals := data.Where(all, func(x rating) bool { return x.Criterion == project.Total })
	if items := table.Grouped(totals, func(x rating) int64 { return x.item }); len(items) > 0 {
		r.Points = stats.Number(stats.Mean(data.Each(items, func(item []rating) float64 {
			return stats.Mean(data.Each(item, func(x rating) float64 { return x.Value }))
		})))
	}
	return r, nil
}

// gather collects people's values, in the order of the sheet, and the items on which they differ.
func (r *Report) gather(p *project.Project, independent map[int64][]project.Work, adjudicated map[int64]bool) []rating {
	var all, whole []rating // whole: those of all criteria together, which come last
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
					whole = append(whole, rating{x, id, unit, w.Name, it.Cluster})
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
	return append(all, whole...)
}

// agree computes alpha of each criterion, of all people and of each pair of them.
func (r *Report) agree(p *project.Project, all []rating) {
	for _, ratings := range table.Grouped(all, func(r rating) string { return r.Criterion }) {
		c := agreementOf(p, ratings)
		for i, a := range r.People {
			for _, b := range r.People[i+1:] {
				c.Pairs = append(c.Pairs, agreementOf(p, ratings, a.Name, b.Name))
			}
			c.Others = append(c.Others, withOthers(ratings, a.Name))
		}
		if c.N > 0 {
			r.Agreement = append(r.Agreement, c)
		}
	}
}

// withOthers is alpha of one person and the others: each unit counts once for each other person who rated it.
func withOthers(list []rating, person string) Agreement {
	a := Agreement{Criterion: list[0].Criterion, People: person, Level: list[0].Level}
	t := raters.Table{Criterion: a.Criterion, Scale: raters.Scale{Level: agreement.Level(a.Level)}}
	items := map[int64]bool{}
	var values [][2]float64 // of the person, and of another one
	for _, ratings := range table.Grouped(list, func(r rating) string { return r.unit }) {
		mine, is := data.First(ratings, func(r rating) bool { return r.rater == person })
		for _, other := range ratings {
			if !is || other.rater == person {
				continue
			}
			items[mine.item] = true
			values = append(values, [2]float64{mine.Value, other.Value})
			t.Units = append(t.Units, raters.Unit{ID: mine.unit + "/" + other.rater})
		}
	}
	for u, pair := range values {
		t.Put("person", raters.Person, u, pair[0])
		t.Put("others", raters.Person, u, pair[1])
	}
	row := t.Among(t.Raters, raters.Options{Figures: raters.Alpha, Intervals: raters.NoIntervals})
	a.N, a.Items, a.Alpha = row.N, len(items), row.Alpha
	return a
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
func (r *Report) Together() (pairs []Agreement) {
	a, ok := r.whole()
	if !ok {
		return nil
	}
	pairs = data.Where(a.Pairs, func(pair Agreement) bool { return pair.N > 0 })
	slices.SortStableFunc(pairs, func(a, b Agreement) int { return stats.CompareFigures(a.Alpha.Point(), b.Alpha.Point(), 1) })
	return pairs
}

// With is the agreement of a person with the others, of all criteria together or of the first one.
func (r *Report) With(person string) string {
	a, _ := r.whole()
	with, known := data.First(a.Others, func(a Agreement) bool { return a.People == person })
	if !known || with.Items == 0 {
		return stats.Missing
	}
	return fmt.Sprintf("%s (%s)", with.Alpha.Point().Text(2), data.Plural(with.Items, "item", "items"))
}

// agreementOf is alpha of the ratings in list, which are of one criterion, by the people named, or by all if none are named;
// only that of all has an interval. N is 0 if no unit has two ratings.
func agreementOf(p *project.Project, list []rating, people ...string) Agreement {
	a := Agreement{Criterion: list[0].Criterion, People: cmp.Or(strings.Join(people, ", "), "all"), Level: list[0].Level,
		Interval: "none yet: too few questions, or ratings that do not vary"}
	list = data.Where(list, func(r rating) bool { return people == nil || slices.Contains(people, r.rater) })
	t := raters.Table{Criterion: a.Criterion, Scale: raters.Scale{Level: agreement.Level(a.Level)}} // a rubric has known levels alone
	items := map[int64]bool{}
	units := table.Grouped(list, func(r rating) string { return r.unit })
	clusters := stats.ClusterLabels(data.Each(units, func(ratings []rating) string { return ratings[0].cluster }))
	for u, ratings := range units {
		t.Units = append(t.Units, raters.Unit{ID: ratings[0].unit, Cluster: clusters[u]})
		if len(ratings) > 1 {
			items[ratings[0].item] = true
		}
	}
	for u, ratings := range units {
		for _, r := range ratings {
			t.Put(r.rater, raters.Person, u, r.Value)
		}
	}
	o := raters.Options{Figures: raters.Alpha, Resampling: stats.Resampling{Seed: p.Seed, Name: "annotate"}}
	if people != nil {
		o.Intervals = raters.NoIntervals
	}
	row := t.Among(t.Raters, o)
	a.N, a.Items = row.N, len(items)
	a.Alpha = row.Alpha
	if people != nil || !a.Alpha.Known {
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
