package sources

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"compqa/data"
)

// An originWords are words that say where a value comes from.
type originWords struct {
	Origin string
	Words  []string
}

// originOf returns where a value with a person's name comes from, by the words of a text: of the lists in names.yaml the first that has one
// of them; "": no word says it.
func originOf(text string) string {
	words := wordsOf(text)
	found, _ := data.First(names().Origins, func(o originWords) bool {
		return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(o.Words, word) })
	})
	return found.Origin
}

// originNamed is the origin of labels whose rater has the name of a model, where nothing else says where they come from.
const originNamed = "model by name"

// modelName matches the names of models, of which some are names of persons without a version.
var modelName = regexp.MustCompile(`(?i)(^|[^a-z])(chatgpt|gpt|llama|mistral|mixtral|qwen|deepseek|llm|` +
	`(claude|gemini|gemma|phi)[-_ ]?(v?\d|opus|sonnet|haiku|instant|pro|flash|ultra|nano))([^a-z]|$)`)

// notOwn returns how many of people's labels are not their own, and do not count.
func (log *Log) notOwn() int {
	return log.Origins[data.OriginAccepted] + log.Origins[data.OriginModel] + log.Origins[originNamed]
}

// namesOrigin reports whether values of a column that is named for the origin of labels say it.
func namesOrigin(c *Column, o Options) bool {
	return o.People && c.origins(func(string) bool { return true }) > 0
}

// onlyOrigins reports whether all values of a column are origins, and some are not people's: its name may mean the source of the item, too.
func onlyOrigins(c *Column, o Options) bool {
	notPeoples := c.origins(func(origin string) bool { return origin != data.OriginPerson })
	return o.People && notPeoples > 0 && c.origins(func(string) bool { return true }) == len(c.values)
}

// originsAsked are the lists of names of columns that ask whether a label comes from a model, with the origin of those of which they say
// yes.
var originsAsked = map[string]string{"suggested": data.OriginAccepted, "generated": data.OriginModel}

// yesOrNo are the plain answers of such a column.
var yesOrNo = map[string]bool{"yes": true, "true": true, "1": true, "no": false, "false": false, "0": false}

// asksOrigin reports whether a column of people's file asks where labels come from and has plain answers: suggestion_accepted with yes and
// no does; with "partly", or where the other side has a criterion of its name, as a detector of generated texts has, it is a column of
// values.
func asksOrigin(c *Column, o Options) bool {
	for value := range c.values {
		if _, plain := yesOrNo[strings.ToLower(value)]; !plain {
			return false
		}
	}
	return o.People && c.Filled > 0 && askedOrigin(c.Path) != "" && !o.named(c.Path)
}

// askedOrigin returns the origin of labels of which a column says yes; "": it does not ask.
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

// answeredOrigin returns the origin of a label by the answer of a column that asks for it: with is_ai_generated "yes" is a model's, and
// "no" the person's own. asked: the column asks, and this is an answer.
func (r *reader) answeredOrigin(answer string) (origin string, asked bool) {
	yes, plain := yesOrNo[strings.ToLower(answer)]
	if !plain || len(r.Item.Origin) != 1 {
		return "", false
	}
	origin = askedOrigin(r.Item.Origin[0])
	if origin == "" || yes {
		return origin, origin != ""
	}
	return data.OriginPerson, true
}

// origins counts the different values that are origins of a kind.
func (c *Column) origins(is func(origin string) bool) (n int) {
	for value := range c.values {
		if origin := originOf(value); origin != "" && is(origin) {
			n++
		}
	}
	return n
}

// noOrigin is the word of --map people.origin= that says that no column has the origin of labels.
const noOrigin = "none"

// noOrigins reports whether the user says that no column has the origin of labels.
func (o Options) noOrigins() bool {
	return o.Map["people.origin"] == noOrigin || o.Map["origin"] == noOrigin
}

// leaveOrigins leaves out the columns that would be the origin of labels.
func (r *readingOf) leaveOrigins() {
	for _, rule := range data.Where(rules, func(rule rule) bool { return rule.role == RoleOrigin }) {
		r.apply(rule)
		if c := r.column(RoleOrigin); c != nil {
			r.leave(c, "not the origin of labels: "+flagged)
		}
	}
}

// notPersons counts a value that stands under the name of a person and does not come from the person, and reports whether it is one.
func (r *reader) notPersons(m *scoreMap, place *scope, name string) (bool, error) {
	text := cmp.Or(place.part(m.Origin), r.origin)
	origin := ""
	if text != "" {
		origin = originOf(text)
	}
	if answer, asked := r.answeredOrigin(text); asked {
		origin = answer
	}
	switch {
	case (text == "" || origin == data.OriginPerson && originOf(text) == "") && r.isModel(name):
		origin = originNamed // "no suggestion" does not make a model a person
	case text == "" && r.Item.Origin == nil:
		return false, nil
	case text == "":
		origin = data.OriginPerson
	}
	switch {
	case origin == "":
		return false, place.Errorf("the origin of a label is %q; it is %s, %s (a model's suggestion that a person accepted) or %s "+
			"(--map people.origin=COLUMN names another column, people.origin=%s counts all labels)", data.Clip(text), data.OriginPerson,
			data.OriginAccepted, data.OriginModel, noOrigin)
	case Missing(valueOf(place.first(m.Value))):
		return false, nil
	case text == "" && origin == data.OriginPerson && r.Item.Origin != nil:
		r.log.Origins[""]++
	case origin != data.OriginPerson:
		r.log.Origins[origin]++
	}
	return origin != data.OriginPerson, nil
}

// isModel reports whether a rater has the name of a model, and the user does not say that all labels are people's.
func (r *reader) isModel(name string) bool {
	model, known := r.models[name]
	if !known {
		model = !r.o.noOrigins() && modelName.MatchString(name)
		r.models[strings.Clone(name)] = model
	}
	return model
}

// NotPeoples says how many of people's labels are not their own, and that these do not count; "": all are.
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
		if c := reading.Column(RoleOrigin); c != "" && said == "" {
			said = fmt.Sprintf(" by the column %s", data.Clip(c))
		}
	}
	return fmt.Sprintf("of %s in people's file %d count as people's%s (%s; --map people.origin=%s counts all)",
		data.Plural(log.Values.Len()+log.notOwn(), "label", "labels"), log.Values.Len(), said, strings.Join(parts, "; "), noOrigin)
}
