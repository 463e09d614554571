package strum

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"compqa/data"
	"compqa/judges/text/lexical"
	"compqa/llm/structured"
)

// A reader reads the sources about two objects.
type reader struct {
	q      data.Question
	names  *lexical.Names
	topics map[string]int // attributes of texts, with the number of sources that name them
}

// readerOf knows the objects' names as the sources write them, and what the sources that are no arguments talk about.
func readerOf(q data.Question, sources []data.Source) *reader {
	r := &reader{q: q, names: lexical.NewNames(q.Object1, q.Object2), topics: map[string]int{}}
	r.names.Ordinary([2]string{q.Object1, q.Object2}, slices.Values(data.Each(sources, func(s data.Source) string { return s.Text })))
	texts := 0
	for _, s := range sources {
		if argumentOf(q, s) != nil {
			continue
		}
		texts++
		for _, noun := range data.Set(r.nouns(s.Text)) {
			r.topics[noun]++
		}
	}
	names := data.Stems(q.Object1 + " " + q.Object2)
	maps.DeleteFunc(r.topics, func(noun string, n int) bool {
		return n < min(fewestTexts, texts) || slices.Contains(names, noun)
	})
	return r
}

// words are the words of a text, with the objects' names marked.
func (r *reader) words(text string) []lexical.Token {
	ws := lexical.Tokens(nil, text)
	r.names.Mark(ws)
	return ws
}

// content is the set of a text's words that say something, without names.
func (r *reader) content(text string) []string {
	var list []string
	lexical.Content(r.words(text), func(t lexical.Token) { list = append(list, data.Stem(t.Word)) })
	return data.Set(list)
}

// named says which objects a text names, and which first.
func (r *reader) named(text string) (all, first lexical.Objects) {
	for _, w := range r.words(text) {
		if all |= w.Object; first == 0 {
			first = w.Object
		}
	}
	return all, first
}

// judging are the classes of words that say what somebody thinks of an attribute.
const judging = lexical.Praising | lexical.Faulting | lexical.Comparative | lexical.Hedging

func isOpinion(t lexical.Token) bool { return t.Class&judging != 0 || t.Poles != nil }

// nouns are the nouns of a text. A noun is recognised by its place: after a determiner or an
// opinion, and before a word that cannot be part of its phrase.
func (r *reader) nouns(text string) (list []string) {
	ws := r.words(text)
	stop := func(i int) bool { return i >= len(ws) || ws[i].Class&lexical.Stop != 0 || ws[i].Length > 0 }
	for i, w := range ws {
		if stop(i) || !stop(i+1) || isOpinion(w) || lexical.Lexicon[data.Stem(w.Word)].Class&lexical.Generic != 0 || len(w.Word) < 3 ||
			lexical.IsDigit(w.Word[0]) {
			continue
		}
		for k := i - 1; k >= max(0, i-3); k-- {
			if ws[k].Class&lexical.Determines != 0 || isOpinion(ws[k]) {
				list = append(list, data.Stem(w.Word))
				break
			}
			if stop(k) {
				break
			}
		}
	}
	return list
}

// A part is a part of a text about a topic.
type part struct {
	lexical.Span
	topic string
}

// parts are the parts of a sentence, each about the most frequent topic in it. A part without
// a topic belongs to the one before it.
func (r *reader) parts(text string, sentence lexical.Span) (list []part) {
	for _, at := range clauses(text, sentence, segmentBreak) {
		topic := ""
		for _, word := range data.Stems(at.Of(text)) {
			if r.topics[word] > r.topics[topic] {
				topic = word
			}
		}
		switch last := len(list) - 1; {
		case topic == "" && last < 0:
		case topic == "" || last >= 0 && list[last].topic == topic:
			list[last].End = at.End
		default:
			if last < 0 {
				at.Start = sentence.Start
			}
			list = append(list, part{at, topic})
		}
	}
	return list
}

var (
	// startsWithNot matches a clause without a verb: "but not a high-powered rifle".
	startsWithNot = regexp.MustCompile(`^\s*not\b`)

	clauseBreak  = regexp.MustCompile(`;|,? \b(?:whereas|while|but)\b `)
	segmentBreak = regexp.MustCompile(`[;:,(] ?|\b(?:whereas|while|but)\b `)
)

// clauses are the parts of a span that a pattern separates.
func clauses(text string, s lexical.Span, separator *regexp.Regexp) (list []lexical.Span) {
	start := s.Start
	for _, m := range separator.FindAllStringIndex(s.Of(text), -1) {
		list = append(list, lexical.Span{Start: start, End: s.Start + m[0]})
		start = s.Start + m[1]
	}
	return append(list, lexical.Span{Start: start, End: s.End})
}

// around is the white space and punctuation that is no part of a quote.
const around = " \t\r\n\u00a0,;:.!?–—-"

// An extraction is one value of one object in one attribute, as a source gives it.
type extraction struct {
	object    int  // 0 or 1
	both      bool // the same statement is a value of the other object, too
	attribute string
	value     string
	evidence  data.Evidence
	rank      int // of the source; unknown ranks come last
	order     int // of the source
	// opinions are those about the object: none of an argument, which states a fact, and none
	// of a text that names the other object too.
	opinions []opinion
	// distinct is the share of its words that no value of the other object has; 0 of an argument.
	distinct float64
}

// extract finds the values in the sources. A statement is a value of the object that it names, and of both objects if it
// names both; a statement that names none belongs to the object of its source, or to the one that its argument favours.
func (r *reader) extract(sources []data.Source) (list []extraction, left dropped) {
	for order, s := range sources {
		read := func(attribute string, at lexical.Span) (x extraction, found bool) {
			at.Start += len(at.Of(s.Text)) - len(strings.TrimLeft(at.Of(s.Text), around))
			quote := strings.TrimRight(at.Of(s.Text), around)
			at.End = at.Start + len(quote)
			return extraction{attribute: attribute, value: structured.OneLine(quote), rank: cmp.Or(s.Rank, math.MaxInt32), order: order,
				evidence: data.Evidence{Source: s.ID, Start: at.Start, End: at.End, Quote: quote}}, quote != ""
		}
		add := func(objects lexical.Objects, attribute string, at lexical.Span, opinions []opinion) {
			x, found := read(attribute, at)
			x.both, x.opinions = objects == lexical.Both, opinions
			for k := range 2 {
				if x.object = k; found && objects&(1<<k) != 0 {
					list = append(list, x)
				}
			}
		}
		if a := argumentOf(r.q, s); a != nil {
			for _, of := range r.statements(*a) {
				add(of.objects, cmp.Or(a.Aspect, "in general"), of.Span, nil)
			}
			continue
		}
		own := objectOf(data.Favours(s.Entity))
		for _, at := range lexical.Sentences(s.Text) {
			parts := r.parts(s.Text, at)
			all, first := r.named(at.Of(s.Text))
			if len(parts) == 0 || own|all == 0 {
				continue
			}
			if own != 0 && all == lexical.Both&^own {
				x, _ := read(parts[0].topic, at)
				x.object = int(own >> 1)
				left.extraction(WrongEntity, x)
				continue
			}
			for _, p := range parts {
				objects, _ := r.named(p.Of(s.Text))
				if objects == 0 {
					objects = cmp.Or(own, first)
				}
				var opinions []opinion
				if objects != lexical.Both {
					opinions = r.opinions(p.Of(s.Text))
				}
				add(objects, p.topic, p.Span, opinions)
			}
		}
	}
	r.distinguish(list, sources)
	return list, left
}

// objectOf is the object of a source or the one that an argument favours; 0: neither or both.
func objectOf(f data.Favours) lexical.Objects {
	return [...]lexical.Objects{lexical.Second, 0, lexical.First}[1+f.Side()]
}

// A clause is a part of an argument, and the objects that it is about.
type clause struct {
	lexical.Span
	objects lexical.Objects
}

// statements splits an argument into clauses, if each of them names an object.
func (r *reader) statements(a data.Argument) (list []clause) {
	whole := lexical.Span{End: len(a.Text)}
	for _, at := range clauses(a.Text, whole, clauseBreak) {
		objects, _ := r.named(at.Of(a.Text))
		if objects == 0 || startsWithNot.MatchString(at.Of(a.Text)) {
			objects, _ = r.named(a.Text)
			return []clause{{whole, cmp.Or(objects, objectOf(a.Favours))}}
		}
		list = append(list, clause{at, objects})
	}
	return list
}

// distinguish finds out how distinct the values are that are no arguments.
func (r *reader) distinguish(list []extraction, sources []data.Source) {
	said := [2]map[string]bool{{}, {}}
	words := make([][]string, len(list))
	for i, x := range list {
		if argumentOf(r.q, sources[x.order]) == nil {
			words[i] = r.content(x.value)
		}
		for _, w := range words[i] {
			said[x.object][w] = true
		}
	}
	for i, x := range list {
		own := data.Where(words[i], func(w string) bool { return !said[1-x.object][w] })
		list[i].distinct = float64(len(own)) / float64(max(1, len(data.Words(x.value))))
	}
}

// An opinion is a scale on which texts can contradict each other, and at which end a text
// stands: {"-price", 1} is expensive.
type opinion struct {
	scale string
	side  int
}

// opinions are the opinions in a text, sorted: the ends of scales of which one is good.
func (r *reader) opinions(text string) (list []opinion) {
	for _, w := range lexical.Read(r.names, text, 0).Words {
		for _, p := range w.Poles {
			if p.Good != 0 && !w.Degree {
				list = append(list, opinion{p.Scale, w.Turned(int(p.Sign))})
			}
		}
	}
	slices.SortFunc(list, func(a, b opinion) int {
		return cmp.Or(strings.Compare(a.scale, b.scale), cmp.Compare(a.side, b.side))
	})
	return slices.Compact(list)
}
