package bench

import (
	"cmp"
	"regexp"
	"slices"
	"unicode"
	"unicode/utf8"

	"compqa/data"
	"compqa/web/annotate/project"
)

// modelNames are regular expressions for the names that models use for themselves. mask-names in the study file adds more names.
var modelNames = []string{"chatgpt", "gpt-?[345][a-z0-9.-]*", "claude", "gemini", "gemma", "llama[ -]?[0-9.]*", "mistral", "mixtral",
	"qwen[a-z0-9.-]*", "deepseek[a-z0-9.-]*", "grok", "copilot"}

// unspacedScripts are scripts that write no spaces between words, or attach particles to names.
var unspacedScripts = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao,
	unicode.Khmer, unicode.Myanmar}

// wholeName returns a pattern that matches a name only as a whole word. The characters next to it must not be digits, or letters of the
// script in which the name begins or ends. first and last are the first and last character of the name. (\b of package regexp knows only
// ASCII.)
func wholeName(pattern string, first, last rune) *regexp.Regexp {
	script := func(r rune) string {
		if unicode.In(r, unspacedScripts...) {
			return ""
		}
		for name, letters := range unicode.Scripts {
			if name != "Common" && name != "Inherited" && unicode.Is(letters, r) {
				return name
			}
		}
		return "Latin" // a digit or a symbol
	}
	before := "()"
	after := "()"
	if name := script(first); name != "" {
		before = `(^|[^\p{` + name + `}\pM\pN_])`
	}
	if name := script(last); name != "" {
		after = `($|[^\p{` + name + `}\pM\pN_])`
	}
	return regexp.MustCompile(`(?i)` + before + `(?:` + pattern + `)` + after)
}

// judgedTexts returns the texts of an item that systems and judges wrote: answers, the cells of tables with their quotes, and the
// attachments by judges.
func judgedTexts(c *project.Content) []*string {
	texts := []*string{&c.A, &c.B}
	for i := range c.Rows {
		row := &c.Rows[i]
		texts = append(texts, &row.Attribute)
		for _, values := range [][]data.ContrastValue{row.Object1, row.Object2} {
			for j := range values {
				texts = append(texts, &values[j].Value)
				for k := range values[j].Evidence {
					texts = append(texts, &values[j].Evidence[k].Quote)
				}
			}
		}
	}
	for i := range c.Attachments {
		texts = append(texts, &c.Attachments[i].Text, &c.Attachments[i].Swapped)
	}
	return texts
}

// maskNames counts the items whose texts contain the name of a system. If mask is true, it replaces the names by [model].
func maskNames(items []project.Item, names []string, mask bool) (named int) {
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(len(b), len(a)) }) // so that the longest name that fits is replaced
	var patterns []*regexp.Regexp
	for _, name := range names {
		first, _ := utf8.DecodeRuneInString(name)
		last, _ := utf8.DecodeLastRuneInString(name)
		patterns = append(patterns, wholeName(regexp.QuoteMeta(name), first, last))
	}
	for _, pattern := range modelNames {
		patterns = append(patterns, wholeName(pattern, 'a', 'a'))
	}
	for i := range items {
		found := false
		for _, text := range judgedTexts(&items[i].Content) {
			for _, pattern := range patterns {
				if !pattern.MatchString(*text) {
					continue
				}
				found = true
				for range 2 { // two names may share the space between them
					if mask {
						*text = pattern.ReplaceAllString(*text, "${1}[model]${2}")
					}
				}
			}
		}
		if found {
			named++
		}
	}
	return named
}
