package replies

import (
	"regexp"
	"strings"

	"compqa/data"
)

var (
	speaksFor = regexp.MustCompile(`(?i)\b(?:better|best|superior|stronger|prefer\w*|winner|wins|choose|pick\w*|choice|deserves)\b`)
	inPerson  = regexp.MustCompile(`\bI\b`)
	takesBack = regexp.MustCompile(`(?i)\b(?:not|n't|never|cannot) (?:\w+ )?(?:recommend|prefer|choose|pick|better|best|my (?:choice|` +
		`verdict))`)
	disagrees = regexp.MustCompile(`(?i)^(?:no\b|not\b|certainly not|they are (?:mistaken|wrong)|i disagree|still, it loses|` +
		`that is (?:not|wrong|false))`)
	notBetter = regexp.MustCompile(`(?i)^‹([AB])›(?:'s \w+)? is not (?:the )?better\b`)
	// faulty is a short sentence that only finds fault with an answer: it does not speak for it.
	faulty = regexp.MustCompile(`(?i)^‹([AB])› (?:(?:also|only|just|simply) )?(?:invents|misses|lacks|ignores|omits|repeats|fails|` +
		`rambles|contradicts|` +
		`makes up|misreads|misstates|is (?:wrong|incorrect|inaccurate|incomplete|vague|too \w+|worse|weaker)|` +
		`(?:has|contains|includes|makes|gives|states) (?:\w+ ){0,3}?(?:errors?|mistakes?|inaccurac\w+|faults?|flaws?|falsehoods?|` +
		`hallucinations?|(?:wrong|false|incorrect|invented) \w+))\b`)
	// innocent are words with which such a sentence finds no fault, or goes on otherwise.
	innocent = regexp.MustCompile(`(?i)\b(?:no|not|nothing|none|never|neither|without|fewer|fewest|less|least|zero|hardly|minor|but|however|` +
		`yet|still|though|although)\b|n't\b`)
	worseLine = regexp.MustCompile(`(?i)^(?:the )?(?:loser|rejected|worse|weaker|worst|losing|2nd)(?: (?:answer|response|output|` +
		`one))?\s*[:=-]\s*(.*)$`)
)

// shortSentence has at most this many words less one: it may answer the sentence before it ("No, B.").
const shortSentence = 6

// blames matches a reason that may find fault with the other answer: "since B is wrong", or a sentence of its own.
var blames = regexp.MustCompile(`(?i)^\s*[,;:.–—-]?\s*(?:(?:because|since|as|for|given that)\s+)?(.*)$`)

// faults reports whether a sentence finds fault with the other answer and says no more.
func faults(s string, c data.Choice) bool {
	m := faulty.FindStringSubmatch(named(strings.TrimSpace(s)))
	return m != nil && sideOf(m[1]) == other(c) && !innocent.MatchString(s)
}

// calm reports whether the text after a choice neither corrects it nor speaks of the other answer as the better one.
func (r *reading) calm(rest string, c data.Choice) bool {
	if corrects.MatchString(rest) {
		return false
	}
	list, _ := r.prose(rest)
	for _, s := range list {
		if hardToJudge.MatchString(s) {
			return false
		}
		if m := worseLine.FindStringSubmatch(s); m != nil && c.Decided() && r.value(m[1]) == other(c) {
			continue
		}
		verdict := r.sentence(s, false)
		if verdict.verdict() && verdict.choice() != c {
			return false
		}
		against := c != data.ChoiceTie && namesOther(s, c) && !verdict.verdict() && !faults(s, c)
		switch {
		case against && speaksFor.MatchString(s) && !denies.MatchString(s),
			against && len(strings.Fields(s)) < shortSentence,
			against && !namesIt(s, c) && inPerson.MatchString(s):
			return false
		case takesBack.MatchString(s) && (c == data.ChoiceTie || !namesOther(s, c)):
			return false
		}
	}
	return true
}

// lastWord returns the verdict of sentences. It must be the last one, and the only one unless it is a conclusion.
func (r *reading) lastWord(list []string) data.Choice {
	claims := make([]claim, len(list))
	last := -1
	for i, s := range list {
		claims[i] = r.sentence(s, false)
		switch {
		case claims[i].verdict():
			last = i
		case corrects.MatchString(s):
			claims[i] = unclear
		}
	}
	if last < 0 {
		return ""
	}
	c := claims[last].choice()
	if !r.on(ruleLast) {
		return c
	}
	conclusion := last == len(list)-1 || concludes.MatchString(strings.Trim(list[last], " #*"))
	for i := range last {
		if claims[i].verdict() && claims[i].choice() != c && (!conclusion || i == 0) {
			return "" // one verdict first and another one last
		}
	}
	for i := last + 1; i < len(list); i++ {
		if !r.follows(list[i], claims[i], c) {
			return ""
		}
	}
	return c
}

// follows reports whether a sentence can stand after the last verdict.
func (r *reading) follows(s string, says claim, c data.Choice) bool {
	against := namesOther(s, c)
	if disagrees.MatchString(strings.TrimSpace(s)) {
		return false
	}
	if c != data.ChoiceTie && (faults(s, c) || deniesOther(s, c)) {
		return true
	}
	short := len(strings.Fields(s)) < shortSentence
	if c != data.ChoiceTie && against && (short || corrects.MatchString(s)) {
		return false
	}
	a, b := names(s)
	return says == saysNothing || !(against || corrects.MatchString(s) || c == data.ChoiceTie || !a && !b && short)
}

// deniesOther reports whether a sentence says that the other answer is not the better one.
func deniesOther(s string, c data.Choice) bool {
	m := notBetter.FindStringSubmatch(named(strings.TrimSpace(s)))
	return m != nil && sideOf(m[1]) == other(c)
}
