package replies

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/judges/text/lexical"
	"compqa/llm/structured"
	"compqa/rubric"
)

// Sheet reads the sheet of scores from a judge's complete reply. It is lenient about form and strict about content:
//
//  1. A sheet is an object in braces. Text around it (prose, a fence, a list's
//     brackets) is ignored. Scores in any other form, such as a bare list of
//     numbers, do not name their criteria and are not a sheet.
//  2. The notation is JSON, or similar to it: a Python dictionary, keys without
//     quotes or in single, back or typographic quotes, comments, additional or
//     missing commas. See structured.Scan.
//  3. A key names a criterion if it is the criterion's id, or "c" or "criterion"
//     and an id that begins with a digit.
//  4. A score is a number, a text that is only a number, or an object with one of them
//     under "score" or another of scoreKeys. "points" beside another of these keys is the
//     maximum. An object with two different scores, or with a deduction, has no score. Any
//     other value of a criterion is a comment, and so is a text under any other key.
//  5. The sheet is the object itself, or an object inside it under a key of holderKeys or
//     under the name of a group of criteria. An object under any other key (max_scores,
//     expected, confidence, human_scores) is not a sheet.
//  6. A number under another key of a sheet is an invented score. The keys "total",
//     "total_score" and "sum" are ignored, because the total is always computed.
//  7. An object, or one inside it, that occurs word for word in the judged texts does not
//     count: a judge may quote the answer, and the answer may contain a sheet.
//  8. All sheets of a reply must agree, whole or in part. The reason is "several sheets" if
//     two differ, a criterion has two scores, a second sheet is cut off, or prose after the
//     last sheet corrects it. If no sheet is complete, the last object with a score is
//     reported as invalid.
//  9. An object that is truncated or malformed after it has named a criterion is not a
//     sheet. Nothing inside it is one either.
//  10. A number counts only if it is exact: 1.00000000000000000001 is not 1.
//  11. Only rubric.Check decides whether a sheet is valid.
//  12. A text that begins with data.PartMark holds the replies to the parts of a sheet, each
//     under its heading.
//
// The status is Valid, Unparsed (no sheet), Incomplete, UnknownCriterion or OutOfRange. The reason tells the judge what is wrong. The
// scores are those that could be read, including invented ones under their own keys; all are finite. The time is linear in the length of
// the reply.
func Sheet(reply string, r rubric.Rubric, judged structured.Material) (data.Scores, data.Status, string) {
	return (&sheets{rubric: r, reading: reading{judged: judged}}).read(reply)
}

// Rules of sheets; a test switches each off to show that it is needed.
const (
	ruleHolders    rule = "only an object that a list names holds a sheet"
	ruleMembers    rule = "a score stands under one of the keys of scores"
	ruleAgree      rule = "all sheets of a reply agree"
	ruleCorrection rule = "a correction in prose leaves no sheet"
	ruleExact      rule = "numbers are exact"
)

var sheetRules = []rule{ruleThought, ruleQuote, ruleHolders, ruleMembers, ruleAgree, ruleCorrection, ruleExact}

// sheets is the state of reading the score sheets of one reply.
type sheets struct {
	reading
	rubric   rubric.Rubric
	complete []structured.Decision[sheet]
	partial  []sheet // not complete, but with a criterion, or with numbers only
	quotes   bool    // a complete sheet was skipped because it is quoted from the judged texts
	end      int     // where the last complete sheet ends in the text
}

const severalSheets = "the reply has several sheets of scores, which differ"

// read returns what Sheet returns. It takes the last complete sheet, or else the last of the most nearly complete objects.
func (s *sheets) read(reply string) (data.Scores, data.Status, string) {
	if strings.HasPrefix(reply, data.PartMark) {
		return s.readParts(reply)
	}
	text, ok := s.withoutThought(reply)
	if !ok {
		return nil, data.Unparsed, ErrThought.Error()
	}
	fault := s.find(text)
	if fault == structured.ErrTangled {
		return nil, data.Unparsed, fault.Error()
	}
	if reason := s.disagree(text); reason != "" {
		return nil, data.Unparsed, reason
	}
	chosen := sheet{}
	switch {
	case len(s.complete) > 0:
		chosen = s.complete[len(s.complete)-1].Value
	case len(s.partial) > 0:
		chosen = s.partial[0]
		for _, p := range s.partial {
			if p.rank() >= chosen.rank() {
				chosen = p
			}
		}
	case s.quotes:
		return nil, data.Unparsed, "the reply's only sheet of scores stands word for word in the judged text, so it is not the judge's own"
	case fault != nil:
		return nil, data.Unparsed, fault.Error()
	case strings.TrimSpace(reply) == "":
		return nil, data.Unparsed, "the reply is empty"
	default:
		return nil, data.Unparsed, "the reply holds no object with the criteria's scores"
	}
	if f := s.rubric.Check(chosen.scores, false); f != nil {
		return chosen.scores, data.Status(f.Kind), clipReason(strings.Join(append([]string{f.Reason}, chosen.remarks()...), "; "))
	}
	return chosen.scores, data.Valid, ""
}

// claims reports whether a key names a criterion, so that its object may be a sheet.
func (s *sheets) claims(key string) bool {
	_, is := criterionOf(key, s.rubric)
	return is
}

// find collects the judge's own sheets from a reply, without those that are quoted from the judged texts.
func (s *sheets) find(text string) error {
	index := 0
	return structured.Scan(text, s.claims, func(o structured.Value) {
		begin := index + max(0, strings.Index(text[index:], o.Source))
		index = begin + len(o.Source)
		found := sheet{sheets: s, scores: make(data.Scores, len(s.rubric.Criteria)), bad: map[string]string{}}
		value := o
		if s.enabled(ruleQuote) {
			value = s.judged.WithoutQuoted(o)
		}
		found.add(value)
		rank := found.rank()
		switch {
		case rank >= 0 && s.quoted(o.Source):
			s.quotes = s.quotes || rank == ranksComplete
		case rank == ranksComplete:
			s.complete = append(s.complete, structured.Decision[sheet]{Text: o.Source, Value: found})
			s.end = index
		case rank >= 0:
			s.partial = append(s.partial, found)
		}
	})
}

// disagree returns why the sheets of a reply do not agree, or "" if they do.
func (s *sheets) disagree(text string) string {
	if !s.enabled(ruleAgree) {
		return ""
	}
	for _, found := range s.partial {
		if found.conflicting != "" {
			return severalSheets + ": " + contradiction(found.conflicting)
		}
	}
	if len(s.complete) == 0 {
		return ""
	}
	first := s.complete[0].Value
	for _, found := range s.complete[1:] {
		if !maps.Equal(first.scores, found.Value.scores) {
			return severalSheets
		}
	}
	for _, found := range s.partial {
		for id, points := range found.scores {
			if before, scored := first.scores[id]; scored && before != points {
				return severalSheets + ": " + contradiction(id)
			}
		}
	}
	rest := text[s.end:]
	if strings.Contains(rest, "{") && structured.Scan(rest, s.claims, func(structured.Value) {}) != nil {
		return severalSheets + ": the last one is cut off"
	}
	if s.enabled(ruleCorrection) && first.corrected(normalized(objects().ReplaceAllString(rest, " "))) {
		return severalSheets + ": what follows the sheet corrects it"
	}
	return ""
}

var (
	// sheetCorrection matches words that take a sheet back. The words of softCorrection can also begin an explanation, so they count only
	// in a sentence with a number.
	sheetCorrection = newPattern(`(?i)\b(?:edit|correction|erratum)\s*:|\b(?:correcting|on (?:second|further|closer) \w+|` +
		`on reflection|` +
		`in retrospect|sorry|apolog\w+|i meant|should (?:read|be|have been)|(?:scratch|strike) that|take (?:that|it) back|never ?mind|oops|` +
		`chang(?:e|ed|ing) my|reconsider\w*|i was wrong|swapped|mistake)\b`)
	softCorrection = newPattern(`(?i)\b(?:wait|hmm+|actually|update|instead|lower|raise|revis\w+)\b`)
	// aboutCriterion matches a sentence that gives a criterion another score: "criterion 3 should be 1".
	aboutCriterion = newPattern(`(?i)\b(?:criterion|c)?[\s_-]*(\d+)\b[^.\n\d]*(?:\b(?:should|to|is|be|becomes|gets|now)\b|→|` +
		`->|=>|=|:)[^.\n\d]*` +
		`\b(\d+(?:\.\d+)?)\b`)
	objects = newPattern(`\{[^{}]*\}`) // objects after the last sheet agree with it, or are quoted
	aNumber = newPattern(`\d`)
)

// corrected reports whether the prose after a sheet takes it back, or gives one of its criteria another score.
func (s *sheet) corrected(rest string) bool {
	if sheetCorrection().MatchString(rest) {
		return true
	}
	for _, sentence := range sentences(rest) {
		if softCorrection().MatchString(sentence) && aNumber().MatchString(sentence) {
			return true
		}
		for _, m := range aboutCriterion().FindAllStringSubmatch(sentence, -1) {
			points, err := strconv.ParseFloat(m[2], 64)
			before, scored := s.scores[m[1]]
			if err == nil && scored && before != points {
				return true
			}
		}
	}
	return false
}

// PartHeading returns the line before the reply to a part in the raw text of a verdict.
func PartHeading(part rubric.Rubric) string {
	return data.PartMark + strings.Join(part.IDs(), ", ") + "\n"
}

// PartReason returns the reason why a sheet is not valid, with the part that it is about.
func PartReason(part rubric.Rubric, reason string) string {
	return "criteria " + strings.Join(part.IDs(), ", ") + ": " + reason
}

// partOf returns the part of the rubric that a heading names. The bool is false if it names other criteria.
func (s *sheets) partOf(heading string) (part rubric.Rubric, is bool) {
	part = s.rubric
	part.Criteria = nil
	rest := strings.TrimPrefix(heading, data.PartMark)
	for _, c := range s.rubric.Criteria {
		if rest == c.ID || strings.HasPrefix(rest, c.ID+", ") {
			part.Criteria = append(part.Criteria, c)
			rest = strings.TrimPrefix(rest[len(c.ID):], ", ")
		}
	}
	return part, rest == "" && len(part.Criteria) > 0
}

// readParts reads a raw text that holds the replies to the parts of a sheet, one after the other. The first part that is not valid decides
// the status.
func (s *sheets) readParts(raw string) (data.Scores, data.Status, string) {
	whole := data.Scores{}
	for section := range strings.SplitSeq(raw[len(data.PartMark):], data.PartMark) {
		heading, reply, _ := strings.Cut(data.PartMark+section, "\n")
		part, is := s.partOf(heading)
		if !is {
			return whole, data.Unparsed, "the replies are to parts of another rubric"
		}
		scores, status, reason := Sheet(reply, part, s.judged)
		maps.Copy(whole, scores)
		if status != data.Valid {
			return whole, status, PartReason(part, reason)
		}
	}
	if f := s.rubric.Check(whole, false); f != nil {
		return whole, data.Status(f.Kind), f.Reason
	}
	return whole, data.Valid, ""
}

// A sheet holds what one object of a reply says about the criteria.
type sheet struct {
	*sheets
	scores         data.Scores
	conflicting    string            // a criterion with two different scores, or ""
	namesCriterion bool              // a key names a criterion
	bad            map[string]string // by criterion: why it has no score
}

const ranksComplete = 2

// rank says how nearly an object is a sheet: 2 complete, 1 with a criterion, 0 with numbers only, -1 not a sheet.
func (s *sheet) rank() int {
	complete := s.conflicting == ""
	for i := 0; i < len(s.rubric.Criteria) && complete; i++ {
		_, complete = s.scores[s.rubric.Criteria[i].ID]
	}
	switch {
	case complete:
		return ranksComplete
	case s.namesCriterion:
		return 1
	case len(s.scores) > 0:
		return 0
	}
	return -1
}

// holderKeys are the keys under which an object can contain a sheet.
var holderKeys = []string{"scores", "score", "ratings", "criteria", "sheet", "evaluation", "result", "results", "final", "final_scores",
	"revised_scores", "verdict", "arguments", "parameters", "answer", "output", "awarded", "points", "rubric", "grades", "scoring",
	"assessment",
	"response", "score_sheet"}

// isHolder reports whether the object under key can be a sheet: key is a holder key, or the name of a group of criteria.
func (s *sheet) isHolder(key string) bool {
	name := keyOf(key)
	return !s.enabled(ruleHolders) || slices.Contains(holderKeys, name) ||
		slices.ContainsFunc(s.rubric.Groups(), func(group string) bool { return keyOf(group) == name })
}

// add reads the scores of an object, or of a list of objects, and of the objects inside that can be sheets.
func (s *sheet) add(o structured.Value) {
	for _, item := range o.Items {
		s.add(item)
	}
	for i := range o.Members {
		m := &o.Members[i]
		if id, ok := criterionOf(m.Key, s.rubric); ok {
			s.namesCriterion = true
			s.addScore(id, m.Value)
		} else if slices.Contains(totals, keyOf(m.Key)) {
			continue
		} else if points, ok := m.Value.Number(); ok {
			s.scores[clipReason(strings.TrimSpace(m.Key))] = points
		} else if s.isHolder(m.Key) {
			s.add(m.Value)
		}
	}
}

// addScore records the score of a criterion, or why it has none. A second, different score sets twice.
func (s *sheet) addScore(id string, value structured.Value) {
	points, ok := s.score(value)
	before, scored := s.scores[id]
	switch {
	case !ok:
		if s.bad[id] == "" {
			s.bad[id] = fmt.Sprintf("criterion %s has %s, which is no number", id, described(value))
		}
	case scored && before != points:
		s.conflicting = id
	default:
		s.scores[id] = points
	}
}

// scoreKeys are the keys of a score, if the value of a criterion is an object.
var (
	scoreKeys = []string{"score", pointsKey, "awarded", "value", "rating", "grade", "mark", "final_score", "final", "revised_score",
		"corrected_score", "adjusted_score"}
	deduction = newPattern(`deduct|penalt`)
)

const pointsKey = "points" // means the maximum if the object also has another score

// score returns the score that a value gives a criterion: a number, or the number that all score keys of an object agree on.
func (s *sheet) score(value structured.Value) (points float64, ok bool) {
	if value.Members == nil {
		return s.exact(value)
	}
	var scores []structured.Member
	further := false
	for _, m := range value.Members {
		key := keyOf(m.Key)
		if x, is := m.Value.Number(); is && x != 0 && deduction().MatchString(key) {
			return 0, false
		}
		if slices.Contains(scoreKeys, key) || !s.enabled(ruleMembers) {
			scores = append(scores, m)
			further = further || key != pointsKey
		}
	}
	for _, m := range scores {
		if keyOf(m.Key) == pointsKey && further {
			continue
		}
		x, is := s.exact(m.Value)
		if !is && s.enabled(ruleMembers) || ok && x != points {
			return 0, false
		}
		if is {
			points = x
			ok = true
		}
	}
	return points, ok
}

// longestNumber is the maximum number of characters of a score.
const longestNumber = 40

var smallExponent = newPattern(`(?i)^[^e]*(?:e[+-]?[0-9]{1,2})?$`)

// exact returns a number if a float64 represents it as written, so that "1.00000000000000000001" is not 1.
func (s *sheet) exact(value structured.Value) (float64, bool) {
	x, ok := value.Number()
	text := strings.TrimSpace(value.Text)
	if !ok || len(text) == 1 || !s.enabled(ruleExact) {
		return x, ok
	}
	if len(text) > longestNumber || !smallExponent().MatchString(text) {
		return 0, false
	}
	written, is := new(big.Rat).SetString(strings.TrimPrefix(text, "+"))
	shortest, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'f', -1, 64))
	return x, is && written.Cmp(shortest) == 0
}

func contradiction(id string) string {
	return fmt.Sprintf("criterion %s has two scores", id)
}

// remarks returns, in the rubric's order, why criteria in the sheet have no score.
func (s *sheet) remarks() []string {
	var list []string
	for _, id := range s.rubric.IDs() {
		if _, scored := s.scores[id]; !scored && s.bad[id] != "" {
			list = append(list, s.bad[id])
		}
	}
	return list
}

// criterionOf returns the id of the criterion that a key names: "3", "c3" or "criterion 3". The bool is false if it names none.
func criterionOf(key string, r rubric.Rubric) (string, bool) {
	key = strings.TrimSpace(strings.ReplaceAll(key, "\u200b", ""))
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

// cutCriterion removes "criterion" or "c" from before a criterion's number. The bool is false if the rest does not begin with a digit.
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

var totals = []string{"total", "total_score", "sum"} // keys that are ignored

// described describes a value that is not a score, for a reason.
func described(v structured.Value) string {
	switch {
	case v.Members != nil:
		return "an object"
	case v.Items != nil:
		return "a list"
	}
	return strconv.Quote(clipReason(v.Text))
}

// mostReason is the maximum length of a reason, in bytes.
const mostReason = 400

func clipReason(s string) string {
	if len(s) <= mostReason {
		return s
	}
	return strings.ToValidUTF8(s[:mostReason], "") + "…"
}
