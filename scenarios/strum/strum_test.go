package strum

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/judges/text/lexical"
)

// TestBuiltIn checks that the built-in arguments are split into clauses, that most attributes have values of both objects, and that every
// quote is in its source.
func TestBuiltIn(t *testing.T) {
	split := 0
	filled := 0
	attributes := 0
	for _, q := range data.CQA50() {
		r := readerOf(q, SourcesOf(q))
		for _, a := range q.Arguments {
			if list := r.statements(a); len(list) > 1 {
				split++
			} else if list[0].objects == 0 {
				t.Errorf("nothing is extracted from %q", a.Text)
			}
		}
		found, _ := r.extract(SourcesOf(q))
		for _, a := range mergeAttributes(found) {
			attributes++
			var of [2]bool
			for _, x := range a.extractions {
				of[x.object] = true
			}
			if of[0] && of[1] {
				filled++
			}
		}
		table := Offline(q, SourcesOf(q))
		if n := len(table.Rows); n < 2 || n > 9 {
			t.Errorf("%s: %d rows", q.ID, n)
		}
		checkTable(t, q, SourcesOf(q), table)
	}
	if split != 314 || filled != 335 || attributes != 348 {
		t.Errorf("%d of 518 arguments are split, %d of %d attributes have values of both objects", split, filled, attributes)
	}
}

// checkTable checks what holds for every table: ranks, quotes, and no value without a quote.
func checkTable(t *testing.T, q data.Question, sources []data.Source, table data.ContrastTable) {
	t.Helper()
	texts := map[string]string{}
	for _, s := range sources {
		texts[s.ID] = s.Text
	}
	for i, r := range table.Rows {
		if r.Rank != i+1 {
			t.Errorf("%s: row %d has the rank %d", q.ID, i+1, r.Rank)
		}
		for _, v := range slices.Concat(r.Object1, r.Object2) {
			if len(v.Evidence) == 0 {
				t.Errorf("%s, %s: %q has no evidence", q.ID, r.Attribute, v.Value)
			}
			for _, e := range v.Evidence {
				if text := texts[e.Source]; e.Start < 0 || e.End > len(text) || text[e.Start:e.End] != e.Quote {
					t.Errorf("%s, %s: the quote %q is not at %d to %d of source %s", q.ID, r.Attribute, e.Quote, e.Start, e.End, e.Source)
				}
			}
		}
	}
}

var theOther = map[string]string{string(data.Object1): string(data.Object2), string(data.Object2): string(data.Object1)}

// swapped returns a question and sources with the objects exchanged.
func swapped(q data.Question, sources []data.Source) (data.Question, []data.Source) {
	q.Object1, q.Object2, q.Arguments, sources = q.Object2, q.Object1, slices.Clone(q.Arguments), slices.Clone(sources)
	for i := range q.Arguments {
		if f, sided := theOther[string(q.Arguments[i].Favours)]; sided {
			q.Arguments[i].Favours = data.Favours(f)
		}
	}
	for i := range sources {
		if e, sided := theOther[sources[i].Entity]; sided {
			sources[i].Entity = e
		}
	}
	return q, sources
}

// reviews returns n made-up sources about two hotels, each with this number of words, drawn with the seed.
func reviews(n, words int, seed uint64) (data.Question, []data.Source) {
	r := rand.New(rand.NewPCG(seed, 1))
	pick := func(list string) string { f := strings.Split(list, "|"); return f[r.IntN(len(f))] }
	q := data.Question{ID: "hotels", Object1: "Hotel Adler", Object2: "Hotel Adler Park"}
	var sources []data.Source
	for i := range n {
		var text strings.Builder
		for k := 0; k < words; k += 12 {
			fmt.Fprintf(&text, "The %s was %s%s and %s, but our %s on day %d felt %s. ", pick("room|staff|pool|breakfast|lobby|lift|terrace|garden|carpet"), pick("|not |very "),
				pick("great|bad|clean|dirty|friendly|rude|quiet|noisy|green"), pick("cheap|expensive|modern|old|large|small"), pick("view|bathroom|bed|balcony|kettle"), r.IntN(400), pick("nice|awful|fine|worn"))
			if r.IntN(8) == 0 {
				text.WriteString(pick("Hotel Adler|Hotel Adler Park|Adler Park|Both hotels") + " has a good bar. ")
			}
		}
		sources = append(sources, data.Source{ID: fmt.Sprint("r", i), Entity: pick("object1|object2|both"), Rank: r.IntN(20), Text: text.String()})
	}
	return q, sources
}

// TestSwap checks that swapping the objects swaps the cells and changes nothing else.
func TestSwap(t *testing.T) {
	for _, q := range data.CQA50() {
		checkSwap(t, q, SourcesOf(q))
	}
	for seed := range uint64(20) {
		q, sources := reviews(12, 60, seed)
		checkTable(t, q, sources, Offline(q, sources))
		checkSwap(t, q, sources)
	}
}

// checkSwap checks that a table of the swapped question, swapped back, equals the table of the question.
func checkSwap(t *testing.T, q data.Question, sources []data.Source) {
	t.Helper()
	want := Offline(q, sources)
	other, swappedSources := swapped(q, sources)
	got := Offline(other, swappedSources)
	if now, then := Choose(other, got, swappedSources), Choose(q, want, sources); now != then.Swapped() {
		t.Errorf("%s: %q is chosen, and %q after swapping", q.ID, then, now)
	}
	swap := func(r *data.ContrastRow) {
		r.Object1, r.Object2 = r.Object2, r.Object1
		if object, sided := theOther[r.Favours]; sided {
			r.Favours = object
		}
	}
	for i := range got.Rows {
		swap(&got.Rows[i])
	}
	for i := range got.Dropped {
		swap(&got.Dropped[i].Row)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: swapping the objects gives\n%+v\nwant\n%+v", q.ID, got, want)
	}
}

// TestOpinions checks that a minority is dropped, and that supporters and conflicts are counted by source.
func TestOpinions(t *testing.T) {
	q := data.Question{Object1: "Adler", Object2: "Bellevue"}
	var sources []data.Source
	add := func(entity, text string) {
		sources = append(sources, data.Source{ID: fmt.Sprint(len(sources) + 1), Entity: entity, Text: text})
	}
	for range 9 {
		add("object1", "The view was bad.")
	}
	add("object1", "The view was good.")
	for range 10 {
		add("object2", "A bad view.")
	}
	add("object2", "Hotel Adler has a great view.")
	table := Offline(q, sources)
	if len(table.Rows) != 1 || len(table.Rows[0].Object1) != 1 || table.Rows[0].Object1[0].Value != "The view was bad" {
		t.Fatalf("%+v", table.Rows)
	}
	v := table.Rows[0].Object1[0]
	if len(v.Supporters) != 9 || !slices.Equal(v.Conflicts, []string{"10"}) {
		t.Errorf("supported by %v, contradicted by %v", v.Supporters, v.Conflicts)
	}
	var reasons []string
	for _, d := range table.Dropped {
		reasons = append(reasons, d.Reason)
	}
	if !slices.Equal(reasons, []string{WrongEntity, Minority}) {
		t.Errorf("dropped: %+v", table.Dropped)
	}
	if got := readerOf(q, nil).opinions("It is not expensive, and the staff isn't rude."); !slices.Equal(got, []opinion{{"+kindness", 1}, {"-price", -1}}) {
		t.Errorf("%v", got)
	}
}

// TestNamesOfHotels is the example of Gunel et al., section 3.1.3. The reviews use "hotel", a word of one name, as an ordinary word, so it
// names neither hotel.
func TestNamesOfHotels(t *testing.T) {
	q := data.Question{Object1: "Harbour Hotel", Object2: "Grand Plaza"}
	var sources []data.Source
	add := func(entity data.Favours, text string) {
		sources = append(sources, data.Source{ID: fmt.Sprint(len(sources) + 1), Entity: string(entity), Text: text})
	}
	for range 9 {
		add(data.Object1, "The hotel has a bad view.")
	}
	add(data.Object1, "The hotel has a good view.")
	for range 10 {
		add(data.Object2, "The hotel has a bad view.")
	}
	table := Offline(q, sources)
	if len(table.Rows) != 1 || len(table.Rows[0].Object1) != 1 || len(table.Rows[0].Object2) != 1 {
		t.Fatalf("%+v", table)
	}
	for k, want := range [2][2]int{{9, 1}, {10, 0}} {
		if v := table.Rows[0].Cells()[k][0]; v.Value != "The hotel has a bad view" || len(v.Supporters) != want[0] || len(v.Conflicts) != want[1] {
			t.Errorf("object %d: %+v", k+1, v)
		}
	}
	if len(table.Dropped) != 1 || table.Dropped[0].Reason != Minority {
		t.Errorf("dropped: %+v", table.Dropped)
	}
	add(data.Object2, "The Harbour has a great view.")
	if last := Offline(q, sources).Dropped; len(last) != 2 || last[0].Reason != WrongEntity {
		t.Errorf("a review about the other hotel: dropped %+v", last)
	}
}

// TestStatements checks that a value belongs to the object that its statement is about, whichever object it favours. A statement about both
// objects makes a contrasting row.
func TestStatements(t *testing.T) {
	q := data.Question{Object1: "tea", Object2: "coffee", Arguments: []data.Argument{
		{Text: "Tea is cheaper than coffee.", Aspect: "price", Favours: data.Object1},
		{Text: "Tea stains the teeth.", Aspect: "teeth", Favours: data.Object2},
		{Text: "Tea has little caffeine.", Aspect: "teeth", Favours: data.Object2},
		{Text: "Coffee smells, while tea tastes better than coffee.", Aspect: "senses", Favours: data.Object1},
	}}
	got := map[string][2][]string{}
	table := Offline(q, SourcesOf(q))
	for _, r := range table.Rows {
		var cells [2][]string
		for k, values := range r.Cells() {
			for _, v := range values {
				cells[k] = append(cells[k], v.Value)
			}
		}
		got[r.Attribute+" "+r.Kind] = cells
	}
	want := map[string][2][]string{
		"price contrast":  {{"Tea is cheaper than coffee"}, {"Tea is cheaper than coffee"}},
		"teeth important": {{"Tea stains the teeth", "Tea has little caffeine"}, nil},
		"senses contrast": {{"tea tastes better than coffee"}, {"Coffee smells", "tea tastes better than coffee"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
	text := Render(q, table, SourcesOf(q), true)
	if strings.Count(text, "Tea is cheaper than coffee [1]") != 1 || !strings.Contains(text, "- **Senses**: tea tastes better than coffee [4]. coffee – Coffee smells [4].") {
		t.Errorf("a statement about both objects is shown once:\n%s", text)
	}
}

// TestNothingIsLost checks that the only built-in arguments left out are those alone in their attribute with one object, and those beyond
// the best.
func TestNothingIsLost(t *testing.T) {
	reasons := map[string]int{}
	both := 0
	for _, q := range data.CQA50() {
		r := readerOf(q, SourcesOf(q))
		for _, d := range Offline(q, SourcesOf(q)).Dropped {
			reasons[d.Reason]++
			if d.Reason == OneSource {
				for _, v := range slices.Concat(d.Row.Object1, d.Row.Object2) {
					if all, _ := r.namedObjects(v.Value); all == lexical.Both {
						both++
					}
				}
			}
		}
	}
	if both != 0 || reasons[OneSource] > 14 {
		t.Errorf("%d statements about both objects are dropped; %v", both, reasons)
	}
	t.Log(reasons)
}

// TestStopWordsAreNotAlike checks that values that share only the attribute and stop words are a contrast.
func TestStopWordsAreNotAlike(t *testing.T) {
	q := data.Question{Object1: "Alpha One", Object2: "Beta Two"}
	for values, alike := range map[[2]string]bool{{"The screen is sharp", "The screen is warm"}: false, {"The screen is sharp", "A sharp screen"}: true} {
		table := Offline(q, []data.Source{{ID: "a", Entity: string(data.Object1), Text: values[0] + "."}, {ID: "b", Entity: string(data.Object2), Text: values[1] + "."}})
		if len(table.Rows) != 1 || (table.Rows[0].Kind == data.RowImportant) != alike {
			t.Errorf("%q: %+v", values, table.Rows)
		}
	}
}

// TestFind checks that white space is folded, and nothing else.
func TestFind(t *testing.T) {
	s := data.Source{ID: "7", Text: "Über  den\n Wolken: the café is small."}
	for quote, want := range map[string]string{"den Wolken": "den\n Wolken", "Über den": "Über  den", "café is": "café is", " the\tcafé ": "the café"} {
		e, ok := Find(s, quote)
		if !ok || e.Quote != want || s.Text[e.Start:e.End] != want || e.Source != "7" {
			t.Errorf("%q: %+v, %v", quote, e, ok)
		}
	}
	for _, quote := range []string{"", " ", "den wolken", "cafe", "Wolkenthe"} {
		if e, ok := Find(s, quote); ok {
			t.Errorf("%q is found: %+v", quote, e)
		}
	}
}

// TestRender checks that the answer names the top attributes, cites sources, and says how many support and contradict a value.
func TestRender(t *testing.T) {
	q := data.Question{Object1: "Adler", Object2: "Bellevue"}
	sources := []data.Source{{ID: "a", Title: "Page A", URL: "https://a.test"}, {ID: "b"}, {ID: "c", Title: "Page C"}}
	value := func(text, source string, supporters, conflicts []string) []data.ContrastValue {
		return []data.ContrastValue{{Value: text, Evidence: []data.Evidence{{Source: source, Quote: text}}, Supporters: supporters, Conflicts: conflicts}}
	}
	table := data.ContrastTable{Rows: []data.ContrastRow{
		{Attribute: "view", Kind: data.RowContrast, Rank: 1, Object1: value("a good view", "c", []string{"a", "c"}, []string{"b"}), Object2: value("a bad view", "a", nil, nil)},
		{Attribute: "pool", Kind: data.RowImportant, Rank: 2, Object2: value("a pool", "c", []string{"c"}, nil)},
		{Attribute: "bar", Kind: data.RowImportant, Rank: 3, Object1: value("a bar", "c", []string{"c"}, nil)},
	}, Sentences: 9, Unused: 5}
	want := `**Summary**
Adler and Bellevue are compared on 3 attributes, from 3 sources. 5 of 9 sentences of the sources are in no row. They differ in 1 of these. The most important: view, pool and bar.

**Main aspects**
- **View**: Adler – a good view [3] (1 other source supports this, disputed: 1 source contradicts it [2]). Bellevue – a bad view [1].
- **Pool**: Bellevue – a pool [3].
- **Bar**: Adler – a bar [3].

**Best option**: Adler

**Sources**
1. Page A, https://a.test
2. source b
3. Page C`
	if got := Render(q, table, sources, true); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := Render(q, table, sources, false); strings.Contains(got, "Best option") {
		t.Errorf("there is a choice:\n%s", got)
	}
	empty := data.ContrastTable{Dropped: []data.DroppedRow{{Reason: Unattributed}, {Reason: WrongEntity}, {Reason: Unattributed}}}
	if got := Answer(q, empty, sources, true); got.Status != data.Empty || got.Text != "" || got.Table == nil || got.Reason != "the table has no rows: all values were dropped (2 unattributed, 1 wrong entity)" {
		t.Errorf("an empty table gives %+v", got)
	}
	if got := Answer(q, data.ContrastTable{}, sources, false); got.Status != data.Empty || got.Reason == "" {
		t.Errorf("a table of nothing gives %+v", got)
	}
}

// TestMany checks that the memory is proportional to the number of sources, with a thousand sources of 500 words, or 300 in short runs.
func TestMany(t *testing.T) {
	most := 1000
	if !sharedtest.Soaking(t) {
		most = 100
	}
	measure := func(n int) (time.Duration, uint64) {
		q, sources := reviews(n, 500, 3)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		began := time.Now()
		table := Offline(q, sources)
		took := time.Since(began)
		runtime.ReadMemStats(&after)
		if len(table.Rows) == 0 {
			t.Error("no rows")
		}
		return took, after.TotalAlloc - before.TotalAlloc
	}
	measure(10)
	few, fewBytes := measure(most / 10)
	many, bytes := measure(most)
	t.Logf("%d sources: %v, ten times as many: %v, %d MB allocated in all", most/10, few, many, bytes>>20)
	if bytes > 30*fewBytes {
		t.Errorf("ten times as many sources allocate %.0f times as much", float64(bytes)/float64(fewBytes))
	}
}

// TestSoakMany runs TestMany with all cases.
func TestSoakMany(t *testing.T) {
	sharedtest.Soak(t)
	TestMany(t)
}
