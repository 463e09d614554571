package sources

import (
	_ "embed"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"compqa/data"
)

//go:embed choices.yaml
var choicesYAML []byte

// choiceWords are the lists of words in choices.yaml.
type choiceWords struct {
	A, B, First, Second, Nouns, Ties, Degrees []string
	Numbers                                   map[string]data.Choice
}

// A choiceTable is choices.yaml, prepared for lookup.
type choiceTable struct {
	ties          map[string]bool
	letters       map[string]data.Choice
	places        map[string]data.Choice
	numbers       map[string]data.Choice
	marks         map[string]bool // words one of which every choice but a tie contains, alone or after a noun; see marked
	nouns         []string
	side          *regexp.Regexp // matches a letter, place or number with or without a noun: "a", "the left answer", "response 1"
	better, worse *regexp.Regexp // match sentences: "i prefer a", "b is worse"
}

var choiceLists = sync.OnceValue(func() choiceTable {
	words := data.Must(ofYAML[choiceWords](choicesYAML))
	t := choiceTable{ties: data.Among(words.Ties), letters: map[string]data.Choice{}, places: map[string]data.Choice{}, numbers: words.Numbers,
		marks: data.Among(slices.Concat(words.A, words.B, words.First, words.Second, slices.Collect(maps.Keys(words.Numbers)))),
		nouns: words.Nouns}
	for choice, list := range map[data.Choice][2][]string{data.ChoiceA: {words.A, words.First}, data.ChoiceB: {words.B, words.Second}} {
		for _, word := range list[0] {
			t.letters[word] = choice
		}
		for _, word := range list[1] {
			t.places[word] = choice
		}
	}
	either := func(list []string) string { return "(?:" + strings.Join(data.Each(list, regexp.QuoteMeta), "|") + ")" }
	letters := either(slices.Concat(words.A, words.B))
	places := either(slices.Concat(words.First, words.Second))
	noun := either(words.Nouns) + "s?"
	side := `(?:the )?(?:` + noun + ` ?)?(` + letters + `)(?: ` + noun + `)?|(?:the )?(?:` + noun + ` )?(` + places + `)(?: ` + noun + `)?` +
		`|(?:the )?` + noun + ` ?(1|2|one|two)`
	degree := `(?:` + either(words.Degrees) + ` )?`
	t.side = regexp.MustCompile(`^(?:` + side + `)$`)
	t.better = regexp.MustCompile(`^(?:(?:i )?` + degree + `(?:prefers?|choose|chose) )?(.+?)(?: (?:is )?` + degree +
		`(?:better|preferred|wins|won|win|the winner|is the winner))?$`)
	t.worse = regexp.MustCompile(`^(.+?) (?:is )?` + degree + `worse$`)
	return t
})

// comparison matches a choice that compares two letters or numbers, as A>B, A >> B, A=B, 1<2.
var comparison = regexp.MustCompile(`^(a|b|1|2) ?(>{1,3}|<{1,3}|={1,2}|~=|≈|~|≻|≺) ?(a|b|1|2)$`)

// graded matches a choice with signs for its strength, as WildBench's A++ and B+.
var graded = regexp.MustCompile(`^(a|b)\+{1,3}$`)

// A ChoiceWord is the choice between two answers that a word stands for.
type ChoiceWord struct {
	Choice data.Choice
	Place  bool // the word is a place, such as left or first: it depends on the order in which the answers were shown
}

// ChoiceOf returns the choice that a word or short phrase of any program stands for: "A>B", "model_a", "left", "tie (bothbad)". known is
// false for a plain number and for all words that choices.yaml does not cover.
func ChoiceOf(text string) (choice ChoiceWord, known bool) {
	t := choiceLists()
	word := foldedChoice(text)
	if choice, known = t.choiceWord(word); known {
		return choice, true
	}
	if short, _, found := strings.Cut(word, " ("); found { // tie (bothbad), A (much better)
		return t.choiceWord(short)
	}
	return ChoiceWord{}, false
}

// choiceWord does what ChoiceOf does, for a text that foldedChoice has normalised. Cases in order: a tie ("both bad"), a comparison
// ("a>b"), a letter with a strength ("a++"), "b is worse", a side ("the left answer"), "i prefer a".
func (t choiceTable) choiceWord(word string) (ChoiceWord, bool) {
	if t.ties[word] {
		return ChoiceWord{Choice: data.ChoiceTie}, true
	}
	if !t.marked(word) { // most texts; the patterns below take a hundred times as long
		return ChoiceWord{}, false
	}
	if m := comparison.FindStringSubmatch(word); m != nil {
		first := t.letter(m[1])
		second := t.letter(m[3])
		switch {
		case first == second:
			return ChoiceWord{}, false
		case strings.ContainsAny(m[2], "=~≈"):
			return ChoiceWord{Choice: data.ChoiceTie}, true
		case strings.ContainsAny(m[2], "<≺"):
			return ChoiceWord{Choice: second}, true
		}
		return ChoiceWord{Choice: first}, true
	}
	if m := graded.FindStringSubmatch(word); m != nil {
		return ChoiceWord{Choice: t.letters[m[1]]}, true
	}
	if m := t.worse.FindStringSubmatch(word); m != nil {
		choice, known := t.sideOf(m[1])
		choice.Choice = choice.Choice.Swapped()
		return choice, known
	}
	if choice, known := t.sideOf(word); known {
		return choice, true
	}
	if m := t.better.FindStringSubmatch(word); m != nil {
		return t.sideOf(m[1])
	}
	return ChoiceWord{}, false
}

// marked reports whether a text may be a choice: it has a sign such as > or one of the marking words. It saves the slow patterns for most
// texts.
func (t choiceTable) marked(word string) bool {
	if strings.ContainsAny(word, "<>=~≈≻≺+") {
		return true
	}
	for part := range strings.SplitSeq(word, " ") {
		if t.marks[part] {
			return true
		}
		for _, noun := range t.nouns {
			if rest, is := strings.CutPrefix(part, noun); is && (t.marks[rest] || t.marks[strings.TrimPrefix(rest, "s")]) {
				return true
			}
		}
	}
	return false
}

// letter returns the choice that a letter or a number of a comparison stands for.
func (t choiceTable) letter(word string) data.Choice {
	if choice, known := t.letters[word]; known {
		return choice
	}
	return t.numbers[word]
}

// sideOf returns the choice that a side stands for: "a", "response b" (a letter), "first", "left one" (a place), "answer 1" (a number). The
// bool is false if the text is none of these.
func (t choiceTable) sideOf(word string) (ChoiceWord, bool) {
	m := t.side.FindStringSubmatch(word)
	switch {
	case m == nil:
		return ChoiceWord{}, false
	case m[1] != "":
		return ChoiceWord{Choice: t.letters[m[1]]}, true
	case m[2] != "":
		return ChoiceWord{Choice: t.places[m[2]], Place: true}, true
	}
	return ChoiceWord{Choice: t.numbers[m[3]]}, true
}

// foldedChoice normalises a word for a choice: it removes brackets, quotes, asterisks and final punctuation, and writes lower case with
// blanks.
func foldedChoice(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	for {
		before := text
		for _, pair := range [][2]string{{"[[", "]]"}, {"[", "]"}, {"**", "**"}, {"*", "*"}, {"(", ")"}, {`"`, `"`}, {"'", "'"},
			{"`", "`"}, {"<", ">"}} {
			if inner, opened := strings.CutPrefix(text, pair[0]); opened && len(text) > len(pair[0])+len(pair[1]) {
				if inner, closed := strings.CutSuffix(inner, pair[1]); closed {
					text = strings.TrimSpace(inner)
				}
			}
		}
		if text == before {
			break
		}
	}
	text = strings.TrimRight(text, ".!: ")
	text = strings.Map(func(r rune) rune {
		if r == '_' || r == '-' {
			return ' '
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}
