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

// Languages are the languages that the pages of annotators have. The owner's pages are in English.
var Languages = []string{english, "de", "es", "fr", "zh", "ar"}

const english = "en"

// Words are the texts of the pages by their keys. A text has placeholders, such as {done}.
type Words map[string]string

//go:embed languages/*.yaml
var languageFiles embed.FS

// builtIn are the words of all languages.
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

// Check refuses words that lack texts of the English ones, whose lines are in the error, or have other placeholders.
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

// words returns the words of the study: a file of the owner's, or the words of a language.
func (set *Settings) words() Words {
	if set.Words != nil {
		return set.Words
	}
	return builtIn()[cmp.Or(set.Language, english)]
}

// Knows reports whether there is a text of the interface.
func (set *Settings) Knows(key string) bool { return builtIn()[english][key] != "" }

// Say returns a text of the interface, with values of its placeholders: name, value, name, value. A text that the owner's file has not,
// because it is from an earlier version, is English.
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

// ScriptWords returns the texts that the script of the pages shows.
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

// formula matches what is probably LaTeX: dollars of a display, \( \), \[ \], and frequent commands.
var formula = regexp.MustCompile(`(?s)\$\$.+?\$\$|\\\(.+?\\\)|\\\[.+?\\\]|` +
	`\\(?:frac|sqrt|sum|int|begin|cdot|times|alpha|beta|mathrm|text)\b`)

// HasFormulas reports whether the texts have formulas in LaTeX, which the pages show as they are written.
func (it Item) HasFormulas() bool {
	return formula.MatchString(it.Content.Question + "\n" + it.Content.A + "\n" + it.Content.B)
}
