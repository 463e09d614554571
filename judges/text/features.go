package text

import "compqa/data"

// Features are measurements of an answer's text. They need no model, and do not depend on
// what is true. Counts are 0 or more; a Share is in [0, 1], and 0 where there is nothing
// to share.
//
// Sentences are in running text and list items, not in headings and tables. The body is
// the text between introduction and conclusion. A statement is a sentence of the body, or
// a row of a table.
type Features struct {
	// Words and Sentences measure the length of the comparison: all of the
	// answer but its list of sources.
	Words     int
	Sentences int
	// SourceSentences are sentences in a list of used arguments or references.
	SourceSentences int
	// LongestSentence is in words.
	LongestSentence int
	// Sections are headings, and paragraphs that begin with a name. Paragraphs,
	// Items (of lists) and Rows (of tables) are the answer's other blocks.
	Sections, Paragraphs, Items, Rows int

	// IntroductionWords and IntroductionSentences measure the introduction;
	// they are 0 where there is none. IntroductionShare is its share of all words.
	IntroductionWords     int
	IntroductionSentences int
	IntroductionShare     float64
	// IntroductionObjects is the number of objects that the introduction names, at most 2.
	IntroductionObjects int
	// IntroductionAspects is how many of the body's named aspects the
	// introduction mentions, by a content word of their name.
	IntroductionAspects int
	// IntroductionList is the number of members of the longest enumeration in
	// the introduction ("price, taste, and size" has 3), 0 where there is none.
	IntroductionList int

	// Aspects are the different names in the body: headings, labels in front of
	// a paragraph or a list item, first cells of a table's rows. Objects' names
	// and names of parts of the answer are left out.
	Aspects int
	// AspectsDescribed have at least four words of text beneath them.
	AspectsDescribed int
	// AspectsBoth name both objects in that text, AspectsOne just one.
	AspectsBoth, AspectsOne int
	// AspectsRepeated are repeated names.
	AspectsRepeated int
	// AspectWords is the mean length of a described aspect's text.
	AspectWords float64
	// Topics are sentences that open on an aspect without naming it as one: "In
	// terms of price, …".
	Topics int
	// UnnamedItems are list items of the body that begin with no name.
	UnnamedItems int

	// Statements are the sentences of the body and rows of its tables. They
	// name both objects, one, or none; what a list item's or paragraph's own
	// label names counts.
	Statements                                    int
	StatementsBoth, StatementsOne, StatementsNone int
	// Comparisons are statements with a word that compares (faster, unlike).
	Comparisons int
	// FavourFirst and FavourSecond are the units of the body (aspects, or
	// statements where no aspect is named) that speak for one object.
	FavourFirst, FavourSecond int

	// ChoiceLine is set where a heading or label announces the choice ("Best
	// option: …").
	ChoiceLine bool
	// ChoiceWords is the length of the choice that stands there, and
	// ChoiceReasonWords of what comes after it under that heading.
	ChoiceWords, ChoiceReasonWords int
	// Choice is the object chosen: by that line, else by the conclusion. It is
	// Undecided where the answer says that neither object is preferred.
	Choice Choice
	// ConclusionWords and ConclusionSentences measure the conclusion, which may
	// be a section, a last paragraph, or the last sentences of the only one.
	ConclusionWords     int
	ConclusionSentences int
	// ConclusionAspects is the number of the body's named aspects in the conclusion.
	ConclusionAspects int

	// NearDuplicates are statements that share half or more of their content
	// words with an earlier one on the same objects; MostSimilar is the highest
	// such share (Jaccard's) of any two.
	NearDuplicates int
	MostSimilar    float64

	// Citations are numbers in square brackets outside the list of sources;
	// CitationsOutOfRange are those that none of the question's arguments has,
	// where it has any; CitationsDistinct are different numbers.
	// Generated counts [generated] tags.
	Citations, CitationsDistinct, CitationsOutOfRange int
	Generated                                         int
	// CitedFirst and CitedSecond are the sentences with a citation that speak for
	// one object; GeneratedFirst and GeneratedSecond those with nothing but a
	// [generated] tag.
	CitedFirst, CitedSecond         int
	GeneratedFirst, GeneratedSecond int
	// GivenOrder is the share of steps, from one block's first citation to the
	// next one's, that go up: 1 where the answer goes through the arguments as
	// they were given. It is 0 with fewer than four such citations.
	GivenOrder float64

	// AspectAsked is set where the question has an aspect.
	AspectAsked bool
	// AspectInIntroduction, AspectInConclusion: a content word of it is there.
	AspectInIntroduction, AspectInConclusion bool
	// AspectStatements are statements that mention it, AspectNamed whether a
	// named aspect does.
	AspectStatements int
	AspectNamed      bool

	// Hedges are words that express uncertainty; UndecidedPhrases leave the
	// choice open ("depends on", "personal preference").
	Hedges           int
	UndecidedPhrases int
	// ArgumentTalk counts mentions of the arguments as arguments ("argument 3
	// says"); AssistantTalk phrases that speak to the asker.
	ArgumentTalk, AssistantTalk int
	// Slips are marks of haste: a small word doubled, a sentence of running text
	// that begins with a small letter, !! or ??, a space before a comma, a small
	// i, a character that could not be decoded.
	Slips int
	// Profanities are swear words.
	Profanities int
}

// shortChoice is the largest number of words of a choice that is not a sentence
// ("Nintendo DS", "It depends").
const shortChoice = 3

// A Choice is what an answer decides for.
type Choice uint8

// The choices.
const (
	NoChoice Choice = iota // none is stated
	ChoseFirst
	ChoseSecond
	Undecided // the answer says that neither is better
)

// Measure measures an answer to a question. It accepts any input; its time is linear in
// the length.
func Measure(q data.Question, text string) Features { return Analyse(q, text).Features() }

// Features measures the answer, as [Measure] does.
func (a *Analysis) Features() Features {
	var f Features
	f.count(a)
	f.choice(a)
	f.cite(a, len(a.question.Arguments))
	f.sides(a)
	aspects, repeated := a.aspects()
	f.frame(a, aspects)
	f.body(a, aspects)
	f.AspectsRepeated = repeated
	f.NearDuplicates, f.MostSimilar = a.repetition()
	f.asked(a, a.question.Aspect, aspects)
	f.language(a)
	return f
}

// String says what was chosen.
func (c Choice) String() string {
	switch c {
	case ChoseFirst:
		return "first object"
	case ChoseSecond:
		return "second object"
	case Undecided:
		return "neither object"
	}
	return "no choice"
}
