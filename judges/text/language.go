package text

import (
	"strings"
	"unicode/utf8"

	"compqa/judges/text/lexical"
)

// language counts profanities, slips, mentions of the arguments as arguments ("argument 3 says"), and sentences that open on a topic ("In
// terms of price").
func (f *Features) language(a *Analysis) {
	for _, s := range a.sentences {
		if s.role == sourcesRole {
			continue
		}
		ws := a.tokensOf(s.words)
		for i, t := range ws {
			if t.Class&lexical.Profane != 0 {
				f.Profanities++
			}
			if i > 0 && t.Word == ws[i-1].Word && t.Class&lexical.Stop != 0 && t.Class&lexical.Twice == 0 {
				f.Slips++
			}
		}
		lexical.Cues.Each(ws, func(c lexical.Cue) {
			if c == lexical.ArgumentTalk {
				f.ArgumentTalk++
			}
		})
		if lexical.Cues.Opens(ws, lexical.TopicStart) {
			f.Topics++
		}
		f.Slips += slips(s.text)
		if b := a.blocks[s.block]; b.kind == paragraph && b.name == "" && s.role != choiceRole && lexical.StartsLower(s.text) {
			f.Slips++
		}
	}
}

// slips counts signs of haste in a sentence: !! or ??, a space before a comma, "i" for "I", and characters that could not be decoded.
func slips(s string) int {
	n := 0
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case (c == '!' || c == '?') && s[i-1] == c && (i == 1 || s[i-2] != c):
			n++
		case c == ',' && s[i-1] == ' ':
			n++
		case c == 'i' && s[i-1] == ' ' && i+1 < len(s) && s[i+1] == ' ':
			n++
		}
	}
	return n + strings.Count(s, string(utf8.RuneError))
}
