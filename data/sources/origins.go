package sources

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"compqa/data"
)

// An originWords lists the words that mean one origin of a value, for instance a model's suggestion.
type originWords struct {
	Origin string
	Words  []string
}

// originOf returns the origin that a text names, that is who made a value under a person's name. The first list in names.yaml with a word
// of the text decides; "" means that no list has one. "Not accepted" means a person; "not edited" is not understood. See data.OriginPerson.
func originOf(text string) string {
	words := wordsOf(text)
	has := func(list []string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(list, word) })
	}
	found, _ := data.First(names().Origins, func(o originWords) bool { return has(o.Words) })
	switch {
	case found.Origin == "" || !has(names().Not):
		return found.Origin
	case found.Origin == data.OriginPerson:
		return ""
	}
	return data.OriginPerson
}

// originNamed is the origin of labels whose rater is named like a model, if the file does not give an origin.
const originNamed = "model by name"

// modelName matches the names of models. Some, such as claude, are also names of persons: they count only with a version.
var modelName = regexp.MustCompile(`(?i)(^|[^a-z])(chatgpt|gpt|llama|mistral|mixtral|qwen|deepseek|llm|` +
	`(claude|gemini|gemma|phi)[-_ ]?(v?\d|opus|sonnet|haiku|instant|pro|flash|ultra|nano))([^a-z]|$)`)

// notOwn returns the number of labels under people's names that are not their own. They do not count.
func (log *Log) notOwn() int {
	return log.Origins[data.OriginAccepted] + log.Origins[data.OriginModel] + log.Origins[originNamed]
}

// namesOrigin reports whether some values of a column are origins of labels, in people's file.
func namesOrigin(c *Column, o Options) bool {
	return o.People && c.origins(func(string) bool { return true }) > 0
}

// onlyOrigins reports whether all values of a column in people's file are origins of labels, and some are not people's. It is for columns
// named "source", which may also mean the source of the item.
func onlyOrigins(c *Column, o Options) bool {
	notPeoples := c.origins(func(origin string) bool { return origin != data.OriginPerson })
	return o.People && notPeoples > 0 && c.origins(func(string) bool { return true }) == len(c.values)
}

// originsAsked maps the lists of names of columns that ask whether a label comes from a model to the origin that the answer yes means.
var originsAsked = map[string]string{"suggested": data.OriginAccepted, "generated": data.OriginModel}

// yesOrNo are the plain answers in the columns of originsAsked.
var yesOrNo = map[string]bool{"yes": true, "y": true, "true": true, "1": true, "no": false, "n": false, "false": false, "0": false}

// asksOrigin reports whether a column of people's file asks where labels come from. suggestion_accepted does if one of its values is an
// answer, such as yes, accepted or edited. is_ai_generated does if all are: with an answer "partly", people say it of texts. A column does
// not if its name is a criterion of the other side, as a detector of generated texts has.
func asksOrigin(c *Column, o Options) bool {
	asked := askedOrigin(c.Path)
	if !o.People || asked == "" || o.named(c.Path) {
		return false
	}
	answers := 0
	for value := range c.values {
		if answeredOrigin(asked, value) != "" {
			answers++
		}
	}
	return answers > 0 && (asked == data.OriginAccepted || answers == len(c.values))
}

// askedOrigin returns the origin that the answer yes means in a column with this name, or "" if the column does not ask for the origin.
func askedOrigin(path string) string {
	for list, origin := range originsAsked {
		if slices.ContainsFunc(names().Roles[list], func(name string) bool {
			return folded(name) == folded(path) || folded(name) == folded(lastPart(path))
		}) {
			return origin
		}
	}
	return ""
}

// answeredOrigin returns the origin of a label by the answer in a column that asks for it. In is_ai_generated, "yes" means a model's label
// and "no" the person's own. It returns "" if the answer is not understood.
func answeredOrigin(asked, answer string) string {
	yes, plain := yesOrNo[strings.ToLower(answer)]
	switch {
	case !plain:
		return originOf(answer)
	case yes:
		return asked
	}
	return data.OriginPerson
}

// writers gives the role RoleWriter to an assumed column of origins if the data show that it says who wrote the texts that people label,
// not who gave the labels. It has one value for all raters of a text, or for all texts of a system, and does not go with the raters, as it
// would if some of them were models. Where the data do not show it, the column stays one of labels: a model's labels that counted as
// people's would be worse than people's labels that are left out with a note.
func (r *readingOf) writers() {
	c := r.column(RoleOrigin)
	if c == nil || !r.roles[c].Assumed {
		return
	}
	if rater := r.column(RoleRater); rater != nil {
		if again, same, _ := c.within(rater); again > 0 && same {
			return
		}
	}
	raters := r.joined(RoleRater)
	inColumns := r.ratersInColumns() > 1
	why := ""
	switch {
	case c.ofGroups(r.joined(RoleTopic, RoleItem, RoleTurn, RoleSystem, RoleQuestion, RoleText),
		func(first, row int) bool { return inColumns || raters[first] != raters[row] }):
		why = "the same for all raters of a text"
	case c.ofGroups(r.joined(RoleSystem), func(first, row int) bool { return first != row }):
		why = "the same for all texts of a system"
	default:
		return
	}
	r.give(c, RoleWriter, fmt.Sprintf("%s; if it is about labels: --map people.origin=%s", why, c.Path), true)
}

// leastInGroups is the least number of rows that show, for each of two values, that a column never varies in a group.
const leastInGroups = 5

// ofGroups reports whether a column never varies among the rows of a group. groups has a number for each row. shows reports whether a row
// could have had another value than the first row of its group; two values need leastInGroups such rows.
func (c *Column) ofGroups(groups []uint64, shows func(first, row int) bool) bool {
	firsts := map[uint64]int{}
	counts := map[uint64]int{} // by value
	for i, value := range c.cells {
		if value == 0 || groups[i] == 0 {
			continue
		}
		first, known := firsts[groups[i]]
		if !known {
			firsts[groups[i]] = i
			first = i
		}
		if c.cells[first] != value {
			return false
		}
		if shows(first, i) {
			counts[value]++
		}
	}
	enough := data.Where(slices.Collect(maps.Values(counts)), func(n int) bool { return n >= leastInGroups })
	return len(enough) > 1
}

// joined returns a number for each row, which is equal for rows with equal values in all columns with these roles. It is 0 for rows without
// a value in any of them.
func (r *readingOf) joined(roles ...string) []uint64 {
	rows := 0
	for _, c := range r.Columns {
		rows = max(rows, len(c.cells))
	}
	numbers := make([]uint64, rows)
	for _, c := range r.Columns {
		if r.roles[c] == nil || !slices.Contains(roles, r.roles[c].Role) {
			continue
		}
		for i := range numbers {
			numbers[i] *= 0x9e3779b97f4a7c15 // mixes the hashes, so that equal sums of different cells are unlikely
			if i < len(c.cells) {
				numbers[i] += c.cells[i]
			}
		}
	}
	return numbers
}

// ratersInColumns returns the number of raters whose names are in the names of columns.
func (r *readingOf) ratersInColumns() int {
	raters := map[string]bool{}
	for _, read := range r.roles {
		if read.Role == RoleValue && read.Rater != "" {
			raters[read.Rater] = true
		}
	}
	return len(raters)
}

// origins counts the distinct values of a column that name an origin which is accepts.
func (c *Column) origins(is func(origin string) bool) (n int) {
	for value := range c.values {
		if origin := originOf(value); origin != "" && is(origin) {
			n++
		}
	}
	return n
}

// noOrigin is the value of --map people.origin= that says that no column has the origin of labels.
const noOrigin = "none"

// noOrigins reports whether the user says that no column has the origin of labels.
func (o Options) noOrigins() bool {
	return o.Map["people.origin"] == noOrigin || o.Map["origin"] == noOrigin
}

// leaveOrigins leaves out the columns that would otherwise be read as the origin of labels.
func (r *readingOf) leaveOrigins() {
	for _, rule := range data.Where(rules, func(rule rule) bool { return rule.role == RoleOrigin }) {
		r.apply(rule)
		if c := r.column(RoleOrigin); c != nil {
			r.leave(c, "not the origin of labels: "+flagged)
		}
	}
}

// notPersons reports whether a value under a person's name is not the person's own, and counts it in Log.Origins. An origin that is not
// understood is an error.
func (r *reader) notPersons(m *scoreMap, place *scope, name string) (bool, error) {
	text := cmp.Or(place.part(m.Origin), r.origin)
	if text == "" && r.Item.Origin == nil && !r.isModel(name) {
		return false, nil
	}
	known := data.OriginPerson + ", " + data.OriginAccepted + " (a model's suggestion that a person accepted) or " + data.OriginModel
	asked := ""
	if len(r.Item.Origin) == 1 {
		asked = askedOrigin(r.Item.Origin[0])
	}
	origin := originOf(text)
	if asked != "" && text != "" {
		origin = answeredOrigin(asked, text)
		known = "yes, no, accepted, edited, rejected or a similar word"
	}
	switch {
	case (text == "" || origin == data.OriginPerson && originOf(text) == "") && r.isModel(name):
		origin = originNamed // "no suggestion" does not make a model a person
	case text == "":
		origin = data.OriginPerson
	}
	switch {
	case origin == "":
		return false, place.Errorf("the origin of a label is %q; it is %s (--map people.origin=COLUMN names another column, "+
			"people.origin=%s counts all labels)", data.Clip(text), known, noOrigin)
	case Missing(valueOf(place.first(m.Value))):
		return false, nil
	case text == "" && origin == data.OriginPerson && r.Item.Origin != nil:
		r.log.Origins[""]++
	case origin != data.OriginPerson:
		r.log.Origins[origin]++
	}
	return origin != data.OriginPerson, nil
}

// isModel reports whether a rater is named like a model. It is always false if the user says that all labels are people's.
func (r *reader) isModel(name string) bool {
	model, known := r.models[name]
	if !known {
		model = !r.o.noOrigins() && modelName.MatchString(name)
		r.models[strings.Clone(name)] = model
	}
	return model
}

// NotPeoples says how many labels in people's file are not people's own, and that they do not count. It returns "" if all are people's own.
func (log *Log) NotPeoples() string {
	if log.notOwn() == 0 {
		return ""
	}
	var parts []string
	for _, part := range []struct {
		what string
		n    int
	}{{"a model's that a person accepted", log.Origins[data.OriginAccepted]}, {"a model's", log.Origins[data.OriginModel]},
		{"a model's by the name of who gave them", log.Origins[originNamed]}, {"not said, and counted", log.Origins[""]}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", part.what, part.n))
		}
	}
	said := ""
	for _, reading := range log.Readings {
		for _, c := range reading.columns(RoleOrigin) {
			said = fmt.Sprintf(" by the column %s", data.Clip(c.Column))
			if c.Assumed {
				said += ", taken to be about labels, not texts"
			}
		}
	}
	return fmt.Sprintf("of %s in people's file %d count as people's%s (%s; --map people.origin=%s counts all)",
		data.Plural(log.Values.Len()+log.notOwn(), "label", "labels"), log.Values.Len(), said, strings.Join(parts, "; "), noOrigin)
}
