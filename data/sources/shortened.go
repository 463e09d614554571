package sources

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"compqa/data"
)

// leastStem is the number of characters that must remain of a shortened text: shorter beginnings match too many texts.
const leastStem = 20

// cutMarks are the marks with which programs end shortened texts.
var cutMarks = []string{"[...]", "[…]", "(...)", "...", "…"}

// alignTexts replaces a shortened question or answer of one log by the whole text of the other log that begins alike, if there is exactly
// one. A text that ends in … or ... counts as shortened. So do at least three texts that have the maximal length of the log's unmatched
// texts. notes say what was replaced, and which texts have several candidates.
func alignTexts(judged, people *Log) (notes []string) {
	fields := []func(*Item) *string{func(i *Item) *string { return &i.Question }, func(i *Item) *string { return &i.Text }}
	for k, what := range []string{"question", "text"} {
		for _, pair := range [][2]*Log{{people, judged}, {judged, people}} {
			notes = append(notes, lengthened(pair[0], pair[1], fields[k], what)...)
		}
	}
	return notes
}

// lengthened replaces the shortened texts in one field of a log by the matching texts of the other log. what names the field in notes.
func lengthened(short, whole *Log, field func(*Item) *string, what string) []string {
	if slices.ContainsFunc(whole.Items, func(i Item) bool { return i.About().Short != nil }) {
		return nil // whole does not keep all of its texts
	}
	texts := map[string]string{} // whole texts, by their folded form
	for i := range whole.Items {
		if text := *field(&whole.Items[i]); text != "" && whole.Items[i].About().Pair == nil {
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
	var unknown []int // indices of items whose text the other log lacks
	longest := 0
	count := 0
	for i := range short.Items {
		text := *field(&short.Items[i])
		if text == "" || short.Items[i].About().Short != nil || short.Items[i].About().Pair != nil || texts[FoldedText(text)] != "" {
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

// withoutMark removes the mark at the end of a shortened text. marked reports whether there was one.
func withoutMark(text string) (stem string, marked bool) {
	text = strings.TrimSpace(text)
	for _, mark := range cutMarks {
		if stem, found := strings.CutSuffix(text, mark); found {
			return strings.TrimSpace(stem), true
		}
	}
	return text, false
}
