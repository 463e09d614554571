package replies

import (
	"regexp"
	"strings"

	"compqa/data"
	"compqa/llm/structured"
)

var (
	betterAnswer = regexp.MustCompile(`(?i)better[_ ]answer["'“”]?\s*[:=]\s*["'“”]?(?:answer\s*)?` +
		`([012]|tie)(["'”]?\s*(?:[,}.\]\n]|$))?`)
	rationaleKey = regexp.MustCompile(`(?is)["'“”]rationale["'“”]\s*:\s*["“”'](.*?)["“”']\s*(?:,\s*["'“”]better` +
		`[_ ]answer|\})`)
	tieNumber = regexp.MustCompile(`(?i)^[^a-z]*(?:a )?(?:tied?|equal(?:ly)?|both|draw|same|no preference)\b`)
)

// A Reason is a choice with the rationale that a judge gives for it.
type Reason struct {
	Rationale string
	Choice    data.Choice
}

// Judgment reads a rationale and a choice from a Con-J reply (Ye et al. 2024): its JSON object with better_answer. In what no
// object of the reply contains, as in JSON that is broken by a quotation mark or a line break, regular expressions find the two
// keys. All that is found outside the judged texts must agree. 0 is Undecidable. The error says why no choice was found.
func Judgment(reply string, judged structured.Material, ties Ties) (Reason, error) {
	r := &reading{judged: judged}
	text, ok := r.withoutThought(reply)
	if !ok {
		return Reason{}, ErrThought
	}
	var found []structured.Found[Reason]
	add := func(text, number, rationale string) {
		c := map[string]data.Choice{"0": Undecidable, "1": data.ChoiceA, "2": data.ChoiceB}[number]
		if tieNumber.MatchString(number) {
			c = data.ChoiceTie
		}
		found = append(found, structured.Found[Reason]{Text: text, Same: number, Value: Reason{strings.TrimSpace(rationale), c}})
	}
	rest := text
	structured.Scan(text, structured.NoClaims, func(v structured.Value) {
		better, has := v.Get("better_answer")
		if !has {
			return
		}
		var rationale string
		if text, is := v.Get("rationale"); is {
			text.Decode(&rationale) // none where it is not text
		}
		add(v.Source, strings.TrimSpace(better.Text), rationale)
		rest = strings.Replace(rest, v.Source, "", 1)
	})
	for _, m := range betterAnswer.FindAllStringSubmatchIndex(rest, -1) {
		number := rest[m[2]:m[3]]
		rationale := ""
		if m[4] < 0 && m[1] < len(rest) { // 1 or 2
			number = rest[m[0]:m[1]]
		}
		if r := rationaleKey.FindStringSubmatch(rest); r != nil {
			rationale = r[1]
		}
		add(rest[max(0, strings.LastIndexByte(rest[:m[0]], '{')):m[1]], number, rationale)
	}
	reason, err := structured.Only(found, judged)
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

// Consistent reads which table a reply of SC2's comparator names: after "More consistent:", or in the whole reply. It is "" for
// none or both.
func Consistent(reply string, shown structured.Material) data.Choice {
	r := &reading{judged: shown}
	raw, ok := r.withoutThought(reply)
	if !ok {
		return ""
	}
	text := plain(raw)
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

// Comparison returns the part of a reply between "Comparison:" and its last line "Preferred:": what the judge says for its choice.
func Comparison(reply string) string {
	if all := preferredLine.FindAllStringIndex(reply, -1); all != nil {
		reply = reply[:all[len(all)-1][0]]
	}
	reply = strings.TrimSpace(reply)
	if _, after, found := strings.Cut(reply, "Comparison:"); found {
		reply = after
	}
	return strings.TrimSpace(reply)
}

var preferredLine = regexp.MustCompile(`(?im)^[\s>*_#-]*preferred(?: (?:answer|choice|response|output))?[*_\s]*[:：]\s*(.*)$`)

var (
	// llmbarBetter and llmbarIs match what LLMBar's authors take for a choice, wherever it stands.
	llmbarBetter = regexp.MustCompile(`(?i)\b` + noun + `\s*[("'\[<*]*([ab12])[)"'\]>*]*\s+is\s+(?:clearly |overall |therefore |thus |` +
		`slightly |much |` +
		`significantly )?(?:the )?better\b`)
	llmbarIs = regexp.MustCompile(`(?i)\b(?:better|preferred)\s+` + noun + `\s+is\s+(?:` + noun + `\s*)?` +
		`[("'\[<*]*([ab12])[)"'\]>*]*(?:[\s.,;]|$)`)
)

// AsLLMBar reads a completion of the judges that LLMBar's authors released, for the reproduction of their figures: as Choice
// does, and where that finds none it takes the last sentence at its word, as the authors do ("I cannot claim that either Output
// (a) or Output (b) is better").
func AsLLMBar(reply string) data.Choice {
	c, err := Choice(reply, structured.Material{}, WithTies)
	if err == nil && c != Undecidable {
		return c
	}
	last := data.Choice("")
	index := -1
	for _, form := range []*regexp.Regexp{llmbarBetter, llmbarIs} {
		for _, m := range form.FindAllStringSubmatchIndex(reply, -1) {
			if m[0] > index {
				last = sideOf(reply[m[2]:m[3]])
				index = m[0]
			}
		}
	}
	return last
}
