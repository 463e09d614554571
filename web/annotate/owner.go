package annotate

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"compqa/data"
	"compqa/stats"
	"compqa/stats/agreement"
	"compqa/web/annotate/project"
)

// The stop rule: a look every 25 items, enough at 60 items or more if the interval is at
// most 0.2 wide. The value of alpha and p-values play no part.
const (
	lookEvery   = 25
	enoughItems = 60
	enoughWidth = 0.2
	farApart    = 4.0 // points between totals from which on the owner decides
)

// A Report is the state of a project.
type Report struct {
	People    []Person
	Agreement []Agreement
	Open      []Disagreement
	Items     int
	Covered   int // items with a sheet
	Raw       int // sheets for which the raw text was looked at
	Sheets    int
}

// A Person is the state of one person's work. Shares are in [0, 1]; nil: unknown.
type Person struct {
	Name                                  string
	Revoked, Passed                       bool
	Tries, Done, Assigned, Skipped, Flags int
	ActiveMS                              int64 // median of an item
	Gold, Self                            *float64
	GoldN, SelfN                          int
}

// An Agreement is alpha over the items that two or more people annotated on their own.
type Agreement struct {
	What      string
	N         int // items
	Alpha     *float64
	Low, High *float64
	Why       string // there is no interval
	Enough    string
}

// A Disagreement is an item for the owner to decide.
type Disagreement struct {
	Item        int64
	Kind        string
	Sheets      string
	Adjudicated bool
}

// choiceOf is the choice of a pair with sides mapped back.
func choiceOf(w project.Work) data.Choice {
	choice := map[string]data.Choice{project.First: data.ChoiceA, project.Second: data.ChoiceB, project.Tie: data.ChoiceTie}[w.Last.Sheet.Choice]
	if w.Shown == data.OrderBA {
		return choice.Swapped()
	}
	return choice
}

// value is the number of a sheet that agreement is computed from: the total, or a category.
func value(p *project.Project, kind string, w project.Work) float64 {
	switch kind {
	case project.Pair:
		return map[data.Choice]float64{data.ChoiceA: 1, data.ChoiceB: 2}[choiceOf(w)]
	case project.Row:
		return map[string]float64{"yes": 1}[w.Last.Sheet.Useful]
	}
	return p.Rubric.Total(w.Last.Sheet.Scores)
}

// Compute makes the report.
func Compute(p *project.Project) (*Report, error) {
	work, err := p.Work()
	if err != nil {
		return nil, err
	}
	items, err := p.Items()
	if err != nil {
		return nil, err
	}
	people, err := p.Annotators()
	if err != nil {
		return nil, err
	}
	byID := map[int64]project.Item{}
	for _, it := range items {
		byID[it.ID] = it
	}
	r := &Report{Items: len(items)}
	independent := map[int64][]project.Work{}
	adjudicated, covered := map[int64]bool{}, map[int64]bool{}
	for _, w := range work {
		if !w.Done() {
			continue
		}
		if w.Annotator == 0 {
			adjudicated[w.Item] = true
			continue
		}
		covered[w.Item] = true
		if r.Sheets++; w.Last.View != "rendered" {
			r.Raw++
		}
		if w.Kind == project.Overlap || w.Kind == project.Main {
			independent[w.Item] = append(independent[w.Item], w)
		}
	}
	r.Covered = len(covered)
	for _, a := range people {
		person, err := personOf(p, a, work, byID)
		if err != nil {
			return nil, err
		}
		r.People = append(r.People, person)
	}
	for _, kind := range []string{project.Score, project.Pair, project.Row} {
		r.Agreement = append(r.Agreement, agreements(p, kind, items, independent)...)
	}
	for _, it := range items {
		sheets := independent[it.ID]
		if len(sheets) < 2 {
			continue
		}
		low, high, text := math.Inf(1), math.Inf(-1), ""
		for _, w := range sheets {
			x := value(p, it.Kind, w)
			low, high = min(low, x), max(high, x)
			if text != "" {
				text += ", "
			}
			text += w.Name + ": " + map[string]string{project.Score: points(x), project.Pair: string(choiceOf(w)), project.Row: w.Last.Sheet.Useful}[it.Kind]
		}
		if it.Kind == project.Score && high-low >= farApart || it.Kind != project.Score && high != low {
			r.Open = append(r.Open, Disagreement{it.ID, it.Kind, text, adjudicated[it.ID]})
		}
	}
	return r, nil
}

func personOf(p *project.Project, a project.Annotator, work []project.Work, items map[int64]project.Item) (Person, error) {
	person := Person{Name: a.Name, Revoked: a.Revoked, Passed: a.Passed, Tries: a.Tries}
	var active []int64
	var gold, self float64
	first := map[int64]project.Work{}
	for _, w := range work {
		if w.Annotator == a.ID && w.Kind != project.Repeat {
			first[w.Item] = w
		}
	}
	for _, w := range work {
		if w.Annotator != a.ID {
			continue
		}
		person.Assigned++
		person.Flags += w.Flags
		if w.Last.Kind == project.Skip {
			person.Skipped++
		}
		if !w.Done() {
			continue
		}
		person.Done++
		if w.Active > 0 {
			active = append(active, w.Active)
		}
		switch {
		case w.Kind == project.Gold:
			it, err := p.Item(w.Item)
			if err != nil {
				return person, err
			}
			person.GoldN++
			gold += sameScores(it.Expected, w.Last.Sheet.Scores)
		case w.Kind == project.Repeat && first[w.Item].Done():
			person.SelfN++
			if items[w.Item].Kind == project.Score {
				self += sameScores(first[w.Item].Last.Sheet.Scores, w.Last.Sheet.Scores)
			} else if value(p, items[w.Item].Kind, w) == value(p, items[w.Item].Kind, first[w.Item]) {
				self++
			}
		}
	}
	person.Gold, person.Self = share(gold, person.GoldN), share(self, person.SelfN)
	if len(active) > 0 {
		slices.Sort(active)
		person.ActiveMS = active[len(active)/2]
	}
	return person, nil
}

// sameScores is the share of criteria with equal points.
func sameScores(a, b data.Scores) float64 {
	if len(a) == 0 {
		return 0
	}
	same := 0.0
	for id, x := range a {
		if y, ok := b[id]; ok && x == y {
			same++
		}
	}
	return same / float64(len(a))
}

func share(sum float64, n int) *float64 {
	if n == 0 {
		return nil
	}
	x := sum / float64(n)
	return &x
}

// agreements computes alpha of one kind of items: of totals, or of categories. For scores
// there is a second one over all criteria.
func agreements(p *project.Project, kind string, items []project.Item, sheets map[int64][]project.Work) []Agreement {
	var unit, rater, units2, raters2 []string
	var values, values2 []float64
	clusterOf := map[string]string{}
	n := 0
	for _, it := range items {
		if it.Kind != kind || len(sheets[it.ID]) < 2 {
			continue
		}
		n++
		name := strconv.FormatInt(it.ID, 10)
		clusterOf[name] = it.Cluster
		for _, w := range sheets[it.ID] {
			unit, rater, values = append(unit, name), append(rater, w.Name), append(values, value(p, kind, w))
			for _, id := range p.Rubric.IDs() {
				if x, ok := w.Last.Sheet.Scores[id]; ok {
					clusterOf[name+"/"+id] = it.Cluster
					units2, raters2, values2 = append(units2, name+"/"+id), append(raters2, w.Name), append(values2, x)
				}
			}
		}
	}
	if n == 0 {
		return nil
	}
	level := agreement.Nominal
	what := map[string]string{project.Score: "totals", project.Pair: "choices between two answers", project.Row: "rows, useful or not"}[kind]
	if kind == project.Score {
		level = agreement.Interval
	}
	list := []Agreement{alpha(p, what, n, unit, rater, values, clusterOf, level)}
	if kind == project.Score {
		list = append(list, alpha(p, "all criteria together", n, units2, raters2, values2, clusterOf, level))
	}
	return list
}

func alpha(p *project.Project, what string, n int, unit, rater []string, values []float64, clusterOf map[string]string, level agreement.Level) Agreement {
	a := Agreement{What: what, N: n}
	ratings, names, err := agreement.LongRatings(unit, rater, values)
	if err != nil {
		a.Why = err.Error()
		return a
	}
	if x, err := agreement.Alpha(ratings, level); err != nil {
		a.Why = err.Error()
		return a
	} else {
		a.Alpha = &x.Alpha
	}
	clusters := make([]string, len(names))
	for i, name := range names {
		clusters[i] = clusterOf[name]
	}
	d, err := agreement.AlphaBootstrap(ratings, level, stats.ClusterLabels(clusters), stats.Resampling{Seed: p.Seed, Name: "annotate"})
	if err != nil {
		a.Why = err.Error()
	} else {
		a.Low, a.High = &d.Low, &d.High
	}
	a.Enough = enough(n, a.Low, a.High)
	return a
}

// enough reports whether more overlap is needed.
func enough(n int, low, high *float64) string {
	switch {
	case n < enoughItems:
		return fmt.Sprintf("not yet: %d of at least %d items", n, enoughItems)
	case low == nil || *high-*low > enoughWidth:
		return fmt.Sprintf("not yet: the interval is wider than %v; check again at %d items", enoughWidth, (n/lookEvery+1)*lookEvery)
	}
	return fmt.Sprintf("enough: the interval is at most %v wide", enoughWidth)
}

// A reportCache keeps the report of the last number of events: alpha takes some milliseconds.
type reportCache struct {
	sync.Mutex
	events int64
	report *Report
}

func (s *Server) report() (*Report, error) {
	s.reports.Lock()
	defer s.reports.Unlock()
	n, err := s.Project.Events()
	if err != nil || s.reports.report != nil && s.reports.events == n && n > 0 {
		return s.reports.report, err
	}
	r, err := Compute(s.Project)
	if err == nil {
		s.reports.events, s.reports.report = n, r
	}
	return r, err
}

func (s *Server) ownerPage(w http.ResponseWriter, _ *http.Request) {
	r, err := s.report()
	if err != nil {
		s.fail(w, err)
		return
	}
	slices.SortStableFunc(r.Open, func(a, b Disagreement) int { return cmp.Compare(b2i(a.Adjudicated), b2i(b.Adjudicated)) })
	s.render(w, http.StatusOK, "owner", map[string]any{"Title": "Annotation: progress and agreement", "Report": r})
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s *Server) adjudicate(w http.ResponseWriter, r *http.Request) {
	if !s.form(w, r) {
		return
	}
	item, err := strconv.ParseInt(r.PostForm.Get("item"), 10, 64)
	if err != nil {
		err = project.ErrUnknown
	}
	blind := ""
	if err == nil {
		blind, err = s.Project.ToAdjudicate(item)
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	http.Redirect(w, r, "/owner/item/"+blind, http.StatusSeeOther)
}

func percent(x *float64) string {
	if x == nil {
		return "–"
	}
	return strconv.FormatFloat(100**x, 'f', 0, 64) + " %"
}

func minutes(ms int64) string {
	if ms == 0 {
		return "–"
	}
	return fmt.Sprintf("%d:%02d", ms/60000, ms/1000%60)
}

// Round is an alpha for people.
func Round(x *float64) string {
	if x == nil {
		return "–"
	}
	return strconv.FormatFloat(*x, 'f', 2, 64)
}

// AlphaText is alpha for people.
func (a Agreement) AlphaText() string { return Round(a.Alpha) }

// IntervalText is the interval, or why there is none.
func (a Agreement) IntervalText() string {
	if a.Low == nil && a.Why != "" {
		return "none yet: too few questions, or ratings that do not vary"
	}
	if a.Low == nil {
		return "–"
	}
	return Round(a.Low) + " to " + Round(a.High)
}

// State says where a person stands.
func (p Person) State() string {
	switch {
	case p.Revoked:
		return "revoked"
	case !p.Passed && p.Tries >= project.MostTries:
		return "failed the check twice"
	case !p.Passed:
		return "invited"
	}
	return "active"
}
