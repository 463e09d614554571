package lexical

import (
	_ "embed"
	"slices"
	"strings"

	"compqa/data"
)

// A Class is what a word says about a comparison, whatever its subject.
type Class uint16

const (
	Stop        Class = 1 << iota // carries no content of its own
	generic                       // too general a word to stand for an object
	Comparative                   // compares: faster, unlike, whereas
	Praising                      // speaks for what it is said of
	Faulting                      // speaks against it
	Negating                      // turns praise into fault
	Hedging                       // takes back certainty
	Parting                       // begins a clause about something else
	Profane
	CueStart // a cue may begin with it
	Twice    // may stand twice in a row
	Against  // the name of what something is compared with may follow
)

var classNames = []string{"Stop", "generic", "Comparative", "Praising", "Faulting", "Negating", "Hedging", "Parting", "Profane", "", "Twice", "Against"}

//go:embed lexicon.txt
var lexiconText string

// Lexicon has the classes of words. It is short on purpose: it holds the words that
// comparisons are made of, and no field's own terms.
var Lexicon = func() map[string]Class {
	m := map[string]Class{}
	for i, list := range NamedLists(lexiconText, classNames) {
		for w := range strings.FieldsSeq(list) {
			m[w] |= 1 << i
			m[strings.ReplaceAll(w, "'", "")] |= 1 << i // "dont" is "don't", too
		}
	}
	for first := range Cues {
		m[first] |= CueStart
	}
	return m
}()

// NamedLists reads an embedded file of lists, in the order of names. A list is a paragraph
// that begins with its name and a colon. The first paragraph is a comment.
func NamedLists(text string, names []string) []string {
	lists := make([]string, len(names))
	for _, paragraph := range strings.Split(text, "\n\n")[1:] {
		name, list, _ := strings.Cut(paragraph, ":")
		lists[slices.Index(names, name)] = list
	}
	return lists
}

// A Cue is a row of words that says what the text around it does.
type Cue uint8

const (
	Closing       Cue = iota // begins a conclusion: "in summary", "overall"
	Undecided                // leaves the choice open: "depends on", "personal preference"
	Choosing                 // makes a choice: "is the better choice", "I would choose"
	TopicStart               // begins what is said on one aspect: "in terms of"
	ArgumentTalk             // speaks of the arguments given: "argument 3", "item 2"
	AssistantTalk            // speaks to the asker: "let's break down", "great question"
)

var cueNames = []string{"Closing", "Undecided", "Choosing", "TopicStart", "ArgumentTalk", "AssistantTalk"}

//go:embed cues.txt
var cuesText string

// Cues has the cues of all kinds.
var Cues = newCues(NamedLists(cuesText, cueNames))

// cueTable finds cues by their first word.
type cueTable map[string][]cuePhrase

type cuePhrase struct {
	words []string
	cue   Cue
}

func newCues(lists []string) cueTable {
	t := cueTable{}
	for c, list := range lists {
		for phrase := range strings.SplitSeq(list, ";") {
			if ws := data.Words(phrase); len(ws) > 0 {
				t[ws[0]] = append(t[ws[0]], cuePhrase{ws, Cue(c)})
			}
		}
	}
	for _, phrases := range t {
		slices.SortStableFunc(phrases, func(a, b cuePhrase) int { return len(b.words) - len(a.words) })
	}
	return t
}

// Each calls f for every cue in a row of words. Where one is part of another,
// as "depends" of "it depends on", the longest counts.
func (t cueTable) Each(ws []Token, f func(Cue)) {
	for i := 0; i < len(ws); i++ {
		if ws[i].Class&CueStart == 0 {
			continue
		}
		for _, p := range t[ws[i].Word] {
			if matches(p.words, ws[i:]) {
				f(p.cue)
				i += len(p.words) - 1
				break
			}
		}
	}
}

// Has reports whether a row of words holds a cue.
func (t cueTable) Has(ws []Token, c Cue) bool {
	found := false
	t.Each(ws, func(k Cue) { found = found || k == c })
	return found
}

// Opens reports whether a row of words begins with a cue.
func (t cueTable) Opens(ws []Token, c Cue) bool {
	if len(ws) == 0 || ws[0].Class&CueStart == 0 {
		return false
	}
	for _, p := range t[ws[0].Word] {
		if p.cue == c && matches(p.words, ws) {
			return true
		}
	}
	return false
}
