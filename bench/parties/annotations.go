package parties

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"compqa/data"
	"compqa/data/sources"
	"compqa/judges"
	"compqa/results/validation/scales"
	"compqa/rubric"
	"compqa/stats"
)

// ReadVerdicts reads people's or judges' scores from a file of verdicts, a table or an export of an annotation tool. A table is wide (a
// column for each criterion, or for each criterion and person) or long (annotator, criterion, value). Criteria are named by their ids or
// names. A value is a number, the text of a level, or a word for yes or no. The parameters are:
//   - people: the scores are people's, and get names of people;
//   - known reports whether an answer with an id exists;
//   - o has what the user says about the file.
//
// A column that is not a criterion is an error if its values could be points and a criterion has no scores.
func ReadVerdicts(path string, r rubric.Rubric, people bool, known func(answer string) bool,
	o sources.Options) (verdicts *data.VerdictList, summary Summary, err error) {
	verdicts, err = sources.ReadVerdicts(path, r.IDs(), known, o)
	if err == nil && verdicts == nil {
		var list []data.Verdict
		var other []string
		list, other, summary, err = ReadScores(path, r, Reading{People: people, Known: known, Flags: o})
		verdicts = data.Verdicts(list...)
		if err == nil {
			err = checkCriteria(path, r, verdicts, other)
		}
	}
	if err != nil {
		return nil, summary, err
	}
	verdicts.Rename(func(judge string) string {
		if people && !data.IsHuman(judge) {
			return data.Human + ":" + judge
		}
		return judge
	})
	return verdicts, summary, checkJudges(path, verdicts.Judges())
}

// checkCriteria returns an error if the file has scores on names that are not criteria (other), while a criterion has no scores. One of the
// names is then probably misspelt.
func checkCriteria(path string, r rubric.Rubric, verdicts *data.VerdictList, other []string) error {
	var without []string
	for _, c := range r.Criteria {
		if !verdicts.Scored(c.ID) {
			without = append(without, c.Name)
		}
	}
	if len(other) == 0 || len(without) == 0 {
		return nil
	}
	wrong := other[0]
	for _, name := range other {
		if data.Nearest(name, without) != "" {
			wrong = name
			break
		}
	}
	return fmt.Errorf("%s has scores on %q, which is no criterion of the rubric %q%s (the rubric's %s has no scores). Name the "+
		"column as in the rubric, or leave it out", path, wrong, r.Name, data.Suggest(wrong, "criteria", without), strings.Join(without, ", "))
}

// checkJudges returns an error if a judge of a file has the name of a built-in judge, or a name that looks like one.
func checkJudges(path string, names []string) error {
	for _, name := range names {
		if err := data.CheckName(name, judges.OwnNames()); err != nil {
			return fmt.Errorf("%s: judge: %w", path, err)
		}
	}
	return nil
}

// A Reading says how ReadScores reads a file.
type Reading struct {
	People bool                     // the scores are people's
	Known  func(answer string) bool // reports whether an answer with an id exists
	Flags  sources.Options          // what the user says about the file
	All    bool                     // return all names that are not criteria, not only those whose values could be points
}

// options returns the options for reading scores on the criteria of a rubric.
func (how Reading) options(r rubric.Rubric) sources.Options {
	o := how.Flags
	o.People = how.People
	for _, c := range r.Criteria {
		o.Names = append(o.Names, c.ID, "c"+c.ID, c.Name)
	}
	if len(r.Criteria) == 1 { // columns that no name matches are then the raters
		o.Names = []string{r.Criteria[0].Name}
	}
	return o
}

// A Summary describes a file that was read: in sentences, and by its columns. It also exists if values are faulty.
type Summary struct {
	Lines    []string
	Readings []*sources.Reading // how the columns were read; none for a file of this project
}

// ReadScores makes verdicts from the scores in a table or an export. other has the names in the file that are not criteria but have values
// that could be points; see Reading.All. Rows with the same fault are one line of the error.
func ReadScores(path string, r rubric.Rubric, how Reading) (verdicts []data.Verdict, other []string, summary Summary, err error) {
	o := how.options(r)
	scaled, err := criterionScales(r, o)
	if err != nil {
		return nil, nil, summary, err
	}
	log, err := sources.Read(path, o)
	if err != nil {
		return nil, nil, summary, err
	}
	summary.Lines = append([]string{log.Summary(how.People)}, log.Notes...)
	summary.Readings = log.Readings
	if unused := o.Unused(log); unused != "" {
		summary.Lines = append(summary.Lines, path+": "+unused)
	}
	type key struct {
		answer, judge string
		repeat        int
	}
	type place struct {
		key
		criterion string
	}
	index := map[key]int{}
	several := map[place]int{} // number of values of a place beyond the first
	var faults data.Faults
	strange := map[string][2]int{} // names that are not criteria: number of values, and of values that could be points
	for _, s := range log.Values.All() {
		item := &log.Items[s.Item]
		row := data.Document{File: item.About().File, Line: int(s.Line)}
		c := criterionNamed(r, s.ID)
		switch {
		case c == nil:
			n := strange[s.ID]
			n[0]++
			if mayBePoints(r, s.Value) {
				n[1]++
			}
			strange[s.ID] = n
			continue
		case s.Failed:
			continue
		case item.ID == "":
			return nil, nil, summary, row.Errorf("the answer's id is missing: a column id is needed")
		}
		id := item.ID
		if whole, point := strings.CutSuffix(id, ".0"); point && !how.Known(id) && how.Known(whole) {
			id = whole // pandas writes whole numbers as 7.0 in a column with missing values
		}
		if !how.Known(id) {
			faults.Add(row.Errorf("no answer has the id %q", item.ID))
			continue
		}
		k := key{id, s.Rater.Name, max(1, item.About().Repeat)}
		if _, there := index[k]; !there {
			index[k] = len(verdicts)
			verdicts = append(verdicts, data.Verdict{Answer: k.answer, Judge: k.judge, Repeat: k.repeat, Status: data.Valid, Scores: data.Scores{}})
		}
		points, err := onScale(*c, scaled[c.ID], s.Value)
		if err != nil {
			faults.Add(row.Errorf("%s is %w", c.Name, err))
			continue
		}
		v := &verdicts[index[k]]
		before, twice := v.Scores[c.ID]
		switch {
		case twice && o.Repeats == sources.RepeatsFirst:
			continue
		case twice && o.Repeats == sources.RepeatsMean:
			several[place{k, c.ID}]++
			n := float64(several[place{k, c.ID}])
			points = (before*n + points) / (n + 1)
		case twice && before != points && o.Repeats != sources.RepeatsLast:
			faults.Add(row.Errorf("%s: a second value of %s on %q, %s after %s (--repeats first|last|mean says which counts)", c.Name, s.Rater.Name,
				item.ID, stats.Shortest(points), stats.Shortest(before)))
		}
		v.Scores[c.ID] = points
	}
	other = summary.noCriteria(path, strange, how.All)
	err = faults.Err(path)
	if err == nil && len(verdicts) == 0 {
		err = noScores(path, r, log, other)
	}
	if err != nil {
		return nil, nil, summary, err
	}
	return verdicts, other, summary, nil
}

// noCriteria returns the names outside the rubric that probably mean a criterion: more than half of their values could be points. With all,
// it returns every name. It adds a line to s.Lines for each name that it leaves out. strange has, by name, the number of values and the
// number of values that could be points.
func (s *Summary) noCriteria(path string, strange map[string][2]int, all bool) (other []string) {
	for _, name := range slices.Sorted(maps.Keys(strange)) {
		if n := strange[name]; 2*n[1] > n[0] || all {
			other = append(other, name)
		} else {
			s.Lines = append(s.Lines, fmt.Sprintf("%s: left out: %s (no points of the rubric)", path, name))
		}
	}
	return other
}

// noScores returns the error of a file without scores on the rubric's criteria. It says what the file has instead.
func noScores(path string, r rubric.Rubric, log *sources.Log, other []string) error {
	if log.Values.Len() == 0 {
		return fmt.Errorf("%s: no score was found in %s", path, strings.Join(append([]string{data.Plural(len(log.Items), "item", "items")},
			log.Notes...), "; "))
	}
	names := data.Each(r.Criteria, func(c rubric.Criterion) string { return c.Name })
	return fmt.Errorf("%s has no scores on the criteria of the rubric %q; it has %s%s", path, r.Name, data.Clip(strings.Join(other, ", ")),
		data.Suggest(slices.Concat(other, []string{""})[0], "criteria", names))
}

// mayBePoints reports whether a value could be points on any criterion of the rubric.
func mayBePoints(r rubric.Rubric, value string) bool {
	return slices.ContainsFunc(r.Criteria, func(c rubric.Criterion) bool {
		x, err := pointsOf(c, value)
		low, high := c.Range()
		return err == nil && x >= low && x <= high
	})
}

// criterionNamed returns the criterion with an id, a name or a text, or nil if there is none.
func criterionNamed(r rubric.Rubric, name string) *rubric.Criterion {
	for i := range r.Criteria {
		c := &r.Criteria[i]
		if name == "c"+c.ID || slices.ContainsFunc([]string{c.ID, c.Name, c.Text},
			func(other string) bool { return other != "" && sources.SameCriterion(name, other) }) {
			return c
		}
	}
	return nil
}

// pointsOf returns the points that a value means on a criterion: "2", "2 all of it", the text of a level, or yes or no. The error names the
// value and the valid values.
func pointsOf(c rubric.Criterion, value string) (float64, error) {
	first, _, _ := strings.Cut(strings.TrimSpace(value), " ") // "2" or "2 all of it"
	if x, ok := data.Number(first); ok {
		return x, nil
	}
	var texts []string
	for _, l := range c.Levels {
		texts = append(texts, l.Text)
		if strings.EqualFold(strings.Trim(l.Text, ". "), strings.Trim(value, ". ")) {
			return l.Points, nil
		}
	}
	if s, err := scales.Find(c.Name, []string{value}, ""); err == nil && s.Kind == scales.Binary {
		if x, ok := s.Number(value); ok {
			low, high := c.Range()
			return low + x*(high-low), nil
		}
	}
	return 0, fmt.Errorf("%q; a number of points is needed, or one of %s", data.Clip(value), strings.Join(texts, ", "))
}
