package faithful

import (
	_ "embed"
	"strings"

	"compqa/data"
)

//go:embed scales.txt
var scalesText string

// A pole is one end of a scale: on the scale of speed, fast is 1 and slow is -1. good is
// 1 if this end favours the object that it describes, -1 if it speaks against it, else 0.
type pole struct {
	scale      string
	sign, good int8
}

// A use is the grammatical function of a word, in addition to its meaning.
type use uint32

const (
	negates     use = 1 << iota // inverts the words after it
	endsNegated                 // begins what a negation before it does not reach
	merely                      // "not only" is no negation
	affirms                     // "it is not true that" inverts the sentence
	denies                      // "it is false that" does, too
	compares                    // an object's name after it is what something is compared with
	likens                      // so is one after it and "to": superior in price to tea
	lists                       // an object's name after it is an example, where another one was named
	joins                       // continues a list of names
	to
	turns // continues with the other object
	links // an object's name after it owns the words before it: the price of tea
	article
	raises // more and most strengthen the word after them
	lowers // less and least invert it
	that
	then // written for "than"
)

// An entry is what is known of a word.
type entry struct {
	use   use
	poles []pole
}

// vocabulary has the words that mean something for agreement. The scales are a list of
// general English, of opposites that comparisons are made of. It is not taken from the
// opposites that the attack "facts negated" swaps, but those were known when it was written;
// both lists hold the common ones.
var vocabulary = func() map[string]entry {
	m := map[string]entry{}
	change := func(words string, f func(*entry)) {
		for w := range strings.FieldsSeq(words) {
			for _, spelled := range data.Set([]string{w, strings.ReplaceAll(w, "'", "")}) { // "dont" is "don't", too
				e := m[spelled]
				f(&e)
				m[spelled] = e
			}
		}
	}
	for _, paragraph := range strings.Split(scalesText, "\n\n")[1:] {
		name, words, _ := strings.Cut(paragraph, ":")
		name = strings.TrimSpace(name)
		good := map[byte]int8{'+': 1, '-': -1, '=': 0}[name[0]]
		high, low, _ := strings.Cut(words, "|")
		for i, end := range [2]string{high, low} {
			sign := int8(1 - 2*i)
			change(end, func(e *entry) { e.poles = append(e.poles, pole{name, sign, sign * good}) })
		}
	}
	for u, words := range uses {
		change(words, func(e *entry) { e.use |= u })
	}
	return m
}()

var uses = map[use]string{
	negates: `no not never neither nor without cannot can't isn't aren't doesn't don't won't wasn't weren't couldn't
			wouldn't shouldn't hasn't haven't hadn't mustn't didn't hardly barely nothing nobody none unable`,
	endsNegated: "and or but so because since as that though although yet then while whereas however conversely",
	merely:      "only just merely simply",
	affirms:     "true correct right accurate case fact",
	denies:      "untrue false incorrect wrong",
	compares: `than over against unlike versus vs compared comparison outperforms outperform outperformed outperforming
			surpasses surpass surpassed surpassing exceeds exceed exceeded exceeding beats beat beating outshines outshining
			trails leads lags ahead behind superior inferior rivals rival`,
	likens:  "superior inferior preferable comparable similar equal equivalent opposed",
	lists:   "like including such alongside",
	joins:   "and or",
	to:      "to",
	turns:   "while whereas",
	links:   "of that which by at for from under to",
	article: "the a an its their",
	raises:  "more most",
	lowers:  "less least",
	that:    "that",
	then:    "then",
}
