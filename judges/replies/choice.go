package replies

import (
	"errors"
	"slices"
	"strings"

	"compqa/data"
	"compqa/llm"
	"compqa/llm/structured"
)

// Undecidable is the choice of a reply that calls the pair too hard to judge.
const Undecidable data.Choice = "hard to judge"

// The errors if a reply has no choice, besides structured.ErrNone, ErrQuoted and ErrSeveral.
var (
	ErrThought   = errors.New("the reply is reasoning only: it has no end, or nothing follows it (start the server with its reasoning parser)")
	ErrTie       = errors.New("the reply says tie, but no tie was asked for")
	ErrEmpty     = errors.New("the line for the choice is empty, or names no answer")
	ErrDisturbed = errors.New("what follows the choice corrects it or speaks for the other answer")
)

// Ties says whether the judge may call a pair a tie.
type Ties bool

// The values of Ties.
const (
	WithTies    Ties = true
	WithoutTies Ties = false
)

// Choice reads which of two answers a reply prefers: a, b, a tie or Undecidable. judged holds the texts that the prompt shows; text that is
// quoted from them does not count. The error says why the choice is missing.
func Choice(reply string, judged structured.Material, ties Ties) (data.Choice, error) {
	return (&reading{judged: judged}).choose(reply, ties)
}

// choose reads the choice from a reply, without the model's reasoning.
func (r *reading) choose(reply string, ties Ties) (data.Choice, error) {
	raw, ok := r.withoutThought(reply)
	if !ok {
		return "", ErrThought
	}
	c, err := r.choice(raw)
	if err == nil && c == data.ChoiceTie && !ties {
		return "", ErrTie
	}
	return c, err
}

// A rule is one part of the reading that a test switches off, to show that some case needs it.
type rule string

const (
	ruleThought  rule = "reasoning is removed"
	ruleQuote    rule = "quoted text is not the judge's"
	ruleValue    rule = "a name with other words needs a reason that does not take it back"
	ruleAfter    rule = "nothing disturbs a choice afterwards"
	ruleAll      rule = "all choices in one kind of form agree"
	ruleLabels   rule = "other labels count where the asked form is absent"
	ruleLetters  rule = "a letter alone counts in the first or last line"
	ruleWhole    rule = "a whole sentence has a shape"
	ruleNegation rule = "a denied sentence is no verdict"
	ruleQuestion rule = "a question is no verdict"
	ruleClause   rule = "the main clause counts"
	ruleAspect   rule = "better at something is no verdict"
	ruleLast     rule = "the verdict is the last word"
)

var choiceRules = []rule{ruleThought, ruleQuote, ruleValue, ruleAfter, ruleAll, ruleLabels, ruleLetters, ruleWhole, ruleNegation,
	ruleQuestion,
	ruleClause, ruleAspect, ruleLast}

// A reading is the state of reading one reply.
type reading struct {
	judged       structured.Material
	quotes       [][2]int // byte ranges of the plain text that are quoted from the judged texts
	disabledRule rule     // the rule that a test switches off
}

// enabled reports whether a rule applies.
func (r *reading) enabled(name rule) bool { return r.disabledRule != name }

// withoutThought returns a reply without the model's reasoning. The bool is false if the reply is only reasoning.
func (r *reading) withoutThought(reply string) (string, bool) {
	reply = strings.ToValidUTF8(reply, "\ufffd")
	if !r.enabled(ruleThought) {
		return reply, true
	}
	return llm.WithoutThought(reply, r.judged.Text)
}

// quoted reports whether a part of a reply occurs word for word in the judged texts.
func (r *reading) quoted(part string) bool { return r.enabled(ruleQuote) && r.judged.Quotes(part) }

// A choicePlace is one place of a choice in a reply. bytesAfter is the number of bytes of plain text after it: a later place has fewer.
type choicePlace struct {
	choice     data.Choice // "" if the place names no answer
	bytesAfter int
}

// choice reads the choice from a reply without reasoning. It uses the first kind of place that the reply has: the form that prompts ask for
// ("Preferred: A"), another label ("Verdict: A"), a letter alone, a sentence.
func (r *reading) choice(raw string) (data.Choice, error) {
	text := normalized(raw)
	asked, quoted := r.requestedForms(raw, text)
	labels := []choicePlace(nil)
	solved := []choicePlace(nil)
	if r.enabled(ruleLabels) {
		labels = append(r.lines(text, otherLabel, true), turnedRound(r.lines(text, loserLabel, false))...)
		solved = append(r.namingAnswers(r.lines(text, answerLabel, false)), r.boxes(raw, text)...)
	}
	decisive := asked
	if len(decisive) == 0 {
		decisive = labels
	}
	if len(decisive) > 0 {
		return r.decided(decisive, append(labels, solved...), text)
	}
	if c, done, err := r.letters(text); done {
		return c, err
	}
	return r.bySentences(text, solved, quoted)
}

// turnedRound inverts choices that were read from lines naming the worse answer.
func turnedRound(list []choicePlace) []choicePlace {
	for i := range list {
		list[i].choice = otherAnswer(list[i].choice)
	}
	return list
}

// namingAnswers returns the places that name an answer.
func (r *reading) namingAnswers(list []choicePlace) []choicePlace {
	return slices.DeleteFunc(list, func(f choicePlace) bool { return f.choice == "" })
}

// decided returns the choice of all places of one kind, which must agree. Later places of other kinds must agree, too, and the text after
// the last place must not contradict it.
func (r *reading) decided(list, later []choicePlace, text string) (data.Choice, error) {
	last := slices.MinFunc(list, func(f, g choicePlace) int { return f.bytesAfter - g.bytesAfter })
	if !r.enabled(ruleAll) {
		return last.choice, nil
	}
	choices := data.Each(list, func(f choicePlace) data.Choice { return f.choice })
	for _, f := range later {
		if f.bytesAfter < last.bytesAfter && f.choice != "" {
			choices = append(choices, f.choice)
		}
	}
	c := choices[0]
	switch {
	case slices.Contains(choices, ""):
		return "", ErrEmpty
	case slices.ContainsFunc(choices, func(o data.Choice) bool { return o != c }):
		return "", structured.ErrSeveral
	case r.enabled(ruleAfter) && c != Undecidable && !r.calm(r.textAfter(text, len(text)-last.bytesAfter), c):
		return "", ErrDisturbed
	}
	return c, nil
}

// textAfter returns the text from a position on, without quoted lines.
func (r *reading) textAfter(text string, from int) string {
	var b strings.Builder
	from = max(0, from)
	for _, quote := range r.quotes {
		if quote[0] >= from {
			b.WriteString(text[from:quote[0]])
			from = quote[1]
		}
	}
	b.WriteString(text[from:])
	return b.String()
}

// finals match words before the name of a label: "my final".
const finals = `(?:(?:my|the|overall|final)\s+)*`

var (
	// askedLabel matches "Preferred: …", the form that prompts ask for.
	askedLabel = label(`preferred(?: (?:answer|choice|response|output|option|one|side|summary|text))?`)
	// otherLabel matches other labels of a verdict: "My final verdict: …", "Winner: …".
	otherLabel = label(finals + `(?:(?:verdict|choice|decision|judge?ment|preference|winner|pick|preferred|selection|ranking|vote)|1st|` +
		`(?:better|best|winning|chosen|stronger|superior)(?: (?:answer|response|output|option|choice|one|summary|text))?)`)
	// loserLabel matches labels that name the worse answer: "Loser: …".
	loserLabel = label(`(?:the )?(?:loser|rejected|worse|weaker|worst|losing|2nd)(?: (?:answer|response|output|one|summary|text))?`)
	// answerLabel matches labels with which a judge also gives its own solution of the task: "Answer: …".
	answerLabel = label(finals + `(?:answer|conclusion|result)`)

	// lineStart matches marks at the beginning of a line: quotes, headings, bullets, numbers.
	lineStart = newPattern(`^([\s>#•*|-]*)(?:\d+[.)]\s*)?`)
	// inBrackets, inTags and inBoxes match [[A]], <answer>A</answer> and \boxed{A}.
	inBrackets = newPattern(`\[\[\s*([^\[\]\n]{1,40}?)\s*\]\]`)
	inTags     = newPattern(`(?i)<(?:answer|verdict|choice|preferred|winner|decision)>\s*([^<>\n]{1,60}?)\s*</`)
	inBoxes    = newPattern(`\\(?:boxed|fbox)\s*\{\s*(?:\\text\w*\s*\{)?\s*(?:Answer |Response )?([AB])\s*\}`)
	// placeholder matches a form that was not filled in: <A or B>.
	placeholder = newPattern(`^[<\[(].*(?:\bor\b|,|/).*[>\])]$`)
)

// label returns a pattern for a line with one of the names: "Name: value", "Name - value", or the name alone. Group 1 is the value.
func label(names string) pattern {
	return newPattern(`(?i)^(?:` + names + `)\s*(?:(?:[:：=]|\s[-–—]\s|[-–—]\s)[ \t]*(.*)|)$`)
}

// longestHeading is the maximum length, in bytes, of a value in the line below a label without a colon.
const longestHeading = 24

// mostLabelled is the maximum number of words after a verdict's label. Longer text is prose, and read as sentences.
const mostLabelled = 8

// lines returns the choices of lines "label: value", or of a label and the line below it. Lines in quoted blocks count only if there are no
// others. heading says that a label can be a heading: with nothing or with prose after it, it is skipped, and the prose is read as
// sentences.
func (r *reading) lines(text string, label pattern, heading bool) []choicePlace {
	var direct, block []choicePlace
	left := len(text)
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		length := len(line)
		left -= length
		line = strings.TrimSpace(line)
		start := lineStart().FindString(line)
		m := label().FindStringSubmatch(strings.TrimRight(line[len(start):], "|* \t"))
		if m == nil {
			continue
		}
		value := strings.TrimSpace(m[1])
		after := left
		bare := !strings.ContainsAny(line, ":：=-–—")
		if value == "" {
			rest := strings.TrimLeft(text[len(text)-left:], " \t\r\n")
			value, _, _ = strings.Cut(rest, "\n")
			after = len(rest) - len(value)
			value = strings.TrimSpace(value)
			if heading && r.value(value) == "" || bare && (len(value) > longestHeading || value == "" || i+1 == len(lines)) {
				continue
			}
			line += "\n" + value
		}
		c := r.value(value)
		switch {
		case placeholder().MatchString(value) && !wholeName().MatchString(value):
			continue
		case r.quoted(line):
			r.quotes = append(r.quotes, [2]int{len(text) - left - length, len(text) - after})
			continue
		case heading && len(strings.Fields(value)) > mostLabelled && c == "":
			continue
		}
		if strings.Contains(start, ">") && r.enabled(ruleQuote) {
			block = append(block, choicePlace{c, after})
		} else {
			direct = append(direct, choicePlace{c, after})
		}
	}
	if direct != nil {
		return direct
	}
	return block
}

// requestedForms returns the choices in the forms that prompts ask for: the line "Preferred: A", [[A]], tags (<answer>A</answer>) and JSON
// objects with a verdict. quoted is true if a form was skipped because it is quoted from the judged texts.
func (r *reading) requestedForms(raw, text string) (list []choicePlace, quoted bool) {
	list = r.lines(text, askedLabel, false)
	add := func(part string, c data.Choice, left int) {
		if r.quoted(part) {
			quoted = true
			return
		}
		list = append(list, choicePlace{c, left})
	}
	for _, m := range inBrackets().FindAllStringSubmatchIndex(text, -1) {
		c := r.value(text[m[2]:m[3]])
		if strings.EqualFold(text[m[2]:m[3]], "c") { // MT-Bench's tie
			c = data.ChoiceTie
		}
		if c != "" || !note().MatchString(text[m[2]:m[3]]) {
			add(text[m[0]:m[1]], c, len(text)-m[1])
		}
	}
	for _, m := range inTags().FindAllStringSubmatchIndex(text, -1) {
		add(text[m[0]:m[1]], r.value(text[m[2]:m[3]]), len(text)-m[1])
	}
	index := 0
	place := placeIn(raw, text)
	structured.Scan(raw, structured.NoClaims, func(v structured.Value) {
		begin := index + max(0, strings.Index(raw[index:], v.Source))
		index = begin + len(v.Source)
		if r.enabled(ruleQuote) && inQuotes(raw[:begin], raw[index:]) {
			return
		}
		choices := r.objectChoices(v)
		if len(choices) == 0 {
			return
		}
		left := place.left(index)
		for _, c := range choices {
			add(v.Source, c, left)
		}
	})
	return list, quoted
}

// A places maps positions in a raw reply to the number of bytes of plain text after them. Positions must be asked for in ascending order.
type places struct {
	raw         string
	index, rest int
}

func placeIn(raw, text string) *places { return &places{raw: raw, rest: len(text)} }

func (p *places) left(end int) int {
	p.rest -= len(normalized(p.raw[p.index:end]))
	p.index = end
	return max(0, p.rest)
}

// note matches text in double brackets that is not a choice: [[note]].
var note = newPattern(`(?i)^[a-z ]{3,}$`)

// inQuotes reports whether a part of a reply has quotation marks around it. before and after are the text on either side.
func inQuotes(before, after string) bool {
	last, _ := lastRune(before)
	next, _ := firstRune(after)
	return strings.ContainsRune(`"“«'`, last) && strings.ContainsRune(`"”»'`, next)
}

// verdictKeys are the keys of a JSON object whose value is a verdict.
var (
	verdictKeys = []string{"winner", "preferred", "preference", "better", "better_answer", "best", "choice", "chosen", "verdict", "decision",
		"preferred_answer", "best_answer", "final_verdict", "final_answer", "final_decision", "final_choice", "preferred_response",
		"better_response",
		"overall_winner", "preferred_option", "preferred_output", "best_response"}
	furtherKey = newPattern(`^(?:(?:preferred|winner|verdict|choice|final)_after_\w+|revised_\w+|final_\w+)$`)
	// scopeKeys are keys that show that an object is about one aspect only.
	scopeKeys  = []string{"criterion", "aspect", "dimension", "category"}
	underscore = newPattern(`[\s-]+`)
)

// keyOf returns a key in lower case, with underscores for spaces and hyphens.
func keyOf(key string) string {
	return underscore().ReplaceAllString(strings.ToLower(strings.TrimSpace(strings.ReplaceAll(key, "\u200b", ""))), "_")
}

// objectChoices returns the choices under the verdict keys of a JSON object. A value is a text, or 1 or 2 unless the object also has a
// scale. Any other value adds "", a choice that cannot be read. An object about one aspect has no choice.
func (r *reading) objectChoices(v structured.Value) (list []data.Choice) {
	scale := false
	for _, m := range v.Members {
		if slices.Contains(scopeKeys, keyOf(m.Key)) {
			return nil
		}
		scale = scale || strings.Contains(keyOf(m.Key), "scale")
	}
	for _, m := range v.Members {
		key := keyOf(m.Key)
		if !slices.Contains(verdictKeys, key) && !furtherKey().MatchString(key) {
			continue
		}
		text := strings.TrimSpace(m.Value.Text)
		number := text == "1" || text == "2"
		switch {
		case m.Value.Members != nil || m.Value.Items != nil,
			number && (scale || m.Value.Unquoted && key == "preference"),
			m.Value.Unquoted && !number && !wholeName().MatchString(text) && !tieWord().MatchString(text):
			list = append(list, "")
		default:
			list = append(list, r.value(normalized(text)))
		}
	}
	return list
}

// boxes returns the choices in TeX boxes (\boxed{A}). Judges also write their own solution of a task in a box.
func (r *reading) boxes(raw, text string) (list []choicePlace) {
	place := placeIn(raw, text)
	for _, m := range inBoxes().FindAllStringSubmatchIndex(raw, -1) {
		list = append(list, choicePlace{sideOf(raw[m[2]:m[3]]), place.left(m[1])})
	}
	return list
}

var (
	// letterLine matches a line that is only a name: "A", "Answer (B)".
	letterLine = newPattern(`(?i)^(?:` + noun + `\s*)?[("'\[<]*([AB])[)"'\]>]*[.!]?$`)
	// comparedLine is a line that compares both answers and says no more: A > B.
	comparedLine = newPattern(`^(?i:` + noun + `\s*)?[AB]\s*(?:>{1,3}|<{1,3}|={1,2}|≈|~)\s*(?i:` + noun + `\s*)?[AB][.!]?$`)
	nounAndSpace = newPattern(`(?i)` + noun + `\s*`)
	// letterSign matches a sign that the letter in such a line is a name: it is a capital, in brackets, or after a noun.
	letterSign = newPattern(`[AB(]|(?i:answer|response|output|assistant|summary)`)
	lineSigns  = newPattern(`^[\s>#*-]+`)
	finished   = newPattern(`[.!?,)"'。|]$`)
	wordOfText = newPattern(`[a-z]{3}`)
	listItem   = newPattern(`^[-*•#>]`)
	bareTie    = newPattern(`(?i)^(?:a )?(?:tie|draw)$`)
)

// letters reads a line that is only a letter: the whole reply, the last line after a finished sentence, or the first line. done is true if
// there is such a line; then it decides, and c or err is the result. Lines that differ are not a choice. "Answer A" above a list is a
// heading, not a choice.
func (r *reading) letters(text string) (c data.Choice, done bool, err error) {
	if !r.enabled(ruleLetters) {
		return "", false, nil
	}
	var lines []string
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	if len(lines) == 1 {
		if c := bare(lines[0]); c != "" {
			return c, true, nil
		}
	}
	var alone []int
	var choices []data.Choice
	for i, line := range lines {
		stripped := lineSigns().ReplaceAllString(line, "")
		if comparedLine().MatchString(stripped) {
			alone = append(alone, i)
			choices = append(choices, r.value(nounAndSpace().ReplaceAllString(stripped, "")))
			continue
		}
		m := letterLine().FindStringSubmatch(stripped)
		if m == nil || !letterSign().MatchString(line) {
			continue
		}
		heading := wordOfText().MatchString(line)
		if heading && i != len(lines)-1 && (i != 0 || len(lines) >= 3 && listItem().MatchString(lines[1])) {
			continue
		}
		alone = append(alone, i)
		choices = append(choices, sideOf(m[1]))
	}
	if alone == nil {
		return "", false, nil
	}
	c = choices[len(choices)-1]
	i := alone[len(alone)-1]
	switch {
	case slices.ContainsFunc(choices, func(o data.Choice) bool { return o != c }), c == "":
		return "", true, structured.ErrSeveral
	case i == len(lines)-1 && (len(alone) == len(lines) || finished().MatchString(lines[i-1]) || listItem().MatchString(lines[i-1])):
		return c, true, nil
	case i != len(lines)-1 && alone[0] == 0 && !startsSmall(lines[1]) && r.calm(strings.Join(lines[1:], "\n"), c):
		return c, true, nil
	}
	return "", true, structured.ErrNone
}

func startsSmall(line string) bool {
	return strings.ToLower(line[:1]) == line[:1] && strings.ToUpper(line[:1]) != line[:1]
}

// bare returns the choice of a reply of one line that is only a name, "tie" or "hard to judge", or "".
func bare(line string) data.Choice {
	line = strings.TrimSpace(strings.TrimRight(strings.Trim(line, " *_`#>"), ".!"))
	for _, form := range []pattern{wholeName, wholePlace} {
		if m := form().FindStringSubmatch(line); m != nil {
			return sideOf(m[1])
		}
	}
	switch {
	case bareTie().MatchString(line):
		return data.ChoiceTie
	case hardToJudge().MatchString(line):
		return Undecidable
	}
	return ""
}

var (
	// quotation matches text of three or more words in quotation marks; quoteLine a line of a quoted block.
	quotation = newPattern(`"[^"\n]*\s[^"\n]*\s[^"\n]*"`)
	quoteLine = newPattern(`(?m)^\s*>.*$`)
)

// prose returns the judge's own sentences: without those in quotation marks, in quoted blocks or from the judged texts. quotes is true if a
// sentence from the judged texts would judge.
func (r *reading) prose(text string) (list []string, quotes bool) {
	if !r.enabled(ruleQuote) {
		return sentences(text), false
	}
	for _, s := range sentences(quoteLine().ReplaceAllString(quotation().ReplaceAllString(text, " … "), "")) {
		if r.quoted(s) {
			quotes = quotes || judging().MatchString(s)
			continue
		}
		list = append(list, s)
	}
	return list, quotes
}

// bySentences returns the verdict of the sentences. A last line "Answer: B" also decides, if the sentences do not contradict it. solved
// holds the places of such lines and boxes; quoted says that a quoted choice was skipped.
func (r *reading) bySentences(text string, solved []choicePlace, quoted bool) (data.Choice, error) {
	prose, quotes := r.prose(text)
	quoted = quoted || quotes
	c := r.lastWord(prose)
	if len(solved) > 0 {
		last := slices.MinFunc(solved, func(f, g choicePlace) int { return f.bytesAfter - g.bytesAfter })
		if !strings.ContainsFunc(text[max(0, len(text)-last.bytesAfter):], isWord) {
			for _, f := range solved {
				if f.choice != last.choice || c != "" && c != f.choice {
					return "", structured.ErrSeveral
				}
			}
			return last.choice, nil
		}
	}
	switch {
	case c != "":
		return c, nil
	case quoted:
		return "", structured.ErrQuoted
	}
	return "", structured.ErrNone
}
