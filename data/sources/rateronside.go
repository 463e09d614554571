package sources

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"compqa/data"
)

// splitRaters decides which raters are judges in a long table with values of judges and people. Judges are the raters that the user names,
// else those with a word for judges in their names. It returns false without a column of raters, or without both judges and people.
func (r *Reading) splitRaters(s *Sheet, o Options) bool {
	index := slices.IndexFunc(r.Columns, func(c ColumnRead) bool { return c.Role == RoleRater })
	if index < 0 {
		return false
	}
	raters := s.column(r.Columns[index].Column).shown()
	r.Judges = data.Where(raters, func(name string) bool { return o.isJudge(name) })
	if len(o.JudgeNames) == 0 {
		r.Judges = data.Where(raters, JudgesName)
		r.Columns[index].Assumed = true
		r.Columns[index].Why = strings.Join(r.Judges, " and ") + ": the judge by its name (--judge NAME says otherwise)"
	}
	if len(r.Judges) == 0 || len(r.Judges) == len(raters) {
		r.Judges = nil
		return false
	}
	return true
}

// isJudge reports whether the user names a rater as a judge.
func (o Options) isJudge(rater string) bool {
	return slices.ContainsFunc(o.JudgeNames, func(name string) bool { return FoldedText(name) == FoldedText(rater) })
}

// raters removes the values of the other side's raters, if the user or the file says which raters are judges. A judge whom the user names,
// and the file lacks, is an error.
func (log *Log) raters(o Options) error {
	isJudge := o.isJudge
	switch judges := log.Readings[0].Judges; {
	case judges != nil:
		isJudge = func(name string) bool { return slices.Contains(judges, name) }
	case len(o.JudgeNames) == 0:
		return nil
	case (!o.People || o.Alone || o.JudgeHere) &&
		!slices.ContainsFunc(log.Values.Series(), func(s data.Series) bool { return isJudge(s.Rater.Name) }):
		who := data.Set(data.Each(log.Values.Series(), func(s data.Series) string { return s.Rater.Name }))
		return fmt.Errorf("--judge %s: no rater in %s has this name; they are %s", o.JudgeNames[0], log.Path, data.Some(who))
	}
	left := map[string]int{}
	others := once(func(s data.Series) bool { return isJudge(s.Rater.Name) == o.People })
	log.Values.Delete(func(s data.Rating) bool {
		if others(s.Series) {
			left[s.Rater.Name]++
		}
		return others(s.Series)
	})
	side := "people's"
	if o.People {
		side = "the judge's"
	}
	log.leftRaters(left, side)
	return nil
}

// leftRaters notes how many values of each rater were left out, and why.
func (log *Log) leftRaters(left map[string]int, why string) {
	for _, name := range slices.Sorted(maps.Keys(left)) {
		log.Left = append(log.Left, Left{data.Plural(left[name], "value", "values") + " of " + name, why})
	}
}

// LeaveTwice removes raters who occur on both sides with the same values. People lose the copy if the name has a word for judges, or if the
// judge's log has no other raters; else the judge's log loses it.
func LeaveTwice(judged, people *Log) {
	type column struct{ by, criterion string }
	type place struct {
		column
		id string
	}
	columnOf := once(func(s data.Series) column { return column{foldedBy(s), plainCriterion(s.ID)} })
	columnsOf := func(log *Log) map[column]bool {
		return data.Among(data.Each(log.Values.Series(), columnOf))
	}
	ours := columnsOf(judged)
	theirs := columnsOf(people)
	if !slices.ContainsFunc(slices.Collect(maps.Keys(ours)), func(c column) bool { return theirs[c] }) {
		return
	}
	valuesOf := func(log *Log) map[place]string { // in columns that both sides have
		all := map[place]string{}
		for _, s := range log.Values.All() {
			spot := place{columnOf(s.Series), log.Items[s.Item].ID}
			if !ours[spot.column] || !theirs[spot.column] || s.Value == "" || spot.id == "" || s.Rater.Name == baseName(log.Path) {
				continue
			}
			if _, known := all[spot]; !known {
				all[spot] = s.Value
			}
		}
		return all
	}
	given := valuesOf(people)
	same := map[string]int{}
	differ := map[string]bool{}
	for place, value := range valuesOf(judged) {
		other, known := given[place]
		switch {
		case !known:
		case sameValue(other, value):
			same[place.by]++
		default:
			differ[place.by] = true
		}
	}
	twice := once(func(s data.Series) bool { return same[foldedBy(s)] > 0 && !differ[foldedBy(s)] })
	// others says that the judge's log has raters who are not also on people's side.
	others := slices.ContainsFunc(judged.Values.Series(), func(s data.Series) bool { return !twice(s) })
	leave := func(log *Log, whose string, which func(name string) bool) {
		leaves := once(func(s data.Series) bool { return twice(s) && which(s.Rater.Name) })
		if !slices.ContainsFunc(log.Values.Series(), func(s data.Series) bool { return !leaves(s) }) {
			return
		}
		left := map[string]int{}
		log.Values.Delete(func(s data.Rating) bool {
			if leaves(s.Series) {
				left[s.Rater.Name]++
			}
			return leaves(s.Series)
		})
		log.leftRaters(left, "the same as "+whose)
	}
	ofPeople := func(name string) bool { return JudgesName(name) || !others }
	leave(people, "the judge's in "+judged.Path, ofPeople)
	leave(judged, "people's in "+people.Path, func(name string) bool { return !ofPeople(name) })
}
