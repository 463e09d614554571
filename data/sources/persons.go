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

// persons settles who of people is somebody: those that the user leaves out, and those whose name says that they are derived from
// others, as consensus, are left out where the criterion has others; names that differ in case or blanks are one person.
func (log *Log) persons(o Options) error {
	leave := map[string]bool{}
	for _, name := range o.Leave {
		leave[FoldedText(name)] = true
		if !slices.ContainsFunc(log.Scores, func(s Score) bool { return FoldedText(s.By) == FoldedText(name) }) {
			return fmt.Errorf("--leave-out %s: nobody in %s has this name", name, log.Path)
		}
	}
	others := map[string]bool{} // criteria with somebody else
	for i := range log.Scores {
		if s := &log.Scores[i]; !isDerived(s.By) && !leave[FoldedText(s.By)] {
			others[s.Criterion] = true
		}
	}
	left := map[[2]string]int{} // values, by who and why
	log.Scores = slices.DeleteFunc(log.Scores, func(s Score) bool {
		switch {
		case leave[FoldedText(s.By)]:
			left[[2]string{s.By, "--leave-out"}]++
		case others[s.Criterion] && isDerived(s.By):
			left[[2]string{s.By, "derived from people, and nobody"}]++
		default:
			return false
		}
		return true
	})
	for _, who := range slices.SortedFunc(maps.Keys(left), func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(a[0], b[0]),
			cmp.Compare(a[1], b[1]))
	}) {
		log.Left = append(log.Left, Left{data.Plural(left[who], "value", "values") + " of " + who[0], who[1]})
	}
	log.foldPersons()
	return nil
}

// isDerived reports whether somebody is nobody by the name, as consensus. In our own files human:adjudicated is a person whom --reference
// names.
func isDerived(name string) bool { return !strings.HasPrefix(name, data.Human+":") && isNobody(name) }

// foldPersons gives people whose names differ in case or blanks one name, and notes their spellings.
func (log *Log) foldPersons() {
	ways := map[string][]string{} // in which a name is written, by its folded form
	for i := range log.Scores {
		name := log.Scores[i].By
		key := FoldedText(name)
		if !slices.Contains(ways[key], name) {
			ways[key] = append(ways[key], name)
		}
	}
	maps.DeleteFunc(ways, func(_ string, of []string) bool { return len(of) < 2 })
	one := map[Series]*Series{}
	for i := range log.Scores {
		of := *log.Scores[i].Series
		key := FoldedText(of.By)
		if ways[key] == nil {
			continue
		}
		of.By = key
		if one[of] == nil {
			kept := of
			one[of] = &kept
		}
		log.Scores[i].Series = one[of]
	}
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

// valueOrMissing is a value as it is written, or "" where it is missing: then it is counted, by its word where that may be a label.
// A word that a scale of the user names is a value.
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

// onScale reports whether a scale that the user gives has a word.
func (o Options) onScale(criterion, word string) bool {
	for _, name := range []string{o.side() + "." + criterion, criterion, ""} {
		list := strings.TrimPrefix(o.Scales[name], "labels:")
		if slices.ContainsFunc(strings.Split(list, ","), func(label string) bool { return sameValue(label, word) }) {
			return true
		}
	}
	return false
}
