package pairwise

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
)

// Texts says what a task calls the texts that a judge compares, in the singular: {document, summary}. An empty name stands for the prompts'
// own name: {question, answer}.
type Texts struct {
	Question string
	Answer   string
}

// plainTexts are the prompts' own names.
var plainTexts = Texts{"question", "answer"}

// or returns t with its empty names filled in from other.
func (t Texts) or(other Texts) Texts {
	return Texts{cmp.Or(t.Question, other.Question), cmp.Or(t.Answer, other.Answer)}
}

// textName matches a possible name. The marks around the texts contain it, so it is one word.
var textName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z-]{0,39}$`)

// check returns an error if a name is not one English word.
func (t Texts) check() error {
	for _, name := range []string{t.Question, t.Answer} {
		if name != "" && !textName.MatchString(name) {
			return fmt.Errorf("%q must be one English word in the singular, such as document or summary", name)
		}
	}
	return nil
}

var (
	action    = regexp.MustCompile(`\{\{[^}]*\}\}`)
	forTheOne = regexp.MustCompile(`(?i)\banswers to (an?|the) question\b`)
	plainWord = regexp.MustCompile(`(?i)\b(an? )?(question|answer)(s?)\b`)
)

// renameIn returns a template's source with t in place of "question" and "answer", except within {{actions}}.
func (t Texts) renameIn(source string) string {
	if t == (Texts{}) {
		return source
	}
	var b strings.Builder
	from := 0
	for _, span := range append(action.FindAllStringIndex(source, -1), []int{len(source), len(source)}) {
		text := forTheOne.ReplaceAllString(source[from:span[0]], "answers for $1 question")
		b.WriteString(plainWord.ReplaceAllStringFunc(text, t.replaced))
		b.WriteString(source[span[0]:span[1]])
		from = span[1]
	}
	return b.String()
}

// replaced returns the task's name for found ("an answer", "Questions"), with the same article, number and capital.
func (t Texts) replaced(found string) string {
	m := plainWord.FindStringSubmatch(found)
	name := t.or(plainTexts).Answer
	if strings.EqualFold(m[2], plainTexts.Question) {
		name = t.or(plainTexts).Question
	}
	if m[3] != "" {
		name = plural(name)
	}
	if m[2][0] < 'a' {
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	if m[1] == "" {
		return name
	}
	article := m[1][:1]
	if strings.Contains("aeiouAEIOU", name[:1]) {
		article += "n"
	}
	return article + " " + name
}

// plural returns the regular plural of an English noun.
func plural(noun string) string {
	last := noun[len(noun)-1:]
	switch {
	case last == "y" && len(noun) > 1 && !strings.Contains("aeiou", noun[len(noun)-2:len(noun)-1]):
		return noun[:len(noun)-1] + "ies"
	case strings.Contains("sxz", last) || strings.HasSuffix(noun, "ch") || strings.HasSuffix(noun, "sh"):
		return noun + "es"
	}
	return noun + "s"
}
