package data

import (
	"fmt"
	"strings"
)

// Suggest returns the end of a message about an unknown name: the most similar of names, or all of them. what names them in the plural, as
// "columns".
func Suggest(typed, what string, names []string) string {
	switch near := Nearest(typed, names); {
	case near != "":
		return fmt.Sprintf("; did you mean %q?", near)
	case len(names) == 0:
		return ""
	}
	return fmt.Sprintf("; the %s are %s", what, Some(names))
}

// mostListed is the number of names that a message lists.
const mostListed = 20

// Some joins names for a message: the first mostListed names, and the number of the others.
func Some(names []string) string {
	if more := len(names) - mostListed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostListed], ", "), more)
	}
	return strings.Join(names, ", ")
}

// Nearest returns the name most similar to a mistyped one, or "" if none is similar enough. A third of the letters may differ, at least 1
// and at most 3. A missing, additional, changed or transposed letter is one difference (optimal string alignment, Damerau 1964).
func Nearest(typed string, names []string) string {
	best := ""
	bestDistance := min(3, max(1, len(typed)/3)) + 1
	for _, name := range names {
		if max(len(name)-len(typed), len(typed)-len(name)) >= bestDistance {
			continue // the lengths alone differ too much
		}
		if d := editDistance(strings.ToLower(typed), strings.ToLower(name)); d < bestDistance {
			best = name
			bestDistance = d
		}
	}
	return best
}

// Slip reports whether two words, one of three letters or more, differ by one letter, not by case or digits. An added or missing letter
// and two letters in the other order count as one.
func Slip(a, b string) bool {
	short := min(len(a), len(b))
	long := max(len(a), len(b))
	return short >= 2 && long >= 3 && long-short <= 1 && !strings.ContainsAny(a+b, "0123456789") &&
		editDistance(strings.ToLower(a), strings.ToLower(b)) == 1
}

// editDistance returns the number of differences between two names, as Nearest counts them.
func editDistance(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := d[i-1][j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
