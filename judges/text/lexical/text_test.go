package lexical

import (
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "Tea - or\ncoffee?", "Tea - or\ncoffee?"},
		{"Windows line ends", "a\r\nb\rc", "a\nb\nc"},
		{"other line ends", "a\u2028b\u0085c\vd", "a\nb\nc\nd"},
		{"tab", "\ta", "    a"},
		{"decomposed letters", "cafe\u0301", "café"},
		{"no-break and ideographic space", "a\u00a0b\u3000c", "a b c"},
		{"full-width punctuation", "Ｔｅａ：１．［２］！", "Tea:1.[2]!"},
		{"zero-width characters", "\ufeffco\u200bf\u00adfee\u200d", "coffee"},
		{"quotes", "‘tea’ “tea”", "'tea' \"tea\""},
		{"dashes", "a–b—c — d", "a-b - c - d"},
		{"bullets", "● a ◦ b", "• a • b"},
		{"ellipsis", "well…", "well..."},
		{"Mac Roman apostrophe and bullet", "tea‚Äôs ‚Ä¢ b", "tea's • b"},
		{"Windows-1252 apostrophe", "teaâ€™s", "tea's"},
		{"invalid UTF-8", "a\xffb", "a\ufffdb"},
		{"empty", "", ""},
	} {
		if got := Normalise(c.in); got != c.want {
			t.Errorf("%s: clean(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
		if got := Normalise(c.in); Normalise(got) != got || !utf8.ValidString(got) {
			t.Errorf("%s: cleaning %q again changes it", c.name, got)
		}
	}
}

func TestInline(t *testing.T) {
	for in, want := range map[string]string{
		"no markup at all":              "no markup at all",
		"**Tea** is *hot* and __good__": "Tea is hot and good",
		"`code` and snake_case":         "code and snake_case",
		"5 * 3 is \\*15\\*":             "5 * 3 is *15*",
		"[a shop](http://x.org/a) [3]":  "a shop [3]",
		"see [2](http://x.org)":         "see [2]",
		"a<br>b <b>c</b>":               "a b  c ",
		"x < 5 and y > 3":               "x < 5 and y > 3",
		"[open (and [more":              "[open (and [more",
	} {
		if got := StripMarkup(in); got != want {
			t.Errorf("inline(%q) = %q, want %q", in, got, want)
		}
	}
}
