package sources

import (
	"cmp"
	"fmt"
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
// of the text decides; "" means that no list has one. See data.OriginPerson.
func originOf(text string) string {
	words := wordsOf(text)
	found, _ := data.First(names().Origins, func(o originWords) bool {
		return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(o.Words, word) })
	})
	return found.Origin
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
var yesOrNo = map[string]bool{"yes": true, "true": true, "1": true, "no": false, "false": false, "0": false}

// asksOrigin reports whether a column of people's file asks where labels come from, and has only plain answers. suggestion_accepted with
// yes and no does. A column with an answer "partly" has values; so does one whose name is a criterion of the other side, as a detector of
// generated texts has.
func asksOrigin(c *Column, o Options) bool {
	for value := range c.values {
		if _, plain := yesOrNo[strings.ToLower(value)]; !plain {
			return false
		}
	}
	return o.People && c.Filled > 0 && askedOrigin(c.Path) != "" && !o.named(c.Path)
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
// and "no" the person's own. asked is false if the column does not ask for the origin, or the answer is neither yes nor no.
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

// notPersons reports whether a value under a person's name is not the person's own, and counts it in Log.Origins. An origin that names.yaml
// does not know is an error.
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
		if c := reading.Column(RoleOrigin); c != "" && said == "" {
			said = fmt.Sprintf(" by the column %s", data.Clip(c))
		}
	}
	return fmt.Sprintf("of %s in people's file %d count as people's%s (%s; --map people.origin=%s counts all)",
		data.Plural(log.Values.Len()+log.notOwn(), "label", "labels"), log.Values.Len(), said, strings.Join(parts, "; "), noOrigin)
}
