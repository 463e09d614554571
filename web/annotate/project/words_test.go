package project

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestLanguagesAreComplete: every language has exactly the texts of English, with the same placeholders.
func TestLanguagesAreComplete(t *testing.T) {
	for _, language := range Languages {
		words := builtIn()[language]
		if err := words.Check(); err != nil {
			t.Errorf("%s: %v", language, err)
		}
		if words["language"] != language {
			t.Errorf("%s says that it is %s", language, words["language"])
		}
		if attention := strings.Split(words["attention_words"], ", "); len(attention) != MostAttention {
			t.Errorf("%s has %d words for attention items: %v", language, len(attention), attention)
		}
		for key, text := range words {
			if english := builtIn()["en"][key]; language != "en" && text == english && len(strings.Fields(text)) > 2 {
				t.Errorf("%s: %s is still in English: %s", language, key, text)
			}
		}
	}
}

// TestTextsAreUsed: every text is used, and every used text exists. Keys with a dot and keys of the script are composed in code, so their
// use is not checked.
func TestTextsAreUsed(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.go", "../*.go", "../*.html"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	used := map[string]bool{"ltr": true}
	call := regexp.MustCompile(`(?:[sS]ay|invalid|contact)(?:\(| )"([a-z_0-9.-]+)"|"(marks_[a-z]+|[a-z]+\.(?:title|task|letter))"`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range call.FindAllStringSubmatch(string(text), -1) {
			used[m[1]+m[2]] = true
		}
	}
	english := builtIn()["en"]
	for _, key := range slices.Sorted(maps.Keys(english)) {
		if !used[key] && !strings.Contains(key, ".") && !strings.HasPrefix(key, "script_") && key != "direction" {
			t.Errorf("%s is not used", key)
		}
	}
	for key := range used {
		if english[key] == "" && key != "ltr" && !strings.HasSuffix(key, ".") {
			t.Errorf("%q is used, but there is no such text", key)
		}
	}
}

// TestOwnWords: a file of the owner's words must have every text with its placeholders.
func TestOwnWords(t *testing.T) {
	for want, change := range map[string]func(Words){
		"":                        func(Words) {},
		"start: \"Start\"":        func(w Words) { delete(w, "start") },
		"the placeholders {don}":  func(w Words) { w["finished"] = "{don}" },
		"no text starts":          func(w Words) { w["starts"] = "x" },
		"the direction is \"up\"": func(w Words) { w["direction"] = "up" },
	} {
		words := maps.Clone(builtIn()["fr"])
		change(words)
		err := words.Check()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	set := Settings{Words: Words{"open": "zostało {n}"}}
	if got := set.Say("open", "n", "{n}"); got != "zostało {n}" {
		t.Errorf("own words: %s", got)
	}
	if got := set.Say("complete"); got != "complete" {
		t.Errorf("a text of a later version: %s", got)
	}
}
