package annotate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/stats"
	"compqa/web/annotate/project"
)

// When the owner is told that a person is fast.
const (
	alertAfter = 3    // submitted items of known time
	muchFaster = 0.25 // of the median time of the others
	fewSeconds = 3    // median active time of an item
)

// A Person is a person of a study with the work done and due, as the owner's page shows it.
type Person struct {
	project.Annotator
	Done, Due      int
	Skipped, Flags int
	Few            bool  // more items of the study are skipped than submitted
	TimeMS         int64 // median of an item, measured by the server
	Gold, Self     compared
	Alerts         []string
	Sheets, Left   int // of the study that count, and that do not
	known          int // submitted items of known time
	unfinished     int // items that the person got and has not finished
	Looked         Looked
	Reasons        Reasons
}

// A compared has values that were expected of a person, and those that the person gave, by criterion.
type compared struct {
	items  int
	values []checkedValue
}

// A checkedValue is what was expected on a criterion, and what was given.
type checkedValue struct {
	criterion       string
	expected, given float64
}

func (c *compared) add(criterion string, expected, given float64) {
	c.values = append(c.values, checkedValue{criterion, expected, given})
}

// measure returns the kappa pooled over criteria, and how many of n values are the same.
func (c compared) measure() (kappa stats.Figure, same, n int) {
	if len(c.values) == 0 {
		return stats.Figure{}, 0, 0
	}
	var values data.Collector
	for i, v := range slices.SortedStableFunc(slices.Values(c.values), func(a, b checkedValue) int {
		return strings.Compare(a.criterion, b.criterion) // one order, because sums of floats depend on it
	}) {
		item := values.Item(strconv.Itoa(i), data.Rated{Cluster: i})
		criterion := data.Measured{ID: v.criterion}
		values.Give(data.Rater{Name: "expected"}, item, criterion, v.expected)
		values.Give(data.Rater{Name: "given", Kind: data.KindPerson}, item, criterion, v.given)
	}
	return raters.PooledKappa(raters.ByItem(values.Judgements(), 0, 1))
}

func (c compared) String() string {
	kappa, same, n := c.measure()
	if n == 0 {
		return stats.Missing
	}
	text := strconv.FormatFloat(100*float64(same)/float64(n), 'f', 0, 64) + " %"
	if kappa.Known {
		text += fmt.Sprintf(" (nominal kappa %.2f)", kappa.Value)
	}
	return text
}

// people computes each person's state, and what the owner is warned of.
func (r *Report) people(p *project.Project, work []project.Work) error {
	annotators, err := p.Annotators()
	if err != nil {
		return err
	}
	first := map[[2]int64]*project.Work{}
	mine := map[int64][]*project.Work{}
	for i := range work {
		w := &work[i]
		mine[w.Annotator] = append(mine[w.Annotator], w)
		if w.Kind != project.Repeat {
			first[[2]int64{w.Annotator, w.Item}] = w
		}
	}
	progress, err := p.Progress(annotators...)
	if err != nil {
		return err
	}
	for i, a := range annotators {
		person := Person{Annotator: a, Done: progress[i].Done, Due: progress[i].Due}
		person.Few, err = p.Skipped(a)
		if err != nil {
			return err
		}
		var times []int64
		person.Reasons = reasonsOf(mine[a.ID])
		for _, w := range mine[a.ID] {
			person.count(p, w, first[[2]int64{a.ID, w.Item}])
			if w.Last.Kind == project.Submit && w.Kind != project.Practice && w.Server > 0 {
				times = append(times, w.Server)
			}
		}
		person.known, person.TimeMS = len(times), median(times)
		person.Flags = len(data.Where(r.Remarks, func(f project.Remark) bool { return f.Name == a.Name && f.Kind == project.Flag }))
		r.People = append(r.People, person)
	}
	looked := lookedAt(p, r.People, work)
	for i := range r.People {
		r.People[i].Looked = looked[i]
		r.People[i].Alerts = r.alerts(i)
	}
	return nil
}

// count adds an assignment: its state, and how often a gold or repeated sheet says the same.
func (a *Person) count(p *project.Project, w, first *project.Work) {
	if !w.Finished() {
		a.unfinished++
	}
	if w.Last.Kind == project.Skip {
		a.Skipped++
	}
	if w.Done() && (w.Kind == project.Main || w.Kind == project.Overlap) {
		a.Sheets, a.Left = a.Sheets+int(dataset.Indicator(!w.Out)), a.Left+int(dataset.Indicator(w.Out))
	}
	gold := w.Kind == project.Gold && w.Done()
	again := w.Kind == project.Repeat && w.Done() && first != nil && first.Done()
	if !gold && !again {
		return
	}
	expected := map[string]float64{}
	with := &a.Gold
	before := w.About.Expected
	shown := data.OrderAB
	if again {
		with = &a.Self
		before = &first.Last.Sheet
		shown = first.Shown
	}
	for _, x := range p.Ratings(w.About, shown, *before) {
		expected[x.Criterion+"/"+x.Part] = x.Value
	}
	for _, x := range p.Ratings(w.About, w.Shown, w.Last.Sheet) {
		value, known := expected[x.Criterion+"/"+x.Part]
		if !known || x.Criterion == project.Total || x.Criterion == project.Helps {
			continue // the total and the rows that help follow from the rest
		}
		with.add(x.Criterion, value, x.Value)
	}
	with.items++
}

// alerts returns what the owner should look at: work that looks as if the person did not, and items that take no time. A time that is not
// known says nothing.
func (r *Report) alerts(i int) (list []string) {
	a := r.People[i]
	if flag := a.Looked.Flag(); flag != "" {
		list = append(list, flag)
	}
	var others []int64
	for j, o := range r.People {
		if j != i && o.known >= alertAfter && o.Excluded == "" {
			others = append(others, o.TimeMS)
		}
	}
	switch seconds := float64(a.TimeMS) / 1000; {
	case a.known < alertAfter:
	case seconds < fewSeconds:
		list = append(list, fmt.Sprintf("too fast: %.1f s an item (less than %d s)", seconds, fewSeconds))
	case seconds < muchFaster*float64(median(others))/1000:
		list = append(list, fmt.Sprintf("much faster than the others: %.0f s an item", seconds))
	}
	return list
}

// median returns the middle time, 0 without any.
func median(times []int64) int64 {
	return append(slices.Sorted(slices.Values(times)), 0)[len(times)/2]
}

// minutes returns a time; 0 is not known.
func minutes(ms int64) string {
	if ms == 0 {
		return "–"
	}
	return fmt.Sprintf("%d:%02d", ms/60000, ms/1000%60)
}

// State says where a person stands.
func (p Person) State() string {
	switch {
	case p.Excluded != "" && p.ExcludedFrom != "":
		return "excluded from " + p.ExcludedFrom[:10] + ": " + p.Excluded
	case p.Excluded != "":
		return "excluded: " + p.Excluded
	case p.Revoked:
		return "revoked"
	case p.Stopped != "":
		return "stopped: missed attention items"
	case !p.Passed && p.Tries >= project.MostTries:
		return "failed the check twice"
	case !p.Passed:
		return "invited"
	case p.ended() && p.Few:
		return "skipped most items"
	case p.ended() && p.Due > p.Done:
		return "finished; more items came free since"
	case p.ended():
		return "finished"
	}
	return "active"
}

// ended reports whether the person did all items, or was told that none is left and took none back since. Items that others leave behind
// later do not change this.
func (p Person) ended() bool {
	return p.Finished != "" && p.unfinished == 0 || p.Done > 0 && p.Done >= p.Due
}

// PerHour returns how many items a person does in an hour.
func (p Person) PerHour() string {
	if p.TimeMS == 0 {
		return "–"
	}
	return strconv.FormatInt(3600_000/p.TimeMS, 10)
}

// Locked reports whether the owner can let the person in again.
func (p Person) Locked() bool {
	return !p.Revoked && (p.Stopped != "" || !p.Passed && p.Tries >= project.MostTries)
}
