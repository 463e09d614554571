package strum

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"compqa/data"
)

// topics are the attributes that sources without given aspects talk about: nouns that three
// sources or more use, or two if it is a known attribute (see synonyms). A noun is recognised by its place: after a determiner or an adjective,
// and before a word that cannot be part of its phrase.
type topics map[string]int // number of sources by topic

// topicsOf counts the topics of the sources that are no arguments.
func topicsOf(q data.Question, sources []data.Source) topics {
	found := topics{}
	for _, s := range sources {
		if argumentOf(q, s) != nil {
			continue
		}
		own := map[string]bool{}
		for _, at := range sentences(s.Text) {
			for _, topic := range nouns(at.of(s.Text)) {
				own[topic] = true
			}
		}
		for topic := range own {
			found[topic]++
		}
	}
	for _, k := range namesOf(q) {
		for _, word := range k.full {
			delete(found, word)
		}
	}
	maps.DeleteFunc(found, func(topic string, n int) bool {
		fewest := 3
		if _, known := synonyms[topic]; known {
			fewest = 2
		}
		return vague[topic] || n < min(fewest, len(sources))
	})
	return found
}

// nouns are the topics that a text may be about.
func nouns(text string) (list []string) {
	words := stems(text)
	for i, w := range words {
		if topic, known := synonyms[w]; known {
			list = append(list, topic)
			continue
		}
		last := i+1 == len(words) || stopWords[words[i+1]]
		if stopWords[w] || polar[w] != nil || !last || len(w) < 3 || w[0] >= '0' && w[0] <= '9' {
			continue
		}
		for k := i - 1; k >= 0 && k >= i-3; k-- {
			if determiners[words[k]] || polar[words[k]] != nil {
				list = append(list, w)
				break
			}
			if stopWords[words[k]] {
				break
			}
		}
	}
	return list
}

// A part is a part of a text about a topic.
type part struct {
	span
	topic string
}

// parts are the parts of a sentence, each about the most frequent topic in it. A part without
// a topic belongs to the one before it.
func (t topics) parts(text string, sentence span) (list []part) {
	for _, at := range clauses(text, sentence, segmentBreak) {
		topic := t.best(at.of(text))
		switch {
		case topic == "" && len(list) == 0:
		case topic == "" || len(list) > 0 && list[len(list)-1].topic == topic:
			list[len(list)-1].end = at.end
		default:
			if len(list) == 0 {
				at.start = sentence.start
			}
			list = append(list, part{at, topic})
		}
	}
	return list
}

// best is the most frequent topic of a text; the first of several.
func (t topics) best(text string) string {
	known := slices.DeleteFunc(nouns(text), func(n string) bool { return t[n] == 0 })
	if len(known) == 0 {
		return ""
	}
	slices.SortStableFunc(known, func(a, b string) int { return cmp.Compare(t[b], t[a]) })
	return known[0]
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

var determiners = wordSet("a an the this that these those my our their its his her your no some any every each all very really so too more most less quite pretty extremely")

// vague are nouns that texts use much, and that are no attribute of anything: words of time,
// quantity, people and opinion.
var vague = wordSet(`time day night morning evening afternoon week weekend month year hour minute moment end beginning
	couple few bit lot rest part half side much enough more most plenty number
	place thing way kind sort point case idea fact reason problem issue deal experience opinion comment review world future
	wife husband friend family kid child guest people person someone anyone everyone itself myself
	trip visit vacation holiday break journey walk distance close early late free stay favorite favourite choice`)

// stopWords are words that are no topic and end the phrase of one. They have no plural ending.
var stopWords = func() map[string]bool {
	set := wordSet(`and or but if then than as at by for from in into of off on onto out over to up with without within about after before between during near under
		is are was were wa be been being am do doe did done ha have had has having can could will would shall should may might must not n t s ve re ll d m
		i we you he she it they them us me who whom which what when where why how there here also just only even still again ever never always often both either neither
		get got go went come came make made take took say said see saw find found think thought know feel felt want need give gave stay stayed stay use used like
		one two three first last other another such same own while whereas because since until though although yet however which whose while so very really too quite`)
	maps.Copy(set, determiners)
	return set
}()

// synonyms gives the topic of words that mean nearly the same in reviews.
var synonyms = func() map[string]string {
	m := map[string]string{}
	for _, group := range []string{
		"room bedroom suite", "staff employee personnel", "service reception", "location area neighbourhood neighborhood walk distance located block station subway metro airport attraction", "price cost rate value money",
		"breakfast", "food meal dinner restaurant", "bed mattress pillow", "bathroom shower toilet bath", "pool", "wifi internet wireless", "parking garage", "view", "noise sound",
		"battery", "screen display", "camera", "design look", "size dimension", "weight", "speed performance", "quality", "comfort",
	} {
		words := strings.Fields(group)
		for _, w := range words {
			m[w] = words[0]
		}
	}
	return m
}()
