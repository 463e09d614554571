package faithful

import (
	"math"
	"slices"
	"strings"

	"compqa/data"
	"compqa/judges/text"
	"compqa/judges/text/lexical"
)

// Name is the name of the offline labels of claims in tables and commands.
const Name = data.OfflineClaims

// Kind is the kind of these labels in a record.
const Kind = data.LabelClaims

// Version is raised whenever some label can change.
const Version = 3

// Thresholds, chosen on the questions with an odd index of the built-in set and of the
// file silver_50x3.json (see docs/judges.md).
const (
	leastOverlap   = 0.3  // share of a claim's weight that its argument must have, if no argument is cited
	leastAgreement = 0.05 // a smaller absolute agreement decides nothing
)

// Read labels the claims of an answer, offline. Claims are sentences of the introduction and the body; the conclusion counts as the choice.
// The time is linear in the length of the answer and of the arguments.
func Read(q data.Question, answer string) data.Claims {
	return ReadArguments(q).Label(text.Analyse(q, answer))
}

// Arguments holds the arguments of a question, read once for all answers to it.
type Arguments struct {
	question data.Question
	readings []lexical.Reading
	byWord   map[string][]int // by key of a word: indices of the arguments that have the word
	texts    map[string]int   // by folded text: number, from 1, of the first argument with this text
}

// ReadArguments reads the arguments of a question.
func ReadArguments(q data.Question) *Arguments {
	return readArguments(q, lexical.NewNames(q.Object1, q.Object2))
}

// readArguments is ReadArguments with a finder of names that may know names which the answer introduces.
func readArguments(q data.Question, names *lexical.Names) *Arguments {
	k := &Arguments{question: q, readings: make([]lexical.Reading, len(q.Arguments)), byWord: make(map[string][]int, 16*len(q.Arguments)),
		texts: make(map[string]int, len(q.Arguments))}
	for i, a := range q.Arguments {
		content, _ := text.ListMarker(lexical.Normalise(a.Text))
		if same := folded(content); k.texts[same] == 0 {
			k.texts[same] = i + 1
		}
		k.readings[i] = lexical.Read(names, content, 0)
		for _, w := range k.readings[i].Words {
			key := w.Key()
			if in := k.byWord[key]; len(in) == 0 || in[len(in)-1] != i {
				k.byWord[key] = append(in, i)
			}
		}
	}
	return k
}

// Label labels the claims of an answer that was analysed for the same question.
func (k *Arguments) Label(answer *text.Analysis) data.Claims {
	names := answer.Names()
	if names.Learned() {
		k = readArguments(k.question, names)
	}
	known := &matcher{Arguments: k, overlaps: make([]float64, len(k.readings))}
	c := data.Claims{Version: Version, Claims: []data.Claim{}}
	for _, s := range answer.Statements() {
		if s.Conclusion {
			continue
		}
		heading := lexical.Read(names, s.Label, 0)
		for part := range strings.SplitSeq(s.Text, ";") {
			claim := lexical.Read(names, uncited(part), s.About)
			if claim.Named|s.About == 0 {
				continue
			}
			index, label := known.decide(claim, heading, part)
			c.Claims = append(c.Claims, data.Claim{Text: strings.TrimSpace(part), Argument: index + 1, Label: label})
		}
	}
	c.ChoiceAgrees = choiceAgrees(answer.Choice(), k)
	return c
}

// A matcher compares claims with arguments, one claim at a time.
type matcher struct {
	*Arguments
	overlaps []float64 // by argument: weight of the words shared with the current claim
	touched  []int     // indices of the overlaps that are not 0
}

// weight returns the weight of a word. It is high for words that few arguments have:
//
//	weight = ln((n + 1) / (n_word + 1/2)) + 0.1
func (k *Arguments) weight(key string) float64 {
	return math.Log((float64(len(k.readings))+1)/(float64(len(k.byWord[key]))+0.5)) + 0.1
}

// decide finds the argument that a claim is most likely about, and labels the claim. It tries, in order: an argument that the sentence
// cites, an argument that it copies, and the argument that shares most of its words by weight. index is -1 if the claim is unsupported. An
// argument that has every word of the claim is compared with it, however low the words' weights are.
func (k *matcher) decide(claim, label lexical.Reading, sentence string) (index int, l data.ClaimLabel) {
	all := k.overlap(claim, label)
	defer func() {
		for _, i := range k.touched {
			k.overlaps[i] = 0
		}
		k.touched = k.touched[:0]
	}()
	index = -1
	var cited lexical.Citations
	cited.Add(sentence)
	for _, n := range cited.Numbers {
		if i := n - 1; i >= 0 && i < len(k.overlaps) && k.overlaps[i] > 0 && (index < 0 || k.overlaps[i] > k.overlaps[index]) {
			index = i
		}
	}
	if copied := k.texts[folded(uncited(sentence))] - 1; copied >= 0 && (index < 0 || index == copied) {
		return copied, data.Supported
	}
	if index < 0 {
		for i, o := range k.overlaps {
			if o > 0 && (index < 0 || o > k.overlaps[index]) {
				index = i
			}
		}
		if index < 0 || k.overlaps[index] < min(leastOverlap*(all+1), all) {
			return -1, data.Unsupported
		}
	}
	switch a := agreement(claim, k.readings[index], k.question.Arguments[index].Favours, k.weight); {
	case a > leastAgreement:
		return index, data.Supported
	case a < -leastAgreement:
		return index, data.Contradicted
	}
	return -1, data.Unsupported
}

// overlap adds to overlaps, for each argument, the weights of the words that it shares with the claim or the claim's label. all is the
// weight of the claim's words.
func (k *matcher) overlap(claim, label lexical.Reading) (all float64) {
	seen := make([]string, 0, 32)
	for n, r := range [2]lexical.Reading{claim, label} {
		for _, w := range r.Words {
			key := w.Key()
			if slices.Contains(seen, key) {
				continue
			}
			seen = append(seen, key)
			x := k.weight(key)
			if n == 0 {
				all += x
			}
			for _, i := range k.byWord[key] {
				if k.overlaps[i] == 0 {
					k.touched = append(k.touched, i)
				}
				k.overlaps[i] += x
			}
		}
	}
	return all
}

// choiceAgrees reports whether the choice is the object that most arguments favour, or nil if either is not decided.
func choiceAgrees(choice data.Choice, k *Arguments) *bool {
	favoured := k.question.Favoured(func(argument int) int { return k.readings[argument].Side() })
	if !favoured.Decided() || !choice.Decided() {
		return nil
	}
	return new(choice == favoured)
}

// folded returns the words of a text, in lower case and without punctuation.
func folded(s string) string { return strings.Join(data.Words(lexical.Normalise(s)), " ") }

// uncited returns a sentence without the text in square brackets, because a citation's number is not a word of a claim.
func uncited(s string) string {
	for {
		from := strings.IndexByte(s, '[')
		if from < 0 {
			return s
		}
		n := strings.IndexByte(s[from:], ']')
		if n < 0 {
			return s
		}
		s = s[:from] + " " + s[from+n+1:]
	}
}
