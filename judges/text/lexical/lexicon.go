package lexical

import (
	_ "embed"
	"slices"
	"strings"

	"compqa/data"
)

// A Class is what a word says about a comparison, whatever its subject, or its function in a sentence.
type Class uint32

const (
	Stop        Class = 1 << iota // carries no content of its own
	Generic                       // too general a word to stand for an object, or to be an attribute
	Comparative                   // compares: faster, unlike, whereas
	Praising                      // speaks for what it is said of
	Faulting                      // speaks against it
	Hedging                       // takes back certainty
	Profane                       // a swear word
	Twice                         // may stand twice in a row

	// For the side that a sentence takes (text.favour). With the classes below, by which claims are
	// read, the judge surface agrees less with people: final alpha .772 in place of .775.
	Negating // turns praise into fault
	Parting  // begins a clause about something else
	Against  // the name of what something is compared with may follow

	negates     // inverts the words after it
	endsNegated // begins what a negation before it does not reach
	merely      // "not only" is not negation
	affirms     // "it is not true that" inverts the sentence
	denies      // "it is false that" does, too
	compares    // an object's name after it is what something is compared with
	likens      // so is one after it and "to": superior in price to tea
	lists       // an object's name after it is an example, where another one was named
	joins       // continues a list of names
	to
	turns // continues with the other object
	links // an object's name after it owns the words before it: the price of tea
	article
	Determines // begins a noun phrase
	raises     // more and most strengthen the word after them
	lowers     // less and least invert it
	that
	then // written for "than"

	CueStart // a cue may begin with it
)

var classNames = strings.Fields(`Stop Generic Comparative Praising Faulting Hedging Profane Twice Negating Parting Against
	negates endsNegated merely affirms denies compares likens lists joins to turns links article Determines raises lowers that then`)

// A Pole is one end of a scale: on the scale of speed, fast is 1 and slow is -1. Good is 1 if
// this end speaks for what it describes, -1 if it speaks against it, else 0.
type Pole struct {
	Scale      string
	Sign, Good int8
}

// An Entry is what is known of a word.
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

// Lexicon is the only list of words that measurements, rules, claims and contrastive tables read: general English that
// comparisons are made of, and no field's own terms. The scales are opposites. They are not taken from the opposites that
// the attack "facts negated" swaps, but those were known when they were written; both lists hold the common ones.
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
	Closing      Cue = iota // begins a conclusion: "in summary", "overall"
	Undecided               // leaves the choice open: "depends on", "personal preference"
	Choosing                // makes a choice: "is the better choice", "I would choose"
	TopicStart              // begins what is said on one aspect: "in terms of"
	ArgumentTalk            // speaks of the arguments given: "argument 3", "item 2"
)

var cueNames = []string{"Closing", "Undecided", "Choosing", "TopicStart", "ArgumentTalk"}

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
	return len(ws) > 0 && ws[0].Class&CueStart != 0 &&
		slices.ContainsFunc(t[ws[0].Word], func(p cuePhrase) bool { return p.cue == c && matches(p.words, ws) })
}
