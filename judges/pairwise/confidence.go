package pairwise

import (
	"cmp"
	"math"
	"regexp"
	"strings"

	"compqa/data"
	"compqa/llm/structured"
)

// choicePlace matches text that ends just before the name of the choice: "Preferred: ", `"better_answer": `.
var choicePlace = regexp.MustCompile(`(?is)(?:preferred(?: (?:answer|choice|response|output))?[*_\s]*[:：]|` +
	`better[_ ]answer["'“”]?\s*[:=])[\s"'“”*_(\[]*(?:answer\s*)?$`)

// lineBegins matches text that ends at the beginning of a line.
var lineBegins = regexp.MustCompile(`(?:^|\n)[\s"'*_(\[]*$`)

// confidence returns the probability of choice c relative to both choices, at the token of the reply that names it. It returns nil if the
// server returned no log-probabilities. OpenAI-compatible servers and Ollama do with `extra: {logprobs: true, top_logprobs: 5}`. A token
// that the server does not list has probability 0.
func confidence(raw string, c data.Choice) *float64 {
	if !c.Decided() {
		return nil
	}
	var text strings.Builder
	var found, alone *float64 // alone: at a name that is a line of its own, with no words after it
	for _, t := range structured.Tokens(raw) {
		if side, is := namedBy(t.Token); is && side == c && choicePlace.MatchString(text.String()) {
			found = shareOf(t, c) // the last one counts, as in replies.Choice
		} else if is && side == c && lineBegins.MatchString(text.String()) {
			alone = shareOf(t, c)
		} else if strings.Trim(t.Token, " \n\"'*_()[]<>.") != "" {
			alone = nil
		}
		text.WriteString(t.Token)
	}
	return cmp.Or(found, alone)
}

// namedBy returns the choice that a token names. The bool is false if it names none.
func namedBy(text string) (data.Choice, bool) {
	switch strings.Trim(text, " \t\n\"'*_()[]<>.,}") {
	case "A", "1":
		return data.ChoiceA, true
	case "B", "2":
		return data.ChoiceB, true
	}
	return "", false
}

// shareOf returns the probability of choice c divided by that of both choices at token t, or nil if it is undefined.
func shareOf(t structured.Token, c data.Choice) *float64 {
	chosen := math.Exp(t.Logprob)
	other := 0.0
	for _, o := range t.Others {
		if side, is := namedBy(o.Token); is && side != c {
			other += math.Exp(o.Logprob)
		} else if is && o.Token != t.Token {
			chosen += math.Exp(o.Logprob)
		}
	}
	if share := chosen / (chosen + other); chosen+other > 0 && !math.IsNaN(share) {
		return &share
	}
	return nil
}
