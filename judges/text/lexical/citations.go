package lexical

import "strings"

// Citations are the citations in a text: numbers of arguments in square brackets ([3], [1, 3], [1][2] or [2-4]), and [generated] tags,
// which mark what the writer made up.
type Citations struct {
	Numbers   []int // in order; a range is written out
	Generated int
}

// Add adds the citations in s.
func (c *Citations) Add(s string) {
	for {
		open := strings.IndexByte(s, '[')
		if open < 0 {
			return
		}
		s = s[open+1:]
		end := strings.IndexByte(s[:min(len(s), 200)], ']')
		if end < 0 {
			continue
		}
		if inside := s[:end]; IsCitation(inside) {
			c.addNumbers(inside)
			s = s[end+1:]
		}
	}
}

// addNumbers adds the numbers in "1, 3" or "2-4", and counts "generated". inside is the text between the brackets.
func (c *Citations) addNumbers(inside string) {
	const widest = 50 // of a wider range only the two ends are added
	last := 0
	dash := false
	for i := 0; i < len(inside); {
		switch n := LeadingDigits(inside[i:]); {
		case n > 0:
			k := Number(inside[i : i+min(n, 9)])
			if dash && last > 0 && k > last && k-last <= widest {
				for j := last + 1; j < k; j++ {
					c.Numbers = append(c.Numbers, j)
				}
			}
			c.Numbers = append(c.Numbers, k)
			last = k
			dash = false
			i += n
		case inside[i] == '-':
			dash = true
			i++
		default:
			if _, ok := CutFold(inside[i:], "generated"); ok {
				c.Generated++
				return
			}
			i++
		}
	}
}

// IsCitation reports whether square brackets with the text s are a citation: numbers, with or without "argument" before them, or
// "generated".
func IsCitation(s string) bool {
	const most, between = 60, " ,;-&#"
	s = strings.TrimSpace(s)
	for _, word := range []string{"arguments", "argument", "arg"} {
		if rest, ok := CutFold(s, word); ok {
			s = rest
			if word == "arg" {
				s = strings.TrimLeft(s, ".")
			}
			break
		}
	}
	numbers := strings.ReplaceAll(strings.ToLower(s), "generated", "0")
	first := strings.IndexAny(numbers, "0123456789")
	return first >= 0 && len(s) <= most && strings.Trim(numbers[:first], between) == "" &&
		strings.Trim(strings.ReplaceAll(numbers[first:], "and", ""), between+"0123456789") == ""
}

// Number returns the number that the digits in s form. It ignores other bytes.
func Number(s string) int {
	n := 0
	for i := range len(s) {
		if IsDigit(s[i]) {
			n = n*10 + int(s[i]-'0')
		}
	}
	return n
}

// LeadingTag returns the length of a tag such as [generated] or [3] before a name.
func LeadingTag(s string) int {
	if !strings.HasPrefix(s, "[") {
		return 0
	}
	end := strings.IndexByte(s[:min(len(s), 60)], ']')
	if end < 0 || !IsCitation(s[1:end]) {
		return 0
	}
	return end + 1
}

// LeadingDigits returns how many digits s begins with.
func LeadingDigits(s string) int {
	n := 0
	for n < len(s) && IsDigit(s[n]) {
		n++
	}
	return n
}

// CutFold returns s without an ASCII prefix, in upper or lower case. The bool is false if s does not have it.
func CutFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}
