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

	whose      Selection
	work       []project.Work   // all assignments
	judgements *data.Judgements // of people with sheets that count; an item is one of the study, or a part of it, with the ID of this
	sets       []givenSet       // of the same sheets
	scored     bool             // each item is an answer with a sheet of scores
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

// Progress returns the report's part for `annotate status`.
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

// together is the criterion of all criteria of a rubric, each score being a unit.
const together = "all criteria together"

// Findings returns how far people agree: on all criteria together, where they make a sheet, and on each.
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
	independent := map[int64][]*project.Work{}
	adjudicated := map[int64]bool{}
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
	totals := r.gather(p, independent)
	tables := r.everyone()
	r.agree(p, tables)
	r.open(tables, totals, adjudicated)
	if total, is := data.First(tables, isTotal); is {
		var means []float64
		for _, mean := range total.Mean(total.Raters).Values {
			if mean.Given() {
				means = append(means, mean.Number())
			}
		}
		r.Points = stats.Number(stats.Mean(means))
	}
	return r, nil
}

// agree computes the agreement of all people on each criterion that two of them rated.
func (r *Report) agree(p *project.Project, tables []raters.Table) {
	for _, t := range tables {
		if a := ofAll(p, t); a.N > 0 {
			r.Agreement = append(r.Agreement, a)
		}
		if a := r.ofSets(t.Criterion, "all"); a.N > 0 {
			r.Agreement = append(r.Agreement, a.judged(p.Width))
		}
	}
}

// gather collects people's values as judgements, and what each person's total of an item is, by item.
func (r *Report) gather(p *project.Project, independent map[int64][]*project.Work) map[string][]string {
	r.scored = p.Form().Total != nil
	var values data.Collector
	totals := map[string][]string{}
	clusters := map[string]int{}
	for _, id := range slices.Sorted(maps.Keys(independent)) {
		it := independent[id][0].About
		cluster, known := clusters[it.Cluster]
		if !known {
			cluster = len(clusters)
			clusters[it.Cluster] = cluster
		}
		item := data.Rated{ID: strconv.FormatInt(id, 10), Cluster: cluster}
		for _, w := range independent[id] {
			place := int32(-1)
			part := ""
			for _, x := range p.Ratings(it, w.Shown, w.Last.Sheet) {
				if place < 0 || x.Part != part {
					place = values.Item(item.ID+"/"+x.Part, item)
					part = x.Part
				}
				values.Give(data.Rater{Name: w.Name, Kind: data.KindPerson}, place, data.Measured{ID: x.Criterion, Level: x.Level}, x.Value)
				if x.Set != 0 {
					r.sets = append(r.sets, givenSet{x.Criterion, w.Name, item, x.Part, x.Set})
				}
				if x.Criterion == project.Total {
					totals[item.ID] = append(totals[item.ID], w.Name+" "+x.Text)
				}
			}
		}
	}
	r.judgements = values.Judgements()
	return totals
}

// everyone returns the tables of all people.
func (r *Report) everyone() []raters.Table {
	return r.withTogether(raters.ByItem(r.judgements, r.judgements.Everyone()...))
}

// withTogether adds the table of all criteria together to the tables of the criteria of a sheet.
func (r *Report) withTogether(tables []raters.Table) []raters.Table {
	scores := data.Where(tables, func(t raters.Table) bool { return !isTotal(t) })
	if !r.scored || len(scores) == 0 {
		return tables
	}
	return append(tables, raters.Pooled(together, scores))
}

func isTotal(t raters.Table) bool { return t.Criterion == project.Total }

// open lists the items on which people differ.
func (r *Report) open(tables []raters.Table, totals map[string][]string, adjudicated map[int64]bool) {
	type item struct {
		values, differing int
		distance          float64
	}
	items := map[string]*item{}
	for _, t := range tables {
		if isTotal(t) || t.Criterion == together {
			continue
		}
		for i, u := range t.Units {
			values := t.Given(i)
			if len(values) == 0 {
				continue
			}
			if items[u.ID] == nil {
				items[u.ID] = &item{}
			}
			items[u.ID].values++
			if low, high := slices.Min(values), slices.Max(values); low < high {
				items[u.ID].differing++
				items[u.ID].distance += high - low
			}
		}
	}
	seen := map[string]bool{}
	for _, rated := range r.judgements.Items {
		one := items[rated.ID]
		if one == nil || one.differing == 0 || seen[rated.ID] {
			continue
		}
		seen[rated.ID] = true
		id, _ := strconv.ParseInt(rated.ID, 10, 64) // as gather writes it
		d := Disagreement{Item: id, Adjudicated: adjudicated[id], distance: one.distance,
			Text: fmt.Sprintf("%d of %d values differ", one.differing, one.values)}
		if list := totals[rated.ID]; len(list) > 0 {
			d.Text += "; totals: " + strings.Join(list, ", ")
		}
		r.Open = append(r.Open, d)
	}
	slices.SortStableFunc(r.Open, func(a, b Disagreement) int {
		return cmp.Or(cmp.Compare(dataset.Indicator(a.Adjudicated), dataset.Indicator(b.Adjudicated)), cmp.Compare(b.distance, a.distance))
	})
}

// leads reports whether the agreement is of whole sheets: of all criteria together, or of the choice between two answers as a whole.
func (a Agreement) leads() bool { return a.Criterion == together || a.Criterion == "choice" }

// whole returns the agreement of whole sheets, or else of the first criterion; false: there is none.
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
	pairs := r.pairs()[a.Criterion]
	slices.SortStableFunc(pairs, func(a, b Agreement) int { return stats.CompareFigures(a.Alpha.Point(), b.Alpha.Point(), 1) })
	return pairs
}

// With returns the agreement of a person with the others, of all criteria together or of the first one.
func (r *Report) With(person string) string {
	a, _ := r.whole()
	with := r.withOthers(a.Criterion, person)
	if with.Items == 0 {
		return stats.Missing
	}
	return fmt.Sprintf("%s (%s)", with.Alpha.Point().Text(2), data.Plural(with.Items, "item", "items"))
}

// pairs returns alpha of each two people who rated the same units, without intervals, by criterion.
func (r *Report) pairs() map[string][]Agreement {
	pairs := map[string][]Agreement{}
	people := data.Where(r.People, func(a Person) bool { return r.rater(a.Name) >= 0 })
	for i, a := range people {
		for _, b := range people[i+1:] {
			first := r.rater(a.Name)
			second := r.rater(b.Name)
			if !r.judgements.Share(first, second) {
				continue
			}
			tables, _ := raters.BySheet(r.judgements, first, second)
			for _, t := range r.withTogether(tables) {
				row := t.Among(t.Raters, alphaAlone)
				if row.N > 0 {
					pairs[t.Criterion] = append(pairs[t.Criterion], agreed(t, a.Name+", "+b.Name, row))
				}
				if sets := r.ofSets(t.Criterion, a.Name+", "+b.Name, a.Name, b.Name); sets.N > 0 {
					pairs[sets.Criterion] = append(pairs[sets.Criterion], sets)
				}
			}
		}
	}
	return pairs
}

var alphaAlone = raters.Options{Figures: raters.Alpha, Intervals: raters.NoIntervals}

// rater returns the place of a person among the raters of the judgements, -1 for one without a sheet that counts.
func (r *Report) rater(name string) int {
	return slices.IndexFunc(r.judgements.Raters, func(one data.Rater) bool { return one.Name == name })
}

// withOthers returns alpha of one person and the others: each unit counts once for each other person who rated it.
func (r *Report) withOthers(criterion, person string) Agreement {
	mine := r.rater(person)
	if mine < 0 {
		return Agreement{}
	}
	var others []int
	for k := range r.judgements.Raters {
		if k != mine && r.judgements.Share(mine, k) {
			others = append(others, k)
		}
	}
	tables, _ := raters.BySheet(r.judgements, mine, others...)
	t, is := data.First(r.withTogether(tables), func(t raters.Table) bool { return t.Criterion == criterion })
	if !is {
		return Agreement{}
	}
	each, judge, other := t.Each(t.Raters[0], t.Raters[1:])
	return agreed(t, person, each.Against(judge, other, alphaAlone))
}

// agreed returns the row of people of a table. Items are those with a unit that two of them rated.
func agreed(t raters.Table, people string, row raters.Row) Agreement {
	items := map[string]bool{}
	for i, u := range t.Units {
		if len(t.Given(i)) > 1 {
			items[u.ID] = true
		}
	}
	return Agreement{Criterion: t.Criterion, People: people, Level: string(t.Scale.Level), N: row.N, Items: len(items), Alpha: row.Alpha}
}

// ofAll returns alpha of all people's values of a criterion. N is 0 if no unit has two values.
func ofAll(p *project.Project, t raters.Table) Agreement {
	row := t.Among(t.Raters, raters.Options{Figures: raters.Alpha, Resampling: stats.Resampling{Seed: p.Seed, Name: "annotate"}})
	return agreed(t, "all", row).judged(p.Width)
}

// judged returns the agreement with its interval in words, and whether it is as narrow as the owner asks for.
func (a Agreement) judged(width float64) Agreement {
	a.Interval = "none yet: too few questions, or ratings that do not vary"
	if !a.Alpha.Known {
		return a
	}
	if a.Alpha.Bounded {
		a.Interval = a.Alpha.Lower().Text(2) + " to " + a.Alpha.Upper().Text(2)
	}
	a.Enough = enough(a.Items, a.Alpha, width)
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
