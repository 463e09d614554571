package data

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// mostName is the largest number of characters of a name.
const mostName = 200

// CheckName returns an error if the name of a party from a file is too long, has invisible characters, or looks like one of taken. taken
// are the names of built-in parties.
func CheckName(name string, taken []string) error {
	if n := len([]rune(name)); n > mostName {
		return fmt.Errorf("the name %q has %d characters; at most %d are possible", Clip(name), n, mostName)
	}
	for _, r := range name {
		if Invisible(r) {
			return fmt.Errorf("the name %q has the invisible character %U", Clip(name), r)
		}
	}
	skeleton := Skeleton(name)
	if index := slices.IndexFunc(taken, func(name string) bool { return Skeleton(name) == skeleton }); index >= 0 {
		return fmt.Errorf("the name %q is, or looks like, that of the built-in judge %s; choose another name", name, taken[index])
	}
	return nil
}

// Invisible reports whether a character cannot be seen: control and format characters, variation selectors, fillers, and all spaces but the
// usual one.
func Invisible(r rune) bool {
	return unicode.In(r, unicode.C, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) ||
		r != ' ' && unicode.Is(unicode.Zs, r)
}

// withoutInvisible removes invisible characters, and replaces other spaces by the usual one.
func withoutInvisible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case Invisible(r):
			return -1
		}
		return r
	}, s)
}

// Skeleton returns a key that is equal for names that look alike. It ignores case, spacing, accents, compatibility forms and invisible
// characters, and replaces letters of other scripts by the Latin letters that they look like. It follows the skeleton of Unicode Technical
// Standard 39, section 4, with a part of its table: the letters that look like Latin ones, because the built-in names are Latin.
func Skeleton(name string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(withoutInvisible(name)) {
		if unicode.Is(unicode.Mn, r) || r == ' ' {
			continue
		}
		r = unicode.ToLower(r)
		if latin, looks := lookalikes[r]; looks {
			r = latin
		}
		b.WriteRune(r)
	}
	return b.String()
}

// lookalikes maps lower-case letters and digits to the Latin letters that they look like (confusables.txt of UTS 39). 0 maps to o; 1 and l
// map to i, because they look like a capital i.
var lookalikes = func() map[rune]rune {
	table := map[rune]rune{}
	for latin, others := range map[rune]string{'a': "аɑαａ", 'b': "ƅьᏏЬ", 'c': "сϲᴄⅽⲥ", 'd': "ԁⅾɗ",
		'e': "еєҽ℮ɛε", 'f': "ſꞙẝϝ", 'g': "ɡցƍ",
		'h': "һհᏂ", 'i': "іıɩιⅰӏ1|lⅼ", 'j': "јϳ", 'k': "кκ", 'm': "мⅿ", 'n': "ոпη", 'o': "оοօ0ⲟ", 'p': "рρ",
		'q': "ԛգ", 'r': "гᴦⲅ", 's': "ѕꜱ",
		't': "тτ", 'u': "υսц", 'v': "ѵνⅴ", 'w': "ԝѡᴡω", 'x': "хⅹχ", 'y': "уүγ", 'z': "ᴢʐ"} {
		for _, other := range others {
			table[other] = latin
		}
	}
	return table
}()
