package text

import (
	"crypto/sha256"
	"fmt"
	"sync/atomic"

	"compqa/data"
)

// Features are measurements of an answer's text. They need no model, and do not depend on what is true. Counts are 0 or more. A share is in
// [0, 1], and 0 if its denominator is 0.
//
// Sentences are in running text and list items, not in headings and tables. The body is the text between introduction and
// conclusion. A statement is a sentence of the body, or a row of a table.
type Features struct {
	Words, Sentences  int // of the answer without its list of sources
	LongestSentence   int // in words
	Paragraphs, Items int // blocks of running text, also below a name; list items

	IntroductionWords, IntroductionSentences int // 0 if the answer has no introduction
	IntroductionObjects                      int // objects that the introduction names, 0 to 2
	IntroductionAspects                      int // aspects of the body of whose name the introduction has a content word

	Aspects                 int     // different names in the body, except names of objects and of parts of the answer
	AspectsDescribed        int     // aspects with at least four words of text
	AspectsBoth, AspectsOne int     // aspects whose text names both objects, or just one
	AspectWords             float64 // mean length of a described aspect's text
	Topics                  int     // sentences that open on an aspect: "In terms of price, …"
	UnnamedItems            int     // list items of the body that do not begin with a name

	Statements                                    int
	StatementsBoth, StatementsOne, StatementsNone int // by how many objects the statement, or the label above it, names
	FavourFirst, FavourSecond                     int // aspects that favour the object; without aspects, statements

	ChoiceLine                     bool // a heading or label announces the choice ("Best option: …")
	ChoiceWords, ChoiceReasonWords int  // words of the choice in that line, and of the text after the choice
	Choice                         data.Choice

	NearDuplicates int     // statements with at least half of their content words in common with an earlier one on the same objects
	MostSimilar    float64 // the highest Jaccard similarity of two statements' content words

	Citations                       int // numbers in square brackets outside the list of sources
	CitationsOutOfRange             int // citations of a number that none of the arguments has; 0 if the question has none
	Generated                       int // [generated] tags
	CitedFirst, CitedSecond         int // sentences with a citation that favour the object
	GeneratedFirst, GeneratedSecond int // sentences with a [generated] tag and no citation that favour the object
	// GivenOrder tells whether the answer goes through the arguments in the order in which they were given. Take the first citation of each
	// block of the body: GivenOrder is the share of steps to a higher number. It is 0 with fewer than four such citations.
	GivenOrder float64

	AspectAsked      bool // the question names an aspect
	AspectInFrame    bool // a content word of the question's aspect is in the introduction, the choice or the conclusion
	AspectStatements int  // statements that mention the question's aspect
	AspectNamed      bool // the name of an aspect in the body mentions it

	ArgumentTalk int // "argument 3 says"
	Slips        int // a repeated function word, a sentence that begins in lower case, !! or ??, a space before a comma, "i" for "I", …
	Profanities  int
}

// shortChoice is the largest number of words of a choice that is not a sentence ("Nintendo DS", "It depends").
const shortChoice = 3

// Measure measures an answer to a question. It accepts any input, in time linear in its length. Recent results are cached, because several
// judges measure the same answers.
func Measure(q data.Question, text string) Features {
	key := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %s", q.Object1, q.Object2, q.Aspect, text))
	slot := &measurementCache[int(key[0])<<4|int(key[1]&15)]
	if m := slot.Load(); m != nil && m.key == key {
		return m.featuresOf(q)
	}
	m := Analyse(q, text).measure()
	m.key = key
	slot.Store(&m)
	return m.featuresOf(q)
}

// A measurement is a cached result. It holds what does not depend on the question's arguments; featuresOf adds the rest.
type measurement struct {
	key      [sha256.Size]byte // of question and text
	features Features
	cited    []int // numbers of the cited arguments
}

// featuresOf returns the features of the answer for a question with its arguments: it adds CitationsOutOfRange.
func (m *measurement) featuresOf(q data.Question) Features {
	f := m.features
	for _, n := range m.cited {
		if given := len(q.Arguments); given > 0 && (n < 1 || n > given) {
			f.CitationsOutOfRange++
		}
	}
	return f
}

// measurementCache caches recent measurements. The first 12 bits of a key select its slot.
var measurementCache [1 << 12]atomic.Pointer[measurement]

// Counts returns the features that take the least time: numbers of words, sentences, items and paragraphs, the choice, citations, and which
// object the sentences with citations speak for. The others are zero.
func (a *Analysis) Counts() Features {
	m := a.measureCounts()
	return m.featuresOf(a.question)
}

// measureCounts measures what Counts needs.
func (a *Analysis) measureCounts() (m measurement) {
	f := &m.features
	f.count(a)
	f.choice(a)
	m.cited = f.cite(a)
	f.sides(a)
	return m
}

// measure measures all features.
func (a *Analysis) measure() measurement {
	m := a.measureCounts()
	f := &m.features
	aspects := a.aspects()
	f.introduction(a, aspects)
	f.body(a, aspects)
	f.NearDuplicates, f.MostSimilar = a.repetition()
	f.measureAspect(a, a.question.Aspect, aspects)
	f.language(a)
	return m
}
