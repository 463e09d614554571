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

// nameLists are the lists of names.yaml.
type nameLists struct {
	Roles            map[string][]string
	Sides            map[string][]string
	Counters         []string
	Ignored          []string
	Missing, Doubted []string
	Words, Turns     []string
	Sums             []string // what begins a row below a table that sums it up
	Judges, Rejected []string
	Verdicts, Lists  []string
	Criteria, Nobody []string
	Replies          []string
	Attributes       map[string]string
	Origins          []originWords
}

var names = sync.OnceValue(func() nameLists { return data.Must(ofYAML[nameLists](namesYAML)) })

var missing = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, word := range names().Missing {
		words[word] = true
	}
	return words
})

var ignored = sync.OnceValue(func() map[string]bool { return data.Among(data.Each(names().Ignored, folded)) })

// Missing reports whether a text stands for a missing value, such as NA.
func Missing(text string) bool { return missing()[strings.ToLower(strings.TrimSpace(text))] }

// JudgesName reports whether the name of a column has a word for judges.
func JudgesName(name string) bool {
	return slices.ContainsFunc(wordsOf(name), func(word string) bool { return slices.Contains(names().Sides[sideJudge], word) })
}

// doubtful reports whether a text is not a value where the others are numbers, such as skip.
func doubtful(text string) bool {
	return slices.Contains(names().Doubted, strings.ReplaceAll(strings.ToLower(strings.TrimSpace(text)), "’", "'"))
}

// The sides of a comparison.
const (
	sideJudge  = "judge"
	sidePeople = "people"
)

// sideOf returns the side that the name of a column says, as people's of human_score, and the name without that word.
func sideOf(name string) (side, rest string) {
	index, side := sidePlace(name)
	if side == "" {
		return "", name
	}
	return side, strings.Join(slices.Delete(wordsOf(lastPart(name)), index, index+1), "_")
}

// sideWord returns the word of a name that says its side.
func sideWord(name string) string {
	index, _ := sidePlace(name)
	return wordsOf(lastPart(name))[index]
}

// sidePlace returns the place of the word that says a side: the first, the last, or another one.
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
