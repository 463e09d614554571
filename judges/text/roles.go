package text

import (
	_ "embed"
	"strings"

	"compqa/data"
	"compqa/judges/text/lexical"
)

// A role is the function of a block in the structure that the rubric asks for: introduction, body, explicit choice,
// conclusion. The list of sources is not part of the comparison.
type role uint8

const (
	noRole role = iota
	introRole
	summaryRole // an introduction, or a conclusion where it comes last
	bodyRole
	choiceRole
	conclusionRole
	sourcesRole
)

// A roleWord is a set of bits: the kinds of words that tell a heading's role. A word in a heading can be of several kinds.
type roleWord uint32

const (
	sayArgument roleWord = 1 << iota
	sayListed            // "used", "list": with sayArgument, the heading of a list of sources
	saySources           // names a list of sources without other words
	sayOption
	sayBest
	sayWinner
	sayRecommended
	sayAnswer
	sayConclusion
	sayOverall
	sayIntroduction
	sayBackground
	saySummary
	sayBody
	sayDifference
	saySide
	sayPoint
	sayKey
	sayFrame // carries no meaning of its own, as "the" or "detailed"
)

var roleWordNames = []string{
	"sayArgument", "sayListed", "saySources", "sayOption", "sayBest", "sayWinner", "sayRecommended", "sayAnswer", "sayConclusion",
	"sayOverall",
	"sayIntroduction", "sayBackground", "saySummary", "sayBody", "sayDifference", "saySide", "sayPoint", "sayKey", "sayFrame",
}

//go:embed roles.txt
var rolesText string

var roleWords = func() map[string]roleWord {
	m := map[string]roleWord{}
	for i, list := range lexical.NamedLists(rolesText, roleWordNames) {
		for w := range strings.FieldsSeq(list) {
			m[w] |= 1 << i
		}
	}
	return m
}()

// roleOf returns the role that a heading's words name: "Best Option" is choiceRole. It returns noRole for any other name, for example that
// of an aspect or an object.
func roleOf(name string) role {
	const most = 12
	if len(name) > lexical.MaxNameBytes {
		return noRole
	}
	var all, plain roleWord // all: kinds of all words; plain: of the words that are not sayFrame
	n := 0
	content := 0
	for _, word := range data.Words(name) {
		w := roleWords[word]
		all |= w
		n++
		if w&sayFrame == 0 {
			plain |= w
			content++
		}
	}
	is := func(w roleWord) bool { return all&w != 0 }
	alone := func(w roleWord) bool { return content == 1 && plain&w != 0 }
	switch {
	case n == 0 || n > most:
		return noRole
	case is(sayArgument) && is(sayListed), alone(saySources):
		return sourcesRole
	case is(sayOption) && is(sayBest), is(sayWinner) && n <= 4, is(sayRecommended) && n <= 3, is(sayAnswer) && n <= 2, alone(sayBest):
		return choiceRole
	case is(sayConclusion) && n <= 5, is(sayOverall) && content <= 1, is(saySummary) && n == 2 && alone(saySummary) &&
		strings.EqualFold(name[:min(3, len(name))], "in "):
		return conclusionRole
	case is(sayIntroduction) && n <= 4, alone(sayBackground):
		return introRole
	case is(saySummary) && n <= 5:
		return summaryRole
	case is(sayBody), is(sayDifference) && n <= 4, is(saySide) && n <= 4, is(sayPoint) && is(sayKey):
		return bodyRole
	}
	return noRole
}
