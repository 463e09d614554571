package sources

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"compqa/data"
)

// persons decides which raters of people's file count. It leaves out the people whom the user names. It also leaves out raters whose name
// says that they are derived from others, as consensus, if the criterion has other raters. Names that differ only in case or blanks become
// one person.
func (log *Log) persons(o Options) error {
	leave := map[string]bool{}
	folded := once(foldedBy)
	derived := once(func(s data.Series) bool { return isDerived(s.Rater.Name) })
	for _, name := range o.Leave {
		leave[FoldedText(name)] = true
		if !slices.ContainsFunc(log.Values.Series(), func(s data.Series) bool { return folded(s) == FoldedText(name) }) {
			return fmt.Errorf("--leave-out %s: nobody in %s has this name", name, log.Path)
		}
	}
	others := map[string]bool{} // criteria with at least one rater who counts
	for _, s := range log.Values.Series() {
		if !derived(s) && !leave[folded(s)] {
			others[s.ID] = true
		}
	}
	why := func(s data.Series) string { // returns "" if the series counts
		switch {
		case leave[folded(s)]:
			return "--leave-out"
		case derived(s) && others[s.ID]:
			return "derived from people, and nobody"
		}
		return ""
	}
	left := map[[2]string]int{} // number of values, by rater and reason
	if slices.ContainsFunc(log.Values.Series(), func(s data.Series) bool { return why(s) != "" }) {
		log.Values.Delete(func(s data.Rating) bool {
			reason := why(s.Series)
			if reason != "" {
				left[[2]string{s.Rater.Name, reason}]++
			}
			return reason != ""
		})
	}
	for _, who := range slices.SortedFunc(maps.Keys(left), func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(a[0], b[0]),
			cmp.Compare(a[1], b[1]))
	}) {
		log.Left = append(log.Left, Left{data.Plural(left[who], "value", "values") + " of " + who[0], who[1]})
	}
	log.foldPersons()
	return nil
}

// foldedBy returns the folded name of the rater of a series.
func foldedBy(s data.Series) string { return FoldedText(s.Rater.Name) }

// once returns a function that computes a result only once for each series, because a log has many scores of each.
func once[T any](work func(data.Series) T) func(data.Series) T {
	known := map[data.Series]T{}
	return func(s data.Series) T {
		result, is := known[s]
		if !is {
			result = work(s)
			known[s] = result
		}
		return result
	}
}

// isDerived reports whether a rater's name says that it is derived from others, as consensus. human:adjudicated in this project's own files
// does not count as derived: --reference names it as a person.
func isDerived(name string) bool { return !strings.HasPrefix(name, data.Human+":") && isNobody(name) }

// foldPersons gives one name to people whose names differ only in case or blanks, and records the spellings.
func (log *Log) foldPersons() {
	ways := map[string][]string{} // spellings of each name, by its folded form
	for _, s := range log.Values.Series() {
		key := foldedBy(s)
		if !slices.Contains(ways[key], s.Rater.Name) {
			ways[key] = append(ways[key], s.Rater.Name)
		}
	}
	maps.DeleteFunc(ways, func(_ string, spellings []string) bool { return len(spellings) < 2 })
	if len(ways) == 0 {
		return
	}
	log.Values.Rename(func(r data.Rater) data.Rater {
		if key := FoldedText(r.Name); ways[key] != nil {
			r.Name = key
		}
		return r
	}, func(m data.Measured) data.Measured { return m })
	for _, key := range slices.Sorted(maps.Keys(ways)) {
		plain := data.Set(data.Each(ways[key], func(way string) string { return strings.Join(strings.Fields(norm.NFC.String(way)), " ") }))
		if len(plain) > 1 {
			log.Spellings = append(log.Spellings, strings.Join(data.Each(plain, func(way string) string {
				return fmt.Sprintf("%q",
					data.Clip(way))
			}), " and "))
		}
	}
}

// valueOrMissing returns a value as written, or "" if it is missing. Missing values are counted, by word if the word may be a label. A word
// that a scale of the user contains is a value, not missing.
func (o Options) valueOrMissing(log *Log, criterion, value string, written bool) string {
	if !Missing(value) {
		return value
	}
	word := strings.ToLower(strings.TrimSpace(value))
	code, coded := data.First(o.missingCodes(), func(code [2]string) bool { return sameValue(code[0], word) })
	switch {
	case word != "" && o.onScale(criterion, word):
		return value
	case coded:
		log.coded[code[1]] = true
	case slices.Contains(names().Words, word):
		log.Words[criterion] = append(log.Words[criterion], strings.Clone(value))
	case written:
		log.Empty[criterion]++
	}
	return ""
}

// onScale reports whether a scale that the user gives for a criterion contains a word.
func (o Options) onScale(criterion, word string) bool {
	for _, name := range []string{o.side() + "." + criterion, criterion, ""} {
		list := strings.TrimPrefix(o.Scales[name], "labels:")
		if slices.ContainsFunc(strings.Split(list, ","), func(label string) bool { return sameValue(label, word) }) {
			return true
		}
	}
	return false
}
