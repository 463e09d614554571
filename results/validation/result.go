// Package validation says how far judges can stand in for people: it joins the values of any evaluation log to those of
// people, and computes agreement, rates and corrected means.
//
// A missing value is missing: a judge's failure is counted by its reason and never becomes a value. What cannot be known
// from the files, for instance which scale a criterion has, is found, said, and can be corrected by an option. All intervals
// are at 95 % and by cluster.
package validation

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"compqa/data"
	"compqa/data/sources"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/results/validation/scales"
	"compqa/stats"
)

// A Result has all that a study says about its judges: the rows of the tables, and sentences.
type Result struct {
	*Study
	Pairings      []*Pairing
	Unpaired      []string // judges' criteria that no criterion of people matches
	Rows          []Row
	Cells         []ConfusionRow
	Systems       []SystemRow
	Differences   []DifferenceRow
	Slices        []SliceRow
	Drift         []DriftRow
	Disagreements []Disagreement
	ToLabel       []ToLabel
	Fragility     []dataset.Fragility
	AnyTime       []AnyTimeRow
	Moved         []MovedRow
	Unread        []UnreadRow
	Together      []TogetherRow
	Jointly       table.Findings // people's mean as all judges together estimate it
	Escalation    []EscalationRow
	Decided       []DecidedRow
	Sets          []SetRow
	Accepted      table.Findings      // about criteria whose items have several right answers
	MayStand      table.Findings      // about which verdicts need not be read by people
	Labels        table.Findings      // about labels that are needed, and about looks
	Done          []string            // what flags produced, as a stored look or a file of items to label
	ToAsk         map[string][]string // judge → ids of items about which a cascade asks it next
	Concluded     Conclusions

	judges int // number of judges in the pairings
	looks  *Looks
}

// Compute computes all figures of a study. If since is not nil, it is an older log of the same judges. now must then be their new log.
func (s *Study) Compute(now, since *sources.Log) (*Result, error) {
	r, err := s.Paired()
	if err != nil {
		return nil, err
	}
	if err := r.Complete(now, since); err != nil {
		return nil, err
	}
	return r, nil
}

// Paired returns a result that has only its pairings, and so the number of values. Complete computes the rest.
func (s *Study) Paired() (*Result, error) {
	r := &Result{Study: s}
	var err error
	r.Pairings, r.Unpaired, err = s.Pairings()
	return r, err
}

// Complete computes all figures of a result. In order, these are the pairings (in parallel), the decisions, the tables of the pairings,
// changes since an older log, items to label next, looks, verdicts that may stand unread, sets, and all judges together. Last, it collects
// the conclusions. For now and since see Compute.
func (r *Result) Complete(now, since *sources.Log) (err error) {
	s := r.Study
	s.many = len(r.Pairings) > mostResampled
	if s.many {
		s.Notes = append(s.Notes, fmt.Sprintf("%d criteria: rho has no interval (spearman_low, spearman_high) where there are more than %d",
			len(r.Pairings), mostResampled))
	}
	r.judges = len(table.Grouped(r.Pairings, func(p *Pairing) string { return p.Judge }))
	for _, judge := range s.Judges { // pairings run in parallel, so that shared data must be there first
		s.familyOf(judge.Rater.Name)
	}
	for _, u := range s.Units {
		s.familyOf(u.System)
	}
	if err = data.SideBySide(len(r.Pairings), func(i int) error { r.Pairings[i].compute(); return nil }); err != nil {
		return err
	}
	if err := r.decided(); err != nil {
		return err
	}
	for _, p := range r.Pairings {
		systems := p.systems()
		r.Rows, r.Cells, r.Systems = append(r.Rows, p.Rows...), append(r.Cells, p.confusion()...), append(r.Systems, systems...)
		r.Differences, r.Slices = append(r.Differences, p.differences(systems)...), append(r.Slices, p.bySlice()...)
		r.Disagreements = append(r.Disagreements, p.worst(cmp.Or(s.o.Worst, worstShown))...)
		r.Fragility = append(r.Fragility, p.fragility()...)
	}
	slices.SortStableFunc(r.Disagreements, func(a, b Disagreement) int { return stats.CompareFigures(a.Gap, b.Gap, -1) })
	r.Disagreements = r.Disagreements[:min(cmp.Or(s.o.Worst, worstShown), len(r.Disagreements))]
	if since != nil { // compare both logs: the judges of the new log take the place of people
		o := s.o
		o.Join = ByText
		old, err := NewStudy(since, now, o)
		if err == nil {
			r.Drift, err = old.drift()
		}
		if err != nil {
			return err
		}
	}
	if s.o.LabelsFor > 0 {
		r.labels()
	}
	switch {
	case s.o.Budget > 0 && s.o.Unread > 0:
		r.nextUnread()
	case s.o.Budget > 0:
		r.next()
	}
	if s.o.Looks != nil {
		r.look(s.o.Looks)
	}
	if s.o.Unread > 0 && len(s.People) > 0 {
		look := 0
		if s.o.Looks != nil {
			look = max(1, s.o.Looks.Last)
		}
		if err := r.mayStand(look); err != nil {
			return err
		}
	}
	r.sets()
	if s.o.Together != "" {
		if err := r.together(); err != nil {
			return err
		}
	}
	r.conclude()
	return nil
}

// Free returns an error if a folder already has the report of a validation.
func Free(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "tables", FileName)); err == nil {
		return fmt.Errorf("%s has the report of compqa validate, which this report would replace: choose another folder with --out", dir)
	}
	return nil
}

// alphaRow returns the row whose alpha is shown: the one of people's mean, or for labels without order, which have no mean, the one of
// single people.
func (p *Pairing) alphaRow() *Row {
	if p.nominal() {
		return p.row(Single)
	}
	return p.row(Mean)
}

// joined returns sentences on how many items and records were matched, which of several values counts, and how often and why a judge gave
// no value.
func (r *Result) joined() (lines []string) {
	j := r.Join
	records := data.Plural(j.Records, "record", "records")
	line := fmt.Sprintf("%s of judges; no scores of people", records)
	if j.Items > 0 {
		line = fmt.Sprintf("Joined by %s: %d of %s that people scored, %d of %s of judges", j.Method, j.Joined,
			data.Plural(j.Items, "item", "items"), j.Matched, records)
		line += unmatched(j.Items-j.Joined, "item without a record", "items without a record", j.UnmatchedItems)
		line += unmatched(j.Records-j.Matched, "record without people", "records without people", j.UnmatchedRecords)
	}
	more := []string{j.Hint}
	if j.Several > 0 {
		mixed := ""
		if j.Mixed > 0 {
			mixed = fmt.Sprintf(" (%d with equal answers of several systems: with the same names of systems in both files they are kept apart)",
				j.Mixed)
		}
		more = append(more, fmt.Sprintf("several records of %s%s: %s", data.Plural(j.Several, "item", "items"), mixed,
			r.counting(r.firstOfEpochs())))
	}
	if n := j.Same + j.Other; n > 0 {
		more = append(more, fmt.Sprintf("%s repeated by a person, %d with another value: %s", data.Plural(n, "value", "values"), j.Other,
			r.counting("the first counts")))
	}
	total := 0
	parts := []string{}
	for _, reason := range slices.SortedFunc(maps.Keys(r.Failed), func(a, b string) int {
		return cmp.Or(r.Failed[b]-r.Failed[a], strings.Compare(a, b))
	}) {
		total += r.Failed[reason]
		if len(parts) < 2 {
			parts = append(parts, fmt.Sprintf("%d × %q", r.Failed[reason], data.Clip(reason)))
		}
	}
	failures := ""
	if total > 0 {
		failures = fmt.Sprintf("The judge gave no value %s, which counts as missing: %s", data.Plural(total, "time", "times"),
			strings.Join(parts, ", "))
	}
	return filled(line, strings.Join(filled(more...), "; "), failures)
}

// firstOfEpochs returns in words which of several records counts.
func (r *Result) firstOfEpochs() string {
	if r.epochs {
		return "the first of the lowest epoch counts"
	}
	return "the first counts"
}

// counting returns in words which of several values counts. first is the text if no option says otherwise.
func (r *Result) counting(first string) string {
	switch {
	case r.o.EpochsMean:
		return "their mean counts"
	case r.o.Last:
		return "the last counts"
	}
	return first
}

// unmatched returns a text on how many items or records were not matched, with examples; "" if n is 0.
func unmatched(n int, one, many string, examples []string) string {
	switch named := filled(examples...); {
	case n == 0:
		return ""
	case len(named) == 0:
		return "; " + data.Plural(n, one, many)
	default:
		return fmt.Sprintf("; %s (%s)", data.Plural(n, one, many), strings.Join(named, ", "))
	}
}

func filled(texts ...string) []string {
	return data.Where(texts, func(s string) bool { return s != "" })
}

// name returns the name of a judge's criterion, with the judge's name if there are several judges.
func (r *Result) name(p *Pairing) string {
	if r.judges > 1 {
		return p.Criterion + " (" + p.Judge + ")"
	}
	return p.Criterion
}

// likelyPair suggests a flag --pair. It finds criteria of people and of judges that are not compared, but share a word or have similar
// names. It returns "" unless there is exactly one such pair.
func (r *Result) likelyPair() string {
	var likely []string
	for _, name := range data.Set(criteriaOf(r.People)) {
		if slices.ContainsFunc(r.Pairings, func(p *Pairing) bool { return p.PeoplesName == name }) {
			continue
		}
		words := strings.Fields(strings.ToLower(name))
		for _, judge := range data.Set(slices.Clone(r.Unpaired)) {
			shared := slices.ContainsFunc(strings.Fields(strings.ToLower(judge)), func(word string) bool {
				return len([]rune(word)) > 3 && slices.Contains(words, word)
			})
			if shared || data.Nearest(judge, []string{name}) != "" {
				likely = append(likely, judge+"="+name)
			}
		}
	}
	if len(likely) != 1 {
		return ""
	}
	return fmt.Sprintf("; perhaps --pair %q", likely[0])
}

// levels returns in words the levels of measurement at which alpha is computed, as "interval or nominal level".
func (r *Result) levels() string {
	levels := data.Set(data.Each(r.Pairings, func(p *Pairing) string { return string(p.level()) }))
	return strings.Join(levels, " or ") + " level"
}

// summary returns a table with a row for each criterion. The headings name the level of alpha and the weights of kappa. If criteria differ
// in them, the cells name them.
func (r *Result) summary() *table.Table {
	levels := map[string]bool{}
	weights := map[string]bool{}
	weightsOf := func(p *Pairing) string {
		switch {
		case p.PeopleScale.Kind == scales.Binary:
			return "" // with two values, both kappas are equal
		case p.row(Majority).Weighted.Known:
			return " (quadratic)"
		}
		return " (unweighted)"
	}
	for _, p := range r.Pairings {
		if levels[" ("+string(p.level())+")"] = true; p.row(Majority).Kappa.Known {
			weights[weightsOf(p)] = true
		}
	}
	delete(weights, "")
	head := func(name string, known map[string]bool) string {
		if len(known) == 1 {
			name += slices.Collect(maps.Keys(known))[0]
		}
		return name
	}
	cell := func(value stats.Figure, known map[string]bool, is string) string {
		text := value.Text(2)
		if len(known) > 1 && value.Known {
			text += is
		}
		return text
	}
	t := table.New(2, "criterion", "scale", "n", "agree (floor)", head("kappa", weights), head("alpha", levels), "single", "people", "rho")
	for _, p := range r.Pairings {
		mean := p.row(Mean)
		most := p.row(Majority)
		kappa := most.Kappa
		if weightsOf(p) == " (quadratic)" {
			kappa = most.Weighted
		}
		t.Add(r.name(p), p.PeopleScale.Short(), fmt.Sprint(mean.N), most.withConstant(), cell(kappa, weights, weightsOf(p)),
			cell(p.alphaRow().Alpha, levels, " ("+string(p.level())+")"), p.row(Single).Alpha.Point().Text(2), p.row(Among).Alpha.Point().Text(2),
			mean.Spearman.Point().Text(2))
	}
	return t
}

// withConstant returns the agreement and, in parentheses, the agreement of always giving people's most frequent value.
func (r *Row) withConstant() string {
	text := r.Agreement.Point().Text(2)
	if r.Agreement.Known && r.Constant.Known {
		text += " (" + r.Constant.Text(2) + ")"
	}
	return text
}

// Greatest numbers of lines on the terminal: mostAnswers of decisions, mostAsked of what flags ask for, mostAlerts of alerts.
const mostAnswers, mostAsked, mostAlerts = 4, 8, 3

// Print prints the result on the terminal: decisions, what was read, the table, and the most important alerts. read has lines on what was
// read. place says where all figures are.
func (r *Result) Print(w io.Writer, read []string, place string) error {
	say := func(lines ...string) {
		for _, line := range lines {
			table.PrintWrapped(w, table.Printable(line))
		}
	}
	left := 0 // number of lines that are not shown
	first := func(lines []string, most int) []string {
		left += max(0, len(lines)-most)
		return lines[:min(most, len(lines))]
	}
	answers := r.Concluded.answers()
	t := r.summary()
	say(first(r.Concluded.Jointly.Texts(), mostAnswers)...)
	say(r.Concluded.Unread.Texts()...)
	if len(r.Decisions()) > 1 || r.Concluded.Basis != "" { // else the first decision repeats the headline
		say(r.Concluded.Decided[:min(1, len(answers))].Texts()...)
	}
	left += max(0, len(r.Decisions())-mostAnswers)
	say(answers...)
	if len(answers) > 0 {
		fmt.Fprintln(w)
	}
	for _, line := range read {
		table.PrintRow(w, table.Printable(line))
	}
	say(r.joined()...)
	if shown := mostLines / 2; len(t.Rows) > shown {
		say(fmt.Sprintf("%d more criteria are in validation.csv", len(t.Rows)-shown))
		t.Rows = t.Rows[:shown]
	}
	if len(t.Rows) > 0 {
		fmt.Fprintln(w)
		if err := t.Shortened().Terminal(w); err != nil {
			return err
		}
	}
	say(first(append(r.Concluded.Asked.Texts(), r.Done...), mostAsked)...)
	say(first(append(r.Concluded.Known.Texts(), r.Notes...), mostAlerts)...)
	if left > 0 {
		place = fmt.Sprintf("%s (%s on the page)", place, data.Plural(left, "more line", "more lines"))
	}
	say(place)
	return nil
}
