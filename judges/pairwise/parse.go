package pairwise

import (
	"regexp"
	"strings"

	"compqa/data"
	"compqa/llm/structured"
)

// parserVersion is incremented when a reply is parsed differently.
const parserVersion = 6

// Names of the two answers in replies to this package's prompts and others, for example LLMBar's "Output (a)".
const (
	noun = `(?:answers?|responses?|outputs?|summar(?:y|ies)|candidates?|options?|texts?|assistants?|models?|repl(?:y|ies)|` +
		`documents?|translations?|comments?|posts?|essays?|stor(?:y|ies)|articles?)`
	name = `[("'\[<*]*([aAbB12])[)"'\]>*]*`
)

var (
	preferredLine = labelledLine(`preferred(?: (?:answer|choice|response|output))?`)
	moreLine      = labelledLine(`more consistent(?: table)?`)

	// bareName matches a text that is only a name: A, (b), Output (a), Answer 2.
	bareName = regexp.MustCompile(`(?i)^(?:the\s+)?(?:(?:` + noun + `|table)\s*)?` + name + `[.!]?$`)
	// lastName matches a last line that is only a letter, as the prompts ask for it.
	lastName = regexp.MustCompile(`(?:^|\n)[\s*_]*(?:(?i:` + noun + `)\s*)?[("'\[<*]*([AB])[)"'\]>*_]*[.!]?\s*$`)
	// lineName matches any such line.
	lineName = regexp.MustCompile(`(?m)^[\s*_]*(?:(?i:` + noun + `)\s*)?[("'\[<*]*([AB])[)"'\]>*_]*[.!]?\s*$`)
	// leadingName matches a capital letter or digit before other text: "B, as it …".
	leadingName = regexp.MustCompile(`^[("'\[<*]*(?:(?i:` + noun +
		`|table)\s*)?[("'\[<*]*([AB12])[)"'\]>*]*\s*(?:[.,;:()–—-]|because\b|since\b|as\b|is\b)`)
	// statement matches a sentence like "answer A is better".
	statement = regexp.MustCompile(`(?i)\b` + noun + `\s*` + name +
		`\s+is\s+(?:clearly |overall |therefore |thus |slightly |much |significantly )?(?:the )?better\b`)
	// betterIs matches a sentence like "the better answer is A".
	betterIs = regexp.MustCompile(`(?i)\b(?:better|preferred)\s+` + noun + `\s+is\s+(?:` + noun + `\s*)?` + name + `(?:[\s.,;]|$)`)
	// evenly matches a sentence that calls both equal.
	evenly = regexp.MustCompile(`(?i)\b(?:both\b[^.\n]{0,80}\b)?equally (?:good|bad|well|poor|valid|helpful|correct)\b|` +
		`\bit(?:'s| is) a tie\b`)
	tiedText = regexp.MustCompile(`(?i)^[^a-z]*(?:a )?(?:tied?|equal(?:ly)?|both|neither|draw|same|no preference)\b`)
)

// negated matches the text of a sentence before a statement that it denies, doubts or only considers: "it is not true that".
// A clause that begins anew (", so answer A is better") is not denied by what stands before it.
var (
	negated = regexp.MustCompile(`(?i)(?:\b(?:not|never|neither|nor|whether|if|unless|untrue|false|doubt|doubtful|wrong|incorrect|` +
		`hardly|cannot)\b|n['’]t\b)[^.!?\n]*$`)
	clause = regexp.MustCompile(`(?i)[,;:—]\s*|\b(?:so|but|and|because|therefore|thus|hence|while|although|though)\b\s*`)
	that   = regexp.MustCompile(`(?i)^[,;:—\s]*that\b`)
)

// denied reports whether the sentence of a statement at a place of a reply says that it is not so.
func denied(reply string, at int) bool {
	before := reply[:at]
	if end := strings.LastIndexAny(before, ".!?\n"); end >= 0 {
		before = before[end+1:]
	}
	if begins := clause.FindAllStringIndex(before, -1); begins != nil { // a clause with "that" depends on what is before it
		if last := begins[len(begins)-1]; !that.MatchString(before[last[0]:]) {
			before = before[last[1]:]
		}
	}
	return negated.MatchString(before)
}

func labelledLine(label string) *regexp.Regexp {
	return regexp.MustCompile(`(?im)^[\s>*_#-]*` + label + `[*_\s]*[:：]\s*(.*)$`)
}

func sideOf(letter string) data.Choice {
	switch strings.ToLower(letter) {
	case "a", "1":
		return data.ChoiceA
	}
	return data.ChoiceB
}

// undecidable is what a reply chooses that finds a pair too hard to judge.
const undecidable data.Choice = "hard to judge"

// hardToJudge matches the word for an abstention in the place of a choice.
var hardToJudge = regexp.MustCompile(`(?i)^[^a-z]*(?:(?:it is )?(?:too )?(?:hard|difficult) to (?:judge|decide|say)|` +
	`(?:i )?(?:cannot|can't) (?:judge|decide)|undecided)\b`)

// ReadChoice reads which answer a reply prefers; "": it says neither. See readChoice.
func ReadChoice(reply string, judged ...string) data.Choice {
	c, err := readChoice(reply, structured.MaterialOf(judged...))
	if err != nil || c == undecidable {
		return ""
	}
	return c
}

// ReadAsLLMBar reads a reply as ReadChoice does; where that finds no choice it also takes a denied sentence at its word, as LLMBar's
// authors do ("I cannot claim that either Output (a) or Output (b) is better").
func ReadAsLLMBar(reply string) data.Choice {
	if c := ReadChoice(reply); c != "" {
		return c
	}
	c, _ := stated(reply, structured.Material{}, func(string, int) bool { return false })
	return c
}

// stated is the choice of the last sentence that states one and is not denied, "" without one; quoted: the judged texts have one.
func stated(reply string, judged structured.Material, denied func(string, int) bool) (last data.Choice, quoted bool) {
	at := -1
	for _, form := range []*regexp.Regexp{statement, betterIs} {
		for _, m := range form.FindAllStringSubmatchIndex(reply, -1) {
			if judged.Has(reply[m[0]:m[1]]) {
				quoted = true
			} else if m[0] > at && !denied(reply, m[0]) {
				last, at = sideOf(reply[m[2]:m[3]]), m[0]
			}
		}
	}
	return last, quoted
}

// readChoice reads which answer a reply prefers. It accepts these forms:
//
//  1. a line "Preferred: …" with a name; of several lines, all must agree
//  2. a verdict in a form that other judges' prompts ask for: [[A]], [[A>B]], [[C]] (a tie), <answer>A</answer>,
//     {"winner": "A"}; all must agree
//  3. nothing but a name, or a last line that is nothing but the letter; of several such lines,
//     all must agree
//  4. a sentence "answer A is better" or "the better answer is A" that is not denied; the last one
//     counts, as a judge may weigh before it decides
//  5. a sentence that both are equally good, and none of the above: a tie
//
// A name is A or B, 1 or 2, bare or in brackets, with "answer", "output" or the like before it. Anything else is no choice,
// and so is what stands word for word in the judged texts, whose authors may write that they are preferred.
func readChoice(reply string, judged structured.Material) (data.Choice, error) {
	if found := labelled(reply, preferredLine); found != nil {
		return decision(found, judged)
	}
	if found := verdicts(reply); found != nil {
		return decision(found, judged)
	}
	if m := bareName.FindStringSubmatch(strings.Trim(strings.TrimSpace(reply), "*_`")); m != nil {
		return sideOf(m[1]), nil
	}
	if lastName.MatchString(reply) {
		lines := lineName.FindAllStringSubmatch(reply, -1)
		return decision(data.Each(lines, func(m []string) structured.Found[data.Choice] { return decided(m[0], sideOf(m[1])) }), judged)
	}
	last, quoted := stated(reply, judged, denied)
	switch even := evenly.FindString(reply); {
	case last != "":
		return last, nil
	case even != "" && !judged.Has(even):
		return data.ChoiceTie, nil
	case quoted || even != "":
		return "", structured.ErrQuoted
	}
	return "", structured.ErrNone
}

var (
	inBrackets = regexp.MustCompile(`\[\[\s*([^\[\]\n]{1,30}?)\s*\]\]`)
	inTags     = regexp.MustCompile(`(?i)<(?:answer|verdict|choice|preferred|winner|decision)>\s*([^<>\n]{1,40}?)\s*</`)
	// verdictKeys are the keys of JSON objects that have a verdict.
	verdictKeys = []string{"winner", "preferred", "preference", "better", "better_answer", "choice", "verdict", "decision"}
	// compared matches Arena-Hard's labels, and sided the names of sides with an underscore.
	compared = regexp.MustCompile(`(?i)^([ab])\s*(?:(>{1,2})|(={1,2}))\s*([ab])$`)
	sided    = regexp.MustCompile(`(?i)^[a-z]+_([ab12])$`)
)

// verdicts are the verdicts of a reply in double brackets, in tags and in JSON.
func verdicts(reply string) (found []structured.Found[data.Choice]) {
	for i, form := range []*regexp.Regexp{inBrackets, inTags} {
		for _, m := range form.FindAllStringSubmatch(reply, -1) {
			c := readVerdict(m[1])
			if i == 0 && strings.EqualFold(m[1], "c") { // of MT-Bench
				c = data.ChoiceTie
			}
			if c != "" {
				found = append(found, decided(m[0], c))
			}
		}
	}
	structured.Scan(reply, structured.NoClaims, func(v structured.Value) {
		for _, key := range verdictKeys {
			value, has := v.Get(key)
			if c := readVerdict(value.Text); has && c != "" {
				found = append(found, decided(v.Source, c))
			}
		}
	})
	return found
}

// readVerdict reads a name, a comparison of both names (A>>B) or a word for a tie; "": it is none.
func readVerdict(value string) data.Choice {
	value = strings.TrimSpace(value)
	if m := compared.FindStringSubmatch(value); m != nil {
		switch {
		case strings.EqualFold(m[1], m[4]):
			return ""
		case m[3] != "":
			return data.ChoiceTie
		}
		return sideOf(m[1])
	}
	if m := sided.FindStringSubmatch(value); m != nil {
		return sideOf(m[1])
	}
	return readName(value)
}

func decided(text string, c data.Choice) structured.Found[data.Choice] {
	return structured.Found[data.Choice]{Text: text, Same: string(c), Value: c}
}

// decision is the choice of those found.
func decision(found []structured.Found[data.Choice], judged structured.Material) (data.Choice, error) {
	c, err := structured.Only(found, judged)
	if err == nil && c == "" {
		err = structured.ErrNone
	}
	return c, err
}

// labelled are the choices after a label, in its line or, if the rest of the line is empty, the
// next one. A line without a name chooses nothing; a placeholder in angle brackets is no line.
func labelled(reply string, label *regexp.Regexp) (found []structured.Found[data.Choice]) {
	for _, m := range label.FindAllStringSubmatchIndex(reply, -1) {
		end, value := m[3], strings.TrimSpace(reply[m[2]:m[3]])
		if strings.Trim(value, "*_ ") == "" {
			value, _, _ = strings.Cut(strings.TrimSpace(reply[m[1]:]), "\n")
			end = m[1] + strings.Index(reply[m[1]:], value) + len(value)
		}
		value = strings.TrimSpace(strings.Trim(strings.TrimSpace(value), "*_`"))
		c := readName(value)
		if c != "" || !strings.HasPrefix(value, "<") {
			found = append(found, decided(reply[m[0]:end], c))
		}
	}
	return found
}

// readName reads a name from the text after a label; "": it has none.
func readName(value string) data.Choice {
	switch {
	case hardToJudge.MatchString(value):
		return undecidable
	case bareName.MatchString(value):
		return sideOf(bareName.FindStringSubmatch(value)[1])
	case tiedText.MatchString(value):
		return data.ChoiceTie
	}
	for _, form := range []*regexp.Regexp{leadingName, statement} {
		if m := form.FindStringSubmatch(value); m != nil {
			return sideOf(m[1])
		}
	}
	return ""
}

var (
	betterAnswer = regexp.MustCompile(`(?i)better[_ ]answer["'“”]?\s*[:=]\s*["'“”]?(?:answer\s*)?` +
		`([012]|tie)(["'”]?\s*(?:[,}.\]\n]|$))?`)
	rationaleKey = regexp.MustCompile(`(?is)["'“”]rationale["'“”]\s*:\s*["“”'](.*?)["“”']\s*(?:,\s*["'“”]better` +
		`[_ ]answer|\})`)
)

// A judgment is what a Con-J reply says.
type judgment struct {
	Rationale string          `json:"rationale"`
	Better    structured.Enum `json:"better_answer"`
}

// ReadJudgment reads a rationale and a choice from a Con-J reply; the choice is "" if it has none.
func ReadJudgment(reply string, judged ...string) (rationale string, c data.Choice) {
	rationale, c, err := readJudgment(reply, structured.MaterialOf(judged...))
	if err != nil || c == undecidable {
		return "", ""
	}
	return rationale, c
}

// readJudgment reads a rationale and a choice from a Con-J reply: its JSON object with better_answer. In what no object of
// the reply contains, as in JSON that is broken by a quotation mark or a line break, regular expressions find the two keys.
// All that is found outside the judged texts must agree.
func readJudgment(reply string, judged structured.Material) (rationale string, c data.Choice, err error) {
	type said struct {
		rationale string
		choice    data.Choice
	}
	var found []structured.Found[said]
	add := func(text, number, rationale string) {
		c := map[string]data.Choice{"0": undecidable, "1": data.ChoiceA, "2": data.ChoiceB}[number]
		if tiedText.MatchString(number) {
			c = data.ChoiceTie
		}
		found = append(found, structured.Found[said]{Text: text, Same: number, Value: said{strings.TrimSpace(rationale), c}})
	}
	rest := reply
	structured.Scan(reply, structured.NoClaims, func(v structured.Value) {
		better, has := v.Get("better_answer")
		if !has {
			return
		}
		var rationale string
		if text, is := v.Get("rationale"); is {
			text.Decode(&rationale) // none where it is no text
		}
		add(v.Source, strings.TrimSpace(better.Text), rationale)
		rest = strings.Replace(rest, v.Source, "", 1)
	})
	for _, m := range betterAnswer.FindAllStringSubmatchIndex(rest, -1) {
		number, rationale := rest[m[2]:m[3]], ""
		if m[4] < 0 && m[1] < len(rest) { // 1 or 2
			number = rest[m[0]:m[1]]
		}
		if r := rationaleKey.FindStringSubmatch(rest); r != nil {
			rationale = r[1]
		}
		add(rest[max(0, strings.LastIndexByte(rest[:m[0]], '{')):m[1]], number, rationale)
	}
	it, err := structured.Only(found, judged)
	if err == nil && it.choice == "" {
		err = structured.ErrNone
	}
	return it.rationale, it.choice, err
}
