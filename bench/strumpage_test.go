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

// TestHostile: texts of others stay text, in all places of the page and of Markdown.
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
		if !strings.Contains(" doctype html head meta title style body section h1 h2 table thead tbody tr th td details summary blockquote br small a p strong ol li ", " "+name+" ") || strings.Contains(tag, "onclick=\"") || strings.Contains(tag, "javascript:") {
			t.Errorf("the page has the tag %s", tag)
		}
	}
	for _, want := range []string{"<details><summary>x &lt;/td&gt;&lt;script&gt;", "1 other source supports this, disputed: 1 source contradicts it", "There is no table: &lt;/td&gt;", "Content-Security-Policy"} {
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
