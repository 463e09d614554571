package train

import (
	"fmt"
	"strings"
	"testing"
)

func exampleOf(id, question, text string, points float64) Example {
	return Example{ID: id, Question: question, Chosen: text, Points: points}
}

func ids(examples []Example) string {
	var list []string
	for _, e := range examples {
		list = append(list, e.ID)
	}
	return strings.Join(list, " ")
}

// Texts of 24 words have 20 runs of five words. A change of the last word changes one run: 19 of 21 are common. A change of word 12 changes
// five runs: 15 of 25. With two changed words at the end, 18 of 22 (0.818) are common; with three, 17 of 23 (0.739).
func TestWithoutDuplicates(t *testing.T) {
	words := make([]string, 24)
	for i := range words {
		words[i] = fmt.Sprintf("w%d", i)
	}
	with := func(changed ...int) string {
		names := append([]string(nil), words...)
		for _, i := range changed {
			names[i] = "other"
		}
		return strings.Join(names, " ")
	}
	kept, same, near := WithoutDuplicates([]Example{
		exampleOf("plain", "q", with(), 17), exampleOf("folded", "r", strings.ToUpper(with())+"!", 18), exampleOf("last", "q", with(23), 19),
		exampleOf("middle", "q", with(12), 1), exampleOf("two", "q", with(22, 23), 2), exampleOf("three", "q", with(21, 22, 23), 3),
		exampleOf("empty", "q", "", 1), exampleOf("blank", "q", " ", 2), exampleOf("short", "q", "w1", 0),
	}, Anywhere)
	// "last" (19 points) comes first; "folded", "plain" and "two" are near it ("two" shares 19 of 21 runs)
	if got := ids(kept); got != "last middle three blank short" || same != 1 || near != 3 {
		t.Errorf("kept %s, %d the same, %d near", got, same, near)
	}
	if kept, _, _ := WithoutDuplicates([]Example{{ID: "a", Chosen: "x", Rejected: "y", Prompt: nil}, {ID: "b", Chosen: "x", Rejected: "y"}}, Example.PromptText); ids(kept) != "a" {
		t.Errorf("kept %s", ids(kept))
	}
}

// A question is in one split, whatever other questions there are. The share is about the wanted one, and another seed divides differently.
func TestSplit(t *testing.T) {
	var examples []Example
	for i := range 2000 {
		examples = append(examples, exampleOf(fmt.Sprint(i), fmt.Sprintf("q%d", i%1000), "", 0))
	}
	side := map[string]string{}
	sizes := map[int64]int{}
	for seed := range int64(2) {
		training, heldOut := Split(examples, 0.2, seed)
		if len(training)+len(heldOut) != 2000 || len(heldOut) < 320 || len(heldOut) > 480 {
			t.Errorf("%d and %d", len(training), len(heldOut))
		}
		for i, part := range [][]Example{training, heldOut} {
			for _, e := range part {
				key := fmt.Sprint(seed, e.Question)
				if now := fmt.Sprint(i); side[key] != "" && side[key] != now {
					t.Errorf("%s is on both sides", key)
				} else {
					side[key] = now
				}
			}
		}
		sizes[seed] = len(heldOut)
	}
	moved := 0
	for i := range 1000 {
		if side[fmt.Sprintf("0q%d", i)] != side[fmt.Sprintf("1q%d", i)] {
			moved++
		}
	}
	if moved == 0 {
		t.Error("the seed changes nothing")
	}
	if _, heldOut := Split(examples, 0, 1); len(heldOut) != 0 {
		t.Errorf("%d held out of a share of 0", len(heldOut))
	}
}

func TestWithoutTexts(t *testing.T) {
	shown := []string{"Tea is milder than coffee, and cheaper.", "no"}
	kept := WithoutTexts([]Example{
		exampleOf("own", "q", "No, and nothing else.", 0), exampleOf("holds", "q", "Example: TEA is milder than coffee and cheaper!", 0),
		{ID: "prompt", Prompt: nil, Chosen: "x", Rejected: "Tea is milder than coffee - and cheaper - they say"}}, shown)
	if ids(kept) != "own" {
		t.Errorf("kept %s", ids(kept))
	}
}

func TestWithTexts(t *testing.T) {
	pairs := []Example{{ID: "a", Chosen: "x", Rejected: " "}, {ID: "b", Chosen: "", Rejected: "y"}, {ID: "c", Chosen: "x", Rejected: "y"}}
	if ids(WithTexts(pairs, true)) != "c" || ids(WithTexts(pairs, false)) != "a c" {
		t.Errorf("kept %s and %s", ids(WithTexts(pairs, true)), ids(WithTexts(pairs, false)))
	}
}

func TestFraction(t *testing.T) {
	if a, b := Fraction(1, "x", "y"), Fraction(1, "xy"); a == b || a < 0 || a >= 1 {
		t.Errorf("%v, %v", a, b)
	}
}

// A pair of equal texts is removed.
func TestWithTextsOfEqualAnswers(t *testing.T) {
	kept := WithTexts([]Example{{ID: "equal", Chosen: "The same.", Rejected: "the  same"}, {ID: "numbers", Chosen: `{"better_answer": 1}`, Rejected: `{"better_answer": 2}`}}, true)
	if len(kept) != 1 || kept[0].ID != "numbers" {
		t.Errorf("%v", kept)
	}
}
