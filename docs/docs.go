// Package docs holds the manual: one page a topic, in Markdown. `compqa docs TOPIC` prints a page, and
// the board shows it under /docs.
package docs

import (
	"cmp"
	"embed"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

//go:embed *.md
var pages embed.FS

// A Group is a group of pages of the manual of one kind.
type Group struct {
	Title  string
	Topics []string
}

// Groups lists all pages in reading order.
var Groups = []Group{
	{"Start", []string{"tutorial", "validate", "annotation", "board", "glossary", "limits", "privacy", "questions"}},
	{"How to", []string{"howto-judge", "costs", "howto-points", "howto-unread", "howto-together", "howto-severity", "howto-sets",
		"howto-ci", "howto-excel", "howto-prompts", "howto-promptfoo", "verification", "howto-paper", "howto-train", "python"}},
	{"Reference", []string{"commands", "configuration", "files", "providers", "runs", "fleet", "tables", "pairwise", "strum"}},
	{"Evidence", []string{"statistics", "judges", "speed"}},
}

// Topics returns the names of all pages, in the order of Groups.
func Topics() (names []string) {
	for _, group := range Groups {
		names = append(names, group.Topics...)
	}
	return names
}

// notes matches comments that only tests need.
var notes = regexp.MustCompile(`(?m)^<!-- .* -->\n`)

// Page returns the text of a topic. found is false without such a topic.
func Page(topic string) (text string, found bool) {
	text, found = Source(topic)
	return notes.ReplaceAllString(text, ""), found
}

// Source does as Page, and keeps the comments for tests.
func Source(topic string) (text string, found bool) {
	content, err := pages.ReadFile(topic + ".md")
	return string(content), err == nil
}

// Title returns the first heading of a topic's page.
func Title(topic string) string {
	text, _ := Page(topic)
	first, _, _ := strings.Cut(text, "\n")
	return strings.TrimPrefix(first, "# ")
}

// A Part is a section of the manual, the unit of a search.
type Part struct{ Topic, Heading, Body string }

// Parts splits a text at its headings of level two. The first part is the text before the first of them.
func Parts(topic, text string) (parts []Part) {
	for i, section := range strings.Split("\n"+text, "\n## ") {
		heading, body, _ := strings.Cut(strings.TrimPrefix(section, "\n# "), "\n")
		if i == 0 {
			heading = strings.TrimPrefix(strings.TrimSpace(heading), "# ")
		}
		parts = append(parts, Part{topic, heading, body})
	}
	return parts
}

// A Hit is a part that contains words of a query, with the lines that contain most of them.
type Hit struct {
	Topic, Heading string
	Lines          []string
	words          int // number of different words of the query in the part
	score          float64
}

// hitLines is the maximum number of lines of a hit.
const hitLines = 3

// Weights of a word by its place. Words in the topic's name or in a heading say what a part is about.
const (
	topicWeight   = 3
	headingWeight = 3
	bodyWeight    = 1
)

// Search returns the parts that contain words of a query, best first. Words match in any letter case and with other English endings. Parts
// with more different words come first. Among them, a word has more weight the fewer parts contain it (inverse document frequency; Spärck
// Jones 1972), and the more often it occurs in a part, with saturation (Okapi BM25, k1 = 1.2, b = .4; Robertson and Zaragoza 2009,
// equation 3.15).
func Search(parts []Part, query string) []Hit {
	words := slices.Compact(slices.Sorted(slices.Values(queryWords(query))))
	counts := make([][]float64, len(parts)) // weighted count of each word in each part
	found := make([]int, len(words))        // number of parts that contain each word
	lengths := make([]float64, len(parts))
	total := 0.0
	for i, part := range parts {
		var length int
		counts[i], length = weightedCounts(part, words)
		lengths[i] = float64(length)
		total += lengths[i]
		for j, count := range counts[i] {
			if count > 0 {
				found[j]++
			}
		}
	}
	var hits []Hit
	for i, part := range parts {
		hit := Hit{Topic: part.Topic, Heading: part.Heading}
		for j, count := range counts[i] {
			if count == 0 {
				continue
			}
			hit.words++
			rarity := math.Log(1 + (float64(len(parts)-found[j])+.5)/(float64(found[j])+.5))
			hit.score += rarity * count * 2.2 / (count + 1.2*(.6+.4*lengths[i]/(total/float64(len(parts)))))
		}
		if hit.words > 0 {
			hit.Lines = bestLines(part.Body, words)
			hits = append(hits, hit)
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.words, a.words), cmp.Compare(b.score, a.score)) })
	return hits
}

// weightedCounts returns how often each word occurs in a part, weighted by place, and the part's number of words.
func weightedCounts(part Part, words []string) (counts []float64, length int) {
	counts = make([]float64, len(words))
	for _, place := range []struct {
		text   string
		weight float64
	}{{part.Topic, topicWeight}, {part.Heading, headingWeight}, {part.Body, bodyWeight}} {
		for _, token := range wordsOf(place.text) {
			length++
			if i := slices.IndexFunc(words, func(word string) bool { return matches(token, word) }); i >= 0 {
				counts[i] += place.weight
			}
		}
	}
	return counts, length
}

// bestLines returns the first lines that contain the most different words of a query.
func bestLines(body string, words []string) (best []string) {
	most := 1
	for line := range strings.Lines(body) {
		tokens := wordsOf(line)
		have := 0
		for _, word := range words {
			if slices.ContainsFunc(tokens, func(token string) bool { return matches(token, word) }) {
				have++
			}
		}
		if have > most {
			most = have
			best = nil
		}
		if have == most && len(best) < hitLines {
			best = append(best, strings.TrimSpace(line))
		}
	}
	return best
}

// unsearched are words that say nothing about the topic of a query.
var unsearched = map[string]bool{"a": true, "an": true, "and": true, "are": true, "can": true, "do": true, "does": true, "for": true,
	"from": true, "how": true, "i": true, "in": true, "is": true, "it": true, "my": true, "of": true, "on": true, "or": true, "the": true,
	"to": true, "use": true, "what": true, "where": true, "which": true, "why": true, "with": true, "you": true, "your": true}

// queryWords returns the stems of a query's words without unsearched ones, or all stems if no others are left.
func queryWords(query string) (words []string) {
	all := wordsOf(query)
	for _, word := range all {
		if !unsearched[word] {
			words = append(words, word)
		}
	}
	if words == nil {
		return all
	}
	return words
}

// wordsOf returns the stems of a text's words: runs of letters and digits, in lower case. Signs between two digits become a hyphen, so
// 1–10 and 1..10 both give 1-10.
func wordsOf(text string) (words []string) {
	text = ranges.ReplaceAllString(strings.ToLower(text), "$1-$2")
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' }) {
		if !ranges.MatchString(word) {
			for part := range strings.SplitSeq(word, "-") {
				if part != "" {
					words = append(words, stem(part))
				}
			}
			continue
		}
		words = append(words, strings.Trim(word, "-"))
	}
	return words
}

var ranges = regexp.MustCompile(`(\d)\s?(?:-|–|−|\.\.|to)\s?(\d)`)

// stem removes English plural and verb endings from a word, if enough letters remain.
func stem(word string) string {
	for _, ending := range []string{"ies", "ing", "ed", "es", "s"} {
		if rest, has := strings.CutSuffix(word, ending); has && len(rest) >= 3 && !strings.HasSuffix(rest, "s") {
			if ending == "ies" {
				return rest + "y"
			}
			return strings.TrimSuffix(rest, "e")
		}
	}
	return strings.TrimSuffix(word, "e")
}

// longStem is the minimum number of letters of a query word that also matches the beginning of longer words.
const longStem = 5

// matches reports whether a word of a text equals a word of the query, or begins with a query word of at least longStem letters.
func matches(token, word string) bool {
	return token == word || len(word) >= longStem && strings.HasPrefix(token, word)
}
