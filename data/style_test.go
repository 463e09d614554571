package data

import "testing"

// TestStyleOf checks that Markdown is counted by the rules of Arena-Hard, and that code is not counted.
func TestStyleOf(t *testing.T) {
	for text, want := range map[string]Style{
		"":                                          {},
		"plain text, 2 * 3 and a_b":                 {},
		"# A\n###### B\n####### C\n#D\n # E":        {Headers: 2},
		"- a\n  * b\n\t+ c\n-d\n---\n":              {Lists: 3},
		"1. a\n\n 23. b\n1.5 c\n2) d\n. e":          {Lists: 2},
		"**a** b **c**\n**d\n**\n__e__ ** **":       {Bold: 4},
		"- **a**\n```\n# no\n- **no**\n```\n## b\n": {Headers: 1, Lists: 1, Bold: 1},
	} {
		if got := StyleOf(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}
