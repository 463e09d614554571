package bench

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"compqa/data"
	"compqa/scenarios/strum"
)

const hostile = `</td><script>alert(1)</script><img src=x onerror=alert(1)> "'; [x](javascript:alert(1)) {{.}} | *b*`

// TestStrumPage: the title is the choice with the number of rows that it is based on. Disputed values are marked, and a line below the row
// names the sources that contradict them. The sources and their passages are folded.
func TestStrumPage(t *testing.T) {
	t.Parallel()
	q := data.Question{Object1: "tram", Object2: "bus"}
	sources := []data.Source{{ID: "a", Title: "Review", URL: "https://a.test/x", Text: "quiet"}, {ID: "b", Text: "loud"}, {ID: "c", Text: "not quiet"}}
	value := func(source int, conflicts ...string) []data.ContrastValue {
		e, ok := strum.Find(sources[source], sources[source].Text)
		if !ok {
			t.Fatal("no quote")
		}
		return []data.ContrastValue{{Value: sources[source].Text, Evidence: []data.Evidence{e}, Supporters: []string{sources[source].ID}, Conflicts: conflicts}}
	}
	table := data.ContrastTable{Sentences: 5, Unused: 2, Rows: []data.ContrastRow{
		{Attribute: "noise", Kind: data.RowContrast, Rank: 1, Object1: value(0, "c"), Object2: value(1), Favours: string(data.Object1)},
		{Attribute: "price", Kind: data.RowImportant, Rank: 2, Object1: value(0), Object2: value(1)}}}
	made := tableMade{q, sources, data.Answer{ID: "1", Status: data.Valid, Table: &table}, data.ChoiceA}
	for choice, title := range map[data.Choice]string{data.ChoiceA: "tram: 1 of 2 rows are for it, 0 for bus", data.ChoiceB: "bus: 0 of 2 rows are for it, 1 for tram",
		data.ChoiceTie: "Neither of tram and bus: 1 of 2 rows are for tram, 0 for bus", "": "tram or bus: 1 of 2 rows are for tram, 0 for bus"} {
		made.Choice = choice
		if got := made.title(); got != title {
			t.Errorf("%q: %q, want %q", choice, got, title)
		}
	}
	made.Choice = data.ChoiceA
	var b strings.Builder
	if err := strumFiles([]tableMade{made})["strum.html"](&b); err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, want := range []string{"<h1>tram: 1 of 2 rows are for it, 0 for bus</h1>", "1 row favours neither object. 2 of 5 sentences of the sources are in no row.",
		"quiet [1] (≠)", ">tram</td></tr>", "<b>≠</b> <b class=\"\">tram</b> <span dir=\"auto\">quiet: disputed: 1 source contradicts it [3]</span>",
		"price (no contrast)", "sources contradict each other (1 value)", "<summary><b>Sources</b> 3 sources, 5 passages</summary>", `<a href="https://a.test/x">Review</a>`} {
		index := strings.Index(b.String()[at:], want)
		if index < 0 {
			t.Fatalf("%q is missing, or comes too early:\n%s", want, b.String()[at:])
		}
		at += index
	}
}

// TestHostile: texts from outside stay plain text everywhere on the page and in Markdown.
func TestHostile(t *testing.T) {
	t.Parallel()
	q := data.Question{Object1: "A " + hostile, Object2: "B " + hostile}
	sources := []data.Source{{ID: hostile, Title: hostile, URL: "javascript:alert(1)", Text: "x " + hostile}, {ID: "2", URL: `https://b.test/"onclick="alert(1)`, Text: "y"}}
	value := func(s data.Source) []data.ContrastValue {
		e, ok := strum.Find(s, s.Text)
		if !ok {
			t.Fatal("no quote")
		}
		return []data.ContrastValue{{Value: s.Text, Evidence: []data.Evidence{e}, Supporters: []string{s.ID, "z"}, Conflicts: []string{"v"}}}
	}
	table := data.ContrastTable{Rows: []data.ContrastRow{{Attribute: hostile, Kind: data.RowImportant, Rank: 1, Object1: value(sources[0]), Object2: value(sources[1])}}}
	files := strumFiles([]tableMade{
		{q, sources, data.Answer{ID: "1", Status: data.Valid, Text: strum.Render(q, table, sources, true), Table: &table}, data.ChoiceA},
		{Question: q, Answer: data.Answer{ID: "2", Status: data.Refused, Reason: hostile}},
	})
	text := map[string]string{}
	for name, write := range files {
		var b strings.Builder
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		text[name] = b.String()
	}
	page := text["strum.html"]
	tags := regexp.MustCompile(`<[^>]*>`).FindAllString(page, -1)
	for _, tag := range tags {
		name := strings.Trim(strings.Fields(strings.Trim(tag, "</>"))[0], "!")
		if !strings.Contains(" doctype html head meta title style body header strong main section h1 h2 div table caption thead tbody tr th td details summary ul li b span small a p ", " "+name+" ") || strings.Contains(tag, "onclick=\"") || strings.Contains(tag, `href="javascript:`) {
			t.Errorf("the page has the tag %s", tag)
		}
	}
	for _, want := range []string{"<h1>1 of 2 comparisons have a table</h1>", ": 0 of 1 row is for it, 0 for B &lt;/td&gt;", "1 other source supports this, disputed: 1 source contradicts it", "<b>Sources</b> 2 sources, 2 passages", "There is no table: &lt;/td&gt;", "Content-Security-Policy"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q:\n%s", want, page)
		}
	}
	if md := text["strum.md"]; strings.Contains(md, "<script") || strings.Count(md, "[x](javascript") != strings.Count(md, `\[x](javascript`) || strings.Count(md, "\n# ") != 1 {
		t.Errorf("%s", md)
	}
	var answer struct{ Table data.ContrastTable }
	if err := json.Unmarshal([]byte(text["strum.json"]), &answer); err != nil || answer.Table.Rows[0].Attribute != hostile {
		t.Errorf("%v: %s", err, text["strum.json"])
	}
}
