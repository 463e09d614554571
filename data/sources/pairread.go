package sources

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"compqa/data"
)

// A pairCount counts the rows of a file of pairs that give no pair or no label, and labels that need a note.
type pairCount struct {
	entries    int                 // rows that were read
	blank      int                 // rows without any value
	lost       map[string]int      // rows that are not a pair, by reason
	unlabelled int                 // pairs without a choice
	noChoice   int                 // rows of a person without a choice
	notRead    int                 // published choices whose word stands for no choice
	notReadAt  []string            // the first of these choices, with their lines
	byScores   int                 // labels derived from the scores of both answers
	equal      int                 // choices although both answers have equal scores
	against    int                 // labels that contradict the scores of both answers
	labels     map[int]data.Choice // by item: labels of better and worse answers, before placed exchanges them
	opposite   map[int]bool        // pairs that occur again with the opposite label; by item
	again      int                 // pairs that occur again with the same label
	media      map[string]int      // questions with media, such as an image, by medium
	firstLost  string              // the place of the first row that is not a pair
	answered   int                 // questions whose text contains the texts of both answers
	answeredAt error               // error for the first such question
}

// lose counts a row that is not a pair.
func (r *reader) lose(record *scope, why string) {
	if r.lost == nil {
		r.lost = map[string]int{}
	}
	if r.firstLost == "" {
		r.firstLost = fmt.Sprintf("%s:%d", baseFile(record.File), record.Line)
	}
	r.lost[why]++
}

// mostUnreadChoices is the number of unreadable choices that a note quotes.
const mostUnreadChoices = 3

// leaveUnread counts a published choice whose word stands for no choice.
func (r *reader) leaveUnread(record *scope, value string) {
	if value == "" {
		return
	}
	r.notRead++
	if len(r.notReadAt) < mostUnreadChoices {
		r.notReadAt = append(r.notReadAt, fmt.Sprintf("%s (line %d)", data.Clip(value), record.Line))
	}
}

// baseFile returns the name of a file without its folder, for paths with / or \.
func baseFile(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// readPair adds the pair of a record, if it is new. index is its place among the items, or -1 if the record is not a pair or gives pairs of
// several candidates. swapped says that the pair was read before with its answers exchanged.
func (r *reader) readPair(record *scope, item Item) (index int, swapped bool, err error) {
	m := r.Item
	r.entries++
	if blank(record.object()) {
		r.blank++
		return -1, false, nil
	}
	p := data.Pair{Label: data.NoChoice, Domain: m.domain(record.text(m.Domain)), Cluster: data.QuestionCluster(record.text(m.Cluster)),
		SystemA: record.text(m.SystemA), SystemB: record.text(m.SystemB)}
	if a, b, found := strings.Cut(record.text(m.Systems), "_"); found {
		p.SystemA = a
		p.SystemB = b
	}
	if m.Candidates != nil {
		return -1, false, r.candidates(record, item, p)
	}
	first := record.first(slices.Concat(m.A, m.Better))
	second := record.first(slices.Concat(m.B, m.Worse))
	switch {
	case !first.Exists() || !second.Exists():
		way := ""
		if r.o.People {
			way = "; say where the two answers are: --map people.a=PATH,people.b=PATH"
		}
		return 0, false, record.Errorf("%s or %s is missing%s", slices.Concat(m.A, m.Better)[0], slices.Concat(m.B, m.Worse)[0], way)
	case first.Type == gjson.Null || second.Type == gjson.Null:
		r.lose(record, "without one of the answers")
		return -1, false, nil
	case m.Each || m.Better != nil && (listed(parsed(first)) || listed(parsed(second))):
		return -1, false, r.betterAndWorse(record, item, p, parsed(first), parsed(second))
	}
	p, known, err := r.shown(record, p, first, second)
	if err != nil || !known {
		return -1, false, err
	}
	if p.Question == "" && m.Question == nil && m.Better == nil {
		p.Question = item.ID
	}
	if p.Question == "" && m.Better == nil {
		return 0, false, record.Errorf("%s is missing", strings.Join(append(slices.Clone(m.Question), "the question or an id"), " or "))
	}
	if p.Question == "" {
		r.lose(record, "without a prompt or a common beginning")
		return -1, false, nil
	}
	if p.Cluster == "" {
		p.Cluster = data.QuestionCluster(p.Question)
	}
	p.Label, err = r.label(record, &p)
	if err != nil {
		return 0, false, err
	}
	index, swapped = r.addPair(item, p)
	return index, swapped, nil
}

// blank reports whether no member of a record has a value.
func blank(object gjson.Result) bool {
	empty := true
	object.ForEach(func(_, value gjson.Result) bool {
		empty = value.Type == gjson.Null || value.Type == gjson.String && strings.TrimSpace(value.Str) == ""
		return empty
	})
	return empty && object.IsObject()
}

// shown sets the question and the answers of a pair. The turns that both answers begin with belong to the question. known is false for a
// row without a pair, which is counted.
func (r *reader) shown(record *scope, p data.Pair, first, second gjson.Result) (pair data.Pair, known bool, err error) {
	m := r.Item
	a, systemA, okA := turnsOf(first)
	b, systemB, okB := turnsOf(second)
	if !okA || !okB {
		return p, false, record.Errorf("%s is an object without a text that is known (%s); say where the answers are, for instance --map "+
			"a=%s.PATH",
			slices.Concat(m.A, m.Better)[0], strings.Join(textMembers, ", "), slices.Concat(m.A, m.Better)[0])
	}
	p.SystemA = cmp.Or(p.SystemA, systemA)
	p.SystemB = cmp.Or(p.SystemB, systemB)
	if p.SystemA == p.SystemB {
		p.SystemA = ""
		p.SystemB = ""
	}
	shared, restA, restB, ok := splitTurns(a, b)
	if !ok {
		r.lose(record, "whose answers are none to the same turns")
		return p, false, nil
	}
	p.A, p.B = conversation(restA), conversation(restB)
	p.Question, err = r.question(record, shared, p.A, p.B)
	return p, true, err
}

// question returns the text of all that the answers of a record share, in this order: the system message, the turns before the question,
// the question, the given turns with which both answers begin, and further texts and notes of media. A further text that contains an answer
// is an error.
func (r *reader) question(record *scope, shared []turn, answers ...string) (string, error) {
	m := r.Item
	asked := r.turns(record, m.Question)
	if within(asked, shared) {
		asked = nil
	}
	before := r.turns(record, m.Before)
	if within(before, slices.Concat(shared, asked)) {
		before = nil
	}
	if len(before) > 0 && len(asked) == 1 && asked[0].role == "" && before[0].role != "" {
		asked[0].role = "user"
	}
	turns := slices.Concat(before, asked, shared)
	parts := []string{conversation(turns)}
	if message := contentText(record.first(m.SystemMessage)); message != "" && !strings.Contains(parts[0], strings.TrimSpace(message)) {
		parts = []string{systemMessage(message), parts[0]}
	}
	for _, path := range m.Shared {
		text := strings.TrimSpace(conversation(r.turns(record, paths{path})))
		switch {
		case text == "" || strings.Contains(parts[len(parts)-1], text):
			continue
		case slices.ContainsFunc(answers, func(answer string) bool { return len(answer) >= 20 && strings.Contains(text, answer) }):
			return "", record.Errorf("%s has the text of an answer, and would be shown with the question; leave it out: --map left=%s", path, path)
		}
		parts = append(parts, labelledText(path, text))
	}
	if paragraphs(parts) == "" {
		return "", nil // an image without a question
	}
	for _, path := range m.Media {
		if text := mediaText(path, record.get(path)); text != "" && text != parts[len(parts)-1] { // not both image and image_path
			parts = append(parts, text)
		}
	}
	text := strings.TrimSpace(paragraphs(parts))
	if len(answers) == 2 && min(len(answers[0]), len(answers[1])) >= 20 && strings.Contains(text, answers[0]) &&
		strings.Contains(text, answers[1]) {
		r.answered++
		r.answeredAt = cmp.Or(r.answeredAt, record.Errorf("the question has the texts of both answers; say which column is the question "+
			"alone: --map question=COLUMN"))
	}
	r.countMedia(append([]string{text}, answers...)...)
	return text, nil
}

// turns returns the turns at the first path that has a value.
func (r *reader) turns(record *scope, p paths) []turn {
	if p == nil {
		return nil
	}
	value := record.first(p)
	if inner := parsed(value); inner.IsArray() && isMessage(inner.Get("0")) {
		value = inner
	}
	turns, _, ok := turnsOf(value)
	switch {
	case ok && value.IsObject() && !isMessage(value) && len(turns) == 1: // as {full_text, dataset, id}
		return []turn{{"", record.text(p)}}
	case ok:
		return turns
	}
	for _, name := range []string{"full_text", "question", "prompt", "query"} {
		if inner := value.Get(name); inner.Type == gjson.String {
			return []turn{{"", inner.Str}}
		}
	}
	return []turn{{"", textOf(value)}}
}

// labelledText returns a further text with the name of its column in front, unless the column is named input, question, prompt or alike.
func labelledText(path, text string) string {
	name := path[strings.LastIndexByte(path, '.')+1:]
	words := strings.Join(wordsOf(name), " ")
	if slices.Contains([]string{"input", "question", "prompt", "instruction", "query"}, words) || words == "" {
		return text
	}
	return strings.ToUpper(words[:1]) + words[1:] + ": " + text
}

// mediaText returns a note in brackets that a column has an image or another medium, or tools: "[image]", "[2 of image]", "[tools:
// search]".
func mediaText(path string, v gjson.Result) string {
	v = parsed(v)
	if strings.HasSuffix(path, "tools") {
		names := data.Each(v.Array(), func(tool gjson.Result) string {
			return cmp.Or(tool.Get("function.name").Str, tool.Get("name").Str, "a tool")
		})
		if len(names) == 0 {
			return ""
		}
		return "[tools: " + strings.Join(names, ", ") + "]"
	}
	medium := cmp.Or(mediaOf(strings.ToLower(path)), "image")
	n := 1
	switch {
	case !v.Exists() || v.Type == gjson.Null || v.Type == gjson.False || v.Type == gjson.String && Missing(v.Str):
		return ""
	case v.IsArray():
		n = len(v.Array())
	}
	switch n {
	case 0:
		return ""
	case 1:
		return "[" + medium + "]"
	}
	return fmt.Sprintf("[%d of %s]", n, medium)
}

// countMedia counts a question whose texts contain notes of media or tool calls, once for each kind.
func (r *reader) countMedia(texts ...string) {
	if r.media == nil {
		r.media = map[string]int{}
	}
	for what, mark := range map[string]string{"an image": "image]", "audio": "audio]", "a video": "video]", "a file": "[file]",
		"a tool call": "[tool call: "} {
		if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, mark) }) {
			r.media[what]++
		}
	}
}

// label returns the label of a pair: the choice of the record, else the choice that follows from the scores of both answers. In a record of
// a better and a worse answer, the better one is a, unless the record says that they are a tie.
func (r *reader) label(record *scope, p *data.Pair) (data.Choice, error) {
	m := r.Item
	byScores := r.scored(record)
	if m.Better != nil {
		label := data.ChoiceA
		switch {
		case strings.EqualFold(record.text(m.Status), "tie"), byScores == data.ChoiceTie && m.Ratings != nil:
			label = data.ChoiceTie
			r.byScores++
		case byScores == data.ChoiceTie:
			r.equal++
		case byScores == data.ChoiceB:
			r.against++
		}
		return label, nil
	}
	if m.Label == nil {
		if byScores == data.NoChoice {
			return data.NoChoice, nil
		}
		r.byScores++
		return byScores, nil
	}
	value := valueOf(record.first(m.Label))
	if r.o.missing(value) {
		if byScores != data.NoChoice {
			r.byScores++
			return byScores, nil
		}
		r.unlabelled++
		return data.NoChoice, nil
	}
	label, named, err := sideNamed(record, m.Label[0], value, m.Choices, p, m.Is)
	if err != nil {
		return "", err
	}
	if m.Order != "" && !named && !m.OfPair {
		order, known := orderOf(valueOf(record.get(m.Order)))
		if !known {
			return "", record.Errorf("%s is %q; it must say in which order the answers were shown: ab or ba, or true where they were exchanged",
				m.Order, data.Clip(valueOf(record.get(m.Order))))
		}
		label = label.In(order)
	}
	if byScores.Decided() && label.Decided() && byScores != label {
		r.against++
	}
	return label, nil
}

// scored returns the choice that follows from the scores of both answers: the answer with the higher score, a tie for equal ones. If a
// score is missing, it returns NoChoice.
func (r *reader) scored(record *scope) data.Choice {
	m := r.Item
	texts := [2]string{record.text(m.ScoreA), record.text(m.ScoreB)}
	if list := parsed(record.first(m.Ratings)).Array(); m.Ratings != nil && len(list) == 2 {
		texts = [2]string{valueOf(list[0]), valueOf(list[1])}
	}
	a, okA := data.Number(texts[0])
	b, okB := data.Number(texts[1])
	switch {
	case !okA || !okB:
		return data.NoChoice
	case a == b:
		return data.ChoiceTie
	case m.Ratings != nil && m.Better != nil: // the scores are in the order in which the answers were generated
		return data.ChoiceA
	case a > b:
		return data.ChoiceA
	}
	return data.ChoiceB
}

// addPair adds a pair and returns its index among the items. If the same question and answers were read before, in either order, it returns
// the earlier pair; swapped says that the order differs. The same pair with an opposite label is noted as a conflict. If a record has a
// better and a worse answer, a hash of the id decides which stands first.
func (r *reader) addPair(item Item, p data.Pair) (index int, swapped bool) {
	number := strconv.Itoa(len(r.log.Items) + r.lostRows() + 1)
	p.ID = r.Name + "-" + cmp.Or(item.ID, number)
	byBetter := r.Item.Better != nil || r.Item.Candidates != nil
	same, exchanged, seen := r.samePair(p)
	order := data.OrderAB
	if exchanged {
		order = data.OrderBA
	}
	byID, taken := r.ids[p.ID]
	switch {
	case seen && byBetter && r.labels[same] != p.Label.In(order):
		r.oppose(same)
		return same, exchanged
	case seen && !byBetter && (item.ID == "" || taken && byID == same):
		r.again++
		r.relabel(same, p.Label, exchanged)
		return same, exchanged
	case taken && item.ID != "" && !byBetter && (r.o.Format != "" || r.Source == ""):
		return byID, false
	}
	if taken {
		p.ID += "-" + number // the id is that of a question with several pairs
	}
	r.ids[p.ID] = len(r.log.Items)
	r.pairs[[3]string{p.Question, p.A, p.B}] = len(r.log.Items)
	if byBetter {
		r.labels[len(r.log.Items)] = p.Label
		p = placed(p)
	}
	item.Change(func(about *About) { about.Pair = &p })
	r.log.Items = append(r.log.Items, item)
	return len(r.log.Items) - 1, false
}

// samePair returns the index of an earlier pair with the same texts. exchanged says that it has the answers in the other order.
func (r *reader) samePair(p data.Pair) (index int, exchanged, seen bool) {
	index, seen = r.pairs[[3]string{p.Question, p.A, p.B}]
	if !seen {
		index, exchanged = r.pairs[[3]string{p.Question, p.B, p.A}]
		seen = exchanged
	}
	return index, exchanged, seen
}

// relabel adds the label of a repeated pair: it fills a missing label, and a different one is a conflict.
func (r *reader) relabel(index int, label data.Choice, exchanged bool) {
	if exchanged {
		label = label.Swapped()
	}
	pair := r.log.Items[index].About().Pair
	switch {
	case label == data.NoChoice || label == pair.Label:
	case pair.Label == data.NoChoice:
		pair.Label = label
	default:
		r.oppose(index)
	}
}

// oppose notes that a pair occurs again with the opposite label.
func (r *reader) oppose(index int) {
	if r.opposite == nil {
		r.opposite = map[int]bool{}
	}
	r.opposite[index] = true
}

// lostRows returns the number of rows that are not a pair.
func (c *pairCount) lostRows() int {
	n := c.blank
	for _, lost := range c.lost {
		n += lost
	}
	return n
}

// counted removes labels that contradict each other, and adds notes to the set's source about rows without a pair or a label. It returns an
// error if more than half of the rows are not pairs, or the questions contain the answers.
func (r *reader) counted(path string, set *data.PreferenceSet) error {
	if 2*r.answered > len(r.log.Items) { // in some rows, both answers may be copied from the text that is asked about
		return r.answeredAt
	}
	lost := r.lostRows() - r.blank
	if lost > 0 && 2*lost > r.entries-r.blank {
		return fmt.Errorf("%s: %d of %s are no pairs, the first at %s: %s; say what the columns are with --map", path, lost,
			data.Plural(r.entries-r.blank, "row", "rows"), r.firstLost, data.List(slices.Sorted(maps.Keys(r.lost))))
	}
	if len(set.Pairs) == 0 {
		return fmt.Errorf("%s: there are no two answers to one question, with a prompt or a common beginning", path)
	}
	for index := range r.opposite {
		if index < len(set.Pairs) {
			set.Pairs[index].Label = data.NoChoice
		}
	}
	say := func(n int, one, many, what string) {
		if n > 0 {
			set.Source += fmt.Sprintf(" (%s %s)", data.Plural(n, one, many), what)
		}
	}
	say(r.blank, "empty row", "empty rows", "left out")
	for _, why := range slices.Sorted(maps.Keys(r.lost)) {
		say(r.lost[why], "row", "rows", why+" left out")
	}
	say(len(r.opposite), "pair", "pairs", "again with another choice: a conflict, without a label")
	say(r.noChoice, "row", "rows", "without a choice left out")
	examples := strings.Join(r.notReadAt, ", ")
	if r.notRead > len(r.notReadAt) {
		examples += " …"
	}
	say(r.notRead, "choice", "choices", "not read: "+examples)
	say(r.unlabelled, "pair", "pairs", "without a choice")
	say(r.byScores, "label", "labels", "by the scores of both answers: the higher one wins, equal ones are a tie")
	say(r.equal, "choice", "choices", "whose answers have equal scores: the choice counts")
	say(r.against, "label", "labels", "against the scores of both answers")
	for _, what := range slices.Sorted(maps.Keys(r.media)) {
		say(r.media[what], "question", "questions", "with "+what+", which the judge is told of and is not shown")
	}
	return nil
}
