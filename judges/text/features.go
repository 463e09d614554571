package text

import (
	"crypto/sha256"
	"fmt"
	"sync/atomic"

	"compqa/data"
)

// Features are measurements of an answer's text. They need no model, and do not depend on what is true. Counts are 0 or
// more; a Share is in [0, 1], and 0 where there is nothing to share.
//
// Sentences are in running text and list items, not in headings and tables. The body is the text between introduction and
// conclusion. A statement is a sentence of the body, or a row of a table.
type Features struct {
	Words, Sentences  int // of the answer without its list of sources
	LongestSentence   int // in words
	Paragraphs, Items int // blocks of running text or under a name; list items

	IntroductionWords, IntroductionSentences int // 0 without one
	IntroductionObjects                      int // that it names, at most 2
	IntroductionAspects                      int // aspects of the body that it mentions, by a content word of their name

	Aspects                 int     // different names in the body, but those of objects and of parts of the answer
	AspectsDescribed        int     // with at least four words of text beneath them
	AspectsBoth, AspectsOne int     // whose text names both objects, just one
	AspectWords             float64 // mean length of a described aspect's text
	Topics                  int     // sentences that open on an aspect: "In terms of price, …"
	UnnamedItems            int     // list items of the body that begin with no name

	Statements                                    int
	StatementsBoth, StatementsOne, StatementsNone int // by the objects that they, or the label above them, name
	FavourFirst, FavourSecond                     int // aspects, or statements without any, that speak for one object

	ChoiceLine                     bool // a heading or label announces the choice ("Best option: …")
	ChoiceWords, ChoiceReasonWords int  // of the choice there, and of what comes after it
	Choice                         data.Choice

	NearDuplicates int     // statements that share half of their content words with an earlier one on the same objects
	MostSimilar    float64 // the highest such share (Jaccard's) of any two

	Citations                       int // numbers in square brackets outside the list of sources
	CitationsOutOfRange             int // that none of the question's arguments has, where it has any
	Generated                       int // [generated] tags
	CitedFirst, CitedSecond         int // sentences with a citation that speak for one object
	GeneratedFirst, GeneratedSecond int // those with nothing but a [generated] tag
	// GivenOrder is the share of steps, from one block's first citation to the next one's, that go up: 1 where the
	// answer goes through the arguments as they were given. It is 0 with fewer than four such citations.
	GivenOrder float64

	AspectAsked      bool // the question has an aspect
	AspectInFrame    bool // a content word of it is in the introduction, the choice or the conclusion
	AspectStatements int  // statements that mention it
	AspectNamed      bool // a named aspect of the body mentions it

	ArgumentTalk int // mentions of the arguments as arguments: "argument 3 says"
	Slips        int // a small word doubled, a sentence that begins small, !! or ??, a space before a comma, a small i, …
	Profanities  int
}

// shortChoice is the largest number of words of a choice that is not a sentence ("Nintendo DS", "It depends").
const shortChoice = 3

// Measure measures an answer to a question. It accepts any input; its time is linear in
// the length. The latest results are kept, because several judges measure the same answers.
func Measure(q data.Question, text string) Features {
	key := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %s", q.Object1, q.Object2, q.Aspect, text))
	slot := &measured[int(key[0])<<4|int(key[1]&15)]
	if m := slot.Load(); m != nil && m.key == key {
		return m.featuresOf(q)
	}
	m := Analyse(q, text).measure()
	m.key = key
	slot.Store(&m)
	return m.featuresOf(q)
}

// A measurement does not depend on how many arguments the question has.
type measurement struct {
	key      [sha256.Size]byte // of question and text
	features Features
	cited    []int
}

// of are the measurements of an answer to a question with its arguments.
func (m *measurement) featuresOf(q data.Question) Features {
	f := m.features
	for _, n := range m.cited {
		if given := len(q.Arguments); given > 0 && (n < 1 || n > given) {
			f.CitationsOutOfRange++
		}
	}
	return f
}

// measured are the latest measurements, each in the slot that its key gives.
var measured [1 << 12]atomic.Pointer[measurement]

// Counts returns the features that take the least time: numbers of words, sentences, items and paragraphs, the choice, citations, and which
// object the sentences with citations speak for. The others are zero.
func (a *Analysis) Counts() Features {
	m := a.counted()
	return m.featuresOf(a.question)
}

func (a *Analysis) counted() (m measurement) {
	f := &m.features
	f.count(a)
	f.choice(a)
	m.cited = f.cite(a)
	f.sides(a)
	return m
}

func (a *Analysis) measure() measurement {
	m := a.counted()
	f := &m.features
	aspects := a.aspects()
	f.introduction(a, aspects)
	f.body(a, aspects)
	f.NearDuplicates, f.MostSimilar = a.repetition()
	f.asked(a, a.question.Aspect, aspects)
	f.language(a)
	return m
}
