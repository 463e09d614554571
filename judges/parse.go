package judges

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"compqa/data"
	"compqa/judges/text/lexical"
	"compqa/rubric"
)

// parserVersion is raised whenever Parse reads a reply differently.
const parserVersion = 1

// Parse reads the sheet of scores out of a judge's complete reply. It is
// lenient about form and strict about content:
//
//  1. A sheet is an object in braces. Text around it (prose, a fence, a list's
//     brackets) is ignored. Scores in any other form, such as a bare list of
//     numbers, do not name their criteria and are not a sheet.
//  2. The notation is JSON, or similar to it: a Python dictionary, keys without
//     quotes or in single, back or typographic quotes, comments, additional or
//     missing commas. See scanObject.
//  3. A key names a criterion if it is the criterion's id, or "c" or "criterion"
//     and an id that begins with a digit.
//  4. A score is a number, or text that is only a number, or an object with one of
//     these under "score" or "points". Anything else under a criterion is a
//     comment, and so is text under any other key.
//  5. Objects inside an object belong to it, at any depth: its scores are one sheet.
//     A criterion with two different scores has no score.
//  6. A number under another key is an invented score. The keys "total",
//     "total_score" and "sum" are ignored, because the total is always computed.
//  7. Of several objects, the last complete one is used, because a judge may think
//     aloud or quote. An object is complete if it scores every criterion, validly
//     or not. If none is complete, the last object with a score is reported as
//     invalid.
//  8. An object that is truncated or malformed after it has named a criterion is
//     not a sheet, and neither is anything inside it.
//  9. Only rubric.Check decides whether a sheet is valid.
//  10. A text that begins with data.PartMark has the replies to the parts of a sheet, each
//     under its heading.
//
// The status is Valid, or Unparsed (no sheet), Incomplete, UnknownCriterion or
// OutOfRange, with a reason that says to the judge what is wrong. The scores are
// those that could be read, invented ones under their own keys; they are finite.
// The time is linear in the length of the reply.
func Parse(reply string, r rubric.Rubric) (data.Scores, data.Status, string) {
	if strings.HasPrefix(reply, data.PartMark) {
		return parseParts(reply, r)
	}
	best := -1
	var chosen sheet
	if !utf8.ValidString(reply) {
		reply = strings.ToValidUTF8(reply, "\ufffd")
	}
	fault := scanObjects(reply, func(key string) bool { _, ok := criterionOf(key, r); return ok }, func(o lenientValue) {
		s := sheet{rubric: r, scores: make(data.Scores, len(o.members))}
		s.add(o)
		if rank := s.rank(); rank >= max(best, 0) {
			best, chosen = rank, s
		}
	})
	switch {
	case fault == errTangled:
		return nil, data.Unparsed, fault.Error()
	case best < 0 && strings.TrimSpace(reply) == "":
		return nil, data.Unparsed, "the reply is empty"
	case best < 0 && fault != nil:
		return nil, data.Unparsed, fault.Error()
	case best < 0:
		return nil, data.Unparsed, "the reply holds no object with the criteria's scores"
	}
	if f := r.Check(chosen.scores, false); f != nil {
		return chosen.scores, data.Status(f.Kind), clipReason(strings.Join(append([]string{f.Reason}, chosen.remarks()...), "; "))
	}
	return chosen.scores, data.Valid, ""
}

// parseParts parses a raw text that has the replies to the parts of a sheet.
func parseParts(raw string, r rubric.Rubric) (data.Scores, data.Status, string) {
	whole := data.Scores{}
	for section := range strings.SplitSeq(raw[len(data.PartMark):], data.PartMark) {
		heading, reply, _ := strings.Cut(data.PartMark+section, "\n")
		parts := append(Parts(r, AskGroup), Parts(r, AskCriterion)...)
		at := slices.IndexFunc(parts, func(p rubric.Rubric) bool { return partHeading(p) == heading+"\n" })
		if at < 0 {
			return whole, data.Unparsed, "the replies are to parts of another rubric"
		}
		scores, status, reason := Parse(reply, parts[at])
		maps.Copy(whole, scores)
		if status != data.Valid {
			return whole, status, partReason(parts[at], reason)
		}
	}
	if f := r.Check(whole, false); f != nil {
		return whole, data.Status(f.Kind), f.Reason
	}
	return whole, data.Valid, ""
}

// sheet has the contents of one object of a reply.
type sheet struct {
	rubric rubric.Rubric
	scores data.Scores
	named  bool              // some criterion occurs
	bad    map[string]string // why a criterion has no score
}

// rank orders sheets: 2 complete, 1 with some criterion in it, 0 with numbers
// only, -1 no sheet.
func (s *sheet) rank() int {
	complete := true
	for i := 0; i < len(s.rubric.Criteria) && complete; i++ {
		_, complete = s.scores[s.rubric.Criteria[i].ID]
	}
	switch {
	case complete:
		return 2
	case s.named:
		return 1
	case len(s.scores) > 0:
		return 0
	}
	return -1
}

// add takes in an object or a list with all that is in it.
func (s *sheet) add(o lenientValue) {
	for _, item := range o.items {
		s.add(item)
	}
	for i := range o.members {
		m := &o.members[i]
		if id, ok := criterionOf(m.key, s.rubric); ok {
			s.named = true
			s.addScore(id, m.value)
		} else if slices.Contains(totals, strings.ToLower(underscored.Replace(strings.TrimSpace(m.key)))) {
			continue
		} else if points, ok := m.value.number(); ok {
			s.scores[clipReason(strings.TrimSpace(m.key))] = points
		} else {
			s.add(m.value)
		}
	}
}

func (s *sheet) addScore(id string, value lenientValue) {
	points, ok := value.number()
	if !ok {
		points, ok = value.memberNumber("score", "points")
	}
	before, twice := s.scores[id]
	switch {
	case !ok:
		if s.bad[id] == "" {
			s.blame(id, fmt.Sprintf("criterion %s has %s, which is no number", id, value))
		}
	case s.bad[id] != "" && s.bad[id] == contradiction(id):
	case twice && before != points:
		delete(s.scores, id)
		s.blame(id, contradiction(id))
	default:
		s.scores[id] = points
	}
}

func (s *sheet) blame(id, why string) {
	if s.bad == nil {
		s.bad = map[string]string{}
	}
	s.bad[id] = why
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

// criterionOf is the id of the criterion that a key names.
func criterionOf(key string, r rubric.Rubric) (string, bool) {
	key = strings.TrimSpace(key)
	if hasCriterion(r, key) {
		return key, true
	}
	if id, ok := cutCriterion(key); ok && hasCriterion(r, id) {
		return id, true
	}
	return "", false
}

func hasCriterion(r rubric.Rubric, id string) bool {
	for i := range r.Criteria {
		if r.Criteria[i].ID == id {
			return true
		}
	}
	return false
}

// cutCriterion cuts off the words that people put before a criterion's number.
func cutCriterion(key string) (string, bool) {
	id, ok := lexical.CutFold(key, "criterion")
	if !ok {
		id, ok = lexical.CutFold(key, "c")
	}
	if id != "" && strings.IndexByte(" _-", id[0]) >= 0 {
		id = id[1:]
	}
	return id, ok && lexical.LeadingDigits(id) > 0
}

var (
	totals      = []string{"total", "total_score", "sum"} // keys that are ignored
	underscored = strings.NewReplacer(" ", "_", "-", "_")
)

// number is the finite number that a value is.
func (l lenientValue) number() (float64, bool) { return finiteNumber(strings.TrimSpace(l.text)) }

func finiteNumber(content string) (float64, bool) {
	if len(content) == 1 && lexical.IsDigit(content[0]) { // nearly all scores
		return float64(content[0] - '0'), true
	}
	if !isDecimal(content) {
		return 0, false
	}
	x, err := strconv.ParseFloat(content, 64)
	if err != nil || math.IsInf(x, 0) {
		return 0, false
	}
	return x + 0, true // no negative zero
}

// isDecimal reports whether a text is a decimal number: digits with a point
// before, among or behind them, signed or not, and an exponent or none. There is
// no infinity, no hexadecimal, no underscores.
func isDecimal(s string) bool {
	s = unsigned(s)
	digits := lexical.LeadingDigits(s)
	s = s[digits:]
	if rest, ok := strings.CutPrefix(s, "."); ok {
		n := lexical.LeadingDigits(rest)
		digits, s = digits+n, rest[n:]
	}
	if s != "" && s[0]|0x20 == 'e' {
		exponent := unsigned(s[1:])
		return digits > 0 && exponent != "" && lexical.LeadingDigits(exponent) == len(exponent)
	}
	return digits > 0 && s == ""
}

// unsigned cuts one sign off.
func unsigned(s string) string {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		return s[1:]
	}
	return s
}

// memberNumber is the number under the only one of the keys that an object has.
func (l lenientValue) memberNumber(keys ...string) (float64, bool) {
	points, found := 0.0, 0
	for _, m := range l.members {
		if x, ok := m.value.number(); ok && slices.Contains(keys, strings.ToLower(strings.TrimSpace(m.key))) {
			points = x
			found++
		}
	}
	if found != 1 {
		return 0, false
	}
	return points, true
}

// String is a value as a reason names it.
func (l lenientValue) String() string {
	switch {
	case l.members != nil:
		return "an object"
	case l.items != nil:
		return "a list"
	}
	return strconv.Quote(clipReason(l.text))
}

// mostReason is the maximum length of a reason in bytes.
const mostReason = 400

func clipReason(s string) string {
	if len(s) <= mostReason {
		return s
	}
	return strings.ToValidUTF8(s[:mostReason], "") + "…"
}
