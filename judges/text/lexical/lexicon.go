package lexical

import (
	_ "embed"
	"slices"
	"strings"

	"compqa/data"
)

// A Class is a set of bits: what a word says in a comparison, or its function in a sentence.
type Class uint32

const (
	Stop        Class = 1 << iota // carries no content of its own
	Generic                       // too general to stand for an object, or to be an attribute
	Comparative                   // compares: faster, unlike, whereas
	Praising                      // praises what it describes
	Faulting                      // criticises what it describes
	Hedging                       // weakens certainty
	Profane                       // a swear word
	Twice                         // can occur twice in a row without being a slip

	// Used by text.favour, to find the object that a sentence favours. The classes below serve to read claims. With those, the judge
	// surface would agree less with people: alpha .772 instead of .775.
	Negating // inverts praise and criticism
	Parting  // begins a clause about something else
	Against  // before the name of what something is compared with: "than"

	negates     // inverts the words after it
	endsNegated // ends the reach of a negation before it
	merely      // "not only" is not negation
	affirms     // with a negation and "that", inverts the sentence: "it is not true that"
	denies      // with "that", inverts the sentence: "it is false that"
	compares    // before the name of what something is compared with
	likens      // the same with "to" before the name: "superior in price to tea"
	lists       // before an object's name that is an example, after another object: "such as"
	joins       // continues a list of names
	to
	turns // continues with the other object: "whereas"
	links // the object's name after it owns the words before it: "the price of tea"
	article
	Determines // begins a noun phrase
	raises     // "more", "most": strengthens the word after it
	lowers     // "less", "least": inverts the word after it
	that
	then // written for "than"

	CueStart // the first word of a cue
)

var classNames = strings.Fields(`Stop Generic Comparative Praising Faulting Hedging Profane Twice Negating Parting Against
	negates endsNegated merely affirms denies compares likens lists joins to turns links article Determines raises lowers that then`)

// A Pole is a word's end of a scale: on the scale of speed, fast has Sign 1 and slow -1. Good is 1 if this end speaks for what it
// describes, -1 if it speaks against it, else 0.
type Pole struct {
	Scale      string
	Sign, Good int8
}

// An Entry holds what the lexicon says of a word.
type Entry struct {
	Class Class
	Poles []Pole
}

var (
	//go:embed lexicon.txt
	lexiconText string
	//go:embed scales.txt
	scalesText string
)

// Lexicon is the only list of words that measurements, rules, claims and contrastive tables read. It holds general English words of
// comparisons, no terms of a field. The opposites in its scales were chosen independently of those that the attack "facts negated" swaps,
// but their author knew the latter; both lists hold the common ones.
var Lexicon = func() map[string]Entry {
	m := map[string]Entry{}
	change := func(words string, f func(*Entry)) {
		for w := range strings.FieldsSeq(words) {
			for _, spelled := range data.Set([]string{w, strings.ReplaceAll(w, "'", "")}) { // "dont" is "don't", too
				e := m[spelled]
				f(&e)
				m[spelled] = e
			}
		}
	}
	for i, list := range NamedLists(lexiconText, classNames) {
		change(list, func(e *Entry) { e.Class |= 1 << i })
	}
	for _, paragraph := range strings.Split(scalesText, "\n\n")[1:] {
		name, words, _ := strings.Cut(paragraph, ":")
		name = strings.TrimSpace(name)
		good := map[byte]int8{'+': 1, '-': -1, '=': 0}[name[0]]
		high, low, _ := strings.Cut(words, "|")
		for i, end := range [2]string{high, low} {
			sign := int8(1 - 2*i)
			change(end, func(e *Entry) { e.Poles = append(e.Poles, Pole{name, sign, sign * good}) })
		}
	}
	for first := range Cues {
		change(first, func(e *Entry) { e.Class |= CueStart })
	}
	return m
}()

// NamedLists returns the lists of an embedded file, in the order of names. A list is a paragraph that begins with its name and a colon. The
// first paragraph of the file is a comment.
func NamedLists(text string, names []string) []string {
	lists := make([]string, len(names))
	for _, paragraph := range strings.Split(text, "\n\n")[1:] {
		name, list, _ := strings.Cut(paragraph, ":")
		lists[slices.Index(names, name)] = list
	}
	return lists
}

// A Cue is the kind of a phrase that tells the function of the text around it.
type Cue uint8

const (
	Closing      Cue = iota // begins a conclusion: "in summary", "overall"
	Undecided               // leaves the choice open: "depends on", "personal preference"
	Choosing                // makes a choice: "is the better choice", "I would choose"
	TopicStart              // begins what is said on one aspect: "in terms of"
	ArgumentTalk            // speaks of the arguments given: "argument 3", "item 2"
)

var cueNames = []string{"Closing", "Undecided", "Choosing", "TopicStart", "ArgumentTalk"}

//go:embed cues.txt
var cuesText string

// Cues finds cue phrases of all kinds.
var Cues = newCues(NamedLists(cuesText, cueNames))

// A cueTable maps the first word of cue phrases to the phrases, longest first.
type cueTable map[string][]cuePhrase

// A cuePhrase is the words of a phrase and the kind of cue that it is.
type cuePhrase struct {
	words []string
	cue   Cue
}

// newCues makes the table from a list for each kind of cue. Phrases in a list are separated by semicolons.
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

// Each calls f with each cue in ws. Of cues that begin at the same word, only the longest counts. Cues do not overlap.
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

// Has reports whether ws contains a cue of kind c.
func (t cueTable) Has(ws []Token, c Cue) bool {
	found := false
	t.Each(ws, func(k Cue) { found = found || k == c })
	return found
}

// Opens reports whether ws begins with a cue of kind c.
func (t cueTable) Opens(ws []Token, c Cue) bool {
	return len(ws) > 0 && ws[0].Class&CueStart != 0 &&
		slices.ContainsFunc(t[ws[0].Word], func(p cuePhrase) bool { return p.cue == c && matches(p.words, ws) })
}
