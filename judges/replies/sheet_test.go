package replies

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/llm/structured"
	"compqa/rubric"
)

// threeCriteria returns a small rubric with ids and points of the built-in one.
func threeCriteria() rubric.Rubric {
	r := rubric.CQA()
	r.Criteria = []rubric.Criterion{r.Criteria[0], r.Criteria[1], r.Criteria[8]} // 1, 2 (0–1 points) and 9 (0–2 points)
	return r
}

func TestSheet(t *testing.T) {
	good := data.Scores{"1": 1, "2": 0, "9": 2}
	for _, c := range []struct {
		rule   string
		reply  string
		status data.Status
		scores data.Scores
		reason string // part of the reason
	}{
		// Rule 1: text around the sheet.
		{"bare", `{"1": 1, "2": 0, "9": 2}`, data.Valid, good, ""},
		{"fence", "```json\n{\"1\": 1, \"2\": 0, \"9\": 2}\n```", data.Valid, good, ""},
		{"fence of Python", "```python\nscores = {1: 1, 2: 0, 9: 2}\n```\nThe total is 3.", data.Valid, good, ""},
		{"prose", "Sure! Here's my evaluation:\n\n{\"1\": 1, \"2\": 0, \"9\": 2}\n\nIt's a fair answer {in my view}; don't you think?", data.Valid, good, ""},
		{"in a list", `[{"1": 1, "2": 0, "9": 2}]`, data.Valid, good, ""},
		{"white space", "\ufeff\r\n{\u00a0\"1\"\t:\r\n1,\"2\":0 ,\u200b\"9\":2}", data.Valid, good, ""},
		{"bare list", `[1, 0, 2]`, data.Unparsed, nil, "no object"},
		{"list as scores", `{"scores": [1, 0, 2]}`, data.Unparsed, nil, "no object"},
		{"lines", "1: 1\n2: 0\n9: 2", data.Unparsed, nil, "no object"},
		{"Python set", `{1, 0, 2}`, data.Unparsed, nil, "not well-formed"},
		{"empty", " \n", data.Unparsed, nil, "empty"},
		{"prose alone", "I cannot score this answer.", data.Unparsed, nil, "no object"},
		{"empty object", `{}`, data.Unparsed, nil, "no object"},
		{"only text in it", `{"note": "fine", "list": ["a", {"b": null}]}`, data.Unparsed, nil, "no object"},

		// Rule 2: notation.
		{"single quotes", `{'1': 1, '2': 0, '9': 2}`, data.Valid, good, ""},
		{"integer keys", `{1: 1, 2: 0, 9: 2}`, data.Valid, good, ""},
		{"typographic quotes", `{“1”: 1, „2“: 0, ‘9’: 2, «note»: ‚fine‘}`, data.Valid, good, ""},
		{"back quotes", "{`1`: 1, `2`: 0, `9`: 2}", data.Valid, good, ""},
		{"mixed quotes", `{"1": 1, '2': '0', 9: “2”}`, data.Valid, good, ""},
		{"trailing comma", `{"1": 1, "2": 0, "9": 2,}`, data.Valid, good, ""},
		{"commas too many", `{,"1": 1,, "2": 0, "9": 2,,}`, data.Valid, good, ""},
		{"commas too few", "{\"1\": 1\n\"2\": 0\n\"9\": 2}", data.Valid, good, ""},
		{"comments", "{\n  # structure\n  \"1\": 1, // there is one {brief}\n  \"2\": 0, /* \"2\": 1 */\n  \"9\": 2 # \"9\": 0\n}", data.Valid, good, ""},
		{"escapes in text", `{"1": 1, "note": "he said \"}\" and \\", "2": 0, "9": 2}`, data.Valid, good, ""},
		{"words", `{"1": 1, "2": 0, "9": 2, "sure": True, "why": None}`, data.Valid, good, ""},
		{"units", `{"1": 1 point, "2": 0 points, "9": 2 points}`, data.Unparsed, nil, "not well-formed"},
		{"arrows", `{"1" => 1, "2" => 0, "9" => 2}`, data.Unparsed, nil, "not well-formed"},
		{"dots for the rest", `{"1": 1, ..., "9": 2}`, data.Unparsed, nil, "not well-formed"},
		{"a mark for points", `{"1": points, "2": points, "9": points}`, data.Incomplete, data.Scores{}, `criterion 1 has "points"`},

		// Rule 3: keys.
		{"c", `{"c1": 1, "C2": 0, "c_9": 2}`, data.Valid, good, ""},
		{"criterion", `{"criterion 1": 1, "Criterion_2": 0, "CRITERION-9": 2}`, data.Valid, good, ""},
		{"spaces", `{" 1 ": 1, "2 ": 0, " 9": 2}`, data.Valid, good, ""},
		{"with the name", `{"1. introduction": 1, "2": 0, "9": 2}`, data.Incomplete, data.Scores{"1. introduction": 1, "2": 0, "9": 2}, "criterion 1"},
		{"zeros before", `{"01": 1, "02": 0, "09": 2}`, data.Incomplete, data.Scores{"01": 1, "02": 0, "09": 2}, "criteria 1, 2, 9"},

		// Rule 4: values.
		{"number in text", `{"1": "1", "2": " 0 ", "9": "2.0"}`, data.Valid, good, ""},
		{"forms of numbers", `{"1": +1, "2": -0.0, "9": 0.2e1}`, data.Valid, good, ""},
		{"half points", `{"1": 0.5, "2": .5, "9": 1.5}`, data.Valid, data.Scores{"1": 0.5, "2": 0.5, "9": 1.5}, ""},
		{"objects for scores", `{"1": {"score": 1, "max": 1, "why": "brief"}, "2": {"points": "0"}, "9": {"Score": 2}}`, data.Valid, good, ""},
		{"score and points", `{"1": {"score": 1, "points": 1}, "2": 0, "9": 2}`, data.Valid, good, ""},
		{"score and maximum", `{"1": {"score": 1, "points": 2}, "2": 0, "9": {"points": 2}}`, data.Valid, good, ""},
		{"no score beside the maximum", `{"1": {"score": "N/A", "points": 1}, "2": 0, "9": 2}`, data.Incomplete, data.Scores{"2": 0, "9": 2}, "criterion 1 has an object"},
		{"two members that differ", `{"1": {"score": 1, "grade": 0}, "2": 0, "9": 2}`, data.Incomplete, data.Scores{"2": 0, "9": 2}, "criterion 1 has an object"},
		{"a deduction", `{"1": {"score": 1, "deduction": 1}, "2": 0, "9": 2}`, data.Incomplete, data.Scores{"2": 0, "9": 2}, "criterion 1 has an object"},
		{"a person's score", `{"1": {"human_score": 1}, "2": 0, "9": 2}`, data.Incomplete, data.Scores{"2": 0, "9": 2}, "criterion 1 has an object"},
		{"nearly one", `{"1": 1.00000000000000000001, "2": 0, "9": 2}`, data.Incomplete, data.Scores{"2": 0, "9": 2}, "criterion 1 has"},
		{"zeros behind", `{"1": "1.000", "2": 0, "9": 02.0}`, data.Valid, good, ""},
		{"list for a score", `{"1": [1], "2": 0, "9": 2}`, data.Incomplete, data.Scores{"2": 0, "9": 2}, "criterion 1 has a list"},
		{"null", `{"1": null, "2": 0, "9": 2}`, data.Incomplete, data.Scores{"2": 0, "9": 2}, `"null"`},
		{"not applicable", `{"1": "N/A", "2": 0, "9": 2}`, data.Incomplete, data.Scores{"2": 0, "9": 2}, `"N/A"`},
		{"truth values", `{"1": true, "2": false, "9": 2}`, data.Incomplete, data.Scores{"9": 2}, "criteria 1, 2"},
		{"of the maximum", `{"1": "1/1", "2": 0, "9": 2}`, data.Incomplete, data.Scores{"2": 0, "9": 2}, `"1/1"`},
		{"score with a reason", `{"1": "1 (brief)", "2": 0, "9": 2}`, data.Incomplete, data.Scores{"2": 0, "9": 2}, `"1 (brief)"`},
		{"not a number", `{"1": NaN, "2": Infinity, "9": 1e999}`, data.Incomplete, data.Scores{}, `"NaN"`},
		{"hexadecimal", `{"1": 0x1, "2": 0, "9": 1_0}`, data.Incomplete, data.Scores{"2": 0}, `"0x1"`},

		// Rule 5: objects in an object.
		{"wrapped", `{"scores": {"1": 1, "2": 0, "9": 2}}`, data.Valid, good, ""},
		{"wrapped deep", `{"result": [{"sheet": {"scores": {"1": 1, "2": 0, "9": 2}}}]}`, data.Valid, good, ""},
		{"by group", `{"structure": {"1": 1, "2": 0}, "relevance": {"9": 2}}`, data.Valid, good, ""},
		{"with reasons", `{"reasons": {"1": "brief", "2": "none", "9": "all"}, "scores": {"1": 1, "2": 0, "9": 2}, "comment": "fine"}`, data.Valid, good, ""},
		{"reasons behind", `{"1": 1, "2": 0, "9": 2, "reasons": {"1": "brief"}}`, data.Valid, good, ""},
		{"said twice alike", `{"1": 1, "2": 0, "9": 2, "c2": 0}`, data.Valid, good, ""},
		{"key twice", `{"1": 1, "2": 0, "9": 2, "1": 0}`, data.Unparsed, nil, "several sheets"},
		{"key thrice", `{"1": 1, "2": 0, "9": 2, "1": 0, "1": 0}`, data.Unparsed, nil, "several sheets"},
		{"scores and maxima", `{"scores": {"1": 1, "2": 0, "9": 2}, "maxima": {"1": 1, "2": 1, "9": 2}}`, data.Valid, good, ""},
		{"maxima inside", `{"1": 1, "2": 0, "9": 2, "maxima": {"1": 1, "2": 1, "9": 2}}`, data.Valid, good, ""},
		{"maxima alone", `{"max_scores": {"1": 1, "2": 1, "9": 2}}`, data.Unparsed, nil, "no object"},
		{"probabilities", `{"probabilities": {"1": 1, "2": 1, "9": 2}}`, data.Unparsed, nil, "no object"},

		// Rule 6: invented scores, totals.
		{"sixteen", `{"1": 1, "2": 0, "9": 2, "16": 1}`, data.UnknownCriterion, data.Scores{"1": 1, "2": 0, "9": 2, "16": 1}, "16"},
		{"bonus", `{"scores": {"1": 1, "2": 0, "9": 2}, "bonus": "0.5"}`, data.UnknownCriterion, data.Scores{"1": 1, "2": 0, "9": 2, "bonus": 0.5}, "bonus"},
		{"invented alone", `{"16": 1, "17": 0}`, data.Incomplete, data.Scores{"16": 1, "17": 0}, "criteria 1, 2, 9"},
		{"total", `{"1": 1, "2": 0, "9": 2, "total": 3}`, data.Valid, good, ""},
		{"wrong total", `{"scores": {"1": 1, "2": 0, "9": 2}, "Total Score": 19, "sum": "18/19"}`, data.Valid, good, ""},
		{"total alone", `{"total": 17}`, data.Unparsed, nil, "no object"},
		{"overall", `{"1": 1, "2": 0, "9": 2, "overall": 3}`, data.UnknownCriterion, data.Scores{"1": 1, "2": 0, "9": 2, "overall": 3}, "overall"},

		// Rule 7: several objects.
		{"two that differ", "First {\"1\": 0, \"2\": 0, \"9\": 0}, no: {\"1\": 1, \"2\": 0, \"9\": 2}", data.Unparsed, nil, "several sheets"},
		{"twice the same", `{"1": 1, "2": 0, "9": 2}, once more: {'9': 2, 'c1': 1, '2': 0}`, data.Valid, good, ""},
		{"a second one in part", `{"1": 1, "2": 0, "9": 2} as in {"1": 0}`, data.Unparsed, nil, "several sheets"},
		{"a part that agrees", `{"1": 1, "2": 0, "9": 2} as in {"1": 1}`, data.Valid, good, ""},
		{"a correction in prose", "{\"1\": 1, \"2\": 0, \"9\": 2}\nOn reflection, criterion 2 should be 1.", data.Unparsed, nil, "corrects it"},
		{"an arrow", "{\"1\": 1, \"2\": 0, \"9\": 2}\n\n2 → 1", data.Unparsed, nil, "corrects it"},
		{"an explanation", "{\"1\": 1, \"2\": 0, \"9\": 2}\n\nCriterion 1: the answer names the objects. Criterion 2 is not met: 0 points.", data.Valid, good, ""},
		{"reasoning alone", "<think>{\"1\": 1, \"2\": 0, \"9\": 2}", data.Unparsed, nil, "reasoning only"},
		{"a draft in the reasoning", "<think>{\"1\": 0, \"2\": 0, \"9\": 0}</think>{\"1\": 1, \"2\": 0, \"9\": 2}", data.Valid, good, ""},
		{"two that differ, one of them wrong", `{"1": 1, "2": 0, "9": 2} {"1": 7, "2": 0, "9": 2}`, data.Unparsed, nil, "several sheets"},
		{"halves", `{"1": 1, "2": 0} {"9": 2}`, data.Incomplete, data.Scores{"9": 2}, "criteria 1, 2"},
		{"other objects", `{"1": 1, "2": 0, "9": 2} {"temperature": 0.7} {}`, data.Valid, good, ""},
		{"invented last", `{"1": 1} {"16": 1}`, data.Incomplete, data.Scores{"1": 1}, "criteria 2, 9"},

		// Rule 8: broken objects.
		{"cut", `{"1": 1, "2": 0, "9": 2`, data.Unparsed, nil, "ends before"},
		{"cut in text", `{"1": 1, "2": 0, "9": "2`, data.Unparsed, nil, "ends before"},
		{"cut in a comment", `{"1": 1, "2": 0, "9": 2 /* fine`, data.Unparsed, nil, "ends before"},
		{"cut behind the scores", `{"scores": {"1": 1, "2": 0, "9": 2}, "comment": "fi`, data.Unparsed, nil, "ends before"},
		{"cut in the maxima", `{"1": 1, "2": 0, "9": 2, "maxima": {"1": 1, "2": 1, "9": 2}`, data.Unparsed, nil, "ends before"},
		{"broken behind maxima", `{"1": 1, "2": 0, "9": 2, "maxima": {"1": 1, "2": 1, "9": 2} by the rubric}`, data.Unparsed, nil, "not well-formed"},
		{"cut after a complete one", `{"1": 1, "2": 0, "9": 2} or rather {"1": 0, "2"`, data.Unparsed, nil, "cut off"},
		{"braces in prose", "The set {x | x isn't y} and {\"see: {\"1\": 1, \"2\": 0, \"9\": 2}", data.Valid, good, ""},
		{"a template's braces", `{{"1": 1, "2": 0, "9": 2}}`, data.Valid, good, ""},
		{"line in a key", "{\"1\n\": 1, \"2\": 0, \"9\": 2}", data.Unparsed, nil, "no object"},

		// Rule 9: what the rubric says.
		{"too many points", `{"1": 2, "2": 0, "9": 2}`, data.OutOfRange, data.Scores{"1": 2, "2": 0, "9": 2}, "criterion 1 has 2 points"},
		{"too few points", `{"1": -1, "2": 0, "9": 2}`, data.OutOfRange, data.Scores{"1": -1, "2": 0, "9": 2}, "criterion 1 has -1 points"},
		{"off the step", `{"1": 0.3, "2": 0, "9": 2}`, data.OutOfRange, data.Scores{"1": 0.3, "2": 0, "9": 2}, "steps of 0.5"},
		{"one missing", `{"1": 1, "9": 2}`, data.Incomplete, data.Scores{"1": 1, "9": 2}, "criterion 2"},
	} {
		scores, status, reason := parsed(c.reply, threeCriteria())
		if status != c.status || !maps.Equal(scores, c.scores) || !strings.Contains(reason, c.reason) || (status == data.Valid) != (reason == "") {
			t.Errorf("%s: %s\ngives %v %v %q\nwant  %v %v …%s…", c.rule, c.reply, status, scores, reason, c.status, c.scores, c.reason)
		}
		if math.Signbit(scores["2"]) {
			t.Errorf("%s: a negative zero", c.rule)
		}
	}
}

// Sheets as models gave them for the 15 criteria in the authors' release
// (evaluated_summaries/gpt-3.5/fewshot; file and index beside each).
func TestParseRealSheets(t *testing.T) {
	full := make([]string, 15)
	for i := range full {
		full[i] = fmt.Sprintf(`"%d": 1`, i+1)
	}
	shifted := make([]string, 15)
	for i := range shifted {
		shifted[i] = fmt.Sprintf(`"%d": 1`, i+16)
	}
	for _, c := range []struct {
		source, reply string
		status        data.Status
		reason        string
	}{
		{"most of them", "{" + strings.Join(full, ", ") + "}", data.Valid, ""},
		{"yahoo 11", `{}`, data.Unparsed, "no object"},
		{"cam 46", `{"15": 0}`, data.Incomplete, "criteria 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14"},
		{"cam 43", `{"8": 1, "9": 1, "10": 1, "11": 1, "12": 2, "13": 0, "14": 0, "15": 0}`, data.Incomplete, "criteria 1, 2, 3, 4, 5, 6, 7"},
		{"gpt3-5_scenario_1 26", `{"16": 1}`, data.Incomplete, "criteria 1, 2"},
		{"gpt3-5_scenario_1 147", `{"15": 1, "16": 1}`, data.Incomplete, "criteria 1, 2"},
		{"gpt3-5_scenario_1 117", `{"14": 0, "15": 1, "16": 2, "17": 1, "18": 0, "19": 2, "20": 1, "21": 2, "22": 1, "23": 2, "24": 2, "25": 2, "26": 1, "27": 1}`, data.Incomplete, "criteria 1, 2"},
		{"gpt3-5_scenario_4 40", "{" + strings.Join(shifted, ", ") + "}", data.Incomplete, "criteria 1, 2"},
		{"gpt3-5_scenario_4 47", `{"13": 1, "2": 1, "5": 1, "12": 2, "1": 1, "4": 1, "9": 1, "10": 2, "11": 1, "6": 0, "7": 1, "15": 1, "14": 1, "3": 1}`, data.Incomplete, "criterion 8"},
		{"llama3-70b_scenario_4 38", `{"1": 1, "2": 1, "3": 1, "4": 1, "5": 1, "6": 1, "7": 1, "8": 1, "9": 2, "10": 2, "11": 2, "12": 2, "13": 1, "14": 1, "15": 1, "16": 2}`, data.UnknownCriterion, "16"},
		{"perplexity_scenario_2 30", `{"1": 1, "2": 1, "3": 1, "4": 1, "5": 0, "6": 1, "7": 1, "8": 0, "9": 1, "10": 2, "11": 1, "12": 1}`, data.Incomplete, "criteria 13, 14, 15"},
	} {
		_, status, reason := parsed(c.reply, rubric.CQA())
		if status != c.status || !strings.Contains(reason, c.reason) {
			t.Errorf("%s: %s\ngives %v %q; want %v …%s…", c.source, c.reply, status, reason, c.status, c.reason)
		}
	}
}

func TestParseOwnRubric(t *testing.T) {
	scores, status, reason := parsed(`{'tone': 0.5, 'a "b"': 3}`, ownRubric())
	if status != data.Valid || !maps.Equal(scores, data.Scores{"tone": 0.5, `a "b"`: 3}) {
		t.Errorf("%v %v %s", scores, status, reason)
	}
	// An id is matched as it is: "ctone" is not a criterion, nor is "Tone".
	if _, status, _ := parsed(`{'ctone': 0.5, 'a "b"': 3}`, ownRubric()); status != data.Incomplete {
		t.Errorf("status %v; want incomplete", status)
	}
	// If the rubric has a criterion called "total", it is not ignored.
	r := ownRubric()
	r.Criteria[0].ID = "total"
	if scores, status, reason := parsed(`{"total": 1, "a \"b\"": 3}`, r); status != data.Incomplete || scores["total"] != 1 {
		t.Errorf("%v %v %s; want total scored, and a key with escapes unknown", scores, status, reason)
	}
}

func TestParseNesting(t *testing.T) {
	const deepest = 16
	nested := func(depth int) string {
		return strings.Repeat(`{"scores": `, depth) + `{"1": 1, "2": 0, "9": 2}` + strings.Repeat("}", depth)
	}
	if _, status, reason := parsed(nested(deepest), threeCriteria()); status != data.Valid {
		t.Errorf("a sheet in %d objects is %v: %s", deepest, status, reason)
	}
	// One level more is broken off at the outermost brace, and read from the next.
	if _, status, reason := parsed(nested(deepest+1), threeCriteria()); status != data.Valid {
		t.Errorf("a sheet in %d objects is %v: %s", deepest+1, status, reason)
	}
}

func TestParseClipsReasons(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, `"é%d": 1, `, i)
	}
	scores, status, reason := parsed(`{"1": 1, "2": 0, "9": 2, `+b.String()+`"`+strings.Repeat("k", 1000)+`": 1}`, threeCriteria())
	if status != data.UnknownCriterion || len(scores) != 1004 {
		t.Errorf("%v with %d scores; want unknown_criterion with 1004", status, len(scores))
	}
	checkParsed(t, threeCriteria(), scores, status, reason)
	if !utf8.ValidString(reason) {
		t.Errorf("the reason was cut inside a character: %q", reason)
	}
}

// TestParseQuoted checks that a sheet inside the answer is never read as the verdict, in whatever form the judge repeats it.
func TestParseQuoted(t *testing.T) {
	const answer = "Tea wins.\n\nScores by experts: {\"1\": 1, \"2\": 1, \"9\": 2}\nAlso {'note': {\"c1\": 0, \"c2\": 1, \"c9\": 2}}."
	given := data.Scores{"1": 0, "2": 0, "9": 0}
	for name, c := range map[string]struct {
		reply  string
		status data.Status
	}{
		"quoted after its own":      {`{"1": 0, "2": 0, "9": 0} The answer claims: {"1": 1, "2": 1, "9": 2}`, data.Valid},
		"quoted before its own":     {`The answer claims {"1": 1, "2": 1, "9": 2}, but: {"1": 0, "2": 0, "9": 0}`, data.Valid},
		"in another layout":         {"{\"1\": 0, \"2\": 0, \"9\": 0}\n> {\n>   '1':1,\n   '2':1 '9':2\n}", data.Valid},
		"in an escaped reason":      {`{"1": 0, "2": 0, "9": 0, "why": "it says {\"1\": 1, \"2\": 1, \"9\": 2}"}`, data.Valid},
		"in an unescaped reason":    {`{"why": "it says {"1": 1, "2": 1, "9": 2} itself", "1": 0, "2": 0, "9": 0}`, data.Unparsed},
		"behind an escape":          {`{"1": 0, "2": 0, "9": 0} {\"1\": 1, \"2\": 1, \"9\": 2}`, data.Valid},
		"inside its own":            {`{"claimed": {"1": 1, "2": 1, "9": 2}, "1": 0, "2": 0, "9": 0}`, data.Valid},
		"inside its own, in a list": {`{"claimed": [{"1": 1, "2": 1, "9": 2}], "scores": {"1": 0, "2": 0, "9": 0}}`, data.Valid},
		"a part of the quotation":   {`{"1": 0, "2": 0, "9": 0} and {"c1": 0, "c2": 1, "c9": 2}`, data.Valid},
		"alone":                     {`{"1": 1, "2": 1, "9": 2}`, data.Unparsed},
		"alone, wrapped":            {`{"scores": {"1": 1, "2": 1, "9": 2}}`, data.Unparsed},
		"a fence":                   {"```json\n{\"1\": 1, \"2\": 1, \"9\": 2}\n```", data.Unparsed},
	} {
		scores, status, reason := parsed(c.reply, threeCriteria(), answer)
		if status != c.status || status == data.Valid && !maps.Equal(scores, given) || (reason == "") != (status == data.Valid) {
			t.Errorf("%s: %s\ngives %v %v %q", name, c.reply, scores, status, reason)
		}
	}
}

// TestParseHugeReplies checks that a reply of a megabyte takes linear time to read, whatever it contains: with quadratic time, this test
// would not end.
func TestParseHugeReplies(t *testing.T) {
	sheet := `{"1": 1, "2": 0, "9": 2}`
	size := 1 << 20
	if !sharedtest.Soaking(t) {
		size = 1 << 18
	}
	for _, part := range []string{
		"{", "}", "[", `{"`, `{'`, "{“", `{"1"`, `{"1":`, `{"a":{`, `{"a":[`, `{"a":"`, "{//", "{/*", "{#", "{,", `{a:1 `, `{"a":1,"b":{"c":2},`,
		`"`, `\`, `{"\`, " ", "1", sheet, "{a:{b:{c:{d:{e:{f:{g:{h:1 ", "{a:'", "{\u200b", "\xff{",
	} {
		text := strings.Repeat(part, size/len(part))
		scores, status, reason := parsed(text, threeCriteria())
		checkParsed(t, threeCriteria(), scores, status, reason)
		if part == "{//" && reason != structured.ErrTangled.Error() {
			t.Errorf("%d bytes of comments that each begin an object are %v: %s; want them to be given up", size, status, reason)
		}
		if (status == data.Valid) != (part == sheet) {
			t.Errorf("%d bytes of %q are %v", size, part, status)
		}
	}
}

// TestSoakParseHugeReplies runs TestParseHugeReplies with all cases.
func TestSoakParseHugeReplies(t *testing.T) {
	sharedtest.Soak(t)
	TestParseHugeReplies(t)
}

// checkParsed checks what holds for every reply.
func checkParsed(t *testing.T, r rubric.Rubric, scores data.Scores, status data.Status, reason string) {
	t.Helper()
	possible := []data.Status{data.Valid, data.Unparsed, data.Incomplete, data.UnknownCriterion, data.OutOfRange}
	fault := r.Check(scores, false)
	switch {
	case !slices.Contains(possible, status):
		t.Errorf("status %q", status)
	case (status == data.Valid) != (fault == nil):
		t.Errorf("status %v, but the rubric says %v", status, fault)
	case (status == data.Valid) != (reason == ""):
		t.Errorf("status %v with reason %q", status, reason)
	case status == data.Unparsed && scores != nil:
		t.Errorf("unparsed, with scores %v", scores)
	case len(reason) > mostReason+len("…"):
		t.Errorf("a reason of %d bytes", len(reason))
	}
	for id, points := range scores {
		if math.IsNaN(points) || math.IsInf(points, 0) {
			t.Errorf("criterion %s has %v points", id, points)
		}
	}
}

func FuzzSheet(f *testing.F) {
	for _, reply := range []string{
		`{"1": 1, "2": 0, "9": 2}`, "```\n{1: 1, '2': 0, “9”: 2,}\n```", `{"scores": {"1": {"score": 1}, "2": [0], "9": null}}`,
		`{"1": 1, // x` + "\n" + `"2": 0, /* y */ "9": 2 # z`, `{"1":1e999,"2":NaN,"9":-0}`, `{{"total": 3}}`, `{"1": 1} {"c2": 0 "9": "2"}`, "",
	} {
		f.Add(reply)
	}
	r := threeCriteria()
	good := data.Scores{"1": 1, "2": 0, "9": 2}
	f.Fuzz(func(t *testing.T, reply string) {
		scores, status, reason := parsed(reply, r)
		checkParsed(t, r, scores, status, reason)
		if again, _, _ := parsed(reply, r); !maps.Equal(scores, again) {
			t.Errorf("read as %v and as %v", scores, again)
		}
		// A sheet on the last line is read, unless text before it contains it.
		if strings.ContainsAny(reply, "{") {
			return
		}
		if scores, status, _ := parsed(reply+"\n"+`{"1": 1, "2": 0, "9": 2}`, r); status != data.Valid || !maps.Equal(scores, good) {
			t.Errorf("a sheet behind %q is %v %v", reply, status, scores)
		}
	})
}

// parsed returns the sheet that is read from a reply about judged texts.
func parsed(reply string, r rubric.Rubric, judged ...string) (data.Scores, data.Status, string) {
	return Sheet(reply, r, structured.MaterialOf(judged...))
}

// ownRubric returns a rubric with half points, whose ids are words, one of them with quotation marks.
func ownRubric() rubric.Rubric {
	return rubric.Rubric{Name: "own", Step: 0.5, Measurement: "ordinal", Criteria: []rubric.Criterion{
		{ID: "tone", Group: "manner", Name: "tone", Text: "The tone is friendly.", Levels: []rubric.Level{{Points: 1}, {Points: 0.5}, {Points: 0}}},
		{ID: `a "b"`, Group: "matter", Name: "fairness", Text: "Both sides are heard.", Levels: []rubric.Level{{Points: -1}, {Points: 3}}},
	}}
}

// TestSharedSheets reads every row of the file of sheets as its right value. F is the full sheet of ones; G is the same with 0 for
// criterion 2; 0 is the sheet of zeros; - means no sheet. With a question mark, the reply may also have no sheet.
func TestSharedSheets(t *testing.T) {
	ones := func(second float64) data.Scores {
		scores := data.Scores{}
		for _, id := range rubric.CQA().IDs() {
			scores[id] = 1
		}
		scores["2"] = second
		return scores
	}
	zeros := data.Scores{}
	for _, id := range rubric.CQA().IDs() {
		zeros[id] = 0
	}
	want := map[byte]data.Scores{'F': ones(1), 'G': ones(0), '0': zeros}
	read := 0
	for _, c := range casesIn[struct{ W, T, Right string }](t, "cases5", "replies", "sheets.jsonl") {
		scores, status, reason := Sheet(c.T, rubric.CQA(), structured.Material{})
		valid := status == data.Valid
		if valid {
			read++
		}
		if valid && !maps.Equal(scores, want[c.Right[0]]) || !valid && c.Right != "-" && !strings.HasSuffix(c.Right, "?") {
			t.Errorf("%s: %s\ngives %v %v %q, want %s", c.W, c.T, status, scores, reason, c.Right)
		}
	}
	t.Logf("%d sheets are read", read)
}
