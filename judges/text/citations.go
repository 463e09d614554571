package text

import "strings"

// Citations are numbers of arguments in square brackets, [3], [1, 3] or
// [1][2] or [2-4]; [generated] marks what the writer made up.
type citations struct {
	numbers   []int
	generated int
}

// add collects the citations of one text.
func (c *citations) add(s string) {
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
		if inside := s[:end]; isCitation(inside) {
			c.read(inside)
			s = s[end+1:]
		}
	}
}

// read takes "1, 3" or "2-4" or "generated" or both.
func (c *citations) read(inside string) {
	const widest = 50 // numbers in a range; a wider one is not a citation
	last, dash := 0, false
	for i := 0; i < len(inside); {
		switch n := LeadingDigits(inside[i:]); {
		case n > 0:
			k := number(inside[i : i+min(n, 9)])
			if dash && last > 0 && k > last && k-last <= widest {
				for j := last + 1; j < k; j++ {
					c.numbers = append(c.numbers, j)
				}
			}
			c.numbers = append(c.numbers, k)
			last, dash = k, false
			i += n
		case inside[i] == '-':
			dash = true
			i++
		default:
			if _, ok := CutFold(inside[i:], "generated"); ok {
				c.generated++
				return
			}
			i++
		}
	}
}

// isCitation reports whether square brackets with this inside cite: numbers,
// with "argument" before them or not, or a tag of made-up arguments.
func isCitation(s string) bool {
	s = strings.TrimSpace(s)
	if rest, ok := CutFold(s, "arguments"); ok {
		s = rest
	} else if rest, ok := CutFold(s, "argument"); ok {
		s = rest
	} else if rest, ok := CutFold(s, "arg"); ok {
		s = strings.TrimLeft(rest, ".")
	}
	seen := false
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case IsDigit(c):
			seen = true
			i++
		case c == ' ' || c == ',' || c == ';' || c == '-' || c == '&' || c == '#':
			i++
		default:
			rest, ok := CutFold(s[i:], "generated")
			if !ok {
				rest, ok = CutFold(s[i:], "and")
				if !ok || !seen {
					return false
				}
			} else {
				seen = true
			}
			i = len(s) - len(rest)
		}
	}
	return seen && len(s) <= 60
}
