package pairwise

import (
	"encoding/json"
	"regexp"
	"strings"

	"compqa/data"
	"compqa/llm"
)

// parserVersion is incremented when a reply is parsed differently.
const parserVersion = 3

// Names of the two answers in replies to this package's prompts and others, for example
// LLMBar's "Output (a)".
const (
	noun = `(?:answers?|responses?|outputs?|summary|candidates?|options?|texts?)`
	name = `[("'\[<*]*([aAbB12])[)"'\]>*]*`
)

var (
	preferredLine = labelledLine(`preferred(?: (?:answer|choice|response|output))?`)
	moreLine      = labelledLine(`more consistent(?: table)?`)

	// bareName matches a text that is only a name: A, (b), Output (a), Answer 2.
	bareName = regexp.MustCompile(`(?i)^(?:the\s+)?(?:(?:` + noun + `|table)\s*)?` + name + `[.!]?$`)
	// lastName matches a last line that is only a letter, as the prompts ask for it.
	lastName = regexp.MustCompile(`(?:^|\n)[\s*_]*(?:(?i:` + noun + `)\s*)?[("'\[<*]*([AB])[)"'\]>*_]*[.!]?\s*$`)
	// leadingName matches a capital letter or digit before other text: "B, as it …".
	leadingName = regexp.MustCompile(`^[("'\[<*]*(?:(?i:` + noun + `|table)\s*)?[("'\[<*]*([AB12])[)"'\]>*]*\s*(?:[.,;:()–—-]|because\b|since\b|as\b|is\b)`)
	// statement matches a sentence like "answer A is better".
	statement = regexp.MustCompile(`(?i)\b` + noun + `\s*` + name + `\s+is\s+(?:clearly |overall |therefore |thus |slightly |much |significantly )?(?:the )?better\b`)
	// betterIs matches a sentence like "the better answer is A".
	betterIs = regexp.MustCompile(`(?i)\b(?:better|preferred)\s+` + noun + `\s+is\s+(?:` + noun + `\s*)?` + name + `(?:[\s.,;]|$)`)
	// evenly matches a sentence that calls both equal.
	evenly   = regexp.MustCompile(`(?i)\b(?:both\b[^.\n]{0,80}\b)?equally (?:good|bad|well|poor|valid|helpful|correct)\b|\bit(?:'s| is) a tie\b`)
	tiedText = regexp.MustCompile(`(?i)^[^a-z]*(?:a )?(?:tied?|equal(?:ly)?|both|neither|draw|same|no preference)\b`)
)

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

// ReadChoice reads which answer a reply prefers. It accepts these forms:
//
//  1. a line "Preferred: …" with a name; the last one counts, as a judge may
//     weigh before it decides
//  2. nothing but a name, or a last line that is nothing but the letter
//  3. a sentence "answer A is better" or "the better answer is A"; the last one
//     counts
//  4. a sentence that both are equally good, and none of the above: a tie
//
// A name is A or B, 1 or 2, bare or in brackets, with "answer", "output" or the
// like before it. Anything else is no choice.
func ReadChoice(reply string) (data.Choice, bool) {
	if value, ok := lastLabelled(reply, preferredLine); ok {
		return readName(value)
	}
	if m := bareName.FindStringSubmatch(strings.Trim(strings.TrimSpace(reply), "*_`")); m != nil {
		return sideOf(m[1]), true
	}
	if m := lastName.FindStringSubmatch(reply); m != nil {
		return sideOf(m[1]), true
	}
	last, at := data.Choice(""), -1
	for _, form := range []*regexp.Regexp{statement, betterIs} {
		if all := form.FindAllStringSubmatchIndex(reply, -1); all != nil {
			if m := all[len(all)-1]; m[0] > at {
				last, at = sideOf(reply[m[2]:m[3]]), m[0]
			}
		}
	}
	switch {
	case at >= 0:
		return last, true
	case evenly.MatchString(reply):
		return data.ChoiceTie, true
	}
	return "", false
}

// lastLabelled is the text after the last occurrence of a label, or the next line if the
// rest of the label's line is empty.
func lastLabelled(reply string, label *regexp.Regexp) (string, bool) {
	all := label.FindAllStringSubmatchIndex(reply, -1)
	if all == nil {
		return "", false
	}
	m := all[len(all)-1]
	value := strings.TrimSpace(reply[m[2]:m[3]])
	if strings.Trim(value, "*_ ") == "" {
		value, _, _ = strings.Cut(strings.TrimSpace(reply[m[1]:]), "\n")
	}
	return strings.TrimSpace(strings.Trim(strings.TrimSpace(value), "*_`")), true
}

// readName reads a name from the text after a label.
func readName(value string) (data.Choice, bool) {
	if m := bareName.FindStringSubmatch(value); m != nil {
		return sideOf(m[1]), true
	}
	if tiedText.MatchString(value) {
		return data.ChoiceTie, true
	}
	if m := leadingName.FindStringSubmatch(value); m != nil {
		return sideOf(m[1]), true
	}
	if m := statement.FindStringSubmatch(value); m != nil {
		return sideOf(m[1]), true
	}
	return "", false
}

var (
	betterAnswer = regexp.MustCompile(`(?i)better[_ ]answer["'“”]?\s*[:=]\s*["'“”]?(?:answer\s*)?([12])(["'”]?\s*(?:[,}.\]\n]|$))?`)
	rationaleKey = regexp.MustCompile(`(?is)["'“”]rationale["'“”]\s*:\s*["“”'](.*?)["“”']\s*(?:,\s*["'“”]better[_ ]answer|\})`)
)

// ReadJudgment reads a rationale and a choice from a Con-J reply: the last JSON object
// with better_answer. If the JSON is broken by a quotation mark or a line break, it
// finds the two keys by regular expressions; two different values of better_answer are
// then no choice.
func ReadJudgment(reply string) (rationale string, c data.Choice, ok bool) {
	for _, o := range llm.Objects(reply) {
		raw, has := o["better_answer"]
		if !has {
			continue
		}
		rationale = ""
		json.Unmarshal(o["rationale"], &rationale) // none where it is no text
		switch strings.Trim(string(raw), ` "`) {
		case "1":
			c, ok = data.ChoiceA, true
		case "2":
			c, ok = data.ChoiceB, true
		default:
			c, ok = "", false
		}
	}
	if ok {
		return strings.TrimSpace(rationale), c, true
	}
	all := betterAnswer.FindAllStringSubmatch(reply, -1)
	if all == nil {
		return "", "", false
	}
	for _, m := range all {
		if m[1] != all[0][1] || m[2] == "" && !strings.HasSuffix(reply, m[0]) { // two values, or "1 or 2"
			return "", "", false
		}
	}
	if m := rationaleKey.FindStringSubmatch(reply); m != nil {
		rationale = strings.TrimSpace(m[1])
	}
	return rationale, sideOf(all[0][1]), true
}
