package replies

import (
	"strings"

	"compqa/data"
)

var (
	// speaksFor matches words that speak for an answer.
	speaksFor = newPattern(`(?i)\b(?:better|best|superior|stronger|prefer\w*|winner|wins|choose|pick\w*|choice|deserves)\b`)
	inPerson  = newPattern(`\bI\b`)
	// takesBack matches a denied choice: "I would not recommend".
	takesBack = newPattern(`(?i)\b(?:not|n't|never|cannot) (?:\w+ )?(?:recommend|prefer|choose|pick|better|best|my (?:choice|` +
		`verdict))`)
	// disagrees matches a sentence that contradicts the sentence before it: "No, B."
	disagrees = newPattern(`(?i)^(?:no\b|not\b|certainly not|they are (?:mistaken|wrong)|i disagree|still, it loses|` +
		`that is (?:not|wrong|false))`)
	// notBetter matches a sentence that denies that an answer is better.
	notBetter = newPattern(`(?i)^‹([AB])›(?:'s \w+)? is not (?:the )?better\b`)
	// faulty matches a short sentence that only finds fault with an answer, and so does not speak for it.
	faulty = newPattern(`(?i)^‹([AB])› (?:(?:also|only|just|simply) )?(?:invents|misses|lacks|ignores|omits|repeats|fails|` +
		`rambles|contradicts|` +
		`makes up|misreads|misstates|is (?:wrong|incorrect|inaccurate|incomplete|vague|too \w+|worse|weaker)|` +
		`(?:has|contains|includes|makes|gives|states) (?:\w+ ){0,3}?(?:errors?|mistakes?|inaccurac\w+|faults?|flaws?|falsehoods?|` +
		`hallucinations?|(?:wrong|false|incorrect|invented) \w+))\b`)
	// innocent matches words with which such a sentence does not find fault, or adds something else.
	innocent = newPattern(`(?i)\b(?:no|not|nothing|none|never|neither|without|fewer|fewest|less|least|zero|hardly|minor|but|however|` +
		`yet|still|though|although)\b|n't\b`)
	// worseLine matches a line that names the worse answer after the choice: "Loser: B".
	worseLine = newPattern(`(?i)^(?:the )?(?:loser|rejected|worse|weaker|worst|losing|2nd)(?: (?:answer|response|output|` +
		`one))?\s*[:=-]\s*(.*)$`)
)

// shortSentence is a number of words. A sentence with fewer can answer the sentence before it ("No, B.").
const shortSentence = 6

// blames matches a reason that can find fault with the other answer: "since B is wrong", or a sentence of its own. Group 1 is the fault.
var blames = newPattern(`(?i)^\s*[,;:.–—-]?\s*(?:(?:because|since|as|for|given that)\s+)?(.*)$`)

// faults reports whether a sentence finds fault with the answer that is not the choice c, and says nothing else.
func faults(s string, c data.Choice) bool {
	m := faulty().FindStringSubmatch(markNames(strings.TrimSpace(s)))
	return m != nil && sideOf(m[1]) == otherAnswer(c) && !innocent().MatchString(s)
}

// calm reports whether the text after choice c neither corrects the choice nor speaks for the other answer.
func (r *reading) calm(rest string, c data.Choice) bool {
	if corrects().MatchString(rest) {
		return false
	}
	list, _ := r.prose(rest)
	for _, s := range list {
		if hardToJudge().MatchString(s) {
			return false
		}
		if m := worseLine().FindStringSubmatch(s); m != nil && c.Decided() && r.value(m[1]) == otherAnswer(c) {
			continue
		}
		verdict := r.sentence(s, false)
		if verdict.verdict() && verdict.choice() != c {
			return false
		}
		against := c != data.ChoiceTie && namesOther(s, c) && !verdict.verdict() && !faults(s, c)
		switch {
		case against && speaksFor().MatchString(s) && !denies().MatchString(s),
			against && len(strings.Fields(s)) < shortSentence,
			against && !namesIt(s, c) && inPerson().MatchString(s):
			return false
		case takesBack().MatchString(s) && (c == data.ChoiceTie || !namesOther(s, c)):
			return false
		}
	}
	return true
}

// lastWord returns the choice of the last verdict in a list of sentences. It returns "" if a later sentence contradicts it, or if an
// earlier verdict differs. A concluding verdict may differ from earlier ones, but not from one in the first sentence.
func (r *reading) lastWord(list []string) data.Choice {
	claims := make([]claim, len(list))
	last := -1
	for i, s := range list {
		claims[i] = r.sentence(s, false)
		switch {
		case claims[i].verdict():
			last = i
		case corrects().MatchString(s):
			claims[i] = unclear
		}
	}
	if last < 0 {
		return ""
	}
	c := claims[last].choice()
	if !r.enabled(ruleLast) {
		return c
	}
	conclusion := last == len(list)-1 || concludes().MatchString(strings.Trim(list[last], " #*"))
	for i := range last {
		if claims[i].verdict() && claims[i].choice() != c && (!conclusion || i == 0) {
			return "" // the first sentence, or a verdict before one that is not a conclusion, differs
		}
	}
	for i := last + 1; i < len(list); i++ {
		if !r.mayFollow(list[i], claims[i], c) {
			return ""
		}
	}
	return c
}

// mayFollow reports whether a sentence can come after the verdict c without making it doubtful. says is what the sentence claims.
func (r *reading) mayFollow(s string, says claim, c data.Choice) bool {
	against := namesOther(s, c)
	if disagrees().MatchString(strings.TrimSpace(s)) {
		return false
	}
	if c != data.ChoiceTie && (faults(s, c) || deniesOther(s, c)) {
		return true
	}
	short := len(strings.Fields(s)) < shortSentence
	if c != data.ChoiceTie && against && (short || corrects().MatchString(s)) {
		return false
	}
	a, b := names(s)
	return says == saysNothing || !(against || corrects().MatchString(s) || c == data.ChoiceTie || !a && !b && short)
}

// deniesOther reports whether a sentence says that the answer that is not c is not the better one.
func deniesOther(s string, c data.Choice) bool {
	m := notBetter().FindStringSubmatch(markNames(strings.TrimSpace(s)))
	return m != nil && sideOf(m[1]) == otherAnswer(c)
}
