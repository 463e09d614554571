package strum

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/judges/text/lexical"
	"compqa/llm/structured"
)

// A reader reads sources about the two objects of a question.
type reader struct {
	q      data.Question
	names  *lexical.Names
	topics map[string]int // stems of attributes, with the number of sources that name them

	phrases map[string]string // from a noun to the phrase of two nouns that it stands for: "battery" to "battery life"
	small   map[string]bool   // words that the sources also write in lower case
}

// readerOf returns a reader for a question. It learns how the sources write the objects' names, and the topics of sources that are not
// arguments: nouns that at least fewestTexts texts name. In a set of at most smallSet texts, two texts about different objects are enough.
func readerOf(q data.Question, sources []data.Source) *reader {
	r := &reader{q: q, names: lexical.NewNames(q.Object1, q.Object2), topics: map[string]int{}, phrases: map[string]string{},
		small: map[string]bool{}}
	r.names.Ordinary([2]string{q.Object1, q.Object2}, slices.Values(data.Each(sources, func(s data.Source) string { return s.Text })))
	sources = data.Where(sources, func(s data.Source) bool { return argumentOf(q, s) == nil })
	about := map[string]lexical.Objects{}
	for _, s := range sources {
		for w, ok := data.NextWord(s.Text, 0); ok; w, ok = data.NextWord(s.Text, w.End) {
			if s.Text[w.Start:w.End] == w.Text {
				r.small[w.Text] = true
			}
		}
	}
	for _, s := range sources {
		for _, noun := range data.Set(r.nouns(s.Text)) {
			r.topics[noun]++
			about[noun] |= objectOf(data.Favours(s.Entity))
		}
	}
	names := data.Stems(q.Object1 + " " + q.Object2)
	maps.DeleteFunc(r.topics, func(noun string, n int) bool {
		few := n < min(fewestTexts, len(sources)) && !(n > 1 && len(sources) <= smallSet && about[noun] == lexical.Both)
		return few || slices.ContainsFunc(strings.Fields(noun), func(word string) bool { return slices.Contains(names, word) })
	})
	r.joinPhrases()
	return r
}

// joinPhrases replaces two nouns by their phrase ("battery life"), if most texts that name the second noun name the phrase. Otherwise the
// phrase is removed.
func (r *reader) joinPhrases() {
	for _, phrase := range slices.Sorted(maps.Keys(r.topics)) {
		first, second, is := strings.Cut(phrase, " ")
		if n := r.topics[phrase]; is && 2*n > r.topics[second] {
			r.phrases[second] = phrase
			r.phrases[first] = phrase
			r.topics[phrase] = max(n, r.topics[first], r.topics[second])
			delete(r.topics, first)
			delete(r.topics, second)
		} else if is {
			delete(r.topics, phrase)
		}
	}
}

// tokens returns the words of a text, with the objects' names marked.
func (r *reader) tokens(text string) []lexical.Token {
	ws := lexical.Tokens(nil, text)
	r.names.Mark(ws)
	return ws
}

// content returns the set of stems of a text's content words, without names.
func (r *reader) content(text string) []string {
	var list []string
	lexical.Content(r.tokens(text), func(t lexical.Token) { list = append(list, data.Stem(t.Word)) })
	return data.Set(list)
}

// namedObjects returns the objects that a text names, and the object that it names first.
func (r *reader) namedObjects(text string) (all, first lexical.Objects) {
	for _, w := range r.tokens(text) {
		all |= w.Object
		if first == 0 {
			first = w.Object
		}
	}
	return all, first
}

// judging are the classes of words that express an opinion about an attribute.
const judging = lexical.Praising | lexical.Faulting | lexical.Comparative | lexical.Hedging

// isOpinion reports whether a word expresses an opinion.
func isOpinion(t lexical.Token) bool { return t.Class&judging != 0 || t.Poles != nil }

var (
	// linking are words after which a noun at the start of a sentence is recognised: "Dogs are", "Battery life of".
	linking = strings.Fields("is are was were has have had can cannot isn't aren't wasn't weren't of on")
	// general are nouns that are not attributes: they say what a text is about, or when something was.
	general = strings.Fields("stay staying visit trip experience review couple friend people person world week weekend morning evening " +
		"heart fact idea reason kind sort type number example rest side top end front center centre middle bottom")
	// verbs are verbs that can come after a noun: "the battery lasts".
	verbs = strings.Fields("lasts lasted costs cost starts comes came works worked looks looked feels felt seems seemed needs takes took " +
		"runs never crashes crashed breaks broke fails failed supports")
)

var (
	// afterUnit matches a sentence end that the splitter takes for an abbreviation: "It weighs 260 g. The sound is good."
	afterUnit = regexp.MustCompile(`(\d\s?\pL{1,2}\.\s+)\p{Lu}`)

	// lastNumber matches a number at the end of a sentence. It may be the number of the next list item: "Everything was at hand 2."
	lastNumber = regexp.MustCompile(`(?:^|\s)(\d{1,2})\.\s*$`)
)

// sentences returns the sentences of a text. The number of a list item ("1.", "2." …) is a sentence of its own.
func sentences(text string) (list []lexical.Span) {
	items := 0
	for _, s := range lexical.Sentences(text) {
		start := s.Start
		for _, m := range afterUnit.FindAllStringSubmatchIndex(s.Of(text), -1) {
			end := s.Start + m[3]
			list = append(list, lexical.Span{Start: start, End: end})
			start = end
		}
		if m := lastNumber.FindStringSubmatchIndex(s.Of(text)); m != nil && s.Of(text)[m[2]:m[3]] == strconv.Itoa(items+1) {
			items++
			if number := s.Start + m[2]; number > start {
				list = append(list, lexical.Span{Start: start, End: number})
				start = number
			}
		}
		list = append(list, lexical.Span{Start: start, End: s.End})
	}
	return list
}

// nouns returns the nouns of a text, phrases of two nouns, and measures of quantities. A noun is recognised by its place: after a
// determiner, an opinion, a number or at the start of a sentence, and before a word that cannot be part of its phrase.
func (r *reader) nouns(text string) (list []string) {
	for _, span := range lexical.Sentences(text) {
		list = append(list, r.nounsOf(span.Of(text))...)
	}
	return append(list, measuresIn(text)...)
}

// acronym matches the name of a feature in capitals: LDAC, USB, IPX4. isAcronym excludes words that the texts also write in lower case
// ("GREAT LOCATION"), and names of places ("the MTR").
var acronym = regexp.MustCompile(`^[A-Z][A-Z0-9]{2,}$`)

// measuresIn returns what the quantities in a text measure: price, distance, weight, size.
func measuresIn(text string) (list []string) {
	for _, q := range quantitiesIn(text) {
		if measure := measures[q.unit]; measure != "" {
			list = append(list, measure)
		}
	}
	return list
}

// nounsOf returns the nouns of a sentence. For example, in "The battery life is great, and it has LDAC", "life" is a noun: it stands
// before "is", and "The" is within three words before it. Since "battery" can be a noun, too, so is "battery life". "LDAC" is the name of
// a feature.
func (r *reader) nounsOf(sentence string) (list []string) {
	s := r.analyse(sentence)
	for i, w := range s.words {
		switch {
		case s.isAcronym(i):
			list = append(list, data.Stem(w.Word))
		case s.canBeNoun(i) && s.endsPhrase(i) && (s.isDetermined(i) || s.opensStatement(i)):
			list = append(list, data.Stem(w.Word))
			if i > 0 && s.canBeNoun(i-1) {
				list = append(list, data.Stem(s.words[i-1].Word)+" "+data.Stem(w.Word))
			}
		}
	}
	return list
}

// An analysis is a sentence in which nouns are looked for.
type analysis struct {
	text       string
	words      []lexical.Token
	wordPlaces []data.Word     // the words with their places in the text
	small      map[string]bool // words that the reader's texts also write in lower case
}

func (r *reader) analyse(sentence string) analysis {
	s := analysis{text: sentence, words: r.tokens(sentence), small: r.small}
	for w, ok := data.NextWord(sentence, 0); ok; w, ok = data.NextWord(sentence, w.End) {
		s.wordPlaces = append(s.wordPlaces, w)
	}
	return s
}

// stops reports whether word i ends a phrase: it is a stop word, an object's name, or after the last word.
func (s analysis) stops(i int) bool {
	return i >= len(s.words) || s.words[i].Class&lexical.Stop != 0 || s.words[i].Length > 0
}

// canBeNoun reports whether a word by itself can be a noun. For example, "battery" can; "Sony" is a name, "great" an opinion, "hours" a
// unit, and "reason" too general.
func (s analysis) canBeNoun(i int) bool {
	w := s.words[i].Word
	return len(w) > 2 && !s.stops(i) && !s.isName(i) && !isOpinion(s.words[i]) && !isQuantity(w) && !isGeneral(w)
}

// isName reports whether word i, which is not the first of the sentence, begins with a capital.
func (s analysis) isName(i int) bool {
	return i > 0 && i < len(s.wordPlaces) && lexical.IsUpper(s.text[s.wordPlaces[i].Start])
}

// isQuantity reports whether a word is a number, in digits or spelled out, or a unit.
func isQuantity(w string) bool {
	return lexical.IsDigit(w[0]) || numberWords[w] != "" || measures[units[w]] != ""
}

// isGeneral reports whether a word is too general to be an attribute.
func isGeneral(w string) bool {
	stem := data.Stem(w)
	return slices.Contains(general, stem) || lexical.Lexicon[stem].Class&lexical.Generic != 0
}

// isAcronym reports whether a word is the name of a feature in capitals, and the sentence is not in capitals as a whole.
func (s analysis) isAcronym(i int) bool {
	return i < len(s.wordPlaces) && acronym.MatchString(s.text[s.wordPlaces[i].Start:s.wordPlaces[i].End]) && !s.small[s.words[i].Word] &&
		strings.ToUpper(s.text) != s.text && (i == 0 || s.words[i-1].Word != "the") && s.words[i].Length == 0
}

// endsPhrase reports whether the word after i cannot be a part of its phrase.
func (s analysis) endsPhrase(i int) bool {
	return s.stops(i+1) || isOpinion(s.words[i+1]) || slices.Contains(verbs, s.words[i+1].Word)
}

// isDetermined reports whether a determiner, an opinion or a number is among the three words before i, without a stop word between.
func (s analysis) isDetermined(i int) bool {
	for k := i - 1; k >= max(0, i-3); k-- {
		w := s.words[k]
		if w.Class&lexical.Determines != 0 || isOpinion(w) || lexical.IsDigit(w.Word[0]) {
			return true
		}
		if s.stops(k) {
			return false
		}
	}
	return false
}

// opensStatement reports whether a word begins a statement about it: "Battery: 24 hours", "Sound is good".
func (s analysis) opensStatement(i int) bool {
	w := s.words[i].Word
	opens := i == 0 || i == 1 && !s.stops(0)
	if !opens || strings.HasSuffix(w, "ed") {
		return false
	}
	labels := strings.HasPrefix(strings.ToLower(s.text), w+":")
	return labels || i+1 < len(s.words) && slices.Contains(linking, s.words[i+1].Word)
}

// opening returns the topic that a text begins with, or "" if it begins with another word.
func (r *reader) opening(text string) string {
	ws := r.tokens(text)
	if first := slices.IndexFunc(ws, func(w lexical.Token) bool { return w.Class&lexical.Determines == 0 }); first >= 0 {
		word := data.Stem(ws[first].Word)
		if word = cmp.Or(r.phrases[word], word); r.topics[word] > 0 {
			return word
		}
	}
	return ""
}

// topicOf returns the topic of a text: the topic that it begins with ("Battery life is 24 hours with noise cancellation on"), or else the
// most frequent topic that it names, or else what its quantities measure. It returns "" if there is none.
func (r *reader) topicOf(text string) (topic string) {
	if opening := r.opening(text); opening != "" {
		return opening
	}
	for _, words := range [][]string{data.Stems(text), measuresIn(text)} {
		for _, word := range words {
			word = cmp.Or(r.phrases[word], word)
			if r.topics[word] > r.topics[topic] {
				topic = word
			}
		}
		if topic != "" {
			break
		}
	}
	return topic
}

// A topicPart is a part of a sentence about one topic.
type topicPart struct {
	lexical.Span
	topic string
}

// topicParts divides a sentence into parts, each about one topic. A part without a topic is joined to the part before it.
func (r *reader) topicParts(text string, sentence lexical.Span) (list []topicPart) {
	for _, span := range r.predicates(text, clauses(text, sentence, segmentBreak)) {
		topic := r.topicOf(span.Of(text))
		switch last := len(list) - 1; {
		case topic == "" && last < 0:
		case topic == "" || last >= 0 && list[last].topic == topic:
			list[last].End = span.End
		default:
			if last < 0 {
				span.Start = sentence.Start
			}
			list = append(list, topicPart{span, topic})
		}
	}
	return list
}

// predicates splits clauses at an "and" between statements about two topics: "Staff very polite and room very clean". Both sides must state
// something: "the location and the staff are great" is not split.
func (r *reader) predicates(text string, list []lexical.Span) (parts []lexical.Span) {
	says := func(span lexical.Span) bool {
		return slices.ContainsFunc(r.tokens(span.Of(text)), func(w lexical.Token) bool {
			return isOpinion(w) || slices.Contains(linking,
				w.Word)
		})
	}
	for _, span := range list {
		for _, m := range conjunction.FindAllStringIndex(span.Of(text), -1) {
			before := lexical.Span{Start: span.Start, End: span.Start + m[0]}
			after := lexical.Span{Start: span.Start + m[1], End: span.End}
			opening := r.opening(after.Of(text))
			if opening != "" && r.topicOf(before.Of(text)) != "" && says(before) && says(after) {
				parts = append(parts, before)
				span = after
				break
			}
		}
		parts = append(parts, span)
	}
	return parts
}

var (
	// startsWithNot matches a clause without a verb: "but not a high-powered rifle".
	startsWithNot = regexp.MustCompile(`^\s*not\b`)

	clauseBreak  = regexp.MustCompile(`;|,? \b(?:whereas|while|but)\b `)
	conjunction  = regexp.MustCompile(`,? (?:and|&) `)
	segmentBreak = regexp.MustCompile(`[;:,(] ?|\b(?:whereas|while|but)\b `)
)

// clauses divides a span at the matches of a separator.
func clauses(text string, s lexical.Span, separator *regexp.Regexp) (list []lexical.Span) {
	start := s.Start
	for _, m := range separator.FindAllStringIndex(s.Of(text), -1) {
		list = append(list, lexical.Span{Start: start, End: s.Start + m[0]})
		start = s.Start + m[1]
	}
	return append(list, lexical.Span{Start: start, End: s.End})
}

// quoteTrim is white space and punctuation that is removed from the ends of a quote.
const quoteTrim = " \t\r\n\u00a0,;:.!?–—-"

// An extraction is one value of one attribute of one object, from one source.
type extraction struct {
	object      int  // 0 or 1
	bothObjects bool // the statement is also a value of the other object
	attribute   string
	value       string
	evidence    data.Evidence
	rank        int // rank of the source; an unknown rank comes last
	order       int // index of the source
	// opinions about the object. An argument has none, because it states a fact. A text that also names the other object has none.
	opinions []opinion
	// distinct is the share of the value's words that no value of the other object has. It is 0 for an argument.
	distinct float64
}

// extract finds the values in the sources. A statement is a value of each object that it names. A statement without a name is a value of
// the object that its source is about, or that its argument favours. left has the statements about another entity.
func (r *reader) extract(sources []data.Source) (list []extraction, left dropped) {
	for order, s := range sources {
		read := func(attribute string, span lexical.Span) (x extraction, found bool) {
			span.Start += len(span.Of(s.Text)) - len(strings.TrimLeft(span.Of(s.Text), quoteTrim))
			quote := strings.TrimRight(span.Of(s.Text), quoteTrim)
			span.End = span.Start + len(quote)
			return extraction{attribute: attribute, value: structured.OneLine(quote), rank: cmp.Or(s.Rank, math.MaxInt32), order: order,
				evidence: data.Evidence{Source: s.ID, Start: span.Start, End: span.End, Quote: quote}}, quote != ""
		}
		add := func(objects lexical.Objects, attribute string, span lexical.Span, opinions []opinion) {
			x, found := read(attribute, span)
			x.bothObjects = objects == lexical.Both
			x.opinions = opinions
			for k := range 2 {
				x.object = k
				if found && objects&(1<<k) != 0 {
					list = append(list, x)
				}
			}
		}
		if a := argumentOf(r.q, s); a != nil {
			for _, clause := range r.statements(*a) {
				add(clause.objects, cmp.Or(a.Aspect, "in general"), clause.Span, nil)
			}
			continue
		}
		object := objectOf(data.Favours(s.Entity))
		for _, span := range sentences(s.Text) {
			parts := r.topicParts(s.Text, span)
			all, first := r.namedObjects(span.Of(s.Text))
			if len(parts) == 0 || object|all == 0 {
				continue
			}
			if object != 0 && all == lexical.Both&^object || r.another(span.Of(s.Text)) {
				x, _ := read(parts[0].topic, span)
				x.object = int(cmp.Or(object, first) >> 1)
				left.extraction(WrongEntity, x)
				continue
			}
			for _, p := range parts {
				objects, _ := r.namedObjects(p.Of(s.Text))
				if objects == 0 {
					objects = cmp.Or(object, first)
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

// objectOf returns the object that a source is about or an argument favours, or 0 if that is neither or both.
func objectOf(f data.Favours) lexical.Objects {
	return [...]lexical.Objects{lexical.Second, 0, lexical.First}[1+f.Side()]
}

// A clause is a part of an argument, with the objects that it is about.
type clause struct {
	lexical.Span
	objects lexical.Objects
}

// statements splits an argument into clauses if each clause names an object. Otherwise it returns the whole argument.
func (r *reader) statements(a data.Argument) (list []clause) {
	whole := lexical.Span{End: len(a.Text)}
	for _, span := range clauses(a.Text, whole, clauseBreak) {
		objects, _ := r.namedObjects(span.Of(a.Text))
		if objects == 0 || startsWithNot.MatchString(span.Of(a.Text)) {
			objects, _ = r.namedObjects(a.Text)
			return []clause{{whole, cmp.Or(objects, objectOf(a.Favours))}}
		}
		list = append(list, clause{span, objects})
	}
	return list
}

// distinguish sets distinct for the values that are not from arguments.
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
		distinct := data.Where(words[i], func(w string) bool { return !said[1-x.object][w] })
		list[i].distinct = float64(len(distinct)) / float64(max(1, len(data.Words(x.value))))
	}
}

// An opinion is one end of a scale on which texts can contradict each other: {"-price", 1} means expensive.
type opinion struct {
	scale string
	side  int
}

// opinions returns the opinions in a text, sorted. Only scales with a good end count.
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
