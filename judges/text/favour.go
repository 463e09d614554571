package text

import (
	"cmp"

	"compqa/judges/text/lexical"
)

// favour finds the object that a sentence favours: above 0 the first, below 0 the second, 0 neither. It reads clauses. A
// clause is about the object that it names first, or that its block is named after. It praises or faults the object with
// words of the lexicon; a negation before such a word inverts it. An object after a word like than, over or outperforms is
// what the clause compares with. Any other new name begins a new clause.
//
// Irony, praise in words that the lexicon lacks, and comparisons that take a
// word's opposite meaning (a higher price) are not recognised.
func (a *Analysis) favour(s sentence) int {
	ws := a.in(s.words)
	if len(ws) > 0 && (ws[0].Word == "both" || ws[0].Word == "neither") {
		return 0
	}
	c := clause{subject: a.parts[s.block].about}
	for i := 0; i < len(ws); i++ {
		if n := int(ws[i].Length); n > 0 {
			c.meet(ws[i].Object, ws, i)
			i += n - 1
			continue
		}
		c.read(ws[i])
	}
	c.end()
	return c.votes
}

// A clause is the state of favour.
type clause struct {
	subject  lexical.Objects
	polarity int
	negation int // words that a negation still reaches over
	judged   bool
	votes    int
}

// meet handles an object's name at ws[i].
func (c *clause) meet(o lexical.Objects, ws []lexical.Token, i int) {
	switch {
	case comparedWith(ws, i), c.subject == o:
	case c.subject == 0 || !c.judged:
		c.subject |= o
	default:
		c.end()
		c.subject = o
	}
}

// comparedWith reports whether the words before ws[i] make it what something else is compared with.
func comparedWith(ws []lexical.Token, i int) bool {
	for k := i - 1; k >= 0 && k >= i-2; k-- {
		if ws[k].Class&lexical.Against != 0 {
			return true
		}
		if ws[k].Class&lexical.Stop == 0 {
			return false
		}
	}
	return false
}

// read handles any other word.
func (c *clause) read(t lexical.Token) {
	k := t.Class
	if k&lexical.Parting != 0 {
		c.end()
	}
	if c.negation > 0 {
		c.negation--
	}
	negates := k&lexical.Negating != 0
	if negates {
		c.negation = 4
	}
	if k&(lexical.Praising|lexical.Faulting) == 0 || negates && t.Word == "less" {
		return
	}
	c.judged = true
	if praised := k&lexical.Praising != 0; praised == (c.negation == 0 || negates) {
		c.polarity++
	} else {
		c.polarity--
	}
}

// end counts the clause's vote and starts the next clause.
func (c *clause) end() {
	switch sign := cmp.Compare(c.polarity, 0); c.subject {
	case lexical.First:
		c.votes += sign
	case lexical.Second:
		c.votes -= sign
	}
	*c = clause{votes: c.votes}
}

// sides counts the sentences that favour an object, among those that cite an argument and those that are tagged as made up.
// A sentence that does both counts as citing. The favoured object is read from a list of words (see favour), so most
// sentences count for neither. Of the built-in arguments, whose side is known, one in six is assigned a side, and three in
// four of these correctly.
func (f *Features) sides(a *Analysis) {
	for _, s := range a.sentences {
		if s.role == sourcesRole || s.role == choiceRole {
			continue
		}
		var c lexical.Citations
		c.Add(s.text)
		if len(c.Numbers) == 0 && c.Generated == 0 {
			continue
		}
		if len(c.Numbers) == 0 {
			count(a.favour(s), &f.GeneratedFirst, &f.GeneratedSecond)
		} else {
			count(a.favour(s), &f.CitedFirst, &f.CitedSecond)
		}
	}
}

// count adds one for the object that a vote is for.
func count(vote int, first, second *int) {
	switch {
	case vote > 0:
		*first++
	case vote < 0:
		*second++
	}
}
