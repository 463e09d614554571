package table

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		"tea\tor\ncoffee, ± naïve 🏴 👩‍🚀": "tea\tor\ncoffee, ± naïve 🏴 👩‍🚀",
		"\x1b]0;t\x07":               `\u001b]0;t\u0007`,
		"a\r\nb\rc":                  "a\nb\\u000dc",
		"\u009b2J\u202e\u2069\u2028": `\u009b2J\u202e\u2069\u2028`,
		"caf\xe9\x1b":                "caf\ufffd\\u001b",
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q is printed as %q, want %q", text, got, want)
		}
	}
}

// A line of JSON keeps its meaning, and has no character that a terminal would act on.
func TestWriteLine(t *testing.T) {
	var b strings.Builder
	text := "a\u202eexe.txt\u2066 \u007f <b>"
	if err := WriteLine(&b, text); err != nil {
		t.Fatal(err)
	}
	var back string
	if err := json.Unmarshal([]byte(b.String()), &back); err != nil || back != text || strings.ContainsFunc(b.String(), hidden) {
		t.Errorf("%q is read back as %q, %v", b.String(), back, err)
	}
}

func FuzzPrintable(f *testing.F) {
	f.Add("\x1b[0m\xff\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		got := Printable(text)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, hidden) || Printable(got) != got {
			t.Errorf("%q is printed as %q", text, got)
		}
	})
}

// Pages may break words of a name only if they are long.
func TestLongNames(t *testing.T) {
	names := New(2, "system", "note")
	names.Add("strum+choice perplexity", strings.Repeat("x", 40))
	row := (&Shown{Section: &Section{Table: names}}).Rows()[0].Cells
	if row[0].Class != "" || row[1].Class != "long" {
		t.Errorf("classes %q and %q", row[0].Class, row[1].Class)
	}
}
