package doctor

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"compqa/bench/config"
	"compqa/data"
	"compqa/llm"
)

// An Entry is a model at a provider, asked with the options of an entry.
type Entry struct {
	Provider string `json:"provider"`
	Server   string `json:"server,omitempty"` // of several
	Model    string `json:"model"`
	Usable   bool   `json:"usable"`
	Found    string `json:"found"`
}

// Entries checks each entry that asks a provider, with its own options, except for the lengths of
// replies. A model is listed once, and once more for other options where those lead to another
// result.
func Entries(ctx context.Context, c *config.Config, w io.Writer) ([]Entry, error) {
	list := []Entry{}
	entries := c.LiveEntries()
	if len(entries) == 0 {
		fmt.Fprintln(w, "no model of a provider is configured, so there is no server to check (`compqa models` prints entries to copy)")
		return list, nil
	}
	slices.SortStableFunc(entries, func(a, b config.LiveEntry) int {
		return cmp.Or(strings.Compare(a.Provider, b.Provider), strings.Compare(a.Model, b.Model))
	})
	unusable := 0
	examined, listed := map[string]bool{}, map[string]string{}
	for _, e := range entries {
		provider, req := c.Providers[e.Provider], e.Request(nil)
		provider.Name = e.Provider
		same := config.HashOf(e.Provider, llm.Request{Model: req.Model, Options: withoutLengths(req.Options), Extra: withoutLengths(req.Extra)})
		if examined[same] {
			continue
		}
		examined[same] = true
		usable := false // at one server at least
		for _, server := range provider.Servers() {
			who, address := e.Provider, ""
			if len(provider.BaseURLs) > 0 {
				address = server.BaseURL
				who += " at " + address
			}
			found, fine, refused := examine(ctx, server, req)
			usable = usable || fine
			result := fmt.Sprint(fine, refused, latency.ReplaceAllString(found, ""))
			if listed[who+" "+e.Model] == result {
				continue
			}
			listed[who+" "+e.Model] = result
			if refused != nil {
				found = c.Locate(e.Refusal(refused)).Error()
				fmt.Fprintln(w, found)
			} else {
				fmt.Fprintf(w, "%s, %s: %s\n", who, e.Model, found)
			}
			list = append(list, Entry{e.Provider, address, e.Model, fine, found})
		}
		if !usable {
			unusable++
		}
	}
	if unusable > 0 {
		return list, fmt.Errorf("%s not usable", data.Plural(unusable, "entry is", "entries are"))
	}
	return list, nil
}

// latency matches the time of a reply in what was found.
var latency = regexp.MustCompile(` in [0-9.µa-z]+ |\([0-9.µa-z]+\)`)

// withoutLengths are options without limits of tokens: they do not decide whether a model can be
// used.
func withoutLengths(options map[string]any) map[string]any {
	options = maps.Clone(options)
	for _, name := range []string{"max_tokens", "max_completion_tokens", "num_predict", "num_ctx"} {
		delete(options, name)
	}
	if len(options) == 0 {
		return nil
	}
	return options
}
