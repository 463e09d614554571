package judges

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/judges/text/lexical"
	"compqa/llm/structured"
	"compqa/rubric"
)

// parserVersion is raised whenever Parse reads a reply differently.
const parserVersion = 2

// Parse reads the sheet of scores out of a judge's complete reply. It is lenient about form and strict about content:
//
//  1. A sheet is an object in braces. Text around it (prose, a fence, a list's
//     brackets) is ignored. Scores in any other form, such as a bare list of
//     numbers, do not name their criteria and are not a sheet.
//  2. The notation is JSON, or similar to it: a Python dictionary, keys without
//     quotes or in single, back or typographic quotes, comments, additional or
//     missing commas. See structured.Scan.
//  3. A key names a criterion if it is the criterion's id, or "c" or "criterion"
//     and an id that begins with a digit.
//  4. A score is a number, or text that is only a number, or an object with one of
//     these under "score" or "points". Anything else under a criterion is a
//     comment, and so is text under any other key.
//  5. Objects inside an object belong to it, at any depth: its scores are one sheet.
//     A criterion with two different scores has no score.
//  6. A number under another key is an invented score. The keys "total",
//     "total_score" and "sum" are ignored, because the total is always computed.
//  7. An object, or one inside it, that stands word for word in the judged texts does not
//     count: a judge may quote the answer, and the answer may hold a sheet.
//  8. Of several objects, the complete ones must agree. An object is complete if it
//     scores every criterion, validly or not. If none is complete, the last object with
//     a score is reported as invalid.
//  9. An object that is truncated or malformed after it has named a criterion is
//     not a sheet, and neither is anything inside it.
//  10. Only rubric.Check decides whether a sheet is valid.
//  11. A text that begins with data.PartMark has the replies to the parts of a sheet, each
//     under its heading.
//
// The status is Valid, or Unparsed (no sheet), Incomplete, UnknownCriterion or OutOfRange, with a reason that says to the
// judge what is wrong. The scores are those that could be read, invented ones under their own keys; they are finite. The
// time is linear in the length of the reply.
func Parse(reply string, r rubric.Rubric, judged ...string) (data.Scores, data.Status, string) {
	return parse(reply, r, structured.MaterialOf(judged...))
}

func parse(reply string, r rubric.Rubric, judged structured.Material) (data.Scores, data.Status, string) {
	if strings.HasPrefix(reply, data.PartMark) {
		return parseParts(reply, r, judged)
	}
	var complete []structured.Found[sheet]
	best, chosen := -1, sheet{} // of incomplete ones
	fault := structured.Scan(reply, func(key string) bool { _, ok := criterionOf(key, r); return ok }, func(o structured.Value) {
		s := sheet{rubric: r, scores: make(data.Scores, len(r.Criteria)), bad: map[string]string{}}
		s.add(judged.Own(o))
		switch rank := s.rank(); {
		case rank == ranksComplete:
			complete = append(complete, structured.Found[sheet]{Text: o.Source, Value: s})
		case rank >= max(best, 0) && !judged.Has(o.Source):
			best, chosen = rank, s
		}
	})
	for i := range complete {
		if len(complete) > 1 {
			complete[i].Same = fmt.Sprint(complete[i].Value.scores)
		}
	}
	only, err := structured.Only(complete, judged)
	switch {
	case fault == structured.ErrTangled:
		return nil, data.Unparsed, fault.Error()
	case err == nil:
		chosen = only
	case err == structured.ErrSeveral:
		return nil, data.Unparsed, "the reply has several sheets of scores, which differ"
	case best >= 0:
	case err == structured.ErrQuoted:
		return nil, data.Unparsed, "the reply's only sheet of scores stands word for word in the judged text, so it is not the judge's own"
	case fault != nil:
		return nil, data.Unparsed, fault.Error()
	case strings.TrimSpace(reply) == "":
		return nil, data.Unparsed, "the reply is empty"
	default:
		return nil, data.Unparsed, "the reply holds no object with the criteria's scores"
	}
	if f := r.Check(chosen.scores, false); f != nil {
		return chosen.scores, data.Status(f.Kind), clipReason(strings.Join(append([]string{f.Reason}, chosen.remarks()...), "; "))
	}
	return chosen.scores, data.Valid, ""
}

// parseParts parses a raw text that has the replies to the parts of a sheet.
func parseParts(raw string, r rubric.Rubric, judged structured.Material) (data.Scores, data.Status, string) {
	whole := data.Scores{}
	for section := range strings.SplitSeq(raw[len(data.PartMark):], data.PartMark) {
		heading, reply, _ := strings.Cut(data.PartMark+section, "\n")
		parts := append(Parts(r, AskGroup), Parts(r, AskCriterion)...)
		at := slices.IndexFunc(parts, func(p rubric.Rubric) bool { return partHeading(p) == heading+"\n" })
		if at < 0 {
			return whole, data.Unparsed, "the replies are to parts of another rubric"
		}
		scores, status, reason := parse(reply, parts[at], judged)
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

const ranksComplete = 2

// rank orders sheets: 2 complete, 1 with some criterion in it, 0 with numbers only, -1 no sheet.
func (s *sheet) rank() int {
	complete := true
	for i := 0; i < len(s.rubric.Criteria) && complete; i++ {
		_, complete = s.scores[s.rubric.Criteria[i].ID]
	}
	switch {
	case complete:
		return ranksComplete
	case s.named:
		return 1
	case len(s.scores) > 0:
		return 0
	}
	return -1
}

// add takes in an object or a list with all that is in it.
func (s *sheet) add(o structured.Value) {
	for _, item := range o.Items {
		s.add(item)
	}
	for i := range o.Members {
		m := &o.Members[i]
		if id, ok := criterionOf(m.Key, s.rubric); ok {
			s.named = true
			s.addScore(id, m.Value)
		} else if slices.Contains(totals, strings.ToLower(underscored.Replace(strings.TrimSpace(m.Key)))) {
			continue
		} else if points, ok := m.Value.Number(); ok {
			s.scores[clipReason(strings.TrimSpace(m.Key))] = points
		} else {
			s.add(m.Value)
		}
	}
}

func (s *sheet) addScore(id string, value structured.Value) {
	points, ok := value.Number()
	if !ok {
		points, ok = memberNumber(value, "score", "points")
	}
	before, twice := s.scores[id]
	switch {
	case !ok:
		if s.bad[id] == "" {
			s.bad[id] = fmt.Sprintf("criterion %s has %s, which is no number", id, described(value))
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
	return slices.ContainsFunc(r.Criteria, func(c rubric.Criterion) bool { return c.ID == id })
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

// memberNumber is the number under the only one of the keys that an object has.
func memberNumber(v structured.Value, keys ...string) (float64, bool) {
	points, found := 0.0, 0
	for _, m := range v.Members {
		if x, ok := m.Value.Number(); ok && slices.Contains(keys, strings.ToLower(strings.TrimSpace(m.Key))) {
			points = x
			found++
		}
	}
	if found != 1 {
		return 0, false
	}
	return points, true
}

// described is a value as a reason names it.
func described(v structured.Value) string {
	switch {
	case v.Members != nil:
		return "an object"
	case v.Items != nil:
		return "a list"
	}
	return strconv.Quote(clipReason(v.Text))
}

// mostReason is the maximum length of a reason in bytes.
const mostReason = 400

func clipReason(s string) string {
	if len(s) <= mostReason {
		return s
	}
	return strings.ToValidUTF8(s[:mostReason], "") + "…"
}
