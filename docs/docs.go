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

// A Group is pages of one kind.
type Group struct {
	Title  string
	Topics []string
}

// Groups are all pages in the order in which to read them.
var Groups = []Group{
	{"Start", []string{"tutorial", "validate", "annotation", "board", "glossary", "limits", "privacy", "questions"}},
	{"How to", []string{"howto-judge", "costs", "howto-points", "howto-unread", "howto-together", "howto-severity", "howto-sets",
		"howto-ci", "howto-excel", "howto-prompts", "howto-promptfoo", "verification", "howto-paper", "howto-train", "python"}},
	{"Reference", []string{"commands", "configuration", "files", "providers", "runs", "fleet", "tables", "pairwise", "strum"}},
	{"Evidence", []string{"statistics", "judges", "speed"}},
}

// Topics returns the names of the pages, in the order of Groups.
func Topics() (names []string) {
	for _, group := range Groups {
		names = append(names, group.Topics...)
	}
	return names
}

// notes are comments for tests, which no reader needs.
var notes = regexp.MustCompile(`(?m)^<!-- .* -->\n`)

// Page returns the text of a topic; found is false if there is none.
func Page(topic string) (text string, found bool) {
	text, found = Source(topic)
	return notes.ReplaceAllString(text, ""), found
}

// Source returns a page with the comments that its test reads.
func Source(topic string) (text string, found bool) {
	content, err := pages.ReadFile(topic + ".md")
	return string(content), err == nil
}

// Title returns the first heading of a topic.
func Title(topic string) string {
	text, _ := Page(topic)
	first, _, _ := strings.Cut(text, "\n")
	return strings.TrimPrefix(first, "# ")
}

// A Part is a section of the manual that a search looks at.
type Part struct{ Topic, Heading, Body string }

// Parts returns the sections of a text: what stands before its first heading of level two, and each of these headings.
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

// A Hit is a part that has words of a query, with the first lines that have most of them.
type Hit struct {
	Topic, Heading string
	Lines          []string
	words          int // of the query that the part has
	score          float64
}

// hitLines is how many lines of a hit are shown.
const hitLines = 3

// Weights of a word by where it stands. A word in the topic's name or in a heading says what a part is about.
const (
	topicWeight   = 3
	headingWeight = 3
	bodyWeight    = 1
)

// Search returns the parts that have words of a query, best first. Words are searched separately, in any letter case and with the
// endings of English. A word counts more the fewer parts have it (inverse document frequency; Spärck Jones, 1972) and the more often
// it stands in a part, with a limit (Okapi BM25 with k1 = 1.2, b = .4; Robertson and Zaragoza, 2009, equation 3.15). Parts with more of
// the words come first.
func Search(parts []Part, query string) []Hit {
	words := slices.Compact(slices.Sorted(slices.Values(queryWords(query))))
	counts := make([][]float64, len(parts)) // weighted count of each word in each part
	found := make([]int, len(words))        // parts that have a word
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

// weightedCounts returns how often each word stands in a part, weighted by place, and the part's number of words.
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

// bestLines returns the first lines that have the most different words of a query.
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

// unsearched are words of questions that say nothing of their topic.
var unsearched = map[string]bool{"a": true, "an": true, "and": true, "are": true, "can": true, "do": true, "does": true, "for": true,
	"from": true, "how": true, "i": true, "in": true, "is": true, "it": true, "my": true, "of": true, "on": true, "or": true, "the": true,
	"to": true, "use": true, "what": true, "where": true, "which": true, "why": true, "with": true, "you": true, "your": true}

// queryWords returns the stems of a query's words, without those that say nothing; all words if there are no others.
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

// wordsOf returns the stems of a text's words: runs of letters and digits, in lower case. Signs between two digits are one, so that 1–10
// and 1..10 are 1-10.
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

// stem cuts the endings of plurals and of verbs off a word that is long enough to keep its sense.
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

// longStem is the number of letters from which the beginning of a word counts as the word.
const longStem = 5

// matches reports whether a word of a text is a word of the query, or begins with one of at least longStem letters.
func matches(token, word string) bool {
	return token == word || len(word) >= longStem && strings.HasPrefix(token, word)
}
