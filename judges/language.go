package judges

import (
	"strings"
	"unicode/utf8"
)

// language counts hedges, cues and slips.
func (f *Features) language(a *analysis) {
	for _, s := range a.sentences {
		if s.role == sourcesRole {
			continue
		}
		ws := a.in(s.words)
		for i, t := range ws {
			if t.class&hedging != 0 {
				f.Hedges++
			}
			if t.class&profane != 0 {
				f.Profanities++
			}
			if i > 0 && t.word == ws[i-1].word && t.class&stop != 0 && t.class&twice == 0 {
				f.Slips++
			}
		}
		cues.each(ws, func(c cue) {
			switch c {
			case undecided:
				f.UndecidedPhrases++
			case argumentTalk:
				f.ArgumentTalk++
			case assistantTalk:
				f.AssistantTalk++
			}
		})
		if cues.opens(ws, topicStart) {
			f.Topics++
		}
		f.Slips += slips(s.text)
		if b := a.blocks[s.block]; b.kind == paragraph && b.name == "" && s.role != choiceRole && startsLower(s.text) {
			f.Slips++
		}
	}
}

// slips counts marks of haste in a sentence: !! or ??, a space before a comma,
// a small i for the writer, a character that could not be decoded.
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
