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

// Limits from which the owner is told that a person is fast.
const (
	alertAfter = 3    // minimum number of submitted items with a known time
	muchFaster = 0.25 // share of the median of the others' median times
	fewSeconds = 3    // median seconds of an item
)

// A Person is a person of a study with statistics on the work done, for the owner's page.
type Person struct {
	project.Annotator
	Done, Due      int
	Skipped, Flags int
	Few            bool  // skipped more study items than submitted
	TimeMS         int64 // median time of an item, measured by the server
	Gold, Self     compared
	Alerts         []string
	Sheets, Left   int // numbers of study sheets that count, and that do not
	timedItems     int // number of submitted items with a known time
	unfinished     int // number of items given but not finished
	Looked         Looked
	Reasons        Reasons
}

// A compared has expected and given values of a person: for gold items the known values, for repeated items the person's own earlier
// values.
type compared struct {
	items  int
	values []checkedValue
}

// A checkedValue is an expected value and the given value, for a criterion.
type checkedValue struct {
	criterion       string
	expected, given float64
}

func (c *compared) add(criterion string, expected, given float64) {
	c.values = append(c.values, checkedValue{criterion, expected, given})
}

// measure returns nominal kappa pooled over criteria, the number of equal values, and the number n of all values.
func (c compared) measure() (kappa stats.Figure, same, n int) {
	if len(c.values) == 0 {
		return stats.Figure{}, 0, 0
	}
	var values data.Collector
	for i, v := range slices.SortedStableFunc(slices.Values(c.values), func(a, b checkedValue) int {
		return strings.Compare(a.criterion, b.criterion) // a fixed order, because sums of floats depend on it
	}) {
		item := values.Item(strconv.Itoa(i), data.Rated{Cluster: i})
		criterion := data.Measured{ID: v.criterion}
		values.Give(data.Rater{Name: "expected"}, item, criterion, v.expected)
		values.Give(data.Rater{Name: "given", Kind: data.KindPerson}, item, criterion, v.given)
	}
	return raters.PooledKappa(raters.ByItem(values.Judgements(), 0, 1))
}

// String returns the percentage of equal values and kappa, or "–" if there are no values.
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

// people computes the statistics and alerts of each person.
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
		person.timedItems, person.TimeMS = len(times), median(times)
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

// count adds an assignment to the person's statistics. For a gold or repeated item it compares the sheet with the expected one or the
// first one.
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
	repeated := w.Kind == project.Repeat && w.Done() && first != nil && first.Done()
	if !gold && !repeated {
		return
	}
	expected := map[string]float64{}
	comparison := &a.Gold
	expectedSheet := w.About.Expected
	shown := data.OrderAB
	if repeated {
		comparison = &a.Self
		expectedSheet = &first.Last.Sheet
		shown = first.Shown
	}
	for _, x := range p.Ratings(w.About, shown, *expectedSheet) {
		expected[x.Criterion+"/"+x.Part] = x.Value
	}
	for _, x := range p.Ratings(w.About, w.Shown, w.Last.Sheet) {
		value, known := expected[x.Criterion+"/"+x.Part]
		if !known || x.Criterion == project.Total || x.Criterion == project.Helps {
			continue // these follow from other values
		}
		comparison.add(x.Criterion, value, x.Value)
	}
	comparison.items++
}

// alerts returns what the owner should look at in the work of person i: signs of not reading the texts, and very short times. Unknown
// times give no alert.
func (r *Report) alerts(i int) (list []string) {
	a := r.People[i]
	if flag := a.Looked.Flag(); flag != "" {
		list = append(list, flag)
	}
	var others []int64
	for j, o := range r.People {
		if j != i && o.timedItems >= alertAfter && o.Excluded == "" {
			others = append(others, o.TimeMS)
		}
	}
	switch seconds := float64(a.TimeMS) / 1000; {
	case a.timedItems < alertAfter:
	case seconds < fewSeconds:
		list = append(list, fmt.Sprintf("too fast: %.1f s an item (less than %d s)", seconds, fewSeconds))
	case seconds < muchFaster*float64(median(others))/1000:
		list = append(list, fmt.Sprintf("much faster than the others: %.0f s an item", seconds))
	}
	return list
}

// median returns the median of times, the upper one of two middle times, or 0 if there are none.
func median(times []int64) int64 {
	return append(slices.Sorted(slices.Values(times)), 0)[len(times)/2]
}

// minutes formats milliseconds as minutes:seconds, or "–" for 0, which means unknown.
func minutes(ms int64) string {
	if ms == 0 {
		return "–"
	}
	return fmt.Sprintf("%d:%02d", ms/60000, ms/1000%60)
}

// State returns the person's state in words, such as "invited", "active", "finished" or "revoked".
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
	case p.hasEnded() && p.Few:
		return "skipped most items"
	case p.hasEnded() && p.Due > p.Done:
		return "finished; more items came free since"
	case p.hasEnded():
		return "finished"
	}
	return "active"
}

// hasEnded reports whether the person did all items, or was told that none was left and has no open item. Items that become free later do
// not change the latter.
func (p Person) hasEnded() bool {
	return p.Finished != "" && p.unfinished == 0 || p.Done > 0 && p.Done >= p.Due
}

// PerHour returns how many items a person does in an hour, or "–" if the time is unknown.
func (p Person) PerHour() string {
	if p.TimeMS == 0 {
		return "–"
	}
	return strconv.FormatInt(3600_000/p.TimeMS, 10)
}

// Locked reports whether the person was stopped and the owner can readmit the person.
func (p Person) Locked() bool {
	return !p.Revoked && (p.Stopped != "" || !p.Passed && p.Tries >= project.MostTries)
}
