package lexical

import (
	"strings"
	"sync"
	"testing"
)

// sentenceCases were written for this test, to cover each kind of unclear full stop.
var sentenceCases = []struct {
	text string
	want int
}{
	{"Tea is cheap. Coffee is not.", 2},
	{"Tea is cheap! Coffee is not? Perhaps.", 3},
	{"Some teas, e.g. Assam, are strong. Others are mild.", 2},
	{"Some teas, e.g., Assam, are strong.", 1},
	{"Choose by taste, i.e. by mood.", 1},
	{"Dr. Brown drinks tea. Mr. Green does not.", 2},
	{"The firm is Acme Inc. and it sells tea.", 1},
	{"The firm is Acme Inc. It sells tea.", 2},
	{"They sell cups, pots, etc. and more.", 1},
	{"They sell cups, pots, etc. Both shops do.", 2},
	{"It was founded in the U.S. in 1990.", 1},
	{"It is sold in the U.S. It is not sold in Peru.", 2},
	{"The shop opens at 8 a.m. and closes late.", 1},
	{"The shop opens at 8 a.m. The other opens later.", 2},
	{"Version 3.5 is faster than version 2.0.", 1},
	{"It came out in 2004. The other came in 2006.", 2},
	{"It costs 2.50. The other costs 3.", 2},
	{"J. R. Hartley wrote about it. He liked tea.", 2},
	{"Plan B. is cheaper.", 1},
	{"See no. 5 in the list. It is better.", 2},
	{"The answer is no. The other is better.", 2},
	{"tea is cheap. coffee is not.", 2},
	{"It is fast... and cheap. Buy it.", 2},
	{"Wait... It is cheap.", 2},
	{"\"Tea is better.\" Many say so.", 2},
	{"(Tea is better.) Many say so.", 2},
	{"Tea is better [3]. Coffee is worse. [4] Both sell [1, 2].", 3},
	{"It costs approx. 5 dollars.", 1},
	{"Tea vs. coffee is an old question.", 1},
	{"It has 8 GB of RAM. iPhones have less.", 2},
	{"Yahoo! is older than Google.", 1},
	{"Is it cheap? yes, it is.", 1},
	{"It runs Node.js and ASP.NET well.", 1},
	{"The St. Louis shop is big. It is new.", 2},
	{"Milk comes from cows, goats, sheep, etc. Soda does not.", 2},
	{"The lens of Fig. 3 is sharper.", 1},
	{"He was born on Jan. 5 in Ohio. She was not.", 2},
	{"The price fell in Sept. The other rose.", 2},
	{"It weighs 5 lbs. The other weighs 6 lbs.", 2},
	{"It ranks No. 1 in sales. The other is second.", 2},
	{"Gen. Motors and Ford Co. Ltd. make cars.", 1},
	{"It is made by Sony Corp. in Japan.", 1},
	{"It was made by Sony Corp. The other was not.", 2},
	// scripts with full stops of their own, without spaces after them
	{"茶便宜。咖啡不便宜。", 2},
	{"चाय सस्ती है। कॉफी नहीं।", 2},
	{"Чай дешёвый. Кофе нет.", 2},
	{"", 0},
	{" . ! [3] …", 0},
	{"no full stop", 1},
}

func TestSplit(t *testing.T) {
	for _, c := range sentenceCases {
		p := Splitter{Unclear: MaxUnclear}
		if got := p.Split(nil, Normalise(c.text)); len(got) != c.want {
			t.Errorf("%q: %d sentences, want %d: %q", c.text, len(got), c.want, got)
		}
	}
	// A known error: Punkt takes the vitamin for an initial.
	p := Splitter{Unclear: MaxUnclear}
	if got := p.Split(nil, "It is rich in vitamin C. The other is not."); len(got) != 1 {
		t.Errorf("the known fault is gone: %q", got)
	}
}

// Splitting adds and removes only spaces.
func TestSplitKeepsTheText(t *testing.T) {
	for _, c := range sentenceCases {
		if c.want == 0 {
			continue
		}
		p := Splitter{Unclear: MaxUnclear}
		got := strings.Join(p.Split(nil, Normalise(c.text)), "")
		if strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(Normalise(c.text), " ", "") {
			t.Errorf("%q became %q", c.text, got)
		}
	}
}

// After a limited number of calls of Punkt, the rules decide alone.
func TestSplitWithoutPunkt(t *testing.T) {
	p := Splitter{Unclear: 1}
	got := p.Split(nil, "tea is cheap. coffee is not. tea is mild.")
	if len(got) != 2 || p.Unclear != 0 {
		t.Errorf("%d sentences with %d calls left, want 2 and 0: %q", len(got), p.Unclear, got)
	}
}

func TestSplitConcurrently(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			p := Splitter{Unclear: MaxUnclear}
			if got := p.Split(nil, "The firm is Acme Inc. It sells tea."); len(got) != 2 {
				t.Errorf("%q", got)
			}
		})
	}
	wg.Wait()
}

// Punkt sees two words on either side of a full stop.
func TestWordsAroundStop(t *testing.T) {
	before := "It costs  approx"
	after := "5 euros a month"
	if b, a := before[lastTwo(before):], after[:firstTwo(after)]; b != "costs  approx" || a != "5 euros" {
		t.Errorf("%q and %q", b, a)
	}
	if b, a := lastTwo("one"), firstTwo(" one"); b != 0 || a != 4 {
		t.Errorf("of one word: %d, %d", b, a)
	}
}
