package pairwise

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"compqa/data"
	"compqa/llm/structured"
)

// The ways to rewrite an answer without a change of its content (Ye et al. 2024, A.1 and Table 8).
const (
	RewriteVerbal  = "verbal"  // in everyday words
	RewriteFormal  = "formal"  // in formal words
	RewriteVerbose = "verbose" // followed by its main points again, as a list
)

// A Bias changes the form of a pair's answers in a way that may mislead a judge. BiasFormat rewrites the target answer in verbal style and
// the other answer in formal style. BiasVerbosity makes the target answer verbose. The bias is adversarial if the target is the answer that
// people did not prefer.
type Bias struct {
	Name   string // BiasFormat or BiasVerbosity
	Target string // TargetPreferred or TargetOther
}

const (
	BiasFormat      = "format"    // style: everyday or formal words
	BiasVerbosity   = "verbosity" // more words
	TargetPreferred = "preferred" // the answer that people preferred is made to look better
	TargetOther     = "other"     // the answer that people did not prefer is made to look better
)

// Biases lists all biases, the adversarial ones first.
var Biases = []Bias{
	{BiasFormat, TargetOther}, {BiasVerbosity, TargetOther},
	{BiasFormat, TargetPreferred}, {BiasVerbosity, TargetPreferred},
}

func (b Bias) String() string { return b.Name + "-" + b.Target }

// Adversarial reports whether the bias works against the human choice.
func (b Bias) Adversarial() bool { return b.Target == TargetOther }

// Rewrites returns the number of texts of a pair that the bias rewrites.
func (b Bias) Rewrites() int {
	if b.Name == BiasFormat {
		return 2
	}
	return 1
}

// BiasNamed finds a bias by its name ("format-other"). "format" and "verbosity" alone mean the adversarial ones.
func BiasNamed(name string) (Bias, bool) {
	return data.First(Biases, func(b Bias) bool { return b.String() == name || b.Adversarial() && b.Name == name })
}

// A Rewriter rewrites a text in one of the ways (RewriteVerbal …).
type Rewriter func(ctx context.Context, way, text string) (string, error)

// Inject applies the bias to a pair. It returns an error if the better answer is unknown.
func (b Bias) Inject(ctx context.Context, p data.Pair, rewrite Rewriter) (data.Pair, error) {
	if !p.Label.Decided() {
		return p, fmt.Errorf("pair %s has no preferred answer", p.ID)
	}
	for _, text := range []*string{&p.A, &p.B} {
		preferred := (text == &p.A) == (p.Label == data.ChoiceA)
		target := preferred == (b.Target == TargetPreferred)
		way := RewriteVerbose
		switch {
		case b.Name == BiasFormat && target:
			way = RewriteVerbal
		case b.Name == BiasFormat:
			way = RewriteFormal
		case !target:
			continue
		}
		rewritten, err := rewrite(ctx, way, *text)
		if err != nil {
			return p, fmt.Errorf("rewriting pair %s: %w", p.ID, err)
		}
		*text = rewritten
	}
	return p, nil
}

// ModelRewriter returns a Rewriter that asks a model. For RewriteVerbose, the model writes only the addition, as in the paper.
func ModelRewriter(m Model, ask Ask) Rewriter {
	return func(ctx context.Context, way, text string) (string, error) {
		shown := shownPair{First: strings.TrimSpace(text)}
		shown.Mark = structured.Mark(shown.First)
		messages := render("rewrite/"+way+".tmpl", prompt{shownPair: shown})
		reply, err := ask(ctx, RolePreference, 1, m.request(messages, deciding))
		if err != nil {
			return "", err
		}
		rewritten := strings.TrimSpace(reply.Text)
		if way == RewriteVerbose {
			rewritten = strings.TrimSpace(text) + "\n\n" + rewritten
		}
		return rewritten, nil
	}
}

// OfflineRewriter rewrites without a model. It replaces words of one register by words of the other. For RewriteVerbose, it appends the
// beginnings of the sentences as a numbered list. It changes the form a little and never the content. A text without such words stays
// unchanged.
func OfflineRewriter(_ context.Context, way, text string) (string, error) {
	switch way {
	case RewriteVerbal:
		return replaceWords(text, toVerbal), nil
	case RewriteFormal:
		return replaceWords(text, toFormal), nil
	case RewriteVerbose:
		return strings.TrimSpace(text) + "\n\n" + keyPoints(text), nil
	}
	return "", fmt.Errorf("there is no rewriting %q", way)
}

// registers are pairs of an everyday and a formal word: "get / obtain". Words with several meanings are left out.
var registers = strings.Split(strings.TrimSpace(mustRead("examples/registers.txt")), "\n")

var toFormal = newReplacement(0, 1)
var toVerbal = newReplacement(1, 0)

// A replacement replaces the words of one register by those of the other.
type replacement struct {
	find  *regexp.Regexp
	other map[string]string
}

// newReplacement returns the replacement of words in column from of registers by words in column to.
func newReplacement(from, to int) replacement {
	r := replacement{other: map[string]string{}}
	var alternatives []string
	for _, line := range registers {
		pair := strings.Split(line, " / ")
		key := strings.ToLower(pair[from])
		r.other[key] = pair[to]
		alternatives = append(alternatives, regexp.QuoteMeta(key))
	}
	// longest first, so that "a lot of" is found before a part of it
	slices.SortStableFunc(alternatives, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	r.find = regexp.MustCompile(`(?i)\b(?:` + strings.Join(alternatives, "|") + `)\b`)
	return r
}

// replaceWords replaces the words of one register by the other's. A replaced word keeps its initial capital.
func replaceWords(text string, r replacement) string {
	text = strings.ReplaceAll(text, "’", "'")
	return r.find.ReplaceAllStringFunc(text, func(found string) string {
		word := r.other[strings.ToLower(found)]
		first, _ := utf8.DecodeRuneInString(found)
		if !unicode.IsUpper(first) || strings.ToLower(found) == "i'm" {
			return word
		}
		return data.Capital(word)
	})
}

const (
	mostPoints = 6  // points in the list after a verbose answer
	pointWords = 14 // words of a point
)

// listMarks matches the marks before a list item. "3 cups" and "-3" are content: a number needs a point or bracket, a dash a space.
var listMarks = regexp.MustCompile(`^(?:[-*•#]+\s+|\d{1,2}[.)]\s+)+`)

var sentenceEnds = regexp.MustCompile(`[.!?。！？]["')\]]*(?:\s+|$)|\n+`)

// keyPoints returns the beginnings of a text's sentences, as a numbered list with a heading line.
func keyPoints(text string) string {
	var b strings.Builder
	b.WriteString("In summary, the key points are:")
	n := 0
	for _, sentence := range sentenceEnds.Split(text, -1) {
		words := strings.Fields(listMarks.ReplaceAllString(strings.TrimSpace(sentence), ""))
		if len(words) < 3 || n == mostPoints {
			continue
		}
		n++
		if len(words) > pointWords {
			words = append(words[:pointWords:pointWords], "…")
		}
		fmt.Fprintf(&b, "\n%d. %s", n, strings.Join(words, " "))
	}
	if n == 0 {
		fmt.Fprintf(&b, "\n1. %s", strings.Join(strings.Fields(text), " "))
	}
	return b.String()
}
