package sources

import (
	"fmt"
	"iter"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v4"

	"compqa/data"
)

// paths are alternative paths: the first one that leads to a value is used.
type paths []string

// UnmarshalYAML reads one path or a list of paths.
func (p *paths) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.SequenceNode {
		return node.Decode((*[]string)(p))
	}
	*p = paths{""}
	return node.Decode(&(*p)[0])
}

// A scope is a value at which paths start. up leads to the value around it.
type scope struct {
	*data.Document
	value gjson.Result
	key   string                  // key of the value in the object around it, or its index from 0 in a list
	up    *scope                  // the value around it; nil for a record
	cells bool                    // the record is a row of a table, whose value is made on demand; see object
	named map[string]gjson.Result // members of an object; see member
	known bool                    // named is filled
	root  map[string]gjson.Result // for a record: the members of the whole document
}

// newScope returns the scope of a whole document.
func newScope(doc *data.Document) *scope {
	return &scope{Document: doc, value: doc.Value, cells: doc.Table != nil}
}

// object returns the value. A row of a table becomes an object of texts.
func (s *scope) object() gjson.Result {
	if s.cells && s.value.Raw == "" {
		s.value = s.Document.Object()
	}
	return s.value
}

// members yields the members of an object or a list as scopes.
func (s *scope) members(list gjson.Result) iter.Seq[*scope] {
	return func(yield func(*scope) bool) {
		n := 0
		object := list.IsObject()
		if !object && !list.IsArray() {
			return // ForEach would visit the value itself
		}
		list.ForEach(func(key, member gjson.Result) bool {
			inner := &scope{Document: s.Document, value: member, key: strconv.Itoa(n), up: s}
			if object {
				inner.key = key.Str
			}
			n++
			return yield(inner)
		})
	}
}

// each yields the members of the list or object at a path. "a[].b" visits the members of b in each member of a.
func (s *scope) each(path string) iter.Seq[*scope] {
	first, rest, nested := strings.Cut(path, "[]")
	return func(yield func(*scope) bool) {
		list := s.object()
		if first != "" {
			list = parsed(s.get(first))
		}
		for member := range s.members(list) {
			if !nested {
				if !yield(member) {
					return
				}
				continue
			}
			for inner := range member.each(strings.TrimPrefix(rest, ".")) {
				if !yield(inner) {
					return
				}
			}
		}
	}
}

// get returns the value at a path, which formats.yaml describes. Forms of paths, by example: 'text' is the text itself; "{a} of {b}" a text
// with values; ^a starts at the value around; $a starts at the document; @key, @line, @file and alike describe the place; a.b leads into
// objects, and into JSON that a model wrote as its reply.
func (s *scope) get(path string) gjson.Result {
	switch {
	case path == "":
		return gjson.Result{}
	case path[0] == '\'':
		return literal(strings.Trim(path, "'"))
	}
	if s.cells || s.Table != nil && (strings.ContainsAny(path[:1], "^$@") || strings.Contains(path, "{")) { // a column may have such a name
		if v, known := s.member(path); known {
			return v
		}
	}
	switch {
	case strings.HasPrefix(path, "@path:"): // the path is itself a value: @path:TEMPLATE
		return s.get(textOf(s.fill(path[len("@path:"):])))
	case strings.Contains(path, "{"):
		return s.fill(path)
	case path[0] == '^':
		if s.up == nil {
			return gjson.Result{}
		}
		return s.up.get(path[1:])
	case path[0] == '$':
		return s.ofRoot(path[1:])
	}
	switch word, pattern, _ := strings.Cut(path, ":"); word {
	case "@key":
		return literal(matched(pattern, s.key))
	case "@line":
		return literal(strconv.Itoa(s.Line))
	case "@all": // true if all values of a list are true
		list := s.get(pattern).Array()
		if len(list) == 0 {
			return gjson.Result{}
		}
		if slices.ContainsFunc(list, func(v gjson.Result) bool { return v.Type != gjson.True }) {
			return gjson.Result{Type: gjson.False, Raw: "false"}
		}
		return gjson.Result{Type: gjson.True, Raw: "true"}
	case "@match": // what a pattern matches in a value: @match:PATH:PATTERN
		path, pattern, _ := strings.Cut(pattern, ":")
		return literal(matched(pattern, textOf(s.get(path))))
	case "@number":
		n, _ := strconv.Atoi(s.key)
		return literal(strconv.Itoa(n + 1))
	case "@value":
		return s.object()
	case "@file":
		return literal(matched(pattern, baseName(s.File)))
	}
	if v, known := s.member(path); known { // also for a name with dots
		return v
	}
	if first, rest, nested := strings.Cut(path, "."); nested { // the path leads into JSON within a reply
		if text, known := s.member(first); known && text.Type == gjson.String {
			if reply := replyOf(text); reply.IsObject() {
				return reply.Get(rest)
			}
		}
	}
	if s.cells && !strings.ContainsAny(path, `*?|#@!\`) {
		return gjson.Result{} // cells have no objects to lead into
	}
	return s.object().Get(path)
}

// ofRoot returns the value at a path in the document. The members of the document are found only once: to search the whole document for
// every record would take quadratic time.
func (s *scope) ofRoot(path string) gjson.Result {
	record := s
	for record.up != nil {
		record = record.up
	}
	if record.root == nil {
		root := s.Root
		if record.cells {
			root = record.object()
		}
		record.root = membersOf(root)
	}
	first, rest, nested := strings.Cut(path, ".")
	if !nested {
		return record.root[first]
	}
	return record.root[first].Get(rest)
}

func membersOf(object gjson.Result) map[string]gjson.Result {
	members := map[string]gjson.Result{}
	if object.IsObject() {
		object.ForEach(func(key, member gjson.Result) bool {
			members[key.Str] = member
			return true
		})
	}
	return members
}

// member returns a member of the object by name. The members are found only once.
func (s *scope) member(name string) (v gjson.Result, known bool) {
	if s.cells {
		text, found := s.Cell(name)
		if !found {
			return v, false
		}
		return literal(text), true
	}
	if !s.known {
		s.known = true
		if s.named == nil {
			s.named = map[string]gjson.Result{}
		}
		if s.value.IsObject() {
			s.value.ForEach(func(key, member gjson.Result) bool {
				s.named[key.Str] = member
				return true
			})
		}
	}
	v, known = s.named[name]
	return v, known
}

func literal(text string) gjson.Result { return gjson.Result{Type: gjson.String, Str: text} }

// baseName returns the name of a file without its folder and extension.
func baseName(file string) string {
	name := filepath.Base(strings.TrimSuffix(file, ".gz"))
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// matched returns what the first group of a pattern matches in a text, or "". Without a pattern it returns the text.
func matched(pattern, text string) string {
	if pattern == "" {
		return text
	}
	if m := regexp.MustCompile(pattern).FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

var placeholder = regexp.MustCompile(`\{([^{}]+?)(\??)\}(\s*)`)

// fill replaces each {path} in a template by its value. If one has no value, the result does not exist. {path?} is optional, together with
// the space after it.
func (s *scope) fill(template string) gjson.Result {
	var b strings.Builder
	end := 0
	for _, m := range placeholder.FindAllStringSubmatchIndex(template, -1) {
		text := textOf(s.get(template[m[2]:m[3]]))
		switch optional := m[4] < m[5]; {
		case text == "" && !optional:
			return gjson.Result{}
		case text == "":
			b.WriteString(template[end:m[0]])
		default:
			b.WriteString(template[end:m[0]] + text + template[m[6]:m[7]])
		}
		end = m[1]
	}
	return literal(b.String() + template[end:])
}

// first returns the value at the first path that has one.
func (s *scope) first(p paths) (value gjson.Result) {
	if s.cells && len(p) == 1 && !strings.HasPrefix(p[0], "'") { // most values of most tables
		if text, found := s.Cell(p[0]); found {
			return literal(text)
		}
	}
	for _, path := range p {
		if v := s.get(path); v.Exists() && v.Type != gjson.Null && textOf(v) != "" {
			return v
		} else if !value.Exists() {
			value = v // null, or an empty text
		}
	}
	return value
}

// text returns the text at the first path that has a value, as a copy that does not keep the record in memory.
func (s *scope) text(p paths) string { return strings.Clone(s.part(p)) }

// part does what text does without a copy: the result keeps the whole record in memory.
func (s *scope) part(p paths) string {
	if p == nil {
		return ""
	}
	text := textOf(s.first(p))
	if hash, found := strings.CutPrefix(text, "attachment://"); found { // inspect_ai stores long texts as attachments
		if whole := s.object().Get("attachments." + gjson.Escape(hash)); whole.Exists() {
			return whole.Str
		}
	}
	return text
}

// question returns the text of a question. If it is a list of messages, the system messages are left out.
func (s *scope) question(p paths) string {
	if p == nil {
		return ""
	}
	messages := s.first(p)
	if !messages.Get("0.role").Exists() {
		return s.text(p)
	}
	return strings.Clone(dialogue(slices.DeleteFunc(messages.Array(), func(m gjson.Result) bool { return m.Get("role").Str == "system" })))
}

// textOf returns the text of a value: a string itself, the content of a message, a dialogue for a list of messages, True and False as in
// Python, numbers without ".0". A list of numbers gives "".
func textOf(v gjson.Result) string {
	switch {
	case v.Type == gjson.String:
		return v.Str
	case v.IsArray():
		if first := v.Get("0"); first.Type == gjson.Number { // log-likelihoods, or a vector
			return ""
		}
		return dialogue(v.Array())
	case v.IsObject():
		for _, name := range []string{"content", "text"} {
			if inner := v.Get(name); inner.Exists() {
				return textOf(inner)
			}
		}
		return v.Raw
	case v.Type == gjson.True:
		return "True" // as Python writes it
	case v.Type == gjson.False:
		return "False"
	case v.Type == gjson.Number && v.Raw[0] != 'N' && v.Raw[0] != 'I':
		if whole, zeros, found := strings.Cut(v.Raw, "."); found && strings.Trim(zeros, "0") == "" {
			return whole // pandas may write 4 as 4.0
		}
		return v.Raw
	}
	return ""
}

// dialogue joins messages, or parts of a text. If there are several messages, each begins with its role.
func dialogue(messages []gjson.Result) string {
	var b strings.Builder
	for _, m := range messages {
		if m.IsObject() && !m.Get("content").Exists() && !m.Get("text").Exists() {
			continue // a part without text, such as reasoning or an image
		}
		if role := m.Get("role"); role.Exists() && len(messages) > 1 {
			fmt.Fprintf(&b, "%s: ", role.Str)
		}
		b.WriteString(textOf(m))
		if len(messages) == 1 {
			return b.String()
		}
		b.WriteString("\n\n")
	}
	return strings.TrimSpace(b.String())
}
