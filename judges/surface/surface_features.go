package surface

import (
	"strings"

	"compqa/data"
	"compqa/judges/rules"
	"compqa/judges/text"
)

// An input is one number that the judge "surface" reads off an answer.
type input struct {
	name, about string
	of          func(*surfaceView) float64
}

// A surfaceView is what the inputs are computed from. A question's arguments are
// no part of it: which ones a system was given is not known of most answers.
type surfaceView struct {
	text.Features
	rules [15]float64 // points by criterion
	lead  float64     // of the object chosen over the other, in units of the body that favour it
}

func viewSurface(q data.Question, content string) *surfaceView {
	q.Arguments = nil
	f := text.Measure(q, content)
	v := &surfaceView{Features: f}
	for i, rule := range rules.Rules {
		points, _ := rule(&v.Features)
		v.rules[i] = float64(points)
	}
	v.lead = float64(f.FavourFirst - f.FavourSecond)
	switch f.Choice {
	case text.ChoseSecond:
		v.lead = -v.lead
	case text.Undecided:
		v.lead = -max(v.lead, -v.lead)
	case text.NoChoice:
		v.lead = noLead
	}
	return v
}

// noLead stands for the lead where nothing is chosen: below any that occurs.
const noLead = -9

// Inputs are what the judge "surface" knows of an answer, in the order of
// InputNames: the measurements, shares of them, and the points that the
// rules give. Which of the objects is called the first makes no difference.
func Inputs(q data.Question, content string) []float64 {
	v := viewSurface(q, content)
	x := make([]float64, len(inputs))
	for i, in := range inputs {
		x[i] = in.of(v)
	}
	return x
}

// InputsExplained are the inputs' names, each with what it is.
func InputsExplained() [][2]string {
	list := make([][2]string, len(inputs))
	for i, in := range inputs {
		list[i] = [2]string{in.name, in.about}
	}
	return list
}

// InputNames name the inputs.
func InputNames() []string {
	names := make([]string, len(inputs))
	for i, in := range inputs {
		names[i] = in.name
	}
	return names
}

// counting, holds and sharing make inputs of measurements.
func counting(of func(*surfaceView) int) func(*surfaceView) float64 {
	return func(v *surfaceView) float64 { return float64(of(v)) }
}

func holds(of func(*surfaceView) bool) func(*surfaceView) float64 {
	return func(v *surfaceView) float64 { return float64(rules.Point(of(v))) }
}

func sharing(of func(*surfaceView) (part, whole int)) func(*surfaceView) float64 {
	return func(v *surfaceView) float64 { return text.Share(of(v)) }
}

func (v *surfaceView) decided() bool {
	return v.Choice == text.ChoseFirst || v.Choice == text.ChoseSecond
}

var inputs = append([]input{
	// Length and layout.
	{"words", "of the comparison", counting(func(v *surfaceView) int { return v.Words })},
	{"sentences", "of the comparison", counting(func(v *surfaceView) int { return v.Sentences })},
	{"sentences and sections", "together, as somebody counts who takes headings for sentences",
		counting(func(v *surfaceView) int { return v.Sentences + v.Sections })},
	{"words per sentence", "on average", sharing(func(v *surfaceView) (int, int) { return v.Words, v.Sentences })},
	{"longest sentence", "in words", counting(func(v *surfaceView) int { return v.LongestSentence })},
	{"source sentences", "in a list of used arguments", counting(func(v *surfaceView) int { return v.SourceSentences })},
	{"sections", "headings, and paragraphs that begin with a name", counting(func(v *surfaceView) int { return v.Sections })},
	{"paragraphs", "of running text", counting(func(v *surfaceView) int { return v.Paragraphs })},
	{"list items", "bulleted or numbered", counting(func(v *surfaceView) int { return v.Items })},
	{"table rows", "those without text left out", counting(func(v *surfaceView) int { return v.Rows })},
	{"share of list items", "among items and paragraphs", sharing(func(v *surfaceView) (int, int) { return v.Items, v.Items + v.Paragraphs })},

	// Introduction.
	{"introduction words", "0 without one", counting(func(v *surfaceView) int { return v.IntroductionWords })},
	{"introduction sentences", "0 without one", counting(func(v *surfaceView) int { return v.IntroductionSentences })},
	{"introduction share", "of all words", func(v *surfaceView) float64 { return v.IntroductionShare }},
	{"introduction words per sentence", "on average",
		sharing(func(v *surfaceView) (int, int) { return v.IntroductionWords, v.IntroductionSentences })},
	{"introduction objects", "that it names", counting(func(v *surfaceView) int { return v.IntroductionObjects })},
	{"introduction aspects", "of the body that it mentions", counting(func(v *surfaceView) int { return v.IntroductionAspects })},
	{"introduction share of aspects", "that it mentions",
		sharing(func(v *surfaceView) (int, int) { return v.IntroductionAspects, v.Aspects })},
	{"introduction enumeration", "members of the longest one", counting(func(v *surfaceView) int { return v.IntroductionList })},

	// Aspects.
	{"named aspects", "different ones in the body", counting(func(v *surfaceView) int { return v.Aspects })},
	{"described aspects", "with four words of text or more", counting(func(v *surfaceView) int { return v.AspectsDescribed })},
	{"share of aspects described", "among named aspects", sharing(func(v *surfaceView) (int, int) { return v.AspectsDescribed, v.Aspects })},
	{"aspects on both objects", "whose text names both", counting(func(v *surfaceView) int { return v.AspectsBoth })},
	{"share of aspects on both objects", "among named aspects", sharing(func(v *surfaceView) (int, int) { return v.AspectsBoth, v.Aspects })},
	{"aspects on one object", "whose text names just one", counting(func(v *surfaceView) int { return v.AspectsOne })},
	{"share of aspects on one object", "among named aspects", sharing(func(v *surfaceView) (int, int) { return v.AspectsOne, v.Aspects })},
	{"aspects repeated", "names that come again", counting(func(v *surfaceView) int { return v.AspectsRepeated })},
	{"words per aspect", "of those described", func(v *surfaceView) float64 { return v.AspectWords }},
	{"sentences that open on an aspect", "in terms of …", counting(func(v *surfaceView) int { return v.Topics })},
	{"list items without a name", "in the body", counting(func(v *surfaceView) int { return v.UnnamedItems })},
	{"share of names", "among named aspects and items without a name",
		sharing(func(v *surfaceView) (int, int) { return v.Aspects, v.Aspects + v.UnnamedItems })},

	// Coverage of the objects.
	{"statements", "sentences of the body", counting(func(v *surfaceView) int { return v.Statements })},
	{"statements on both objects", "that name both, or stand under both names",
		counting(func(v *surfaceView) int { return v.StatementsBoth })},
	{"statements on one object", "that name just one", counting(func(v *surfaceView) int { return v.StatementsOne })},
	{"statements on neither object", "that name none", counting(func(v *surfaceView) int { return v.StatementsNone })},
	{"share of statements on both objects", "among statements",
		sharing(func(v *surfaceView) (int, int) { return v.StatementsBoth, v.Statements })},
	{"share of statements on one object", "among statements",
		sharing(func(v *surfaceView) (int, int) { return v.StatementsOne, v.Statements })},
	{"share of statements on neither object", "among statements",
		sharing(func(v *surfaceView) (int, int) { return v.StatementsNone, v.Statements })},
	{"comparisons", "statements with a word that compares", counting(func(v *surfaceView) int { return v.Comparisons })},
	{"share of comparisons", "among statements", sharing(func(v *surfaceView) (int, int) { return v.Comparisons, v.Statements })},
	{"words per statement", "introduction and conclusion left out", sharing(func(v *surfaceView) (int, int) {
		return v.Words - v.IntroductionWords - v.ConclusionWords, v.Statements
	})},

	// Balance, choice and conclusion.
	{"units for the favoured object", "aspects or statements that speak for the object that more of them speak for",
		counting(func(v *surfaceView) int { return max(v.FavourFirst, v.FavourSecond) })},
	{"units for the other object", "aspects or statements that speak for the other one",
		counting(func(v *surfaceView) int { return min(v.FavourFirst, v.FavourSecond) })},
	{"units that favour", "one object or the other", counting(func(v *surfaceView) int { return v.FavourFirst + v.FavourSecond })},
	{"share of units that favour", "among statements",
		sharing(func(v *surfaceView) (int, int) { return v.FavourFirst + v.FavourSecond, v.Statements })},
	{"imbalance", "of the units that favour one object over those for the other",
		counting(func(v *surfaceView) int { return max(v.FavourFirst-v.FavourSecond, v.FavourSecond-v.FavourFirst) })},
	{"lead of the choice", "units for the object chosen less those for the other; their imbalance taken off where neither is preferred",
		func(v *surfaceView) float64 { return v.lead }},
	{"choice line", "a heading or label announces the choice", holds(func(v *surfaceView) bool { return v.ChoiceLine })},
	{"choice words", "on that line", counting(func(v *surfaceView) int { return v.ChoiceWords })},
	{"choice reason words", "behind it", counting(func(v *surfaceView) int { return v.ChoiceReasonWords })},
	{"decided", "for one object, by that line or in the conclusion", holds((*surfaceView).decided)},
	{"undecided", "the answer says that neither is to be preferred", holds(func(v *surfaceView) bool { return v.Choice == text.Undecided })},
	{"short choice line for one object", "ten words or fewer",
		holds(func(v *surfaceView) bool { return v.ChoiceLine && v.decided() && v.ChoiceWords <= rules.BriefChoice })},
	{"conclusion words", "0 without one", counting(func(v *surfaceView) int { return v.ConclusionWords })},
	{"conclusion sentences", "0 without one", counting(func(v *surfaceView) int { return v.ConclusionSentences })},
	{"conclusion share", "of all words", sharing(func(v *surfaceView) (int, int) { return v.ConclusionWords, v.Words })},
	{"conclusion aspects", "of the body that it takes up", counting(func(v *surfaceView) int { return v.ConclusionAspects })},
	{"words of the end", "conclusion, choice and its reasons",
		counting(func(v *surfaceView) int { return v.ConclusionWords + v.ChoiceWords + v.ChoiceReasonWords })},

	// Repetition and citations.
	{"near duplicates", "statements close to an earlier one", counting(func(v *surfaceView) int { return v.NearDuplicates })},
	{"share of near duplicates", "among statements", sharing(func(v *surfaceView) (int, int) { return v.NearDuplicates, v.Statements })},
	{"highest similarity", "of two statements", func(v *surfaceView) float64 { return v.MostSimilar }},
	{"citations", "of arguments, by number", counting(func(v *surfaceView) int { return v.Citations })},
	{"different citations", "numbers that are cited", counting(func(v *surfaceView) int { return v.CitationsDistinct })},
	{"citations per statement", "on average", sharing(func(v *surfaceView) (int, int) { return v.Citations, v.Statements })},
	{"cited sentences for one object", "with a citation, that speak for one of the objects",
		counting(func(v *surfaceView) int { return v.CitedFirst + v.CitedSecond })},
	{"generated tags", "arguments that are marked as made up", counting(func(v *surfaceView) int { return v.Generated })},
	{"generated sentences for one object", "with nothing but such a tag, that speak for one of the objects",
		counting(func(v *surfaceView) int { return v.GeneratedFirst + v.GeneratedSecond })},
	{"given order", "share of steps that keep the order of the arguments", func(v *surfaceView) float64 { return v.GivenOrder }},

	// The aspect asked about.
	{"aspect asked", "the question has one", holds(func(v *surfaceView) bool { return v.AspectAsked })},
	{"aspect in the introduction", "a word of it is there", holds(func(v *surfaceView) bool { return v.AspectInIntroduction })},
	{"aspect in the conclusion", "a word of it is there", holds(func(v *surfaceView) bool { return v.AspectInConclusion })},
	{"aspect among those named", "a word of it is in a name", holds(func(v *surfaceView) bool { return v.AspectNamed })},
	{"statements on the aspect", "with a word of it", counting(func(v *surfaceView) int { return v.AspectStatements })},
	{"share of statements on the aspect", "among statements",
		sharing(func(v *surfaceView) (int, int) { return v.AspectStatements, v.Statements })},
	{"aspect never mentioned", "though asked about",
		holds(func(v *surfaceView) bool { return v.AspectAsked && v.AspectStatements == 0 && !v.AspectNamed })},
	{"mentions of the aspect", "2 without one; else the share of statements, and 1 each for introduction and names", (*surfaceView).mentions},
	{"aspects besides the one asked about", "0 without one", counting((*surfaceView).besides)},

	// Manner.
	{"hedges", "words that take back certainty", counting(func(v *surfaceView) int { return v.Hedges })},
	{"hedges per word", "on average", sharing(func(v *surfaceView) (int, int) { return v.Hedges, v.Words })},
	{"phrases that leave it open", "depends on, …", counting(func(v *surfaceView) int { return v.UndecidedPhrases })},
	{"talk about arguments", "argument 3 says …", counting(func(v *surfaceView) int { return v.ArgumentTalk })},
	{"talk to the asker", "let's break it down, …", counting(func(v *surfaceView) int { return v.AssistantTalk })},
	{"slips", "of the pen", counting(func(v *surfaceView) int { return v.Slips })},
	{"swear words", "anywhere", counting(func(v *surfaceView) int { return v.Profanities })},
}, ruleInputs()...)

// ruleInputs are the points that the judge "rules" gives.
func ruleInputs() []input {
	var list []input
	for i, name := range strings.Split("introduction; aspects used; aspects introduced; aspects apart; aspect names; aspect "+
		"descriptions; choice; order; relevance; both objects; facts; language; repetition; conclusion; length", "; ") {
		list = append(list, input{"rule on " + name, "points by the judge rules", func(v *surfaceView) float64 { return v.rules[i] }})
	}
	return list
}

// mentions is how present the aspect asked about is, in [0, 3].
func (v *surfaceView) mentions() float64 {
	if !v.AspectAsked {
		return 2
	}
	return float64(rules.Point(v.AspectInIntroduction)+rules.Point(v.AspectNamed)) + text.Share(v.AspectStatements, v.Statements)
}

// besides is how many of the named aspects are not the one asked about.
func (v *surfaceView) besides() int {
	if !v.AspectAsked {
		return 0
	}
	return v.Aspects - rules.Point(v.AspectNamed)
}
