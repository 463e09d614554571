package text

import "testing"

func TestLexicon(t *testing.T) {
	for w, want := range map[string]wordClass{
		"better": comparative | praising | generic, "than": comparative | stop, "slower": comparative | faulting,
		"not": negating | stop, "may": hedging, "while": comparative | parting | stop, "teapot": 0, "": 0,
	} {
		if got := lexicon[hashOf(w)] &^ cueStart; got != want {
			t.Errorf("%q has the classes %b, want %b", w, got, want)
		}
	}
}

func TestCues(t *testing.T) {
	for text, want := range map[string][]cue{
		"it depends on taste":          {undecided}, // not "depends on" as well
		"overall, tea is better":       {closing, choosing},
		"in terms of price":            {topicStart},
		"as argument 3 says":           {argumentTalk},
		"let's break it down":          {assistantTalk},
		"tea is a drink":               nil,
		"the choice comes down to you": {undecided},
	} {
		var got []cue
		cues.each(tokens(nil, text), func(c cue) { got = append(got, c) })
		if len(got) != len(want) {
			t.Errorf("%q: %v, want %v", text, got, want)
			continue
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%q: %v, want %v", text, got, want)
			}
		}
	}
	if ws := tokens(nil, "so overall it is"); cues.opens(ws, closing) || !cues.opens(ws[1:], closing) {
		t.Error("a cue opens a text only at its start")
	}
}

func TestRoles(t *testing.T) {
	for name, want := range map[string]role{
		"Summary": summaryRole, "Summary (100 words)": summaryRole, "Comparison Summary": summaryRole,
		"Introduction": introRole, "Brief overview": introRole, "Background": introRole,
		"Main Aspects of Comparison": bodyRole, "Bullet-point list of main aspects": bodyRole, "Key differences": bodyRole,
		"Tea vs. Coffee": bodyRole, "Pros": bodyRole, "Arguments in favor of tea": bodyRole,
		"The Best Option": choiceRole, "Better option": choiceRole, "Winner": choiceRole, "Final verdict": choiceRole, "Best": choiceRole,
		"My final decision": choiceRole, "Recommendation": choiceRole, "Answer": choiceRole,
		"Conclusion": conclusionRole, "Final thoughts": conclusionRole, "Overall": conclusionRole, "In summary": conclusionRole, "In short": conclusionRole,
		"Used Arguments": sourcesRole, "Numbered list of used arguments": sourcesRole, "Arguments used": sourcesRole, "References": sourcesRole, "Note": sourcesRole,
		"Price": noRole, "Best use case": noRole, "Overall performance": noRole, "Ease of use": noRole, "Tea": noRole, "": noRole, "価格": noRole,
	} {
		if got := roleOf(name); got != want {
			t.Errorf("%q has role %d, want %d", name, got, want)
		}
	}
}
