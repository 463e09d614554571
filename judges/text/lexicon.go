package text

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A wordClass is what a word says about a comparison, whatever its subject.
type wordClass uint16

const (
	stop        wordClass = 1 << iota // carries no content of its own
	generic                           // too general a word to stand for an object
	comparative                       // compares: faster, unlike, whereas
	praising                          // speaks for what it is said of
	faulting                          // speaks against it
	negating                          // turns praise into fault
	hedging                           // takes back certainty
	parting                           // begins a clause about something else
	profane
	cueStart // a cue may begin with it
	twice    // may stand twice in a row
)

// The lexicon is short on purpose: it holds the words that comparisons are
// made of, and no field's own terms.
var lexicon = func() map[word]wordClass {
	m := map[word]wordClass{}
	for c, list := range map[wordClass]string{
		stop: `a an the and or but nor so yet of in on at to for from by with without as into onto over under about
			is are was were be been being am has have had having do does did doing will would can could shall should
			it its it's they them their theirs this that these those he she his her him we our us you your i my me
			which who whom whose what when where why how there here than then also too very more most much many some
			any each every all both either neither other another such own same not no only just even still while
			whereas although though because since if unless until after before during between among through up down
			out off again further once however therefore thus hence well s t`,
		generic: `new old big small the one two better best search system company product stove sort game family guy internet`,
		comparative: `than whereas while unlike compared comparison versus vs contrast contrastingly conversely likewise similarly
			similar similarity differ differs different difference both alike equally equal same more less fewer most least
			better worse best worst superior inferior outperforms outperform surpasses exceeds excels edge advantage lags
			faster slower cheaper pricier easier harder simpler stronger weaker larger smaller bigger higher lower greater
			lighter heavier longer shorter wider richer safer quicker older newer cleaner smoother healthier milder
			sweeter deeper broader stricter quieter louder warmer cooler closer fresher softer tougher denser thinner thicker`,
		praising: `better best superior excel excels excelled excelling outperform outperforms outperformed outperforming surpass surpasses
			surpassed exceeds wins win won winner leads leading leader edge advantage advantages advantageous benefit benefits beneficial
			faster quicker cheaper easier simpler stronger safer smoother healthier greater higher richer broader wider lighter
			cleaner fresher quieter longer durable reliable reliability robust efficient efficiently efficiency affordable
			versatile flexible flexibility powerful popular popularity excellent exceptional impressive renowned praised preferred
			favored favoured intuitive secure comfortable convenient innovative extensive comprehensive rich strong superb great good
			accurate precise scalable consistent lightweight inexpensive cheap fast quick easy simple safe healthy tasty
			ideal suitable seamless premium sustainable economical portable compact accessible mature stable stability immersive
			vast dominant dominates dominate preferable helpful effective effectively friendly high-quality unmatched nutritious`,
		faulting: `worse worst inferior slower slow costlier pricier harder weaker weak poorer poor lower smaller fewer less lesser least
			lags lag lagged lagging lacks lack lacking limited limits limitation limitations drawback drawbacks disadvantage disadvantages
			difficult complex complicated complexity expensive costly pricey prone vulnerable vulnerability unreliable insecure
			bloated cumbersome clunky outdated obsolete struggles struggle struggled suffers suffer suffered fails fail failed
			criticized criticised criticism bulky heavier heavy noisy noisier dangerous harmful unhealthy risky risk risks problem
			problems issue issues restricted restrictive declining declined steep steeper inconsistent loses lost losing unstable
			inefficient inconvenient confusing fragile error-prone overheating addictive detrimental polluting pollution`,
		negating: `not no never without cannot can't isn't aren't doesn't don't won't wasn't weren't hardly barely rarely nor neither less
			isnt arent doesnt dont wont wasnt werent cant`,
		hedging: `may might could perhaps possibly probably likely generally usually often sometimes typically somewhat seem seems
			seemingly appear appears suggest suggests suggesting arguably relatively largely mostly potentially depending depends
			depend subjective preference preferences considered tend tends reportedly allegedly supposedly apparently roughly`,
		parting: `while whereas but however although though yet conversely unlike`,
		twice:   `that had`,
		profane: `fuck fucking fucked shit shitty bullshit crap crappy damn damned goddamn asshole bitch bastard piss pissed`,
	} {
		for w := range strings.FieldsSeq(list) {
			known, _, _ := nextWord(w)
			m[known] |= c
		}
	}
	for first := range cues {
		m[first] |= cueStart
	}
	return m
}()

// A cue is a row of words that says what the text around it does.
type cue uint8

const (
	closing       cue = iota // begins a conclusion: "in summary", "overall"
	undecided                // leaves the choice open: "depends on", "personal preference"
	choosing                 // makes a choice: "is the better choice", "I would choose"
	topicStart               // begins what is said on one aspect: "in terms of"
	argumentTalk             // speaks of the arguments given: "argument 3", "item 2"
	assistantTalk            // speaks to the asker: "let's break down", "great question"
)

var cues = newCues([]string{
	closing: `overall; in conclusion; to conclude; in summary; to sum up; summing up; to summarize; to summarise; ultimately; in the end;
		all in all; in short; in essence; in brief; considering these factors; considering all; taking everything into account; altogether;
		based on this comparison; based on the comparison; based on these; given these; for these reasons; therefore; conclusion`,
	undecided: `depends on; depend on; depending on; it depends on; it depends; depends; comes down to; boils down to; come down to; boil down to;
		personal preference; personal preferences; individual preferences; individual preference; individual needs; specific needs;
		subjective; matter of preference; matter of taste; matter of personal; no clear winner; no clear answer; inconclusive; a tie; tie; dependent;
		either option; either one; both are equally; equally good; neither is better; hard to say; difficult to say; both are; both have their`,
	choosing: `better choice; better option; best choice; best option; superior choice; superior option; preferred choice; preferred option; clear winner;
		the winner; winner is; i would choose; i would pick; i would go; i choose; i prefer; i recommend; i would recommend; i would vote; i'd go; i'd choose; i'd pick; get the; go with; go for;
		is better; are better; is best; is superior; are superior; comes out on top; come out on top; emerges as; has the edge; have the edge;
		has an edge; have an edge; slight edge; takes the lead; outperforms; wins; top choice; stands out as; is preferred; is preferable; more favorable; considered better; superior to; better than`,
	topicStart:    `in terms of; when it comes to; regarding; with regard to; with respect to; as for; as far as; concerning; in the area of; from the standpoint of; on the topic of`,
	argumentTalk:  `argument 1; argument 2; argument 3; argument 4; argument 5; argument 6; argument 7; argument 8; argument 9; argument 10; argument 11; argument 12; this argument; arguments provided; provided arguments; list of arguments; given arguments; your arguments; the argument; item 1; item 2; item 3; first argument; second argument; third argument; some argue; others argue; some people`,
	assistantTalk: `let's break; lets break; great question; fantastic question; interesting question; classic debate; here's a comparison; here is a comparison; hope this; let me know; feel free; what do you think; as an ai`,
})

// cueTable finds cues by their first word.
type cueTable map[word][]cuePhrase

type cuePhrase struct {
	words []word
	cue   cue
}

func newCues(lists []string) cueTable {
	t := cueTable{}
	for c, list := range lists {
		for phrase := range strings.SplitSeq(list, ";") {
			var ws []word
			for w := range strings.FieldsSeq(phrase) {
				next, _, _ := nextWord(w)
				ws = append(ws, next)
			}
			if len(ws) > 0 {
				t[ws[0]] = append(t[ws[0]], cuePhrase{ws, cue(c)})
			}
		}
	}
	for _, phrases := range t {
		slices.SortStableFunc(phrases, func(a, b cuePhrase) int { return len(b.words) - len(a.words) })
	}
	return t
}

// each calls f for every cue in a row of words. Where one is part of another,
// as "depends" of "it depends on", the longest counts.
func (t cueTable) each(ws []token, f func(cue)) {
	for i := 0; i < len(ws); i++ {
		if ws[i].class&cueStart == 0 {
			continue
		}
		for _, p := range t[ws[i].word] {
			if matches(p.words, ws[i:]) {
				f(p.cue)
				i += len(p.words) - 1
				break
			}
		}
	}
}

// has reports whether a row of words holds a cue.
func (t cueTable) has(ws []token, c cue) bool {
	found := false
	t.each(ws, func(k cue) { found = found || k == c })
	return found
}

// starts reports whether a cue of the kind begins with a word.
func (t cueTable) starts(w word, c cue) bool {
	return slices.ContainsFunc(t[w], func(p cuePhrase) bool { return p.cue == c })
}

// opens reports whether a row of words begins with a cue.
func (t cueTable) opens(ws []token, c cue) bool {
	if len(ws) == 0 || ws[0].class&cueStart == 0 {
		return false
	}
	for _, p := range t[ws[0].word] {
		if p.cue == c && matches(p.words, ws) {
			return true
		}
	}
	return false
}

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
