package project

import (
	"cmp"
	"embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"compqa/data"
)

// Languages are the languages of annotators' pages. The owner's pages are always in English.
var Languages = []string{english, "de", "es", "fr", "zh", "ar"}

const english = "en"

// Words are the texts of the pages, by key. A text can have placeholders, such as {done}.
type Words map[string]string

//go:embed languages/*.yaml
var languageFiles embed.FS

// builtIn returns the words of each language.
var builtIn = sync.OnceValue(func() map[string]Words {
	all := map[string]Words{}
	for _, language := range Languages {
		text, err := languageFiles.ReadFile("languages/" + language + ".yaml")
		if err != nil {
			panic(err)
		}
		words := Words{}
		if err := yaml.Unmarshal(text, &words); err != nil {
			panic(err)
		}
		for scale, f := range scales() {
			for key, text := range f.Words[language] {
				words[scale+"."+key] = text
			}
		}
		all[language] = words
	}
	return all
})

var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

// Check returns an error if words lack texts that the English words have, which it lists, or have other placeholders.
func (w Words) Check() error {
	wanted := builtIn()[english]
	keys := slices.Sorted(maps.Keys(wanted))
	var missing []string
	for _, key := range keys {
		places := func(text string) []string { return slices.Sorted(slices.Values(placeholder.FindAllString(text, -1))) }
		switch given := places(w[key]); {
		case strings.TrimSpace(w[key]) == "":
			missing = append(missing, fmt.Sprintf("%s: %q", key, wanted[key]))
		case !slices.Equal(given, places(wanted[key])):
			return fmt.Errorf("the text %s has the placeholders %s; it must have %s", key, list(given), list(places(wanted[key])))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(w)) {
		if wanted[key] == "" {
			return fmt.Errorf("there is no text %s%s", key, data.Suggest(key, "texts", keys))
		}
	}
	if missing != nil {
		return fmt.Errorf("texts are missing; these are their lines in English:\n%s", strings.Join(missing, "\n"))
	}
	if w["direction"] != "ltr" && w["direction"] != "rtl" {
		return fmt.Errorf("the direction is %q; it must be ltr or rtl", w["direction"])
	}
	return nil
}

func list(names []string) string { return cmp.Or(strings.Join(names, ", "), "none") }

// words returns the study's words: those of the owner's file, or those of its language.
func (set *Settings) words() Words {
	if set.Words != nil {
		return set.Words
	}
	return builtIn()[cmp.Or(set.Language, english)]
}

// Knows reports whether the interface has a text with this key.
func (set *Settings) Knows(key string) bool { return builtIn()[english][key] != "" }

// Say returns a text of the interface. values are the placeholders and their values in turn: name, value, name, value. It returns the
// English text if the owner's file, made for an earlier version, lacks the key.
func (set *Settings) Say(key string, values ...any) string {
	text := cmp.Or(set.words()[key], builtIn()[english][key])
	if text == "" {
		panic("annotate: there is no text " + key)
	}
	var pairs []string
	for i := 0; i+1 < len(values); i += 2 {
		pairs = append(pairs, fmt.Sprintf("{%v}", values[i]), fmt.Sprint(values[i+1]))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// ScriptWords returns the texts that the pages' JavaScript needs.
func (set *Settings) ScriptWords() map[string]string {
	words := map[string]string{"open": set.Say("open"), "complete": set.Say("complete"), "rendered": set.Say("rendered_text"),
		"raw": set.Say("raw_text")}
	for key := range builtIn()[english] {
		if name, is := strings.CutPrefix(key, "script_"); is {
			words[name] = set.Say(key)
		}
	}
	return words
}

// formula matches text that is probably LaTeX: $$…$$, \(…\), \[…\], and frequent commands.
var formula = regexp.MustCompile(`(?s)\$\$.+?\$\$|\\\(.+?\\\)|\\\[.+?\\\]|` +
	`\\(?:frac|sqrt|sum|int|begin|cdot|times|alpha|beta|mathrm|text)\b`)

// HasFormulas reports whether the texts of an item have LaTeX formulas, which the pages do not typeset.
func (it Item) HasFormulas() bool {
	return formula.MatchString(it.Content.Question + "\n" + it.Content.A + "\n" + it.Content.B)
}
