package sources

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestLimitOfRepeats checks that differing repeats of a rater are refused in more than one item and more than 2 % of items, unless
// --repeats is given.
func TestLimitOfRepeats(t *testing.T) {
	for _, c := range []struct {
		items, repeated, other int
		repeats                string
		refused                bool
	}{
		{100, 10, 0, "", false}, {100, 10, 2, "", false}, {100, 10, 3, "", true}, {100, 10, 3, RepeatsFirst, false}, {100, 10, 3, RepeatsMean, false},
		{10, 1, 1, "", false}, {10, 2, 2, "", true}, {149, 3, 2, "", false}, {150, 3, 3, "", false}, {149, 3, 3, "", true},
	} {
		table := "id,rater,clear\n"
		for i := range c.items {
			table += fmt.Sprintf("q%d,ann,%d\n", i, 1+i%5)
		}
		for i := range c.repeated {
			value := 1 + i%5
			if i < c.other {
				value = 1 + (i+1)%5
			}
			table += fmt.Sprintf("q%d,ann,%d\n", i, value)
		}
		log, err := Read(written(t, map[string]string{"p.csv": table})+"/p.csv", Options{People: true, Repeats: c.repeats})
		if (err != nil) != c.refused || err != nil && !strings.Contains(err.Error(), fmt.Sprintf("%d of %d items have values of one rater that differ", c.other, c.items)) {
			t.Errorf("%+v: %v", c, err)
		}
		if err == nil && log.Values.Len() != c.items+c.repeated {
			t.Errorf("%+v: %d scores", c, log.Values.Len())
		}
	}
}

// TestRepeatsInEveryFormat checks that differing values of one person or judge are refused in exports of tools too, with the flag that
// decides which value counts.
func TestRepeatsInEveryFormat(t *testing.T) {
	tasks := "["
	verdicts := ""
	for i := range 10 {
		value := func(points int) string {
			return fmt.Sprintf(`{"completed_by": 1, "result": [{"from_name": "clear", "type": "rating", "value": {"rating": %d}}]}`, points)
		}
		tasks += fmt.Sprintf(`%s{"id": %d, "data": {"id": "q%d", "text": "t%d"}, "annotations": [%s, %s]}`, map[bool]string{true: ","}[i > 0], i, i, i,
			value(1+i%3), value(2+i%3))
		for _, points := range []int{1 + i%3, 2 + i%3} {
			verdicts += fmt.Sprintf(`{"id": "q%d", "judge": "j", "status": "valid", "scores": {"1": %d}, "criteria": {"1": "clear"}}`+"\n", i, points)
		}
	}
	dir := written(t, map[string]string{"p.json": tasks + "]", "v.jsonl": verdicts, "people.csv": "id,rater,clear\nq1,ann,1\nq2,ann,2\nq3,ann,3\n"})
	const want = "10 of 10 items have values of one rater that differ, for instance q0: "
	for _, rule := range []string{"", RepeatsFirst, RepeatsLast, RepeatsMean} {
		log, err := Read(dir+"/p.json", Options{People: true, Repeats: rule})
		judged, fault := Read(dir+"/v.jsonl", Options{})
		people, faultOfPeople := Read(dir+"/people.csv", Options{People: true})
		if fault != nil || faultOfPeople != nil {
			t.Fatal(fault, faultOfPeople)
		}
		_, errOfJudge := Align(judged, people, Options{Repeats: rule})
		for _, err := range []error{err, errOfJudge} {
			refused := err != nil && strings.Contains(err.Error(), want) && strings.Contains(err.Error(), "--repeats first|last|mean says which counts")
			if refused != (rule == "") || err != nil && rule != "" {
				t.Errorf("%q: %v", rule, err)
			}
		}
		if rule != "" && (log.Values.Len() != 20 || log.Format != "label-studio") {
			t.Errorf("%q: %d scores of %s", rule, log.Values.Len(), log.Format)
		}
	}
}

// TestRepeatsOfOnlyCriterion checks that repeats on a file's only criterion are refused even if the judge's criterion has another name,
// because it is compared anyway. With several criteria, one that is not compared is ignored.
func TestRepeatsOfOnlyCriterion(t *testing.T) {
	table := "item_id,annotator,severity%s\n"
	for i := range 10 {
		table += fmt.Sprintf("q%d,ann,%d%%[2]s\nq%d,ann,%d%%[2]s\n", i, 1+i%3, i, 2+i%3)
	}
	for _, c := range []struct {
		header, cells string
		refused       bool
	}{{"", "", true}, {",quality", ",3", false}} {
		_, err := Read(write(t, "p.csv", fmt.Sprintf(table, c.header, c.cells)), Options{People: true, Names: []string{"quality"}})
		if (err != nil) != c.refused || err != nil && !strings.Contains(err.Error(), "10 of 10 items have values of one rater that differ") {
			t.Errorf("%q: %v", c.header, err)
		}
	}
}

// TestRepeatedChoices checks which of several choices of one person on a pair counts: the first or last by --repeats, none without it.
func TestRepeatedChoices(t *testing.T) {
	path := write(t, "p.csv", "question,response_a,response_b,annotator,winner\nWhy?,so,no,ann,a\nWhy?,so,no,ann,b\nHow?,so,no,ann,a\nHow?,so,no,ann,a\n")
	for rule, want := range map[string]string{"": "How? a", RepeatsFirst: "Why? a, How? a", RepeatsLast: "Why? b, How? a"} {
		set, err := ReadPairs(path, "", Options{Repeats: rule})
		if err != nil || len(set.Pairs) != 2 {
			t.Fatal(set, err)
		}
		var got []string
		for _, p := range set.Pairs {
			for _, given := range set.Given {
				if given.ID == p.ID {
					got = append(got, p.Question+" "+given.Choice)
				}
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q: %v, want %s (%s)", rule, got, want, set.Source)
		}
	}
}

// TestLoneCodes checks that lone values far from a dense scale are taken for codes. A scale of −1, 0, 1, a scale up to 10, and a value of
// more than a quarter of the items are not codes.
func TestLoneCodes(t *testing.T) {
	scale := func(low, high, each int, others ...float64) map[float64]int {
		counts := map[float64]int{}
		for x := low; x <= high; x++ {
			counts[float64(x)] = each
		}
		for _, x := range others {
			counts[x]++
		}
		return counts
	}
	for _, c := range []struct {
		name   string
		counts map[float64]int
		want   []float64
	}{
		{"1 to 5", scale(1, 5, 10), nil},
		{"−1, 0, 1", scale(-1, 1, 10), nil},
		{"0 and 1 with 99", scale(0, 1, 10, 99), []float64{99}},
		{"1 to 5 with −1", scale(1, 5, 10, -1), []float64{-1}},
		{"1 to 5 with 6", scale(1, 5, 10, 6), nil},
		{"1 to 5 with 9", scale(1, 5, 10, 9), nil},
		{"1 to 5 with 99, 999 and −9", scale(1, 5, 10, 99, 999, -9), []float64{999, 99, -9}},
		{"1 to 5 with 16", scale(1, 5, 10, 16), nil},
		{"1 to 5 with 18", scale(1, 5, 10, 18), []float64{18}},
		{"0 to 100 with 999", scale(0, 100, 3, 999), []float64{999}},
		{"0 to 100 with 250", scale(0, 100, 3, 250), nil},
		{"99 in a quarter", map[float64]int{1: 10, 2: 10, 3: 10, 99: 10}, []float64{99}},
		{"99 in more than a quarter", map[float64]int{1: 10, 2: 10, 3: 9, 99: 10}, nil},
		{"fractions", map[float64]int{.1: 5, .35: 5, .8: 5, 99: 1}, nil},
		{"two values", map[float64]int{1: 5, 99: 1}, nil},
	} {
		if got := loneCodes(c.counts); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestShortenedTexts checks that a shortened text is matched with the only text that begins alike. Notes mention matches, and texts with
// several candidates.
func TestShortenedTexts(t *testing.T) {
	whole := func(i int) string {
		return fmt.Sprintf("Answer number %02d is a text that explains in some detail how to return order %d.", i, i*7)
	}
	cut := func(n int, mark string) func(int) string {
		return func(i int) string { return whole(i)[:n] + mark }
	}
	log := func(path string, text func(int) string) *Log {
		l := &Log{Path: path}
		for i := range 20 {
			l.Items = append(l.Items, Item{Text: text(i)})
		}
		return l
	}
	for name, c := range map[string]struct {
		judged, people func(int) string
		joined         int
		want           string
	}{
		"equal":               {whole, whole, 20, ""},
		"people's with …":     {whole, cut(40, "…"), 20, "20 texts of people are shortened, and were matched with the ones of judge that begin like them"},
		"judge's with ...":    {cut(40, "..."), whole, 20, "20 texts of judge are shortened"},
		"[...] after a blank": {whole, cut(40, " [...]"), 20, "20 texts of people are shortened"},
		"cut without a mark":  {whole, cut(50, ""), 20, "20 texts of people are shortened"},
		"too short":           {whole, cut(15, "…"), 0, ""},
		"several begin so":    {func(i int) string { return "The same long beginning of all texts " + whole(i) }, func(i int) string { return "The same long beginning of all…" }, 0, "20 texts of people are shortened, and several of judge begin like them, so that they were not matched"},
		"other texts":         {whole, func(i int) string { return "Something else entirely " + whole(i) }, 0, ""},
	} {
		judged := log("judge", c.judged)
		people := log("people", c.people)
		notes, err := Align(judged, people, Options{})
		joined := 0
		for i := range judged.Items {
			if judged.Items[i].TextKey() == people.Items[i].TextKey() {
				joined++
			}
		}
		said := strings.Join(notes, "\n")
		if err != nil || joined != c.joined || !strings.Contains(said, c.want) || c.want == "" && said != "" {
			t.Errorf("%s: %d joined, %q, %v", name, joined, notes, err)
		}
	}
}

// TestLongTextsAreJoinedWhole checks a log with more text than is kept. Only the beginnings of further questions and answers are kept,
// items are joined by the whole texts, and equal questions are kept once.
func TestLongTextsAreJoinedWhole(t *testing.T) {
	long := func(i int) string { return strings.Repeat("the same words again ", 20) + fmt.Sprint(i) }
	log := &Log{}
	r := newReader(&Format{}, Options{}, log)
	if _, shortened := r.keepQuestion(long(0)); shortened {
		t.Error("the first question is shortened")
	}
	r.kept = mostKept
	if kept, shortened := r.keepQuestion(long(0)); shortened || kept != long(0) {
		t.Error("a question that is kept is shortened")
	}
	var items []Item
	for i := 1; i <= 2; i++ {
		kept, shortened := r.keepQuestion(long(i))
		if !shortened || len(kept) > mostOfText+len("…") {
			t.Errorf("%d bytes, %v", len(kept), shortened)
		}
		items = append(items, Item{Question: kept}.With(About{Short: &Shortened{Question: Digest(FoldedText(long(i)))}}))
	}
	whole := Item{Question: long(2)}
	if items[0].Question != items[1].Question || items[0].key() == items[1].key() || items[0].QuestionKey() == items[1].QuestionKey() ||
		items[1].QuestionKey() != whole.QuestionKey() {
		t.Errorf("%+v", items)
	}
}

// TestRowsOfOneItem checks that people's rows that differ only in their scores belong to one item, and that each score keeps its own line.
func TestRowsOfOneItem(t *testing.T) {
	path := written(t, map[string]string{"p.csv": "id,annotator,system,helpful\nx,anna,s,1\nx,ben,s,2\ny,anna,s,2\nx,chris,s,2\nx,anna,t,1\n"}) + "/p.csv"
	log, err := Read(path, Options{People: true})
	if err != nil || len(log.Items) != 3 || log.Values.Len() != 5 {
		t.Fatalf("%d items, %d scores, %v", len(log.Items), log.Values.Len(), err)
	}
	for i, s := range log.Values.All() {
		if want := []int32{0, 0, 1, 0, 2}[i.Row]; s.Item != want || log.Place(s) != fmt.Sprintf("%s:%d", path, i.Row+2) {
			t.Errorf("score %v is of item %d, at %s", i, s.Item, log.Place(s))
		}
	}
	judged, err := Read(path, Options{})
	if err != nil || len(judged.Items) != 5 {
		t.Errorf("a judge's records are %d items, %v", len(judged.Items), err)
	}
	r := newReader(&Format{}, Options{}, &Log{})
	first := r.share(About{})
	if r.share(About{}) != first {
		t.Error("equal facts are not shared")
	}
	differ := func(other any, k int) string {
		field := reflect.ValueOf(other).Elem().Field(k)
		name := reflect.TypeOf(other).Elem().Field(k).Name
		switch field.Kind() {
		case reflect.String:
			field.SetString("x")
		case reflect.Int:
			field.SetInt(1)
		case reflect.Float64:
			field.SetFloat(1)
		case reflect.Slice:
			field.Set(reflect.ValueOf([]string{"x"}))
		case reflect.Pointer:
			field.Set(reflect.New(field.Type().Elem()))
		default:
			t.Fatalf("%s is of a kind that this test does not know", name)
		}
		return name
	}
	for k := range reflect.TypeFor[Item]().NumField() - 1 {
		var one, other Item
		if name := differ(&other, k); one.same(&other) != (name == "Line") {
			t.Errorf("items that differ in %s: the same is %v", name, one.same(&other))
		}
	}
	for k := range reflect.TypeFor[About]().NumField() {
		var one, other About
		name := differ(&other, k)
		a := Item{}.With(one)
		b := Item{}.With(other)
		if a.same(&b) || r.share(one) == r.share(other) {
			t.Errorf("items that differ in %s are the same", name)
		}
	}
}
