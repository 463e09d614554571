package replies

import (
	"regexp"
	"sync"
)

// A pattern returns a regular expression, which its first call compiles. The 120 patterns of this package together take 10 MB, and most
// commands use few of them.
type pattern func() *regexp.Regexp

// expressions are those of all patterns. A test checks that they are valid.
var expressions []string

// newPattern returns the pattern with an expression, which must be valid. It is called only for variables of the package.
func newPattern(expression string) pattern {
	expressions = append(expressions, expression)
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
