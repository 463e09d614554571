package replies

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"compqa/data"
)

// A claim is what a sentence says of the two answers as a whole: a choice (a, b, tie), or one of the constants below.
type claim string

// The values of a claim that is not a choice.
const (
	saysNothing claim = ""  // it does not compare the answers
	unclear     claim = "?" // it compares the answers, but is not a verdict
)

// choice returns the choice of a verdict, or "" for another claim.
func (s claim) choice() data.Choice {
	if s == unclear {
		return ""
	}
	return data.Choice(s)
}

// verdict reports whether the claim is a choice.
func (s claim) verdict() bool { return s != saysNothing && s != unclear }

// Parts of the shapes. ‹A› and ‹B› stand for the answers' names, which can have a possessive: "Response B's answer".
const (
	possessive = `(?:'s(?: ` + noun + `| solution)?)?`
	answerMark = `‹([AB])›` + possessive
	eitherMark = `‹[AB]›` + possessive
	adverbs    = `(?:(?:clearly|overall|therefore|thus|hence|slightly|much|significantly|marginally|somewhat|definitely|far|the|a|` +
		`still|simply|` +
		`ultimately|indeed|generally|by far|considerably|noticeably|also|only|just|bit|little|substantially|decisively|more|strongly) )*`
	betterWords = `(?:better|best|superior|stronger|preferable|preferred|(?:clear )?winner)`
	more        = `more (?:helpful|useful|accurate|correct|complete|comprehensive|reliable|convincing|satisfying|appropriate)` +
		`(?:(?:,| and|, and) (?:more )?[a-z]+)*(?: (?:to|for) the (?:user|reader|asker))?`
	thanPhrase = `(?: (?:` + noun + `|choice|response|overall|here|one))*(?: (?:than|to|over|of the two|between the two|compared to|` +
		`in comparison to)` +
		`(?: (?:the )?(?:` + eitherMark + `|other(?: ` + noun + `)?|two))?)?(?: overall| here)?`
	aspect       = `(?P<aspect>(?: (?:in|on|at|for|with|regarding|when|as regards|from|by) [^.;]*)?)`
	reasonPhrase = `(?:[,:;—–-]? ?(?:because|since|as|due to|given|thanks to|for its|for the|which|making|providing|offering|` +
		`demonstrating|by a|` +
		`by far|—|–|:|\() ?.*|, (?:not|with|so|and|as|because|since|for) .*)?`
)

// A verdictPattern is a pattern that a whole sentence matches if it is a verdict. Its first group is the letter of the answer that it
// names.
type verdictPattern struct {
	pattern    pattern
	conclusion bool // the shape counts only after words such as "Overall", or in the place of a choice ("Preferred: …")
}

// whole returns a shape that a sentence must match from beginning to end.
func whole(expression string) verdictPattern {
	return verdictPattern{newPattern(`(?i)^(?:` + expression + `)$`), false}
}

// concluding returns a shape for which conclusion is true.
func concluding(expression string) verdictPattern {
	s := whole(expression)
	s.conclusion = true
	return s
}

var betterShapes = []verdictPattern{
	whole(answerMark + ` (?:is|was|seems(?: to be)?|appears(?: to be)?|remains|stands out as|comes out as) ` + adverbs + betterWords +
		thanPhrase + aspect + reasonPhrase),
	concluding(answerMark + ` (?:is|was|seems|appears) ` + adverbs + more + thanPhrase + aspect + reasonPhrase),
	whole(answerMark + ` ` + adverbs + `(?:wins|(?:outperforms|beats|surpasses|edges out|is better than) (?:` + eitherMark + `|the other)|` +
		`takes (?:it|the win)|` +
		`deserves the win|comes out (?:ahead|on top)|leads|has the edge|edges it|takes this(?: one)?|is the one i(?:'d| would) (?:pick|` +
		`choose)|it is)` +
		thanPhrase + aspect + reasonPhrase),
	whole(`(?:so )?(?:the |my )?(?:overall )?(?:final )?` + adverbs + `(?:better|best|preferred|superior|stronger|winning|choice|` +
		`preference|pick|winner|` +
		`decision|vote|verdict|final answer)(?: ` + noun + `| choice)?(?: overall)? (?:is|goes to|would be|lies with|must be|` +
		`has to be)(?: that)? ` +
		answerMark + reasonPhrase),
	whole(`i(?:'d| would| will|'ll|'m| am| have to| must| do| can)? ?` + adverbs + `(?:prefer|choose|pick|select|favor|favour|go with|` +
		`vote for|recommend|` +
		`opt for|side with|lean(?: \w+)? towards?|leaning towards?|going with|am going with) ` + answerMark + `(?: over (?:` + eitherMark +
		`|the other))?` +
		thanPhrase + aspect + reasonPhrase),
	whole(`i (?:find|consider|judge|deem|rate|believe|think)(?: that)? ` + answerMark + `(?: (?:to be|is))? ` + adverbs + betterWords +
		thanPhrase + aspect + reasonPhrase),
	whole(answerMark + ` to be ` + adverbs + betterWords + thanPhrase + reasonPhrase), // the rest of "I find that … to be better"
	concluding(`(?:so,?|therefore,?|thus,?|hence,?|:)? ?` + answerMark),
	concluding(answerMark + `(?:,|, and) not ` + eitherMark),
	whole(`(?:a |the )?(?:slight |small |clear )?(?:edge|advantage|win)(?: goes)? (?:to|for) ` + answerMark + reasonPhrase),
	whole(`the (?:` + noun + `|one) (?:that |which )?i (?:prefer|choose|would choose|pick|favou?r|recommend) is ` + answerMark + reasonPhrase),
	whole(answerMark + ` .*, making (?:it|them) ` + adverbs + betterWords + thanPhrase + reasonPhrase),
}

var worseShapes = []verdictPattern{
	whole(answerMark + ` is ` + adverbs + `(?:worse|weaker|inferior|less (?:helpful|accurate|good))(?: than| to) ` + eitherMark +
		reasonPhrase),
	whole(`the ` + adverbs + `(?:worse|weaker|inferior|losing|worst)(?: ` + noun + `)? is ` + answerMark),
	whole(answerMark + ` (?:loses to|is beaten by|is outperformed by) ` + eitherMark + reasonPhrase),
	whole(answerMark + ` is not as good as ` + eitherMark),
	whole(`not ` + answerMark),
}

var tieShapes = []verdictPattern{
	whole(`(?:the )?(?:both|two|they|` + eitherMark + ` and ` + eitherMark + `)\b[^.;]{0,60}?\b(?:equally (?:good|bad|well|valid|helpful|` +
		`correct|strong|` +
		`weak|poor)|(?:of|to be of) (?:relatively )?(?:equal|the same|similar|comparable) quality|(?:are|is) (?:equal|tied|` +
		`a tie))` + aspect + reasonPhrase),
	whole(`(?:so |i (?:consider|call|judge|declare|would call) (?:this|it) |(?:it|this)(?:'s| is) |` +
		`(?:i )?(?:therefore )?(?:would )?call it )(?:a )?` +
		`(?:tie|draw)` + aspect + reasonPhrase),
	whole(`(?:so )?i have no preference`),
}

// shortTie matches a tie that is a conclusion or a sentence of fewer than five words.
var shortTie = whole(`(?:a |an )?(?:tie|draw)(?:,? relatively the same)?`)

// conclusionWords match the words that begin a conclusion.
const conclusionWords = `(?i)^(?:overall|therefore|thus|hence|in (?:conclusion|summary|sum|short|the end|total|my (?:opinion|` +
	`judge?ment|view|` +
	`evaluation))|ultimately|consequently|so|all in all|finally|to conclude|to sum up|considering (?:all|everything|these)[^,]*|` +
	`based on (?:this|these|the)[^,]*|given (?:this|these|all)[^,]*|taking [^,]*|on balance|for these reasons|conclusion|` +
	`final (?:verdict|decision|answer|choice|judge?ment)|verdict|my (?:final )?(?:verdict|decision|choice|judge?ment)(?: is)?|as such|` +
	`accordingly|all things considered|as a result|taking everything into account|on the whole|` +
	`(?:after|upon|on) (?:considering|comparing|weighing|reviewing|analy[sz]ing|evaluating|examining|(?:an? )?(?:(?:careful|close|thorough|` +
	`due|detailed|full|long|some|further) )?(?:consideration|reflection|comparison|reading|review|analysis|evaluation|examination|` +
	`deliberation|thought))[^,]*|having (?:considered|compared|weighed|reviewed|read|analy[sz]ed|evaluated|examined)[^,]*)\b`

var (
	// concludes matches a sentence that begins a conclusion; conclusionStart also matches "Overall, it is clear that".
	concludes       = newPattern(conclusionWords)
	conclusionStart = newPattern(conclusionWords + `(?:[,:]? (?:that|is that|is|it is clear that|i conclude that|` +
		`i believe(?: that)?|` +
		`i think(?: that)?|we can say that)\b)?[,:]?\s*`)
	opening = newPattern(`(?i)^(?:it is (?:clear|evident|my view) that|clearly,|in short,|still,|and|also,)\s+`)
	// believing matches the opening of "I believe that ‹A› …".
	believing = newPattern(`(?i)^i (?:have |would |can |will )?(?:believe|think|conclude|say|evaluate|determine|find|decide|judge)d?` +
		`(?: that)? (‹)`)
	// The next patterns find the clause that counts: leadingClause in "While B is longer, A is better.", soI in "A is shorter so I prefer
	// B", turning in "A is shorter, but B is right", trailingClause in "A is better, although it is longer." beforeReason matches the
	// beginning of a reason, whose words do not deny the verdict: "A is better because B is not right". judging matches words that compare
	// the answers.
	leadingClause = newPattern(`(?i)^(?:while|although|though|even though|despite|whereas|since|because|given|as|if i had to choose|` +
		`between the two|of the two)\b[^,]*,\s*((?:(?:i|it|the|this|my)\b|‹).*)$`)
	soI            = newPattern(`(?i)\s+so\s+(i\b)|\s+and (i (?:choose|prefer|pick)\b)`)
	turning        = newPattern(`(?i)(?:,|;)?\s+(?:but|yet)\s+|;\s+(?:however,\s*)?|,\s+so\s+`)
	lastWords      = newPattern(`(?i)^(?:overall|ultimately|in the end|therefore)[, ]+`)
	trailingClause = newPattern(`(?i),?\s+(?:though|although|while|whereas|even if|however)\b(.*)$`)
	beforeReason   = newPattern(`(?i)\b(?:because|since|due to|as it|as the|given)\b|, with|, as|: |\(|,(?: and)? not ‹| — | – `)
	judging        = newPattern(`(?i)\b(?:better|best|superior|stronger|prefer\w*|winner|wins?|tie|draw|equal\w*|worse|weaker|` +
		`inferior|choose|pick|` +
		`outperforms|beats|loses?|leads|tied)\b`)
	// denies matches words that deny a verdict: "I doubt that A is better".
	denies = newPattern(`(?i)\b(?:not|no|never|nor|neither|none|hardly|barely|scarcely|cannot|without|nobody|nothing|untrue|` +
		`false|wrong|` +
		`incorrect|mistaken|doubt\w*|den(?:y|ies|ied)|disagree\w*|refus\w*|unable|far from|anything but|fail\w*|less|lacks?|worse|weaker|` +
		`inferior|` +
		`los(?:es|er|ing)|rejected)\b|n't\b`)
	// corrects matches words that take back what was said before: "Wait, I mixed them up."
	corrects = newPattern(`(?i)\b(?:edit|correction|erratum|update)\s*:|\b(?:correcting|wait|hmm+|actually|on (?:second|` +
		`further|closer) \w+|` +
		`on reflection|in retrospect|sorry|apolog\w+|mix(?:ed)?(?: \w+)? up|i meant|should (?:read|be|say)|(?:scratch|strike) that|` +
		`take (?:that|it) back|never ?mind|oops|kidding|wrong (?:letter|label|one)|disqualif\w*|chang(?:e|ed|ing) my|reconsider\w*|i was wrong|` +
		`swapped|update after|mistake|revis\w+|joking|disregard|ignore (?:that|this|the above|my)|the (?:right|correct) (?:choice|verdict|` +
		`one))\b`)
	// depends matches words that make a verdict conditional: "if", "might", "hard to".
	depends = newPattern(`(?i)\b(?:if|unless|depends?|depending|otherwise|either|would have|could have|might|may|maybe|perhaps|` +
		`hard to|` +
		`difficult to|unclear|tempt\w*|were it)\b`)
	// exceptFor matches "anything but", which inverts a sentence.
	exceptFor = newPattern(`(?i)\b(?:anything|nothing|none|all|everything) but\b`)
	// notWorse, notEven and noTie match denials in sentences about the worse answer and about ties.
	notWorse = newPattern(`(?i)\bnot (?:worse|weaker|inferior)|n't`)
	notEven  = newPattern(`(?i)\bnot\b|n't\b`)
	noTie    = newPattern(`(?i)\bno (\w+)`)
	// limited matches words that restrict a verdict: "A is better only in style".
	limited = newPattern(`(?i)\b(?:except|only (?:in|on|at|for|with|when|by|from)|at first|on paper|so far|initially)\b`)
	// asWorse matches a verdict that names the worse answer at its end: "I choose A as the worse answer".
	asWorse = newPattern(`(?i)\bas (?:the|my|an?) (?:\w+ )?(?:worse|worst|weaker|weakest|loser|losing|inferior|bad)\b`)
)

// sentence returns what a whole sentence claims. strict says that the sentence is in the place of a choice ("Preferred: …").
//
// In order: a question is not a verdict. Names become ‹A› and ‹B›, words that open a conclusion are removed, and the main clause is
// kept. Then the shapes for the worse answer, a tie and the better answer are tried. If none fits, a sentence that compares is unclear.
func (r *reading) sentence(s string, strict bool) claim {
	s = strings.Trim(strings.Join(strings.Fields(s), " "), " \"'-•>#:")
	doubt := saysNothing
	if !strict && judging().MatchString(s) {
		doubt = unclear
	}
	question := strings.HasSuffix(strings.TrimRight(s, `"' `), "?")
	if r.enabled(ruleNegation) && exceptFor().MatchString(s) || r.enabled(ruleQuestion) && question {
		return doubt
	}
	body := markNames(s)
	if !strict && doubt == saysNothing && !strings.Contains(body, "‹") {
		return saysNothing
	}
	conclusion := concludes().MatchString(s)
	body = withoutOpening(body, conclusion)
	compares := conclusion && turning().MatchString(body) // "A is better in tone, but B in facts" is not a verdict
	if r.enabled(ruleClause) {
		var unstated bool
		body, unstated = mainClause(body, doubt == unclear)
		if unstated {
			return doubt
		}
	}
	body = strings.Trim(body, " .!\"'")
	if c := r.worseVerdict(body); c != "" {
		return claim(c)
	}
	if tie, is := r.tie(body, conclusion || strict || len(strings.Fields(s)) < 5); is {
		if tie {
			return claim(data.ChoiceTie)
		}
		return doubt
	}
	if compares && r.enabled(ruleAspect) && r.betterVerdict(body, false, strict, doubt) != r.betterVerdict(body, true, strict, doubt) {
		return doubt
	}
	return r.betterVerdict(body, conclusion, strict, doubt)
}

// withoutOpening removes the words that open a conclusion: "Therefore, my final verdict is that".
func withoutOpening(body string, conclusion bool) string {
	for conclusion {
		rest := conclusionStart().ReplaceAllString(body, "")
		if rest == body {
			break
		}
		body = rest
	}
	body = opening().ReplaceAllString(body, "")
	return believing().ReplaceAllString(body, "$1")
}

// mainClause returns the clause that counts: without a clause with "while" before it, and of two clauses with "but" between them the last.
// unstated is true if another clause judges otherwise, or if the last clause does not judge although the sentence does (judges).
func mainClause(body string, judges bool) (clause string, unstated bool) {
	if m := leadingClause().FindStringSubmatch(body); m != nil {
		body = m[1]
	}
	parts := turning().Split(soI().ReplaceAllString(body, "; $1$2"), -1)
	kept := parts[:0]
	for _, part := range parts {
		if strings.TrimSpace(part) != "" {
			kept = append(kept, part)
		}
	}
	if len(kept) > 1 {
		body = lastWords().ReplaceAllString(kept[len(kept)-1], "")
		if !judging().MatchString(body) && judges && !marks().MatchString(body) {
			return body, true
		}
	}
	if match := trailingClause().FindStringSubmatchIndex(body); match != nil {
		trailing := body[match[2]:match[3]]
		if marks().MatchString(trailing) && judging().MatchString(trailing) || depends().MatchString(trailing) {
			return body, true
		}
		body = body[:match[0]]
	}
	return body, false
}

// worseVerdict returns the choice of a sentence that names the worse answer: the other answer. It returns "" for any other sentence.
func (r *reading) worseVerdict(body string) data.Choice {
	for _, s := range worseShapes {
		m := s.pattern().FindStringSubmatch(body)
		if m != nil && !notWorse().MatchString(body) && !depends().MatchString(body) {
			return otherAnswer(sideOf(m[1]))
		}
	}
	return ""
}

// otherAnswer returns the other answer, or "" for a tie or no choice.
func otherAnswer(c data.Choice) data.Choice {
	switch c {
	case data.ChoiceA:
		return data.ChoiceB
	case data.ChoiceB:
		return data.ChoiceA
	}
	return ""
}

// tie reports whether a sentence has the shape of a tie (is), and whether it means a tie: it does not if it denies one, or is about one
// aspect only. short allows the words "a tie" alone.
func (r *reading) tie(body string, short bool) (tie, is bool) {
	if short && shortTie.pattern().MatchString(body) {
		return true, true
	}
	for _, s := range tieShapes {
		m := s.pattern().FindStringSubmatch(body)
		if m == nil {
			continue
		}
		denied := notEven().MatchString(body)
		for _, no := range noTie().FindAllStringSubmatch(body, -1) {
			denied = denied || !strings.EqualFold(no[1], "preference")
		}
		onAspect := s.onAspect(m)
		return !(denied && r.enabled(ruleNegation) || onAspect && r.enabled(ruleAspect)), true
	}
	return false, false
}

// betterVerdict returns the verdict of a sentence that names the better answer. It returns doubt if no shape fits, or if the sentence
// denies or limits the verdict.
func (r *reading) betterVerdict(body string, conclusion, strict bool, doubt claim) claim {
	for _, s := range betterShapes {
		m := s.pattern().FindStringSubmatch(body)
		if m == nil && !r.enabled(ruleWhole) {
			if m = partOf(s).FindStringSubmatch(body); m != nil {
				return claim(sideOf(m[1]))
			}
		}
		if m == nil || s.conclusion && !conclusion && !strict {
			continue
		}
		before := beforeReason().Split(body, 2)[0]
		if r.enabled(ruleNegation) && (denies().MatchString(before) || limited().MatchString(before) || corrects().MatchString(body) ||
			asWorse().MatchString(body)) {
			return doubt
		}
		if r.enabled(ruleAspect) && s.onAspect(m) && !conclusion {
			return doubt
		}
		return claim(sideOf(m[1]))
	}
	return doubt
}

// partOf returns a shape's pattern for any part of a sentence. Only the test without ruleWhole uses it.
func partOf(s verdictPattern) *regexp.Regexp {
	expression := strings.TrimSuffix(strings.TrimPrefix(s.pattern().String(), `(?i)^`), `$`)
	return regexp.MustCompile(`(?i)` + expression)
}

// ofTask matches text that looks like an aspect but means the task: "better for the given question".
var ofTask = newPattern(`(?i)^(?:for|in answering|at answering|as regards|with regard to) (?:the|this|that) (?:given |user's )?` +
	`(?:instruction|question|task|prompt|user|query|request)$`)

// onAspect reports whether a sentence with this shape's match m is about one aspect only: "A is better in tone".
func (s verdictPattern) onAspect(m []string) bool {
	i := s.pattern().SubexpIndex("aspect")
	if i < 0 {
		return false
	}
	aspect := strings.TrimSpace(m[i])
	return aspect != "" && !ofTask().MatchString(aspect)
}

var (
	item        = newPattern(`^\s*(?:[-*•>#]+|\d+[.)])\s*`)
	sentenceEnd = newPattern(`[.!?]["')]*\s+["'(]*(?:\p{Lu}|‹)`)
)

// sentences splits a text into sentences, line by line, without list marks.
func sentences(t string) (list []string) {
	for line := range strings.Lines(t) {
		line = item().ReplaceAllString(strings.TrimRight(line, "\n"), "")
		for {
			end := sentenceEnd().FindStringIndex(line)
			if end == nil {
				break
			}
			space := end[0] + strings.IndexFunc(line[end[0]:end[1]], unicode.IsSpace)
			list = append(list, strings.TrimSpace(line[:space]))
			line = strings.TrimSpace(line[space:])
		}
		if strings.TrimSpace(line) != "" {
			list = append(list, strings.TrimSpace(line))
		}
	}
	return list
}

func isWord(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) }

func firstRune(s string) (rune, int) {
	c, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return ' ', 0
	}
	return c, size
}

func lastRune(s string) (rune, int) {
	c, size := utf8.DecodeLastRuneInString(s)
	if size == 0 {
		return ' ', 0
	}
	return c, size
}
