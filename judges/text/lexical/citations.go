package lexical

import "strings"

// Citations are numbers of arguments in square brackets, [3], [1, 3] or
// [1][2] or [2-4]; [generated] marks what the writer made up.
type Citations struct {
	Numbers   []int
	Generated int
}

// Add collects the citations of one text.
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
			c.read(inside)
			s = s[end+1:]
		}
	}
}

// read takes "1, 3" or "2-4" or "generated" or both.
func (c *Citations) read(inside string) {
	const widest = 50 // numbers in a range; a wider one is not a citation
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

// IsCitation reports whether square brackets with this inside cite: numbers,
// with "argument" before them or not, or a tag of made-up arguments.
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

// Number returns the number that the digits of s make; other bytes are passed over.
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

// CutFold cuts an ASCII prefix off, in upper or lower case.
func CutFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}
