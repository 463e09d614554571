package replies

import (
	"regexp"
	"sync"
)

// A pattern returns a regular expression, which its first call compiles. The 120 patterns of this package together take 10 MB, and most
// commands use few of them.
type pattern func() *regexp.Regexp

// newPattern returns the pattern with an expression. The expression must be valid.
func newPattern(expression string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
