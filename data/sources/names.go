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
	Judges, Rejected []string
	Verdicts, Lists  []string
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

// doubtful reports whether a text is no value where the others are numbers, such as skip.
func doubtful(text string) bool {
	return slices.Contains(names().Doubted, strings.ReplaceAll(strings.ToLower(strings.TrimSpace(text)), "’", "'"))
}

// The sides of a comparison.
const (
	sideJudge  = "judge"
	sidePeople = "people"
)

// sideOf is the side that the name of a column says, as people's of human_score, and the name without it.
func sideOf(name string) (side, rest string) {
	words := wordsOf(name[strings.LastIndexByte(name, '.')+1:])
	if len(words) == 0 {
		return "", name
	}
	for _, at := range []int{0, len(words) - 1} {
		for _, side := range []string{sidePeople, sideJudge} {
			if slices.Contains(names().Sides[side], words[at]) {
				return side, strings.Join(slices.Delete(slices.Clone(words), at, at+1), "_")
			}
		}
	}
	return "", name
}
