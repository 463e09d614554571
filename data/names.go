package data

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// mostName is the number of characters that a name may have.
const mostName = 200

// CheckName returns what is wrong with the name of a party that comes from a file: it is too long, has characters that nobody sees, or
// looks like one of the names that are taken: the names of the program's own parties.
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

// Invisible reports whether a character leaves no mark: controls, formats, variation selectors, fillers, and every space but the usual one.
func Invisible(r rune) bool {
	return unicode.In(r, unicode.C, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) ||
		r != ' ' && unicode.Is(unicode.Zs, r)
}

// withoutInvisible removes the characters that leave no mark; other spaces become the usual one.
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

// Skeleton returns the same for names that look alike: case, spacing, accents, compatibility forms and invisible characters do not
// count, and letters of other scripts are those that they look like. It follows the skeleton of Unicode Technical Standard 39,
// section 4, with a part of its table: the letters of Cyrillic, Greek and others that look like Latin ones, since these are the
// ones in the program's own names.
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

// lookalikes are lower-case letters and digits that look like Latin letters (confusables.txt of UTS 39). 0, 1 and capital i look
// like o and l.
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
