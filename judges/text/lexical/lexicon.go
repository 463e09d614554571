package lexical

import (
	"slices"
	"strings"
)

// A Class is what a word says about a comparison, whatever its subject.
type Class uint16

const (
	Stop        Class = 1 << iota // carries no content of its own
	generic                       // too general a word to stand for an object
	Comparative                   // compares: faster, unlike, whereas
	Praising                      // speaks for what it is said of
	Faulting                      // speaks against it
	Negating                      // turns praise into fault
	Hedging                       // takes back certainty
	Parting                       // begins a clause about something else
	Profane
	CueStart // a cue may begin with it
	Twice    // may stand twice in a row
)

// The Lexicon is short on purpose: it holds the words that comparisons are
// made of, and no field's own terms.
var Lexicon = func() map[Word]Class {
	m := map[Word]Class{}
	for c, list := range map[Class]string{
		Stop: `a an the and or but nor so yet of in on at to for from by with without as into onto over under about
			is are was were be been being am has have had having do does did doing will would can could shall should
			it its it's they them their theirs this that these those he she his her him we our us you your i my me
			which who whom whose what when where why how there here than then also too very more most much many some
			any each every all both either neither other another such own same not no only just even still while
			whereas although though because since if unless until after before during between among through up down
			out off again further once however therefore thus hence well s t`,
		generic: `new old big small the one two better best search system company product stove sort game family guy internet`,
		Comparative: `than whereas while unlike compared comparison versus vs contrast contrastingly conversely likewise similarly
			similar similarity differ differs different difference both alike equally equal same more less fewer most least
			better worse best worst superior inferior outperforms outperform surpasses exceeds excels edge advantage lags
			faster slower cheaper pricier easier harder simpler stronger weaker larger smaller bigger higher lower greater
			lighter heavier longer shorter wider richer safer quicker older newer cleaner smoother healthier milder
			sweeter deeper broader stricter quieter louder warmer cooler closer fresher softer tougher denser thinner thicker`,
		Praising: `better best superior excel excels excelled excelling outperform outperforms outperformed outperforming surpass surpasses
			surpassed exceeds wins win won winner leads leading leader edge advantage advantages advantageous benefit benefits beneficial
			faster quicker cheaper easier simpler stronger safer smoother healthier greater higher richer broader wider lighter
			cleaner fresher quieter longer durable reliable reliability robust efficient efficiently efficiency affordable
			versatile flexible flexibility powerful popular popularity excellent exceptional impressive renowned praised preferred
			favored favoured intuitive secure comfortable convenient innovative extensive comprehensive rich strong superb great good
			accurate precise scalable consistent lightweight inexpensive cheap fast quick easy simple safe healthy tasty
			ideal suitable seamless premium sustainable economical portable compact accessible mature stable stability immersive
			vast dominant dominates dominate preferable helpful effective effectively friendly high-quality unmatched nutritious`,
		Faulting: `worse worst inferior slower slow costlier pricier harder weaker weak poorer poor lower smaller fewer less lesser least
			lags lag lagged lagging lacks lack lacking limited limits limitation limitations drawback drawbacks disadvantage disadvantages
			difficult complex complicated complexity expensive costly pricey prone vulnerable vulnerability unreliable insecure
			bloated cumbersome clunky outdated obsolete struggles struggle struggled suffers suffer suffered fails fail failed
			criticized criticised criticism bulky heavier heavy noisy noisier dangerous harmful unhealthy risky risk risks problem
			problems issue issues restricted restrictive declining declined steep steeper inconsistent loses lost losing unstable
			inefficient inconvenient confusing fragile error-prone overheating addictive detrimental polluting pollution`,
		Negating: `not no never without cannot can't isn't aren't doesn't don't won't wasn't weren't hardly barely rarely nor neither less
			isnt arent doesnt dont wont wasnt werent cant`,
		Hedging: `may might could perhaps possibly probably likely generally usually often sometimes typically somewhat seem seems
			seemingly appear appears suggest suggests suggesting arguably relatively largely mostly potentially depending depends
			depend subjective preference preferences considered tend tends reportedly allegedly supposedly apparently roughly`,
		Parting: `while whereas but however although though yet conversely unlike`,
		Twice:   `that had`,
		Profane: `fuck fucking fucked shit shitty bullshit crap crappy damn damned goddamn asshole bitch bastard piss pissed`,
	} {
		for w := range strings.FieldsSeq(list) {
			known, _, _ := NextWord(w)
			m[known] |= c
		}
	}
	for first := range Cues {
		m[first] |= CueStart
	}
	return m
}()

// A Cue is a row of words that says what the text around it does.
type Cue uint8

const (
	Closing       Cue = iota // begins a conclusion: "in summary", "overall"
	Undecided                // leaves the choice open: "depends on", "personal preference"
	Choosing                 // makes a choice: "is the better choice", "I would choose"
	TopicStart               // begins what is said on one aspect: "in terms of"
	ArgumentTalk             // speaks of the arguments given: "argument 3", "item 2"
	AssistantTalk            // speaks to the asker: "let's break down", "great question"
)

var Cues = newCues([]string{
	Closing: `overall; in conclusion; to conclude; in summary; to sum up; summing up; to summarize; to summarise; ultimately; in the end;
		all in all; in short; in essence; in brief; considering these factors; considering all; taking everything into account; altogether;
		based on this comparison; based on the comparison; based on these; given these; for these reasons; therefore; conclusion`,
	Undecided: `depends on; depend on; depending on; it depends on; it depends; depends; comes down to; boils down to; come down to; boil down to;
		personal preference; personal preferences; individual preferences; individual preference; individual needs; specific needs;
		subjective; matter of preference; matter of taste; matter of personal; no clear winner; no clear answer; inconclusive; a tie; tie; dependent;
		either option; either one; both are equally; equally good; neither is better; hard to say; difficult to say; both are; both have their`,
	Choosing: `better choice; better option; best choice; best option; superior choice; superior option; preferred choice; preferred option; clear winner;
		the winner; winner is; i would choose; i would pick; i would go; i choose; i prefer; i recommend; i would recommend; i would vote; i'd go; i'd choose; i'd pick; get the; go with; go for;
		is better; are better; is best; is superior; are superior; comes out on top; come out on top; emerges as; has the edge; have the edge;
		has an edge; have an edge; slight edge; takes the lead; outperforms; wins; top choice; stands out as; is preferred; is preferable; more favorable; considered better; superior to; better than`,
	TopicStart:    `in terms of; when it comes to; regarding; with regard to; with respect to; as for; as far as; concerning; in the area of; from the standpoint of; on the topic of`,
	ArgumentTalk:  `argument 1; argument 2; argument 3; argument 4; argument 5; argument 6; argument 7; argument 8; argument 9; argument 10; argument 11; argument 12; this argument; arguments provided; provided arguments; list of arguments; given arguments; your arguments; the argument; item 1; item 2; item 3; first argument; second argument; third argument; some argue; others argue; some people`,
	AssistantTalk: `let's break; lets break; great question; fantastic question; interesting question; classic debate; here's a comparison; here is a comparison; hope this; let me know; feel free; what do you think; as an ai`,
})

// cueTable finds cues by their first word.
type cueTable map[Word][]cuePhrase

type cuePhrase struct {
	words []Word
	cue   Cue
}

func newCues(lists []string) cueTable {
	t := cueTable{}
	for c, list := range lists {
		for phrase := range strings.SplitSeq(list, ";") {
			var ws []Word
			for w := range strings.FieldsSeq(phrase) {
				next, _, _ := NextWord(w)
				ws = append(ws, next)
			}
			if len(ws) > 0 {
				t[ws[0]] = append(t[ws[0]], cuePhrase{ws, Cue(c)})
			}
		}
	}
	for _, phrases := range t {
		slices.SortStableFunc(phrases, func(a, b cuePhrase) int { return len(b.words) - len(a.words) })
	}
	return t
}

// Each calls f for every cue in a row of words. Where one is part of another,
// as "depends" of "it depends on", the longest counts.
func (t cueTable) Each(ws []Token, f func(Cue)) {
	for i := 0; i < len(ws); i++ {
		if ws[i].Class&CueStart == 0 {
			continue
		}
		for _, p := range t[ws[i].Word] {
			if matches(p.words, ws[i:]) {
				f(p.cue)
				i += len(p.words) - 1
				break
			}
		}
	}
}

// Has reports whether a row of words holds a cue.
func (t cueTable) Has(ws []Token, c Cue) bool {
	found := false
	t.Each(ws, func(k Cue) { found = found || k == c })
	return found
}

// Starts reports whether a cue of the kind begins with a word.
func (t cueTable) Starts(w Word, c Cue) bool {
	return slices.ContainsFunc(t[w], func(p cuePhrase) bool { return p.cue == c })
}

// Opens reports whether a row of words begins with a cue.
func (t cueTable) Opens(ws []Token, c Cue) bool {
	if len(ws) == 0 || ws[0].Class&CueStart == 0 {
		return false
	}
	for _, p := range t[ws[0].Word] {
		if p.cue == c && matches(p.words, ws) {
			return true
		}
	}
	return false
}
