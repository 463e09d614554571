package board

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/results/recordtest"
)

// chosenOn returns the choices on the page of a pair of objects: choice, how and n, by "party, kind".
func chosenOn(t *testing.T, b *Board, pair string) map[string][3]string {
	t.Helper()
	code, body, _ := get(t, b.Handler(""), "/questions/"+url.PathEscape(pair)+"?table=choices&as=csv")
	rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if code != http.StatusOK || err != nil || strings.Join(rows[0], ",") != "party,kind,choice,how,n" {
		t.Fatalf("%s: %d, %v: %s", pair, code, err, body)
	}
	chosen := map[string][3]string{}
	for _, row := range rows[1:] {
		chosen[row[0]+", "+row[1]] = [3]string{row[2], row[3], row[4]}
	}
	return chosen
}

// TestQuestionPage: the page of a question shows its arguments, contrastive tables, answers, and the choice of each party, also for texts
// that contain attacks.
func TestQuestionPage(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	r.answers(0, questions)
	r.verdicts(0, questions)
	r.pairs()
	r.change(`UPDATE answers SET choice = iif(system = 'plain', 'object1', 'object2')`)
	r.change(`UPDATE answers SET object1 = object2, object2 = object1, choice = 'object1' WHERE id = ?`, answerID(evil, 3))
	r.change(`UPDATE answers SET choice = 'none' WHERE id = ?`, answerID(evil, 4))
	r.change(`UPDATE questions SET arguments = '[]' WHERE position = 4`)
	contrast := `{"attribute": "<script>alert(1)</script>", "kind": "contrast", "favours": "object2", "rank": %, "object1": [],
		"object2": [{"value": "` + attacks[1] + `", "evidence": [{"source": "1", "start": 0, "end": 1, "quote": "x"}]}]}`
	row := func(rank string) string { return strings.Replace(contrast, "%", rank, 1) }
	r.change(`UPDATE answers SET summary = ? WHERE id = ?`, `{"rows": [`+row("1")+","+row("2")+","+row("3")+`]}`, answerID("plain", 1))
	r.close()
	b := opened(t, r.dir)
	if err := b.Load(); err != nil {
		t.Fatal(err)
	}
	thing := func(q string) string { return data.PairKey("thing "+q, evil) }
	const one = "preferred answers choose: 1 "
	for pair, want := range map[string]map[string][3]string{
		thing("1"): {
			"its arguments, arguments":         {"a: thing 1", "1 for thing 1, 0 for " + evil, "1"},
			"plain, contrastive table":         {"b: " + evil, "3 rows: 0 for thing 1, 3 for " + evil, "3"},
			"plain, file":                      {"a: thing 1", "answers choose: 1 thing 1", "1"},
			evil + ", file":                    {"b: " + evil, "answers choose: 1 " + evil, "1"},
			"people, people":                   {"a: thing 1", one + "thing 1", "1"},
			"chooser (direct), judge of pairs": {"a: thing 1", one + "thing 1", "1"},
			"human:anna (annotation), people":  {"a: thing 1", one + "thing 1", "1"},
		},
		thing("2"): {"chooser (direct), judge of pairs": {"tie", one + "neither", "1"}}, // the order changes its choice
		thing("3"): {evil + ", file": {"b: " + evil, "answers choose: 1 " + evil, "1"}}, // its answer names the objects in the other order
		thing("4"): {
			"its arguments, arguments":         {"", "no arguments are recorded", "0"},
			evil + ", file":                    {"tie", "answers choose: 1 neither", "1"},
			"chooser (direct), judge of pairs": {"", "no pair has answers that choose different objects", "0"},
		},
		thing("11"): {evil + ", file": {"", "no answer is valid", "0"}},
	} {
		got := chosenOn(t, b, pair)
		for party, row := range want {
			if got[party] != row {
				t.Errorf("%s: %s: %q, want %q", pair, party, got[party], row)
			}
		}
		if len(want) == 7 && len(got) != 7 {
			t.Errorf("%s: %d parties: %v", pair, len(got), got)
		}
	}
	for q, texts := range map[string][]string{
		"1": {"Contrastive table of plain", "1 argument", "sometext", "chooses thing 1", "What each party chose", "The arguments favour"},
		"4": {"No arguments are recorded.", "No system made a contrastive table of this question."},
	} {
		at := "/questions/" + url.PathEscape(thing(q))
		code, body, _ := get(t, b.Handler(""), at)
		checkPage(t, at, body)
		for _, text := range texts {
			if code != http.StatusOK || !strings.Contains(body, text) {
				t.Errorf("%s: %d, without %q\n%s", at, code, text, body)
			}
		}
	}
	for _, from := range []string{"/answers/" + url.PathEscape(answerID("plain", 1)), "/questions"} {
		if _, body, _ := get(t, b.Handler(""), from); !strings.Contains(body, `href="/questions/`) {
			t.Errorf("%s does not lead to the question", from)
		}
	}
	if _, body, _ := get(t, b.Handler(""), "/ranking"); !strings.Contains(body, `href="/questions"`) {
		t.Error("the ranking does not lead to the questions")
	}
}

// TestSoakQuestionsOfRelease: in the authors' release, each page of a question has a table of choices: a, b, tie, or unknown with a
// reason.
func TestSoakQuestionsOfRelease(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	dir := filepath.Join(t.TempDir(), "record")
	recordtest.Release(t, filepath.Dir(sharedtest.Path(t, "data"))).Write(t, dir)
	b := opened(t, dir)
	if err := b.Load(); err != nil {
		t.Fatal(err)
	}
	asked := b.current.Load().askedOnce()
	if len(asked) < 50 {
		t.Errorf("%d questions", len(asked))
	}
	for _, q := range asked {
		at := "/questions/" + url.PathEscape(q.pair)
		_, body, _ := get(t, b.Handler(""), at)
		checkPage(t, at, body)
		chosen := chosenOn(t, b, q.pair)
		if len(chosen) < 2 {
			t.Errorf("%s: %v", q.pair, chosen)
		}
		for party, c := range chosen {
			if value, _, _ := strings.Cut(c[0], ":"); value != "a" && value != "b" && value != "tie" && (value != "" || c[1] == "") {
				t.Errorf("%s: %s: %q", q.pair, party, c)
			}
		}
	}
}
