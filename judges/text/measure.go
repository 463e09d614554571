package text

import (
	"slices"

	"compqa/judges/text/lexical"
)

// count counts words, sentences, paragraphs and list items.
func (f *Features) count(a *Analysis) {
	for i, b := range a.blocks {
		switch b.kind {
		case item:
			f.Items++
			if b.name == "" && a.parts[i].role == bodyRole {
				f.UnnamedItems++
			}
		case heading, paragraph:
			if b.text != "" {
				f.Paragraphs++
			}
		}
		if a.parts[i].role != sourcesRole {
			f.Words += a.parts[i].name.len()
		}
	}
	for _, s := range a.sentences {
		if s.role == sourcesRole {
			continue
		}
		f.Words += s.words.len()
		if a.blocks[s.block].kind != row && !(s.role == choiceRole && s.words.len() <= shortChoice) {
			f.Sentences++
			f.LongestSentence = max(f.LongestSentence, s.words.len())
		}
	}
}

// introduction measures the introduction.
func (f *Features) introduction(a *Analysis, aspects []aspect) {
	var introduced lexical.Objects
	var stems []string // stems of its content words
	for _, s := range a.sentences {
		if s.role == introRole {
			f.IntroductionWords += s.words.len()
			f.IntroductionSentences++
			introduced |= s.objects
			stems = a.stems(stems, s.words)
		}
	}
	f.IntroductionObjects = introduced.Count()
	f.IntroductionAspects = a.mentioned(aspects, stems)
}

// stems adds the stems of the content words in s to dst, up to a number that keeps the search through them fast.
func (a *Analysis) stems(dst []string, s span) []string {
	const most = 1000
	for _, t := range a.tokensOf(s) {
		if t.Class&lexical.Stop == 0 && len(dst) < most {
			dst = append(dst, t.Stem())
		}
	}
	return dst
}

// mentioned counts the aspects whose name has a content word with a stem in stems.
func (a *Analysis) mentioned(aspects []aspect, stems []string) int {
	n := 0
	for _, x := range aspects {
		if slices.ContainsFunc(a.tokensOf(x.name), func(t lexical.Token) bool { return slices.Contains(stems, t.Stem()) }) {
			n++
		}
	}
	return n
}

// body counts the statements and aspects of the body, by the objects that they name and favour.
func (f *Features) body(a *Analysis, aspects []aspect) {
	for _, s := range a.sentences {
		if s.role != bodyRole {
			continue
		}
		f.Statements++
		switch s.objects.Count() {
		case 2:
			f.StatementsBoth++
		case 1:
			f.StatementsOne++
		default:
			f.StatementsNone++
		}
		if len(aspects) == 0 {
			count(a.favour(s), &f.FavourFirst, &f.FavourSecond)
		}
	}
	words := 0
	for _, x := range aspects {
		f.Aspects++
		if x.words >= 4 {
			f.AspectsDescribed++
			words += x.words
		}
		switch x.objects.Count() {
		case 2:
			f.AspectsBoth++
		case 1:
			f.AspectsOne++
		}
		count(x.votes, &f.FavourFirst, &f.FavourSecond)
	}
	if f.AspectsDescribed > 0 {
		f.AspectWords = float64(words) / float64(f.AspectsDescribed)
	}
}

// cite counts the citations and the [generated] tags, sets GivenOrder, and returns the numbers of all citations.
func (f *Features) cite(a *Analysis) (numbers []int) {
	var c lexical.Citations
	leading := 0
	last := 0
	up := 0 // over the blocks' first citations: their number (leading), the latest number, and the steps that go up
	for i, b := range a.blocks {
		if a.parts[i].role == sourcesRole {
			continue
		}
		n := len(c.Numbers)
		c.Add(b.name)
		c.Add(b.text)
		if len(c.Numbers) > n && a.parts[i].role == bodyRole {
			if leading > 0 && c.Numbers[n] > last {
				up++
			}
			leading++
			last = c.Numbers[n]
		}
	}
	f.Citations = len(c.Numbers)
	f.Generated = c.Generated
	if leading >= 4 {
		f.GivenOrder = Share(up, leading-1)
	}
	return c.Numbers
}

// measureAspect measures where the answer mentions the aspect that the question names.
func (f *Features) measureAspect(a *Analysis, aspect string, aspects []aspect) {
	var stems []string
	const most = 20 // words; a longer text is not an aspect
	for _, t := range lexical.Tokens(nil, lexical.Normalise(aspect)) {
		if t.Class&lexical.Stop == 0 && len(stems) < most {
			stems = append(stems, t.Stem())
		}
	}
	f.AspectAsked = len(stems) > 0
	if !f.AspectAsked {
		return
	}
	f.AspectNamed = a.mentioned(aspects, stems) > 0
	for _, s := range a.sentences {
		if !slices.ContainsFunc(a.tokensOf(s.words), func(t lexical.Token) bool { return slices.Contains(stems, t.Stem()) }) {
			continue
		}
		switch s.role {
		case introRole, conclusionRole, choiceRole:
			f.AspectInFrame = true
		case bodyRole:
			f.AspectStatements++
		}
	}
}

// Share returns part/whole, in [0, 1], or 0 if whole is not positive.
func Share(part, whole int) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
