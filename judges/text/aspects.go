package text

import (
	"slices"
	"strings"

	"compqa/judges/text/lexical"
)

// An aspect is a name in the answer's body, with all text below it, such as "Price". A name that occurs in several places, for example
// under each of two objects, is one aspect.
type aspect struct {
	name    span
	words   int             // words of the text below the name
	objects lexical.Objects // named in that text
	votes   int             // sum of favour over the sentences of that text
	level   int             // level of the name; see boldLevel
}

// aspects collects the named aspects of the body, in order of appearance.
// Names of objects and of parts of the answer are not aspects.
func (a *Analysis) aspects() (list []aspect) {
	known := map[string]int{}
	var open []int // indices into list: the aspects that the current block belongs to
	index := 0     // next sentence
	for i, b := range a.blocks {
		p := a.parts[i]
		named := p.role == bodyRole && b.name != ""
		if named || p.role != bodyRole {
			open = a.close(open, list, i)
		} else if b.kind == paragraph {
			for n := len(open); n > 0 && list[open[n-1]].level >= itemLevel && list[open[n-1]].words > 0; n-- {
				open = open[:n-1]
			}
		}
		if key := p.aspect; key != "" {
			j, ok := known[key]
			if !ok {
				j = len(list)
				known[key] = j
				list = append(list, aspect{name: p.name})
			}
			list[j].level = b.level
			if !slices.Contains(open, j) {
				open = append(open, j)
			}
		}
		for ; index < len(a.sentences) && a.sentences[index].block == i; index++ {
			if a.sentences[index].role != bodyRole {
				continue
			}
			vote := a.favour(a.sentences[index])
			for _, j := range open {
				list[j].words += a.sentences[index].words.len()
				list[j].objects |= a.sentences[index].objects
				list[j].votes += vote
			}
		}
	}
	return list
}

// close returns open without the aspects that block i ends. A block ends the aspects of its own level and of deeper levels. A block outside
// the body ends all. A list item that names an object continues the aspect above it.
func (a *Analysis) close(open []int, list []aspect, i int) []int {
	if a.parts[i].role != bodyRole {
		return open[:0]
	}
	level := a.blocks[i].level
	nameless := a.parts[i].aspect == ""
	if nameless && (a.blocks[i].kind == item || a.blocks[i].kind == paragraph) {
		level++
	}
	n := len(open)
	for n > 0 && list[open[n-1]].level >= level && !(list[open[n-1]].words == 0 && a.blocks[i].kind == item && nameless) {
		n--
	}
	return open[:n]
}

// aspectKey returns what identifies the aspect that block i names: the stems of the name's content words. It returns "" if the name is not
// an aspect, but a part of the answer or an object with at most two words after it ("Mac Pros", "Xbox Series X").
func (a *Analysis) aspectKey(i int) string {
	p := a.parts[i]
	if p.role != bodyRole || p.name.len() == 0 || p.namedRole != noRole {
		return ""
	}
	ws := a.tokensOf(p.name)
	if n := int(ws[0].Length); n > 0 && p.objects != lexical.Both && len(ws)-n <= 2 {
		return ""
	}
	var stems []string
	lexical.Content(ws, func(t lexical.Token) { stems = append(stems, t.Stem()) })
	return strings.Join(stems, " ")
}
