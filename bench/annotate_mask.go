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

// modelNames are patterns of the names by which models call themselves. mask-names of the study adds more.
var modelNames = []string{"chatgpt", "gpt-?[345][a-z0-9.-]*", "claude", "gemini", "gemma", "llama[ -]?[0-9.]*", "mistral", "mixtral",
	"qwen[a-z0-9.-]*", "deepseek[a-z0-9.-]*", "grok", "copilot"}

// unspacedScripts are scripts that have no space between words, or attach particles to names.
var unspacedScripts = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao,
	unicode.Khmer, unicode.Myanmar}

// wholeName returns the pattern of a name that stands as a whole word: no letter next to it is of the script in which it begins or
// ends, and no digit. (\b of package regexp knows ASCII alone.) first and last are its characters at the ends.
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
		return "Latin" // a digit or a sign
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

// judgedTexts returns the texts of an item that systems and judges wrote: answers, cells of tables with their quotes, tables and
// rationales of judges.
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

// maskNames counts the items whose texts contain the name of a system, and replaces the names if asked to.
func maskNames(items []project.Item, names []string, mask bool) (named int) {
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(len(b), len(a)) }) // the longest name that fits
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
