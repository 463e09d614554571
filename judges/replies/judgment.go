package replies

import (
	"strings"

	"compqa/data"
	"compqa/llm/structured"
)

var (
	betterAnswer = newPattern(`(?i)better[_ ]answer["'“”]?\s*[:=]\s*["'“”]?(?:answer\s*)?` +
		`([012]|tie)(["'”]?\s*(?:[,}.\]\n]|$))?`)
	rationaleKey = newPattern(`(?is)["'“”]rationale["'“”]\s*:\s*["“”'](.*?)["“”']\s*(?:,\s*["'“”]better` +
		`[_ ]answer|\})`)
	tieNumber = newPattern(`(?i)^[^a-z]*(?:a )?(?:tied?|equal(?:ly)?|both|draw|same|no preference)\b`)
)

// A Reason is a choice and the rationale that a judge gives for it.
type Reason struct {
	Rationale string
	Choice    data.Choice
}

// Judgment reads the rationale and the choice from a Con-J reply (Ye et al. 2024): a JSON object with better_answer. In text outside such
// objects, as in JSON that a quotation mark breaks, regular expressions find the two keys. All choices outside the judged texts must agree.
// The number 0 is Undecidable. The error says why the choice is missing.
func Judgment(reply string, judged structured.Material, ties Ties) (Reason, error) {
	r := &reading{judged: judged}
	text, ok := r.withoutThought(reply)
	if !ok {
		return Reason{}, ErrThought
	}
	var found []structured.Decision[Reason]
	add := func(text, number, rationale string) {
		c := map[string]data.Choice{"0": Undecidable, "1": data.ChoiceA, "2": data.ChoiceB}[number]
		if tieNumber().MatchString(number) {
			c = data.ChoiceTie
		}
		found = append(found, structured.Decision[Reason]{Text: text, AgreementKey: number, Value: Reason{strings.TrimSpace(rationale), c}})
	}
	rest := text
	structured.Scan(text, structured.NoClaims, func(v structured.Value) {
		better, has := v.Get("better_answer")
		if !has {
			return
		}
		var rationale string
		if text, is := v.Get("rationale"); is {
			text.Decode(&rationale) // "" if it is not text
		}
		add(v.Source, strings.TrimSpace(better.Text), rationale)
		rest = strings.Replace(rest, v.Source, "", 1)
	})
	for _, m := range betterAnswer().FindAllStringSubmatchIndex(rest, -1) {
		number := rest[m[2]:m[3]]
		rationale := ""
		if m[4] < 0 && m[1] < len(rest) { // more than a number: "1 or 2"
			number = rest[m[0]:m[1]]
		}
		if r := rationaleKey().FindStringSubmatch(rest); r != nil {
			rationale = r[1]
		}
		add(rest[max(0, strings.LastIndexByte(rest[:m[0]], '{')):m[1]], number, rationale)
	}
	reason, err := structured.OneDecision(found, judged)
	switch {
	case err != nil:
		return Reason{}, err
	case reason.Choice == "":
		return Reason{}, structured.ErrNone
	case reason.Choice == data.ChoiceTie && ties == WithoutTies:
		return Reason{}, ErrTie
	}
	return reason, nil
}

var consistentLabel = label(`more consistent(?: table)?`)

// Consistent reads which table a reply of SC2's comparator names: after "More consistent:", or as the whole reply. It returns "" if the
// reply names none or both.
func Consistent(reply string, shown structured.Material) data.Choice {
	r := &reading{judged: shown}
	raw, ok := r.withoutThought(reply)
	if !ok {
		return ""
	}
	text := normalized(raw)
	list := r.lines(text, consistentLabel, false)
	if list == nil {
		c := bare(strings.TrimSpace(text))
		if c.Decided() {
			return c
		}
		return ""
	}
	for _, f := range list {
		if f.choice != list[0].choice {
			return ""
		}
	}
	if c := list[0].choice; c.Decided() {
		return c
	}
	return ""
}

// Comparison returns the judge's reasons: the part of a reply between "Comparison:" and its last line "Preferred:".
func Comparison(reply string) string {
	if all := preferredLine().FindAllStringIndex(reply, -1); all != nil {
		reply = reply[:all[len(all)-1][0]]
	}
	reply = strings.TrimSpace(reply)
	if _, after, found := strings.Cut(reply, "Comparison:"); found {
		reply = after
	}
	return strings.TrimSpace(reply)
}

var preferredLine = newPattern(`(?im)^[\s>*_#-]*preferred(?: (?:answer|choice|response|output))?[*_\s]*[:：]\s*(.*)$`)

var (
	// llmbarBetter and llmbarIs match what LLMBar's authors read as a choice, anywhere in a reply.
	llmbarBetter = newPattern(`(?i)\b` + noun + `\s*[("'\[<*]*([ab12])[)"'\]>*]*\s+is\s+(?:clearly |overall |therefore |thus |` +
		`slightly |much |` +
		`significantly )?(?:the )?better\b`)
	llmbarIs = newPattern(`(?i)\b(?:better|preferred)\s+` + noun + `\s+is\s+(?:` + noun + `\s*)?` +
		`[("'\[<*]*([ab12])[)"'\]>*]*(?:[\s.,;]|$)`)
)

// AsLLMBar reads a reply of the judges that LLMBar's authors released, to reproduce their figures. It reads as Choice does. Without a
// choice, it takes the last match of their patterns, even in "I cannot claim that either Output (a) or Output (b) is better".
func AsLLMBar(reply string) data.Choice {
	c, err := Choice(reply, structured.Material{}, WithTies)
	if err == nil && c != Undecidable {
		return c
	}
	last := data.Choice("")
	index := -1
	for _, form := range []pattern{llmbarBetter, llmbarIs} {
		for _, m := range form().FindAllStringSubmatchIndex(reply, -1) {
			if m[0] > index {
				last = sideOf(reply[m[2]:m[3]])
				index = m[0]
			}
		}
	}
	return last
}
