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

// The stop rule for a study: check after every 25 items; 60 items or more are enough if alpha's interval is not wider than the owner wants.
// The value of alpha and p-values do not matter.
const (
	lookEvery   = 25
	enoughItems = 60
)

// A Report is the present state of a study: people, their agreement, and the items on which they differ.
type Report struct {
	People         []Person
	Agreement      []Agreement
	Open           []Disagreement
	Remarks        []project.Remark
	Items, Covered int // numbers of study items, and of those that have a sheet
	Sheets, Wanted int
	Raw            int          // sheets whose person last looked at the raw text
	Left           int          // sheets that do not count, because their people are excluded
	Points         stats.Figure // mean of the items' mean totals
	Width          float64
	Changes        int64

	selection  Selection
	work       []project.Work   // all assignments, also those that do not count
	judgements *data.Judgements // of the sheets that count; a part of an item has the ID of the item
	sets       []givenSet       // of the sheets that count
	scored     bool             // items are answers that people score on a rubric
}

// An Agreement is Krippendorff's alpha of one criterion over the units that two or more people rated independently. A unit is an item, a
// row of a table, or an attachment.
type Agreement struct {
	Criterion string       `csv:"criterion"`
	People    string       `csv:"people"` // "all", or the names of two people
	Level     string       `csv:"level"`
	Items     int          `csv:"items"` // with at least one unit
	N         int          `csv:"n"`     // number of units
	Alpha     stats.Figure `csv:"alpha,alpha_low,alpha_high"`
	Interval  string       `csv:"-"` // in words
	Enough    string       `csv:"-"`
}

// A Progress says how far a study is, as JSON for programs.
type Progress struct {
	Items     int                   `json:"items"`
	Covered   int                   `json:"items_with_a_sheet"`
	Sheets    int                   `json:"sheets"`
	Wanted    int                   `json:"sheets_wanted"` // approximate
	People    []PersonProgress      `json:"people"`
	Agreement table.Rows[Agreement] `json:"agreement"`
}

// A PersonProgress says what one person has done.
type PersonProgress struct {
	Name    string   `json:"name"`
	State   string   `json:"state"`
	Done    int      `json:"done"`
	Due     int      `json:"due"`
	Skipped int      `json:"skipped"`
	Flags   int      `json:"flags"`
	Alerts  []string `json:"alerts"`
	Reasons string   `json:"reasons,omitempty"` // see Reasons.String
}

// Progress returns the part of the report that `annotate status` prints.
func (r *Report) Progress() Progress {
	p := Progress{Items: r.Items, Covered: r.Covered, Sheets: r.Sheets, Wanted: r.Wanted, People: []PersonProgress{}, Agreement: r.Agreement}
	for _, a := range r.People {
		p.People = append(p.People, PersonProgress{a.Name, a.State(), a.Done, a.Due, a.Skipped, a.Flags, append([]string{}, a.Alerts...),
			a.Reasons.String()})
	}
	return p
}

// A Disagreement is an item on which people differ and which the owner may adjudicate.
type Disagreement struct {
	Item        int64
	Text        string
	Adjudicated bool
	distance    float64
}

// together is the name of the criterion that pools all criteria of a rubric. Each score is a unit of it.
const together = "all criteria together"

// Findings returns sentences on how far people agree on each criterion. The one on whole sheets, if there is one, comes first.
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

// A Selection says whose sheets count. The zero value excludes the sheets of excluded people.
type Selection struct {
	Without  []string // names of further people to leave out
	Everyone bool     // also count the sheets of excluded people
}

// work returns all assignments. Out is true for those that do not count.
func (s Selection) work(p *project.Project) ([]project.Work, error) {
	work, err := p.Work()
	for i, w := range work {
		work[i].Out = !s.Everyone && (w.Out || w.Annotator > 0 && slices.Contains(s.Without, w.Name))
	}
	return work, err
}

// Compute computes the report of a study from the selected people's work. It counts items and sheets, describes each person, collects the
// values of independent sheets, and computes agreement, disagreements and the mean total.
func Compute(p *project.Project, whose Selection) (*Report, error) {
	changes, err := p.Changes()
	if err != nil {
		return nil, err
	}
	work, err := whose.work(p)
	if err != nil {
		return nil, err
	}
	r := &Report{Width: p.Width, Changes: changes, selection: whose, work: work}
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
	r.listDisagreements(tables, totals, adjudicated)
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

// agree computes, for each criterion, the agreement of all people who rated it, also by sets where several options may be right.
func (r *Report) agree(p *project.Project, tables []raters.Table) {
	for _, t := range tables {
		if a := ofAll(p, t); a.N > 0 {
			r.Agreement = append(r.Agreement, a)
		}
		if a := r.ofSets(t.Criterion, "all"); a.N > 0 {
			r.Agreement = append(r.Agreement, a.withWords(p.Width))
		}
	}
}

// gather collects the values of sheets, by item, as judgements. It returns for each item the texts "NAME TOTAL" of its people.
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

// everyone returns a table of ratings by all people for each criterion.
func (r *Report) everyone() []raters.Table {
	return r.withTogether(raters.ByItem(r.judgements, r.judgements.Everyone()...))
}

// withTogether appends the table that pools all criteria, if the study scores answers on a rubric.
func (r *Report) withTogether(tables []raters.Table) []raters.Table {
	scores := data.Where(tables, func(t raters.Table) bool { return !isTotal(t) })
	if !r.scored || len(scores) == 0 {
		return tables
	}
	return append(tables, raters.Pooled(together, scores))
}

func isTotal(t raters.Table) bool { return t.Criterion == project.Total }

// listDisagreements lists the items on which people differ: those not adjudicated first, and then those with the largest differences.
func (r *Report) listDisagreements(tables []raters.Table, totals map[string][]string, adjudicated map[int64]bool) {
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
		id, _ := strconv.ParseInt(rated.ID, 10, 64) // gather wrote it, so it is a number
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

// leads reports whether the agreement is about whole sheets: all criteria pooled, or the choice between two answers.
func (a Agreement) leads() bool { return a.Criterion == together || a.Criterion == "choice" }

// wholeSheets returns the agreement about whole sheets, or else that of the first criterion. ok is false without any agreement.
func (r *Report) wholeSheets() (a Agreement, ok bool) {
	if a, ok = data.First(r.Agreement, Agreement.leads); ok || len(r.Agreement) == 0 {
		return a, ok
	}
	return r.Agreement[0], true
}

// Together returns the agreement of each two people who rated the same units, about whole sheets or else the first criterion. The lowest
// alpha comes first.
func (r *Report) Together() []Agreement {
	a, ok := r.wholeSheets()
	if !ok {
		return nil
	}
	pairs := r.pairs()[a.Criterion]
	slices.SortStableFunc(pairs, func(a, b Agreement) int { return stats.CompareFigures(a.Alpha.Point(), b.Alpha.Point(), 1) })
	return pairs
}

// With returns as text the agreement of a person with all others, about whole sheets or else the first criterion.
func (r *Report) With(person string) string {
	a, _ := r.wholeSheets()
	with := r.withOthers(a.Criterion, person)
	if with.Items == 0 {
		return stats.Missing
	}
	return fmt.Sprintf("%s (%s)", with.Alpha.Point().Text(2), data.Plural(with.Items, "item", "items"))
}

// pairs returns, by criterion, the agreement of each two people who rated the same units. Alpha has no interval.
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

// rater returns the index of a person among the raters of the judgements, or -1 if no sheet of the person counts.
func (r *Report) rater(name string) int {
	return slices.IndexFunc(r.judgements.Raters, func(one data.Rater) bool { return one.Name == name })
}

// withOthers returns the agreement of one person with all others on a criterion. A unit counts once for each other person who rated it.
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

// agreed turns a row of figures into an Agreement. Items counts the items with a unit that two people rated.
func agreed(t raters.Table, people string, row raters.Row) Agreement {
	items := map[string]bool{}
	for i, u := range t.Units {
		if len(t.Given(i)) > 1 {
			items[u.ID] = true
		}
	}
	return Agreement{Criterion: t.Criterion, People: people, Level: string(t.Scale.Level), N: row.N, Items: len(items), Alpha: row.Alpha}
}

// ofAll returns the agreement of all people on a criterion. N is 0 if no unit has two values.
func ofAll(p *project.Project, t raters.Table) Agreement {
	row := t.Among(t.Raters, raters.Options{Figures: raters.Alpha, Resampling: stats.Resampling{Seed: p.Seed, Name: "annotate"}})
	return agreed(t, "all", row).withWords(p.Width)
}

// withWords adds the interval in words, and the sentence of enough.
func (a Agreement) withWords(width float64) Agreement {
	a.Interval = "none yet: too few questions, or ratings that do not vary"
	if !a.Alpha.Known {
		return a
	}
	if a.Alpha.Bounded {
		a.Interval = a.Alpha.Lower().Text(2) + " to " + a.Alpha.Upper().Text(2)
	}
	a.Enough = enoughText(a.Items, a.Alpha, width)
	return a
}

// enoughText says in a sentence whether n items are enough by the stop rule, or how many more are needed. It assumes that the width of an
// interval falls with the square root of the number of items.
func enoughText(n int, alpha stats.Figure, asked float64) string {
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
