package sources

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"compqa/data"
)

//go:embed names.yaml
var namesYAML []byte

// nameLists are the lists of names and words in names.yaml.
type nameLists struct {
	Roles            map[string][]string
	Sides            map[string][]string
	Counters         []string
	Ignored          []string
	Missing, Doubted []string
	Words, Turns     []string
	Sums             []string // words that begin a summary row below a table
	Judges, Rejected []string
	Verdicts, Lists  []string
	Criteria, Nobody []string
	Replies          []string
	Attributes       map[string]string
	Origins          []originWords
	Not              []string // words that turn an origin into its opposite
}

// names returns the lists in names.yaml.
var names = sync.OnceValue(func() nameLists { return data.Must(ofYAML[nameLists](namesYAML)) })

// missing returns the words that stand for a missing value, such as na.
var missing = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, word := range names().Missing {
		words[word] = true
	}
	return words
})

// ignored returns the folded names of columns that never have scores.
var ignored = sync.OnceValue(func() map[string]bool { return data.Among(data.Each(names().Ignored, folded)) })

// Missing reports whether a text stands for a missing value, such as NA.
func Missing(text string) bool { return missing()[strings.ToLower(strings.TrimSpace(text))] }

// JudgesName reports whether a name contains a word for judges, as llm_score does.
func JudgesName(name string) bool {
	return slices.ContainsFunc(wordsOf(name), func(word string) bool { return slices.Contains(names().Sides[sideJudge], word) })
}

// doubtful reports whether a text such as skip stands for a missing value in a column of numbers.
func doubtful(text string) bool {
	return slices.Contains(names().Doubted, strings.ReplaceAll(strings.ToLower(strings.TrimSpace(text)), "’", "'"))
}

// The two sides of a comparison: the values of judges are compared with the values of people. A file is read for one side at a time.
const (
	sideJudge  = "judge"
	sidePeople = "people"
)

// sideOf returns the side that a column's name says, and the name without the word for it: people and "score" for human_score. side is ""
// if no word says it.
func sideOf(name string) (side, rest string) {
	index, side := sidePlace(name)
	if side == "" {
		return "", name
	}
	return side, strings.Join(slices.Delete(wordsOf(lastPart(name)), index, index+1), "_")
}

// sideWord returns the word in a name that says its side. The name must have such a word.
func sideWord(name string) string {
	index, _ := sidePlace(name)
	return wordsOf(lastPart(name))[index]
}

// sidePlace returns the index of the first or last word of a name if that word says a side. side is "" if neither does.
func sidePlace(name string) (index int, side string) {
	words := wordsOf(lastPart(name))
	if len(words) == 0 {
		return 0, ""
	}
	for _, index := range []int{0, len(words) - 1} {
		for _, side := range []string{sidePeople, sideJudge} {
			if slices.Contains(names().Sides[side], words[index]) {
				return index, side
			}
		}
	}
	return 0, ""
}
