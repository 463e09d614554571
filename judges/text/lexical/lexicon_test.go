package lexical

import "testing"

func TestLexicon(t *testing.T) {
	for w, want := range map[string]Class{
		"better": Comparative | Praising | Generic, "than": Comparative | Stop | compares | Against, "slower": Comparative | Faulting,
		"may": Hedging, "teapot": 0, "": 0,
	} {
		if got := Lexicon[w].Class &^ CueStart; got != want {
			t.Errorf("%q has the classes %b, want %b", w, got, want)
		}
	}
}

func TestCues(t *testing.T) {
	for text, want := range map[string][]Cue{
		"it depends on taste":          {Undecided}, // "depends on" is not found as well
		"overall, tea is better":       {Closing, Choosing},
		"in terms of price":            {TopicStart},
		"as argument 3 says":           {ArgumentTalk},
		"tea is a drink":               nil,
		"the choice comes down to you": {Undecided},
	} {
		var got []Cue
		Cues.Each(Tokens(nil, text), func(c Cue) { got = append(got, c) })
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
	if ws := Tokens(nil, "so overall it is"); Cues.Opens(ws, Closing) || !Cues.Opens(ws[1:], Closing) {
		t.Error("a cue opens a text only at its start")
	}
}
