package rules

import (
	"cmp"
	"context"
	"fmt"

	"compqa/data"
	"compqa/judges/scoring"
	"compqa/judges/text"
	"compqa/judges/text/lexical"
	"compqa/rubric"
)

// The thresholds of the rules. The first two are the rubric's own (criterion 15). The others put a number to its words. If several readings
// were reasonable, the one was taken that agreed better with people's scores in the CompQA release. That is how the bounds of an
// introduction were chosen.
const (
	fewestSentences = 12
	mostSentences   = 20

	leastIntroduction = 12  // words; a shorter one only announces a comparison
	mostIntroduction  = 80  // words of a "short" introduction; the paper asks for a 100-word summary
	mostOpening       = 4   // sentences of a short introduction
	severalAspects    = 2   // "several aspects"
	briefChoice       = 10  // words of a choice that is "short and explicit"
	lengthyReason     = 50  // words of a justification that is "lengthy"
	keptOrder         = 0.9 // share of GivenOrder: "not sorted at all"
	oftenAsked        = 0.4 // share of the statements; others can mean the aspect in other words
	brokenLanguage    = 5   // slips
)

// Score scores an answer on the built-in rubric from its measurements, with one rule per criterion, in whole points. It does not detect
// what cannot be counted: whether a statement is true, relevant or well written. No rule was fitted to data.
//
// The findings are in the order of the rubric.
func Score(f text.Features) (data.Scores, []scoring.Finding) {
	scores := make(data.Scores, len(Rules))
	findings := make([]scoring.Finding, len(Rules))
	for i, rule := range Rules {
		points, facts := rule.Score(&f)
		if f.Words == 0 {
			points = 0
			facts = "the answer has no words"
		}
		id := fmt.Sprint(i + 1)
		scores[id] = float64(points)
		findings[i] = scoring.Finding{Criterion: id, Points: float64(points), Facts: facts}
	}
	return scores, findings
}

// Rules are the rules of the criteria, in the rubric's order. Each returns the points and the facts in words.
var Rules = []struct {
	Name  string
	Score func(*text.Features) (points int, facts string)
}{
	{"introduction", introduction},
	{"aspects used", func(f *text.Features) (int, string) { // by name, or by words that open a sentence ("In terms of price")
		facts := fmt.Sprintf("%s, %s that begin with one", countText(f.Aspects, "named aspect"), countText(f.Topics, "sentence"))
		return Point(f.Aspects+f.Topics >= severalAspects), facts
	}},
	{"aspects introduced", func(f *text.Features) (int, string) { // by a content word of the aspect's name
		facts := fmt.Sprintf("the introduction mentions %d of %s", f.IntroductionAspects, countText(f.Aspects, "named aspect"))
		return Point(f.IntroductionAspects >= severalAspects), facts
	}},
	{"aspects apart", func(f *text.Features) (int, string) {
		facts := fmt.Sprintf("%s, %d with their own text, %s without a name", countText(f.Aspects, "named aspect"), f.AspectsDescribed,
			countText(f.UnnamedItems, "list item"))
		return Point(f.AspectsDescribed >= severalAspects), facts
	}},
	{"aspect names", func(f *text.Features) (int, string) {
		return Point(f.Aspects >= severalAspects), countText(f.Aspects, "named aspect")
	}},
	{"aspect descriptions", func(f *text.Features) (int, string) { // at least three in four aspects
		facts := fmt.Sprintf("%d of %s described, in %.0f words on average", f.AspectsDescribed, countText(f.Aspects, "named aspect"),
			f.AspectWords)
		return Point(f.AspectsDescribed >= severalAspects && 4*f.AspectsDescribed >= 3*f.Aspects), facts
	}},
	{"choice", choice},
	{"order", func(f *text.Features) (int, string) { // another order than that of the given arguments
		switch {
		case f.Aspects < severalAspects:
			return 0, "no named aspects to be in any order"
		case f.GivenOrder >= keptOrder:
			return 0, fmt.Sprintf("the statements keep the order of the given arguments (%.0f %% of the steps)", 100*f.GivenOrder)
		}
		return 1, fmt.Sprintf("%s, not in the order of the given arguments", countText(f.Aspects, "named aspect"))
	}},
	{"relevance", relevance},
	{"both objects", bothObjects},
	{"facts", func(f *text.Features) (int, string) {
		facts := fmt.Sprintf("%d of %s to arguments that were not given; whether statements are true is not measured",
			f.CitationsOutOfRange, countText(f.Citations, "citation"))
		switch {
		case 2*f.CitationsOutOfRange > f.Citations:
			return 0, facts
		case f.CitationsOutOfRange > 0:
			return 1, facts
		}
		return 2, facts
	}},
	{"language", language},
	{"repetition", func(f *text.Features) (int, string) {
		facts := fmt.Sprintf("%s similar to an earlier one; the two most similar share %.0f %% of their content words",
			countText(f.NearDuplicates, "statement"), 100*f.MostSimilar)
		return Point(f.NearDuplicates == 0 && f.Words > 0), facts
	}},
	{"conclusion", conclusion},
	{"length", func(f *text.Features) (int, string) {
		return Point(f.Sentences >= fewestSentences && f.Sentences <= mostSentences), countText(f.Sentences, "sentence")
	}},
}

// introduction requires an introduction that is neither too short nor too long.
func introduction(f *text.Features) (int, string) {
	switch n := f.IntroductionWords; {
	case n == 0:
		return 0, "no introduction"
	case n < leastIntroduction:
		return 0, fmt.Sprintf("an introduction of %s only announces the comparison", countText(n, "word"))
	case n > mostIntroduction || f.IntroductionSentences > mostOpening:
		return 0, fmt.Sprintf("an introduction of %s in %s is too long", countText(n, "word"), countText(f.IntroductionSentences, "sentence"))
	default:
		return 1, fmt.Sprintf("an introduction of %s in %s", countText(n, "word"), countText(f.IntroductionSentences, "sentence"))
	}
}

// choice requires a line that announces the choice. A choice that is only made in the text of a conclusion is not explicit.
func choice(f *text.Features) (int, string) {
	switch {
	case !f.ChoiceLine:
		return 0, "no line announces a choice"
	case !f.Choice.Decided():
		return 0, "the line for the choice names neither object, or both"
	case f.ChoiceWords > briefChoice || f.ChoiceReasonWords > lengthyReason:
		return 0, fmt.Sprintf("a choice of %s with %s of reasons is too long", countText(f.ChoiceWords, "word"),
			countText(f.ChoiceReasonWords, "word"))
	}
	return 1, fmt.Sprintf("%s chosen in %s", choiceText(f), countText(f.ChoiceWords, "word"))
}

// choiceText names the object that an answer chooses, in words.
func choiceText(f *text.Features) string {
	return cmp.Or(f.Choice.Named("first object", "second object", "neither object"), "no choice")
}

// BriefChoice reports whether a line announces the choice of one object in at most ten words.
func BriefChoice(f *text.Features) bool {
	return f.ChoiceLine && f.Choice.Decided() && f.ChoiceWords <= briefChoice
}

// relevance gives 2 points if enough statements mention the aspect of the question. If the question has no aspect, statements must name an
// object.
func relevance(f *text.Features) (int, string) {
	if !f.AspectAsked {
		facts := fmt.Sprintf("%d of %s name neither object", f.StatementsNone, countText(f.Statements, "statement"))
		switch {
		case f.Statements == 0:
			return 0, "no statements"
		case 2*f.StatementsNone > f.Statements:
			return 1, facts
		}
		return 2, facts
	}
	facts := fmt.Sprintf("%d of %s mention the aspect of the question", f.AspectStatements, countText(f.Statements, "statement"))
	switch {
	case f.Statements > 0 && text.Share(f.AspectStatements, f.Statements) >= oftenAsked:
		return 2, facts
	case mentionsAspect(f):
		return 1, facts
	}
	return 0, facts
}

// bothObjects gives 2 points if the text on every aspect names both objects. If fewer than two aspects are named, every statement must name
// both. Pronouns are not recognised as names.
func bothObjects(f *text.Features) (int, string) {
	all := f.Aspects
	two := f.AspectsBoth
	one := f.AspectsOne
	what := "aspect"
	if all < severalAspects {
		all = f.Statements
		two = f.StatementsBoth
		one = f.StatementsOne
		what = "statement"
	}
	facts := fmt.Sprintf("of %s %d name both objects, %d one", countText(all, what), two, one)
	switch {
	case all == 0 || 2*(two+one) < all:
		return 0, facts
	case two == all:
		return 2, facts
	}
	return 1, facts
}

// language deducts for slips, swear words and a text without paragraphs or items.
func language(f *text.Features) (int, string) {
	structured := f.Aspects >= severalAspects || f.Paragraphs+f.Items > 1
	facts := fmt.Sprintf("%s, %s, %s", countText(f.Slips, "slip"), countText(f.Profanities, "swear word"),
		countText(f.Paragraphs+f.Items, "paragraph or item"))
	switch {
	case f.Words == 0 || f.Profanities > 0 || f.Slips >= brokenLanguage:
		return 0, facts
	case f.Slips > 0 || !structured:
		return 1, facts
	}
	return 2, facts
}

// conclusion compares the choice with the balance of the body. The chosen object must be favoured at least as often as the other. For a
// tie, the lead of one object must not exceed one, or a third of the aspects or statements that favour an object. It assumes that all of
// them have equal weight.
func conclusion(f *text.Features) (int, string) {
	lead := f.FavourFirst - f.FavourSecond
	facts := fmt.Sprintf("%s; %d aspects or statements favour the first object, %d the second", choiceText(f), f.FavourFirst, f.FavourSecond)
	switch {
	case f.AspectAsked && !mentionsAspect(f):
		return 0, facts + "; the aspect of the question is not mentioned"
	case f.Choice == data.ChoiceA:
		return Point(lead >= 0), facts
	case f.Choice == data.ChoiceB:
		return Point(lead <= 0), facts
	case f.Choice == data.ChoiceTie:
		return Point(max(lead, -lead) <= max(1, (f.FavourFirst+f.FavourSecond)/3)), facts
	}
	return 0, facts
}

// mentionsAspect reports whether the answer mentions the question's aspect anywhere.
func mentionsAspect(f *text.Features) bool {
	return f.AspectStatements > 0 || f.AspectInFrame || f.AspectNamed
}

// Point returns 1 if ok, else 0.
func Point(ok bool) int {
	if ok {
		return 1
	}
	return 0
}

func countText(n int, what string) string { return data.Plural(n, what, what+"s") }

// Version is raised when the rules score some answer differently.
const Version = 5

// Embedded is the judge "rules". It only knows the built-in rubric.
var Embedded = scoring.Embedded{
	Name: "rules", Kind: scoring.KindEmbedded, About: "counting rules on the text of the answer; they do not check truth; English only",
	TrainedOn: data.ReleaseRows, English: true,
	Version: Version,
	New: func(r rubric.Rubric) (scoring.Judge, error) {
		return func(_ context.Context, q data.Question, a data.Answer, _ scoring.Ask) data.Verdict {
			if reason := lexical.NotEnglish(q, a.Text); reason != "" {
				return data.Verdict{Status: data.Skipped, Reason: reason}
			}
			scores, _ := Score(text.Measure(q, a.Text))
			return data.Verdict{Scores: scores}
		}, r.RequireCQA()
	},
	Explain: func(q data.Question, a data.Answer) []scoring.Finding {
		_, findings := Score(text.Measure(q, a.Text))
		return findings
	},
}
