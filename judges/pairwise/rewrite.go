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
)

// The ways of rewriting an answer without changing what it says (Ye et al. 2024,
// A.1 and Table 8).
const (
	RewriteVerbal  = "verbal"  // in everyday words
	RewriteFormal  = "formal"  // in formal ones
	RewriteVerbose = "verbose" // with its main points once more behind it, as a list
)

// A Bias is what is done to pairs to find out what a judge falls for. In the
// sets whose Target is the other answer it speaks against people's choice: they
// are the adversarial ones. Format makes the target's answer verbal and its
// rival's formal, verbosity makes the target's verbose.
type Bias struct {
	Name   string // BiasFormat or BiasVerbosity
	Target string // TargetPreferred or TargetOther
}

const (
	BiasFormat      = "format"
	BiasVerbosity   = "verbosity"
	TargetPreferred = "preferred"
	TargetOther     = "other"
)

// Biases are all of them, the adversarial ones first.
var Biases = []Bias{
	{BiasFormat, TargetOther}, {BiasVerbosity, TargetOther},
	{BiasFormat, TargetPreferred}, {BiasVerbosity, TargetPreferred},
}

func (b Bias) String() string { return b.Name + "-" + b.Target }

// Adversarial reports whether the bias speaks against people's choice.
func (b Bias) Adversarial() bool { return b.Target == TargetOther }

// BiasNamed finds a bias by its name; "format" and "verbosity" alone stand for
// the adversarial ones.
func BiasNamed(name string) (Bias, bool) {
	for _, b := range Biases {
		if b.String() == name || b.Adversarial() && b.Name == name {
			return b, true
		}
	}
	return Bias{}, false
}

// A Rewriter rewrites a text in one of the ways.
type Rewriter func(ctx context.Context, way, text string) (string, error)

// Inject puts a bias into a pair. A pair whose better answer nobody has named
// cannot have one.
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

// ModelRewriter has a model rewrite. What is to be behind a verbose answer is
// put there by us, as in the paper.
func ModelRewriter(m Model, ask Ask) Rewriter {
	return func(ctx context.Context, way, text string) (string, error) {
		shown := shownPair{First: strings.TrimSpace(text)}
		shown.Mark = unusedMark([]string{shown.First})
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

// OfflineRewriter rewrites without a model: it swaps words of one register for
// those of the other, and for verbosity repeats the beginnings of the sentences
// as a numbered list. It is coarse: it moves a text's form a little and its
// content not at all, and says nothing where it finds nothing to swap.
func OfflineRewriter(_ context.Context, way, text string) (string, error) {
	switch way {
	case RewriteVerbal:
		return replaceWords(text, toVerbal), nil
	case RewriteFormal:
		return replaceWords(text, toFormal), nil
	case RewriteVerbose:
		return strings.TrimSpace(text) + "\n\n" + keyPoints(text), nil
	}
	return "", fmt.Errorf("there is no way of rewriting %q", way)
}

// registers are words and what the other register says for them: everyday,
// formal. A word that has other meanings is not among them.
var registers = [][2]string{
	{"don't", "do not"}, {"doesn't", "does not"}, {"didn't", "did not"}, {"can't", "cannot"}, {"won't", "will not"},
	{"isn't", "is not"}, {"aren't", "are not"}, {"wasn't", "was not"}, {"it's", "it is"}, {"that's", "that is"},
	{"there's", "there is"}, {"you're", "you are"}, {"they're", "they are"}, {"we're", "we are"}, {"i'm", "I am"},
	{"you'll", "you will"}, {"it'll", "it will"}, {"let's", "let us"}, {"shouldn't", "should not"}, {"couldn't", "could not"},
	{"wouldn't", "would not"}, {"haven't", "have not"}, {"hasn't", "has not"},
	{"a lot of", "a considerable amount of"}, {"lots of", "a large number of"}, {"a bit", "to some extent"},
	{"so", "therefore"}, {"but", "however"}, {"also", "in addition"}, {"get", "obtain"}, {"gets", "obtains"}, {"got", "obtained"},
	{"buy", "purchase"}, {"buys", "purchases"}, {"need", "require"}, {"needs", "requires"}, {"help", "assist"}, {"helps", "assists"},
	{"start", "commence"}, {"starts", "commences"}, {"use", "utilise"}, {"uses", "utilises"}, {"show", "demonstrate"},
	{"shows", "demonstrates"}, {"enough", "sufficient"}, {"about", "approximately"}, {"big", "substantial"}, {"good", "favourable"},
	{"kids", "children"}, {"maybe", "perhaps"}, {"really", "indeed"}, {"because", "given that"}, {"find out", "ascertain"},
	{"more and more", "increasingly"}, {"make sure", "ensure"}, {"think about", "consider"}, {"keep", "retain"}, {"give", "provide"},
	{"gives", "provides"}, {"try", "endeavour"}, {"tries", "endeavours"}, {"easy", "straightforward"}, {"hard", "demanding"},
}

var toFormal, toVerbal = newReplacement(0, 1), newReplacement(1, 0)

// A replacement finds the words of one register.
type replacement struct {
	find  *regexp.Regexp
	other map[string]string
}

func newReplacement(from, to int) replacement {
	r := replacement{other: map[string]string{}}
	var alternatives []string
	for _, pair := range registers {
		key := strings.ToLower(pair[from])
		r.other[key] = pair[to]
		alternatives = append(alternatives, regexp.QuoteMeta(key))
	}
	// The longest first, so that "a lot of" is found before a part of it.
	slices.SortStableFunc(alternatives, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	r.find = regexp.MustCompile(`(?i)\b(?:` + strings.Join(alternatives, "|") + `)\b`)
	return r
}

// replaceWords swaps words, and keeps a capital at their beginning.
func replaceWords(text string, r replacement) string {
	text = strings.ReplaceAll(text, "’", "'")
	return r.find.ReplaceAllStringFunc(text, func(found string) string {
		word := r.other[strings.ToLower(found)]
		first, _ := utf8.DecodeRuneInString(found)
		if !unicode.IsUpper(first) || strings.ToLower(found) == "i'm" {
			return word
		}
		begin, size := utf8.DecodeRuneInString(word)
		return string(unicode.ToUpper(begin)) + word[size:]
	})
}

const (
	mostPoints = 6  // of the list behind a verbose answer
	pointWords = 14 // of a point
)

var sentenceEnds = regexp.MustCompile(`[.!?。！？]["')\]]*(?:\s+|$)|\n+`)

// keyPoints are the beginnings of a text's sentences, as a numbered list.
func keyPoints(text string) string {
	var b strings.Builder
	b.WriteString("In summary, the key points are:")
	n := 0
	for _, sentence := range sentenceEnds.Split(text, -1) {
		words := strings.Fields(strings.TrimLeft(strings.TrimSpace(sentence), "-*•#0123456789.) "))
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
