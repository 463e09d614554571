package lexical

import (
	"fmt"
	"strings"
	"unicode"

	"compqa/data"
)

// functionWords are frequent English words that other languages in Latin script do not have.
var functionWords = data.Among(data.Words("the and to it it's its that this these those than which from with are be been have they their " +
	"there not while both more when where what will would can could should you your how because if although however about after before " +
	"between against whereas only every many most other some"))

// foreignWords are frequent function words of other languages in Latin script (German, French, Spanish, Italian, Portuguese,
// Dutch, Swedish, Polish, Turkish, Indonesian) that English does not have.
var foreignWords = data.Among(data.Words("und ist nicht für das auch sind oder aber wird besser als les est une dans pour " +
	"avec sont mais meilleur los las una para con por pero más mejor il che della sono più meglio uma não mais melhor het een " +
	"niet voor och inte är jest nie się oraz ve bir için daha yang untuk"))

// NotEnglish says why English word lists know nothing of a text: it is Foreign, or fewer than one in a hundred of its
// words are English function words. It is "" for a text in English, and for one without words. The words of a short text ("Tea") are read together with
// those of its question, and say nothing without one.
//
// Of the 2,158 answers of the CompQA release, all in English, the smallest share of function words is .10, and the smallest
// share of Latin letters .92. The limit is far lower, because lists of words are English, too.
func NotEnglish(q data.Question, text string) string {
	const (
		short      = 40 // words
		leastShare = 0.01
	)
	if reason := Foreign(text); reason != "" {
		return reason
	}
	words := data.Words(Normalise(text))
	enough := strings.ContainsFunc(text, unicode.IsLetter) && (q.Text != "" || len(words) >= short)
	if len(words) < short {
		words = append(words, data.Words(Normalise(q.Text))...)
	}
	if known := known(words, functionWords); enough && float64(known) < leastShare*float64(len(words)) {
		return fmt.Sprintf("it reads English only: function words of English are %d of %d words", known, len(words))
	}
	return ""
}

// Foreign says which other language than English a text has signs of, "" if none: most of its letters are of another script,
// or several different ones of its words are function words of another language, and fewer of its words are English ones.
func Foreign(text string) string {
	const (
		leastLatin = 0.5
		foreign    = 2
	)
	text = Normalise(text)
	letters, latin := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
			if unicode.Is(unicode.Latin, r) {
				latin++
			}
		}
	}
	words := data.Words(text)
	english, others := known(words, functionWords), len(data.Among(data.Where(words, func(w string) bool { return foreignWords[w] })))
	switch {
	case float64(latin) < leastLatin*float64(letters):
		return fmt.Sprintf("it reads English only: %.0f %% of the letters are Latin", 100*float64(latin)/float64(letters))
	case others >= foreign && others > english:
		return fmt.Sprintf("it reads English only: %d different words are function words of other languages, and %d words of English",
			others, english)
	}
	return ""
}

func known(words []string, in map[string]bool) int {
	return len(data.Where(words, func(w string) bool { return in[w] }))
}
