package sources

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"compqa/data"
)

// leastStem is the number of characters that a shortened text must have left: shorter ones begin too many texts.
const leastStem = 20

// cutMarks are the ends of texts that a program has shortened.
var cutMarks = []string{"[...]", "[…]", "(...)", "...", "…"}

// alignTexts gives shortened texts of one file (questions and answers) the whole text of the other that begins like them, where no
// other one does. A text is shortened if it ends in … or ..., or if it has the length of the longest of its file, as at least three
// others have that the other file does not know. It says what it did, and what could not be decided.
func alignTexts(judged, people *Log) (notes []string) {
	fields := []func(*Item) *string{func(i *Item) *string { return &i.Question }, func(i *Item) *string { return &i.Text }}
	for k, what := range []string{"question", "text"} {
		for _, pair := range [][2]*Log{{people, judged}, {judged, people}} {
			notes = append(notes, lengthened(pair[0], pair[1], fields[k], what)...)
		}
	}
	return notes
}

// lengthened gives texts of a log that are shortened the texts of the other that begin like them.
func lengthened(short, whole *Log, field func(*Item) *string, what string) []string {
	if slices.ContainsFunc(whole.Items, func(i Item) bool { return i.Short != nil }) {
		return nil // whose texts are not kept
	}
	texts := map[string]string{} // whole ones, by how they compare
	for i := range whole.Items {
		if text := *field(&whole.Items[i]); text != "" && whole.Items[i].Pair == nil {
			texts[FoldedText(text)] = text
		}
	}
	if len(texts) == 0 {
		return nil
	}
	sorted := make([]string, 0, len(texts))
	for text := range texts {
		sorted = append(sorted, text)
	}
	slices.Sort(sorted)
	var unknown []int // items whose text the other file does not have
	longest := 0
	count := 0
	for i := range short.Items {
		text := *field(&short.Items[i])
		if text == "" || short.Items[i].Short != nil || short.Items[i].Pair != nil || texts[FoldedText(text)] != "" {
			continue
		}
		unknown = append(unknown, i)
		switch n := utf8.RuneCountInString(text); {
		case n > longest:
			longest = n
			count = 1
		case n == longest:
			count++
		}
	}
	matched := 0
	several := 0
	example := ""
	for _, i := range unknown {
		text := *field(&short.Items[i])
		stem, marked := withoutMark(text)
		cut := marked || count >= 3 && utf8.RuneCountInString(text) == longest
		stem = FoldedText(stem)
		if !cut || utf8.RuneCountInString(stem) < leastStem {
			continue
		}
		index, _ := slices.BinarySearch(sorted, stem)
		found := index
		for found < len(sorted) && found < index+2 && strings.HasPrefix(sorted[found], stem) {
			found++
		}
		switch found - index {
		case 1:
			matched++
			*field(&short.Items[i]) = texts[sorted[index]]
		case 2:
			several++
			example = text
		}
	}
	var notes []string
	if matched > 0 {
		notes = append(notes, fmt.Sprintf("%s of %s %s shortened, and were matched with the ones of %s that begin like them, of which there is "+
			"one each", data.Plural(matched, what, what+"s"), short.Path, data.Form(matched, "is", "are"), whole.Path))
	}
	if several > 0 {
		notes = append(notes, fmt.Sprintf("%s of %s %s shortened, and several of %s begin like them, so that they were not matched, for "+
			"instance %q: an id joins them (--map item=COLUMN,people.item=COLUMN)", data.Plural(several, what, what+"s"), short.Path,
			data.Form(several, "is", "are"), whole.Path, data.Clip(example)))
	}
	return notes
}

// withoutMark returns a text without the mark of a shortened one at its end.
func withoutMark(text string) (stem string, marked bool) {
	text = strings.TrimSpace(text)
	for _, mark := range cutMarks {
		if stem, found := strings.CutSuffix(text, mark); found {
			return strings.TrimSpace(stem), true
		}
	}
	return text, false
}
