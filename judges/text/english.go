package text

import (
	"fmt"
	"strings"
	"unicode"

	"compqa/data"
	"compqa/judges/text/lexical"
)

// functionWords are frequent English words that other languages in Latin script do not have.
var functionWords = func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq("the and to it it's its that this these those than which from with are be been have they their there " +
		"not while both more when where what will would can could should you your how because if although however " +
		"about after before between against whereas only every many most other some") {
		set[w] = true
	}
	return set
}()

// NotEnglish says why the measurements, whose word lists are English, know nothing of an answer: most of its letters are of
// another script, or too few of its words are English function words. It is "" for an answer in English, and for one without
// words. The words of a short answer ("Tea") are read together with those of its question, and say
// nothing without one.
//
// Of the 2,158 answers of the CompQA release, all in English, the smallest share of function words is .10, and the smallest
// share of Latin letters .92.
func NotEnglish(q data.Question, answer string) string {
	const (
		short      = 40 // words
		leastLatin = 0.5
		leastShare = 0.03
	)
	answer = lexical.Normalise(answer)
	letters, latin := 0, 0
	for _, r := range answer {
		if unicode.IsLetter(r) {
			letters++
			if unicode.Is(unicode.Latin, r) {
				latin++
			}
		}
	}
	words, known := data.Words(answer), 0
	enough := q.Text != "" || len(words) >= short
	if len(words) < short {
		words = append(words, data.Words(lexical.Normalise(q.Text))...)
	}
	for _, w := range words {
		if functionWords[w] {
			known++
		}
	}
	switch {
	case letters == 0:
		return ""
	case Share(latin, letters) < leastLatin:
		return fmt.Sprintf("it reads English only: %.0f %% of the letters are Latin", 100*Share(latin, letters))
	case enough && Share(known, len(words)) < leastShare:
		return fmt.Sprintf("it reads English only: function words of English are %d of %d words", known, len(words))
	}
	return ""
}
