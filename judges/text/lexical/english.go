package lexical

import (
	"fmt"
	"maps"
	"unicode"
	"unicode/utf8"

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

// NotEnglish returns why English word lists cannot be applied to a text, or "" if they can. See [Signs.NotEnglish].
func NotEnglish(q data.Question, text string) string { return SignsOf(text).NotEnglish(q) }

// Signs are counts that tell the language of a text.
type Signs struct {
	letters, latin int
	words, english int
	foreignWords   map[string]bool // function words of other languages
}

// SignsOf returns the signs of a text.
func SignsOf(text string) Signs {
	text = Normalise(text)
	s := Signs{foreignWords: map[string]bool{}}
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf: // the usual case
			if 'a' <= r|0x20 && r|0x20 <= 'z' {
				s.letters++
				s.latin++
			}
		case unicode.IsLetter(r):
			s.letters++
			if unicode.Is(unicode.Latin, r) {
				s.latin++
			}
		}
	}
	for w, ok := data.NextWord(text, 0); ok; w, ok = data.NextWord(text, w.End) {
		s.words++
		if functionWords[w.Text] {
			s.english++
		}
		if foreignWords[w.Text] {
			s.foreignWords[w.Text] = true
		}
	}
	return s
}

// Combined returns the signs of two texts taken together.
func (s Signs) Combined(other Signs) Signs {
	both := Signs{letters: s.letters + other.letters, latin: s.latin + other.latin, words: s.words + other.words,
		english: s.english + other.english, foreignWords: maps.Clone(s.foreignWords)}
	maps.Copy(both.foreignWords, other.foreignWords)
	return both
}

// NotEnglish returns why English word lists cannot be applied to a text: it is Foreign, or fewer than 1 % of its words are English function
// words. It returns "" for English, and for a text without words. A short text ("Tea") is counted together with its question; without a
// question, a short text is not tested for the 1 %.
//
// In the CompQA release (2,158 answers, all English) the smallest share of function words is .10, and that of Latin letters .92. The limit
// is far lower, because lists of English words have few function words.
func (s Signs) NotEnglish(q data.Question) string {
	const (
		short      = 40 // words
		leastShare = 0.01
	)
	if reason := s.Foreign(); reason != "" {
		return reason
	}
	enough := s.letters > 0 && (q.Text != "" || s.words >= short)
	known := s.english
	words := s.words
	if enough && words < short {
		asked := SignsOf(q.Text)
		known += asked.english
		words += asked.words
	}
	if enough && float64(known) < leastShare*float64(words) {
		return fmt.Sprintf("it reads English only: function words of English are %d of %d words", known, words)
	}
	return ""
}

// Foreign returns the sign that a text is in another language, or "" if there is none. A text is foreign if most of its letters are not
// Latin. It is also foreign if at least two different words are function words of other languages and they outnumber the English function
// words.
func (s Signs) Foreign() string {
	const (
		leastLatin = 0.5
		several    = 2
	)
	switch {
	case float64(s.latin) < leastLatin*float64(s.letters):
		return fmt.Sprintf("it reads English only: %.0f %% of the letters are Latin", 100*float64(s.latin)/float64(s.letters))
	case len(s.foreignWords) >= several && len(s.foreignWords) > s.english:
		return fmt.Sprintf("it reads English only: %d different words are function words of other languages, and %d words of English",
			len(s.foreignWords), s.english)
	}
	return ""
}
