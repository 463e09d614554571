package text

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"compqa/data"
	"compqa/judges/judgestest"
)

func TestMeasureFullAnswer(t *testing.T) {
	f := Measure(data.Question{Object1: "tea", Object2: "coffee", Aspect: "price"}, judgestest.FullAnswer)
	for _, c := range []struct {
		name      string
		got, want int
	}{
		{"Sentences", f.Sentences, 15},
		{"Paragraphs", f.Paragraphs, 2},
		{"Items", f.Items, 8},
		{"IntroductionSentences", f.IntroductionSentences, 3},
		{"IntroductionObjects", f.IntroductionObjects, 2},
		{"IntroductionAspects", f.IntroductionAspects, 3},
		{"Aspects", f.Aspects, 6},
		{"AspectsDescribed", f.AspectsDescribed, 6},
		{"AspectsBoth", f.AspectsBoth, 6},
		{"AspectsOne", f.AspectsOne, 0},
		{"UnnamedItems", f.UnnamedItems, 0},
		{"Statements", f.Statements, 12},
		{"Choice", chosen(f), 1},
		{"ChoiceWords", f.ChoiceWords, 1},
		{"ChoiceReasonWords", f.ChoiceReasonWords, 0},
		{"NearDuplicates", f.NearDuplicates, 0},
		{"Citations", f.Citations, 0},
		{"AspectStatements", f.AspectStatements, 0},
		{"Slips", f.Slips, 0},
		{"Profanities", f.Profanities, 0},
	} {
		if c.got != c.want {
			t.Errorf("%s = %d, want %d", c.name, c.got, c.want)
		}
	}
	if !f.ChoiceLine || !f.AspectAsked || !f.AspectInFrame || !f.AspectNamed {
		t.Errorf("choice line %v, aspect asked %v, in the frame %v, named %v", f.ChoiceLine, f.AspectAsked, f.AspectInFrame, f.AspectNamed)
	}
	if f.FavourFirst <= f.FavourSecond {
		t.Errorf("%d aspects favour tea and %d coffee; tea comes off better", f.FavourFirst, f.FavourSecond)
	}
}

// TestCounts checks that Counts returns the same as Measure for the features that it counts.
func TestCounts(t *testing.T) {
	q := data.Question{Object1: "tea", Object2: "coffee", Aspect: "price", Arguments: []data.Argument{{Text: "Tea is cheap."}}}
	for _, answer := range []string{judgestest.FullAnswer, "Tea is cheaper [1]. Coffee is better [2] [generated].\n\nBest option: tea", "", "Hm."} {
		all := Measure(q, answer)
		f := Analyse(q, answer).Counts()
		got := []int{f.Words, f.Sentences, f.Items, f.Paragraphs, f.Citations, f.CitationsOutOfRange, f.Generated, chosen(f), f.CitedFirst,
			f.CitedSecond, f.GeneratedFirst, f.GeneratedSecond}
		want := []int{all.Words, all.Sentences, all.Items, all.Paragraphs, all.Citations,
			all.CitationsOutOfRange, all.Generated, chosen(all), all.CitedFirst, all.CitedSecond, all.GeneratedFirst, all.GeneratedSecond}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, measured %v", answer, got, want)
		}
	}
}

// The same answer in another layout has the same measurements.
func TestMeasureIgnoresTheDress(t *testing.T) {
	q := data.Question{Object1: "tea", Object2: "coffee", Aspect: "price"}
	want := Measure(q, judgestest.FullAnswer)
	dress := map[string]string{
		"Windows line ends":  strings.ReplaceAll(judgestest.FullAnswer, "\n", "\r\n"),
		"old Mac line ends":  strings.ReplaceAll(judgestest.FullAnswer, "\n", "\r"),
		"decomposed letters": norm.NFD.String(judgestest.FullAnswer),
		"byte-order mark":    "\ufeff" + judgestest.FullAnswer,
		"zero-width spaces":  strings.ReplaceAll(judgestest.FullAnswer, "tea", "t\u200bea"),
		"blank lines around": "\n\n" + judgestest.FullAnswer + "\n\n",
		"another bullet":     strings.ReplaceAll(judgestest.FullAnswer, "- **", "* **"),
		"# for headings": strings.NewReplacer("**Summary**", "## Summary", "**Main Aspects of Comparison**", "## Main Aspects of Comparison",
			"**The Best Option**", "## The Best Option").Replace(judgestest.FullAnswer),
		"long dashes": strings.ReplaceAll(judgestest.FullAnswer, "- **", "– **"),
		"full-width":  strings.ReplaceAll(strings.ReplaceAll(judgestest.FullAnswer, "**:", "**："), ", ", "， "),
	}
	for how, flatten := range flattened {
		dress["newlines replaced by "+how] = flatten(judgestest.FullAnswer)
	}
	for name, text := range dress {
		if got := Measure(q, text); got != want {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, want)
		}
	}
	shouting := data.Question{Object1: "  TEA", Object2: "Coffee ", Aspect: "Price"}
	if got := Measure(shouting, judgestest.FullAnswer); got != want {
		t.Errorf("objects in other letters:\n got %+v\nwant %+v", got, want)
	}
}

// mirrored returns the features that an answer must have when the two objects are exchanged.
func mirrored(f Features) Features {
	f.FavourFirst, f.FavourSecond = f.FavourSecond, f.FavourFirst
	f.Choice = f.Choice.Swapped()
	return f
}

// chosen returns the object that an answer chooses: 1, 2, 3 for a tie, 0 for none.
func chosen(f Features) int {
	return map[data.Choice]int{data.ChoiceA: 1, data.ChoiceB: 2, data.ChoiceTie: 3}[f.Choice]
}

func TestMeasureWithObjectsExchanged(t *testing.T) {
	for _, text := range []string{judgestest.FullAnswer, "Tea is better than coffee. Coffee is cheap. Overall, I would choose tea.", ""} {
		there := Measure(data.Question{Object1: "tea", Object2: "coffee"}, text)
		back := Measure(data.Question{Object1: "coffee", Object2: "tea"}, text)
		if back != mirrored(there) {
			t.Errorf("%.20q:\n got %+v\nwant %+v", text, back, mirrored(there))
		}
	}
}

func TestChoice(t *testing.T) {
	body := "Tea and coffee are drinks.\n\n- **Price**: Tea is cheaper than coffee.\n- **Taste**: Coffee is stronger than tea.\n\n"
	for _, c := range []struct {
		ending string
		line   bool
		want   data.Choice
	}{
		{"Best option: Tea", true, data.ChoiceA},
		{"**The Best Option**: coffee", true, data.ChoiceB},
		{"**The Best Option:** **Coffee**", true, data.ChoiceB},
		{"### The Better Option\n\nTea.", true, data.ChoiceA},
		{"**Best Option**\n\n**Tea**\n\nWhile coffee is strong, tea is cheap.", true, data.ChoiceA},
		{"The Best Option\nTea", true, data.ChoiceA},
		{"Winner: coffee", true, data.ChoiceB},
		{"**The better option: Tea**", true, data.ChoiceA},
		{"Final choice: tea [3]", true, data.ChoiceA},
		{"Verdict: it depends", true, data.ChoiceTie},
		{"Best option: Tie", true, data.ChoiceTie},
		{"Best option: Both", true, data.ChoiceTie},
		{"**Best Option:** Personal preference", true, data.ChoiceTie},
		{"In conclusion, I would choose tea.", false, ""}, // no word of praise
		{"In conclusion, tea is the better choice.", false, data.ChoiceA},
		{"Overall, coffee is better than tea.", false, data.ChoiceB},
		{"### Conclusion\nTea is better.", false, data.ChoiceA},
		{"Ultimately, the choice depends on your needs.", false, data.ChoiceTie},
		{"Overall, both tea and coffee are drinks.", false, data.ChoiceTie},
		{"", false, ""},
	} {
		f := Measure(judgestest.TeaCoffee, body+c.ending)
		if f.ChoiceLine != c.line || f.Choice != c.want {
			t.Errorf("%q: line %v, %v; want %v, %v", c.ending, f.ChoiceLine, f.Choice, c.line, c.want)
		}
	}
}

func TestChoiceWithReasons(t *testing.T) {
	f := Measure(judgestest.TeaCoffee, "**Best Option**\n\nTea\n\nIt costs less and lasts longer.\n")
	if f.ChoiceWords != 1 || f.ChoiceReasonWords != 6 || f.Sentences != 1 {
		t.Errorf("choice of %d words, %d of reasons, %d sentences; want 1, 6 and 1", f.ChoiceWords, f.ChoiceReasonWords, f.Sentences)
	}
}

func TestAspects(t *testing.T) {
	for _, c := range []struct {
		name, text                    string
		aspects, described, both, one int
		unnamed                       int
	}{
		{"items with labels", "- **Price**: Tea is cheaper than coffee.\n- **Taste**: Tea is mild.\n", 2, 1, 1, 1, 0},
		{"numbered", "1. Price: Tea is cheaper than coffee.\n2. Taste - Coffee is stronger than tea.\n", 2, 2, 2, 0, 0},
		{"headings", "## Price\nTea is cheaper than coffee.\n\n## Taste\nCoffee is stronger than tea.\n", 2, 2, 2, 0, 0},
		{"paragraphs with labels", "**Price:** Tea is cheaper than coffee.\n\n**Taste:** Coffee is stronger than tea.\n", 2, 2, 2, 0, 0},
		{"objects beneath aspects", "## Price\n- **Tea**: a few cents a pot.\n- **Coffee**: a dollar for a cup.\n", 1, 1, 1, 0, 0},
		{"aspects beneath objects", "## Tea\n- Price: a few cents a pot.\n- Taste: mild, or so they say.\n\n## Coffee\n- Price: a dollar for a cup.\n- Taste: strong, or so they say.\n", 2, 2, 2, 0, 0},
		{"aspects beneath objects' items", "- **Tea**:\n  - Price: a few cents a pot.\n- **Coffee**:\n  - Price: a dollar for a cup.\n", 1, 1, 1, 0, 0},
		{"table", "| Aspect | Tea | Coffee |\n|---|---|---|\n| Price | a few cents a pot | a dollar for a cup |\n", 1, 1, 1, 0, 0},
		{"parts of an answer are none", "## Comparison of tea and coffee\n\n## Key differences\n\n- Tea is cheap.\n\n## Conclusion\nTea.\n", 0, 0, 0, 0, 1},
		{"but a named comparison is one", "## Price comparison\nTea is cheaper than coffee.\n", 1, 1, 1, 0, 0},
		{"arguments by number have no name", "**Argument 1:** Tea is cheap.\n\n**Argument 2:** Coffee is not.\n", 0, 0, 0, 0, 0},
		{"items without names", "- Tea is cheap.\n- Coffee is not.\n", 0, 0, 0, 0, 2},
		{"name without text", "- **Price**\n- **Taste**\n", 2, 0, 0, 0, 0},
		{"keycaps", "1️⃣ **Care**: Tea needs hot water, and coffee does, too.\n2️⃣ **Price**: Tea is cheaper than coffee.\n", 2, 2, 2, 0, 0},
		{"prose", "Tea is cheap. Coffee is not.", 0, 0, 0, 0, 0},
	} {
		f := Measure(judgestest.TeaCoffee, c.text)
		got := [5]int{f.Aspects, f.AspectsDescribed, f.AspectsBoth, f.AspectsOne, f.UnnamedItems}
		if want := [5]int{c.aspects, c.described, c.both, c.one, c.unnamed}; got != want {
			t.Errorf("%s: aspects, described, both, one, unnamed = %v, want %v", c.name, got, want)
		}
	}
}

func TestIntroductionAndConclusion(t *testing.T) {
	for _, c := range []struct {
		name, text              string
		introduction, body, end int // sentences in each part
	}{
		{"headings", "# Tea or coffee\n\n## Introduction\nTea and coffee are hot. So it is.\n\n## Price\nTea is cheap.\n\n## Conclusion\nTea it is.\n", 2, 1, 1},
		{"before a list", "Tea and coffee are hot.\n\n- **Price**: Tea is cheap.\n- **Taste**: Tea is mild.\n\nOverall, tea is good.\n", 1, 2, 1},
		{"after the body's heading", "## Main aspects\n\nTea and coffee are hot.\n\n- **Price**: Tea is cheap.\n", 1, 1, 0},
		{"talk before the introduction", "Here is a comparison:\n\n**Summary**\nTea and coffee are hot.\n\n- **Price**: Tea is cheap.\n", 1, 1, 0},
		{"a summary at the end", "- **Price**: Tea is cheap.\n\n## Summary\nTea it is.\n", 0, 1, 1},
		{"paragraphs", "Tea and coffee are hot.\n\nTea is cheap.\n\nCoffee is not.\n\nIn summary, tea it is.\n", 1, 2, 1},
		{"one paragraph", "Tea and coffee are hot. Tea is cheap. Coffee is not. Overall, tea it is.", 1, 2, 1},
		{"one paragraph without an introduction", "Tea is cheap. Coffee is not. Tea is mild.", 0, 3, 0},
		{"one paragraph and a choice", "Tea and coffee are hot. Tea is cheap. Coffee is not.\n\nBest option: tea", 1, 2, 0},
		{"an opening with a colon", "The old question: tea or coffee?\n\n- **Price**: Tea is cheap.\n", 1, 1, 0},
		{"a first aspect with a colon", "Price: Tea is cheaper than coffee.\n\nTaste: Coffee is stronger than tea.\n", 0, 2, 0},
		{"empty", "", 0, 0, 0},
	} {
		count := map[role]int{}
		for _, s := range Analyse(judgestest.TeaCoffee, c.text).sentences {
			count[s.role]++
		}
		if count[introRole] != c.introduction || count[bodyRole] != c.body || count[conclusionRole] != c.end {
			t.Errorf("%s: introduction, body, conclusion = %d, %d, %d; want %d, %d, %d", c.name,
				count[introRole], count[bodyRole], count[conclusionRole], c.introduction, c.body, c.end)
		}
	}
}

func TestSourcesAreNotCounted(t *testing.T) {
	text := "- **Price**: Tea is cheaper than coffee [1].\n\nBest option: tea\n\n**Used arguments**\n\n1. Tea is cheap.\n2. Coffee is not.\n"
	f := Measure(judgestest.TeaCoffee, text)
	if f.Sentences != 1 || f.Citations != 1 {
		t.Errorf("%d sentences, %d citations; want 1 and 1", f.Sentences, f.Citations)
	}
}

func TestCitationFeatures(t *testing.T) {
	q := data.Question{Object1: "tea", Object2: "coffee", Arguments: make([]data.Argument, 5)}
	text := "- Tea is cheap [1].\n- Tea is mild [2][9].\n- Coffee is dear [4].\n- Coffee is strong [5].\n- Tea is old [generated].\n"
	f := Measure(q, text)
	if f.Citations != 5 || f.CitationsOutOfRange != 1 || f.Generated != 1 || f.GivenOrder != 1 {
		t.Errorf("%d citations, %d out of range, %d generated, order %v; want 5, 1, 1, 1",
			f.Citations, f.CitationsOutOfRange, f.Generated, f.GivenOrder)
	}
	q.Arguments = nil
	if f := Measure(q, text); f.CitationsOutOfRange != 0 {
		t.Errorf("without arguments %d citations are out of range; none can be told to be", f.CitationsOutOfRange)
	}
}

func TestAspectAskedAbout(t *testing.T) {
	q := data.Question{Object1: "tea", Object2: "coffee", Aspect: "the price of it"}
	f := Measure(q, "Prices matter for tea and coffee.\n\n- Tea is cheap in price.\n- Coffee is strong.\n\nOverall, tea has the better price.\n")
	if !f.AspectAsked || !f.AspectInFrame || f.AspectStatements != 1 || f.AspectNamed {
		t.Errorf("%+v", f)
	}
	q.Aspect = "of the" // no content word
	if Measure(q, "Tea.").AspectAsked {
		t.Error("small words alone ask for no aspect")
	}
}

func TestLanguageFeatures(t *testing.T) {
	f := Measure(judgestest.TeaCoffee, "tea is the the best!! It may perhaps be cheap , i think.\n\nWhat the fuck.\n")
	if f.Slips != 5 || f.Profanities != 1 {
		t.Errorf("%d slips, %d swear words; want 5 and 1", f.Slips, f.Profanities)
	}
	f = Measure(judgestest.TeaCoffee, "Let's break it down. In terms of price, argument 1 says that it depends on taste.")
	if f.Topics != 1 || f.ArgumentTalk != 1 {
		t.Errorf("%d topics, %d of arguments; want 1 each", f.Topics, f.ArgumentTalk)
	}
}

// A model's reasoning before the answer is not part of the answer.
func TestReasoningIsLeftOut(t *testing.T) {
	want := Measure(judgestest.TeaCoffee, judgestest.FullAnswer)
	for _, before := range []string{"<think>Tea? Coffee [7]. Best option: coffee.</think>\n\n", "Best option: coffee.\n</think>\n"} {
		if got := Measure(judgestest.TeaCoffee, before+judgestest.FullAnswer); got != want {
			t.Errorf("%.20q:\n got %+v\nwant %+v", before, got, want)
		}
	}
}

func TestMeasureNothing(t *testing.T) {
	for _, text := range []string{"", " ", "\n\n", "...", "[3]", "---", "\xff\xfe", "```\n```"} {
		if f := Measure(data.Question{}, text); f.Words != 0 || f.Sentences != 0 {
			t.Errorf("%q has %d words and %d sentences", text, f.Words, f.Sentences)
		}
	}
}

// Any input is measured in linear time. Each of these inputs once took quadratic time, or caused too deep a recursion.
func TestMeasureLongInput(t *testing.T) {
	q := data.Question{Object1: "Honda CR-V", Object2: "Toyota RAV4", Aspect: "price"}
	for unit, size := range map[string]int{
		judgestest.FullAnswer: 2_000_000, "a\n": 2_000_000, "[": 200_000, "[3] ": 200_000, "- - ": 200_000, "Summary: ": 200_000,
		"**a** ": 200_000, "e.g. x. ": 200_000, "(Honda CR-V) ": 200_000, "# Summary\n": 200_000, "- A - B ": 200_000, "ﷺ": 200_000,
	} {
		f := Measure(q, strings.Repeat(unit, size/len(unit)))
		if f.Words < 0 || f.MostSimilar > 1 {
			t.Errorf("%.10q: %+v", unit, f)
		}
	}
}

func FuzzMeasure(f *testing.F) {
	f.Add("tea", "coffee", "price", judgestest.FullAnswer)
	f.Add("Honda CR-V", "Toyota RAV4", "", "| a | b |\n|---|---|\n1. **A:** x [3] [generated]\r\n```")
	f.Add("", "", "", "\xff**\u200b[(")
	f.Add("猫", "犬", "値段", "猫は安い。犬は高い。")
	f.Add("ps3", "ds", "", "The PlayStation 3 (PS3) vs. the DS:  - A - B - C  * x  1. a 2. b  **Best Option** DS  Used Arguments: [1-3], [generated]")
	f.Add("quicksort", "merge sort", "speed", "### Summary Quicksort e.g. Mr. A.  ## 1. Speed - **Quicksort**: fast... [a](b) <i>*x* `y`\n> q\n---\n|a|\n|-|\n|b|")
	f.Fuzz(func(t *testing.T, object1, object2, aspect, text string) {
		q := data.Question{Object1: object1, Object2: object2, Aspect: aspect, Arguments: make([]data.Argument, 3)}
		checkFeatures(t, q, text)
	})
}

// checkFeatures checks what holds for the measurements of any answer.
func checkFeatures(t *testing.T, q data.Question, content string) {
	t.Helper()
	f := Measure(q, content)
	v := reflect.ValueOf(f)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		switch x := v.Field(i); x.Kind() {
		case reflect.Int:
			if x.Int() < 0 {
				t.Errorf("%s = %d", name, x.Int())
			}
		case reflect.Float64:
			if !(x.Float() >= 0) || name != "AspectWords" && x.Float() > 1 {
				t.Errorf("%s = %v", name, x.Float())
			}
		}
	}
	if f.StatementsBoth+f.StatementsOne+f.StatementsNone != f.Statements {
		t.Errorf("sentences don't add up: %+v", f)
	}
	if f.AspectsDescribed > f.Aspects || f.AspectsBoth+f.AspectsOne > f.Aspects || f.IntroductionAspects > f.Aspects || f.NearDuplicates > f.Statements {
		t.Errorf("aspects don't add up: %+v", f)
	}
	if crlf := Measure(q, strings.ReplaceAll(strings.ReplaceAll(content, "\r", ""), "\n", "\r\n")); crlf != Measure(q, strings.ReplaceAll(content, "\r", "")) {
		t.Error("Windows line ends change the measurements")
	}
}
