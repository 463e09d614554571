package replies

import (
	"strings"
	"unicode"

	"compqa/data"
)

// noun matches what prompts call the two texts: LLMBar's "Output (a)", MT-Bench's "Assistant A".
const noun = `(?:answers?|responses?|outputs?|summar(?:y|ies)|candidates?|options?|texts?|assistants?|models?|repl(?:y|ies)|` +
	`documents?|translations?|comments?|posts?|essays?|stor(?:y|ies)|articles?|tables?|ones?)`

const place = `(?:first|second|former|latter)`

// sideOf returns the answer that a name means: "A", "1", "first" or "former" the first, any other name the second.
func sideOf(name string) data.Choice {
	switch strings.ToLower(name) {
	case "a", "1", "first", "former":
		return data.ChoiceA
	}
	return data.ChoiceB
}

// markOf returns the mark that replaces an answer's name.
func markOf(c data.Choice) string {
	if c == data.ChoiceA {
		return "‹A›"
	}
	return "‹B›"
}

var (
	// nounName matches a name with a noun: "Response A", "the output (b)", "answer 2".
	nounName = newPattern(`(?i)\b(?:the )?` + noun + `[\s_]*[("'\[<]*([ab12])\b`)
	// countAfter matches what follows a number that is a score, not a name: "answer 1/5".
	countAfter = newPattern(`^\s*(?:/|out of|points?\b)`)
	closers    = newPattern(`^[)\]>"]+`)
	// placeName matches "the first answer"; placeAfter what follows "the first" if the noun is missing: "the first is …".
	placeName  = newPattern(`(?i)\bthe (` + place + `)( ` + noun + `\b)?`)
	placeAfter = newPattern(`(?i)^(?:\s+(?:is|was|wins|has|gives|one)\b|[.,;]|$)`)
	// letterAfter matches the text after an "A" that is a name rather than an article.
	letterAfter = newPattern(`^(?:\s*(?:$|[.,;:!?)\]"]|[<>=])|\s+(?:is|was|wins?|over|has|gets|does|deserves|outperforms|beats|` +
		`takes|it|comes|leads|edges|and (?:B|‹)|or (?:B|‹)|vs\.?)(?:\W|$))`)
	// letterBefore matches the text before a bare A that may be a name: "prefer A".
	letterBefore = newPattern(`(?i)(?:prefer|choose|pick|select|favou?r|with|than|for|towards?|over|is|not|to)\s$`)
)

// markNames returns a sentence in which the names of the answers are replaced by the marks ‹A› and ‹B›: "Response A is better"
// becomes "‹A› is better".
func markNames(s string) string {
	s = replaceNames(s, nounName, func(m []string, before, after string) (string, int) {
		if countAfter().MatchString(after) || m[1] == "a" && !strings.ContainsAny(m[0], `(["'<`) && !letterAfter().MatchString(after) {
			return "", -1 // "rate answer 1/5", "answer a question"
		}
		return markOf(sideOf(m[1])), len(closers().FindString(after))
	})
	s = replaceNames(s, placeName, func(m []string, before, after string) (string, int) {
		if m[2] == "" && !placeAfter().MatchString(after) {
			return "", -1
		}
		return markOf(sideOf(m[1])), 0
	})
	return replaceNames(s, bareLetter, func(m []string, before, after string) (string, int) {
		last, _ := lastRune(before)
		next, _ := firstRune(after)
		switch {
		case strings.ContainsRune("'/+&-‹", last) || isWord(last), strings.ContainsRune("/+&-›", next) || isWord(next):
			return "", -1
		case m[1] == "A" && !strings.HasPrefix(m[0], "(") && !strings.HasPrefix(after, "'s") && !letterAfter().MatchString(after) &&
			(!letterBefore().MatchString(before) || !strings.HasPrefix(after, " ") && after != ""):
			return "", -1 // an article: "A question"
		case m[1] == "A" && letterBefore().MatchString(before) && !letterAfter().MatchString(after) && articleAfter().MatchString(before):
			return "", -1
		}
		return markOf(sideOf(m[1])), 0
	})
}

var (
	bareLetter   = newPattern(`\(?([AB])\)?`)
	articleAfter = newPattern(`(?i)(?:for|over|is|not|to)\s$`) // "is A question"
)

// nameContext is the number of bytes on either side of a name that are examined. The limit keeps the time linear.
const nameContext = 40

// replaceNames replaces the matches of a name. replaced returns the mark for a match, and how many bytes after the match it also replaces;
// -1 means that the match is not a name.
func replaceNames(s string, name pattern, replaced func(m []string, before, after string) (string, int)) string {
	var b strings.Builder
	from := 0
	for _, match := range name().FindAllStringSubmatchIndex(s, -1) {
		if match[0] < from {
			continue
		}
		groups := make([]string, len(match)/2)
		for i := range groups {
			if match[2*i] >= 0 {
				groups[i] = s[match[2*i]:match[2*i+1]]
			}
		}
		mark, more := replaced(groups, s[max(0, match[0]-nameContext):match[0]], s[match[1]:min(len(s), match[1]+nameContext)])
		if more < 0 {
			continue
		}
		b.WriteString(s[from:match[0]])
		b.WriteString(mark)
		from = match[1] + more
	}
	b.WriteString(s[from:])
	return b.String()
}

var marks = newPattern(`‹([AB])›`)

// names reports whether a sentence names answer a, and answer b.
func names(s string) (a, b bool) {
	for _, m := range marks().FindAllStringSubmatch(markNames(s), -1) {
		a = a || m[1] == "A"
		b = b || m[1] == "B"
	}
	return a, b
}

// namesOther reports whether a sentence names an answer that is not the choice c. For a tie, both answers are others.
func namesOther(s string, c data.Choice) bool {
	a, b := names(s)
	return a && c != data.ChoiceA || b && c != data.ChoiceB
}

// namesIt reports whether a sentence names the chosen answer.
func namesIt(s string, c data.Choice) bool {
	a, b := names(s)
	return a && c == data.ChoiceA || b && c == data.ChoiceB
}

var (
	// wholeName, wholePlace and sided match a text that is only a name: "Answer A", "the first", "model_a".
	wholeName = newPattern(`(?i)^(?:the\s+)?(?:(?:overall )?(?:winner|better|best|preferred) (?:` + noun + ` )?is )?(?:` + noun +
		`[\s_]*)?[("'\[<{]*([ab12])[)"'\]>}]*$`)
	wholePlace = newPattern(`(?i)^(?:the\s+)?(` + place + `)(?:\s+` + noun + `)?$`)
	sided      = newPattern(`(?i)^[a-z]+_([ab12])$`)
	// compared matches a comparison: "A > B", "A = B".
	compared = newPattern(`^([abAB12])\s*(>{1,3}|<{1,3}|={1,2}|≈|~)\s*([abAB12])$`)
	// tieWord matches a text that only says that there is a tie.
	tieWord = newPattern(`(?i)^(?:it(?:'s| is) )?(?:a |an? (?:exact|close|clear) )?(?:tied?|draw|equal(?:ly (?:good|bad))?|` +
		`even|same|` +
		`no (?:clear )?preference|both(?: (?:of them|` + noun + `))?(?: (?:are|is))?(?: (?:equal|equally (?:good|bad|helpful|well|valid|` +
		`correct)|` +
		`tied|the same))?)$`)
	// hardToJudge matches a text that begins by saying that the pair cannot be judged.
	hardToJudge = newPattern(`(?i)^(?:(?:it is )?(?:too )?(?:hard|difficult) to (?:judge|decide|say)|` +
		`(?:i )?(?:cannot|can't) (?:judge|decide)|undecided)\b`)
	// leadingName and leadingPlace match a name with further words; reasonAfter tells whether these begin a reason: "A, because …".
	leadingName  = newPattern(`^(?i:the\s+)?(?i:` + noun + `\s*)?[("'\[<]*([AB12])[)"'\]>]*(.*)$`)
	leadingPlace = newPattern(`(?i)^the (` + place + `)(?: ` + noun + `)?(.*)$`)
	reasonAfter  = newPattern(`(?i)^(?:\s*[.,;:(–—-]\s|\s*\(|\s+(?:because|since|as|for|over|by|due|rather than|instead of)\b)`)
	// bracketed matches a reason that is only a note in brackets: "A (more complete)".
	bracketed = newPattern(`^\s*\([^()]*\)$`)
	// overOther matches the mention of the other answer in a reason: "A over B", "A rather than the other".
	overOther = newPattern(`(?i)\b(?:over|not|rather than|instead of|` +
		`better than)\s+(?:the\s+)?(?:` + noun + `\s*)?(?:([AB12])\b|(` +
		place + `|other)(?: ` + noun + `)?)`)
	// turned matches words in a reason that turn the choice round: "A, but …". onlyBy matches "but only", which does not.
	turned = newPattern(`(?i)(?:^|[.,;:(–—-])\s*(?:no|not|nope)\b|\bbut\b|\bhowever\b|\binstead\b`)
	onlyBy = newPattern(`(?i)\bbut only\b`)
	ifOr   = newPattern(`(?i)%|\bif\b`)
)

// value reads the choice from text in the place of a choice: after a label, in an object, in brackets. Examples: "Answer B"; "A > B";
// "tie"; "A, because it cites sources"; a sentence. It returns "" if the text is none of these.
func (r *reading) value(v string) data.Choice {
	v = strings.TrimSpace(strings.Trim(strings.Join(strings.Fields(v), " "), `"' `))
	v = strings.TrimRightFunc(v, func(c rune) bool { return strings.ContainsRune(".!,; ", c) || unicode.Is(unicode.So, c) })
	if m := compared().FindStringSubmatch(v); m != nil {
		first := sideOf(m[1])
		second := sideOf(m[3])
		switch {
		case first == second:
			return ""
		case strings.Contains("=≈~", m[2][:1]) || m[2] == "≈":
			return data.ChoiceTie
		case m[2][0] == '>':
			return first
		}
		return second
	}
	for _, form := range []pattern{wholeName, wholePlace, sided} {
		if m := form().FindStringSubmatch(v); m != nil {
			return sideOf(m[1])
		}
	}
	switch {
	case tieWord().MatchString(v):
		return data.ChoiceTie
	case hardToJudge().MatchString(v):
		return Undecidable
	}
	for _, form := range []pattern{leadingName, leadingPlace} {
		m := form().FindStringSubmatch(v)
		if m != nil && (reasonAfter().MatchString(m[2]) || !r.enabled(ruleValue)) {
			return r.withReason(sideOf(m[1]), m[2])
		}
	}
	return r.sentence(v, true).choice()
}

// withReason returns c, the choice before the text reason, or "" if reason takes the choice back or speaks for the other answer.
func (r *reading) withReason(c data.Choice, reason string) data.Choice {
	if !r.enabled(ruleValue) {
		return c
	}
	if bracketed().MatchString(reason) && !corrects().MatchString(reason) && !denies().MatchString(reason) && !ifOr().MatchString(reason) {
		return c
	}
	if strings.Contains(reason, "%") {
		return ""
	}
	rest := overOther().ReplaceAllStringFunc(reason, func(found string) string {
		m := overOther().FindStringSubmatch(found)
		if m[2] != "" && !strings.EqualFold(m[2], "other") && sideOf(m[2]) == c || m[1] != "" && sideOf(m[1]) == c {
			return found
		}
		return ""
	})
	if m := blames().FindStringSubmatch(rest); m != nil && faults(m[1], c) {
		return c
	}
	if namesOther(rest, c) || corrects().MatchString(rest) || depends().MatchString(rest) ||
		turned().MatchString(onlyBy().ReplaceAllString(rest, "")) {
		return ""
	}
	return c
}
