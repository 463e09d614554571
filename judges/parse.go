package judges

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/rubric"
)

// parserVersion is raised whenever Parse reads a reply differently.
const parserVersion = 1

// Parse reads the sheet of scores out of a judge's complete reply. It is
// lenient about form and strict about content:
//
//  1. A sheet is an object in braces. What stands around it (prose, a fence, a
//     list's brackets) doesn't matter. Scores in any other form, such as a bare
//     list of numbers, don't say whose they are and are no sheet.
//  2. The notation is JSON, or what is mistaken for it: a Python dictionary, keys
//     without quotes or in single, back or typographic ones, comments, commas
//     too many or too few. See scanObject.
//  3. A key is a criterion's when it is its id, or "c" or "criterion" and an id
//     that begins with a digit.
//  4. A score is a number, or text that is nothing but a number, or an object
//     with one of these under "score" or "points". Anything else under a
//     criterion is a comment, and so is text under any other key.
//  5. Objects in an object belong to it, at any depth: its scores are one sheet.
//     A criterion with two different scores in it has none.
//  6. A number under a key that is no criterion's is an invented score, but for
//     "total", "total_score" and "sum": these are ignored, since a total is
//     always computed. None is ever read or checked.
//  7. Of several objects the last complete one wins: a judge may think aloud, or
//     quote. Complete is one that scores every criterion, well or badly. Without
//     a complete one, the last that scores any is looked at, and is at fault.
//  8. An object that breaks off, or that isn't one from some point on, is no
//     sheet once it has named a criterion; nor is anything in it.
//  9. Whether a sheet is valid is for rubric.Check alone to say.
//
// The status is Valid, or Unparsed (no sheet), Incomplete, UnknownCriterion or
// OutOfRange, with a reason that says to the judge what is wrong. The scores are
// those that could be read, invented ones under their own keys; they are finite.
// The time is linear in the length of the reply.
func Parse(reply string, r rubric.Rubric) (data.Scores, data.Status, string) {
	best := -1
	var chosen *sheet
	reply = strings.ToValidUTF8(reply, "\ufffd")
	fault := scanObjects(reply, func(key string) bool { _, ok := criterionOf(key, r); return ok }, func(o loose) {
		s := newSheet(o, r)
		if rank := s.rank(); rank >= max(best, 0) {
			best, chosen = rank, s
		}
	})
	switch {
	case fault == errTangled:
		return nil, data.Unparsed, fault.Error()
	case chosen == nil && strings.TrimSpace(reply) == "":
		return nil, data.Unparsed, "the reply is empty"
	case chosen == nil && fault != nil:
		return nil, data.Unparsed, fault.Error()
	case chosen == nil:
		return nil, data.Unparsed, "the reply holds no object with the criteria's scores"
	}
	if f := r.Check(chosen.scores, false); f != nil {
		return chosen.scores, data.Status(f.Kind), clipReason(strings.Join(append([]string{f.Reason}, chosen.remarks()...), "; "))
	}
	return chosen.scores, data.Valid, ""
}

// sheet is what one object of a reply says.
type sheet struct {
	rubric rubric.Rubric
	scores data.Scores
	named  map[string]bool   // criteria that occur at all
	bad    map[string]string // why a criterion has no score
}

func newSheet(o loose, r rubric.Rubric) *sheet {
	n := len(o.members)
	s := &sheet{rubric: r, scores: make(data.Scores, n), named: make(map[string]bool, n), bad: map[string]string{}}
	s.add(o)
	return s
}

// rank orders sheets: 2 complete, 1 with some criterion in it, 0 with numbers
// only, -1 no sheet.
func (s *sheet) rank() int {
	complete := !slices.ContainsFunc(s.rubric.IDs(), func(id string) bool { _, ok := s.scores[id]; return !ok })
	switch {
	case complete:
		return 2
	case len(s.named) > 0:
		return 1
	case len(s.scores) > 0:
		return 0
	}
	return -1
}

// add takes in an object or a list with all that is in it.
func (s *sheet) add(o loose) {
	for _, item := range o.items {
		s.add(item)
	}
	for _, m := range o.members {
		id, known := criterionOf(m.key, s.rubric)
		points, isNumber := m.value.number()
		switch {
		case known:
			s.named[id] = true
			s.addScore(id, m.value)
		case isTotal(m.key):
		case isNumber:
			s.scores[clipReason(strings.TrimSpace(m.key))] = points
		default:
			s.add(m.value)
		}
	}
}

func (s *sheet) addScore(id string, value loose) {
	points, ok := value.number()
	if !ok {
		points, ok = value.memberNumber("score", "points")
	}
	before, twice := s.scores[id]
	switch {
	case !ok:
		if s.bad[id] == "" {
			s.bad[id] = fmt.Sprintf("criterion %s has %s, which is no number", id, value)
		}
	case s.bad[id] != "" && s.bad[id] == contradiction(id):
	case twice && before != points:
		delete(s.scores, id)
		s.bad[id] = contradiction(id)
	default:
		s.scores[id] = points
	}
}

func contradiction(id string) string {
	return fmt.Sprintf("criterion %s has two different scores", id)
}

// remarks say, in the rubric's order, why criteria that occur have no score.
func (s *sheet) remarks() []string {
	var list []string
	for _, id := range s.rubric.IDs() {
		if _, scored := s.scores[id]; !scored && s.bad[id] != "" {
			list = append(list, s.bad[id])
		}
	}
	return list
}

// numberedKey is a criterion's number with the words that people put before it.
var numberedKey = regexp.MustCompile(`^(?i:criterion|c)[ _-]?([0-9].*)$`)

// criterionOf is the id of the criterion that a key names.
func criterionOf(key string, r rubric.Rubric) (string, bool) {
	key = strings.TrimSpace(key)
	has := func(id string) bool {
		return slices.ContainsFunc(r.Criteria, func(c rubric.Criterion) bool { return c.ID == id })
	}
	if has(key) {
		return key, true
	}
	if m := numberedKey.FindStringSubmatch(key); m != nil && has(m[1]) {
		return m[1], true
	}
	return "", false
}

func isTotal(key string) bool {
	switch strings.ToLower(strings.NewReplacer(" ", "_", "-", "_").Replace(strings.TrimSpace(key))) {
	case "total", "total_score", "sum":
		return true
	}
	return false
}

// numberText is a decimal number: no infinity, no hexadecimal, no underscores.
var numberText = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

// number is the finite number that a value is.
func (l loose) number() (float64, bool) {
	text := strings.TrimSpace(l.text)
	if !numberText.MatchString(text) {
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(x, 0) {
		return 0, false
	}
	return x + 0, true // no negative zero
}

// memberNumber is the number under the only one of the keys that an object has.
func (l loose) memberNumber(keys ...string) (float64, bool) {
	var found []float64
	for _, m := range l.members {
		if x, ok := m.value.number(); ok && slices.Contains(keys, strings.ToLower(strings.TrimSpace(m.key))) {
			found = append(found, x)
		}
	}
	if len(found) != 1 {
		return 0, false
	}
	return found[0], true
}

// String is a value as a reason names it.
func (l loose) String() string {
	switch {
	case l.members != nil:
		return "an object"
	case l.items != nil:
		return "a list"
	}
	return strconv.Quote(clipReason(l.text))
}

// mostReason is how long a reason may be, in bytes.
const mostReason = 400

func clipReason(s string) string {
	if len(s) <= mostReason {
		return s
	}
	return strings.ToValidUTF8(s[:mostReason], "") + "…"
}
