package verify

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"compqa/results/archive"
)

// TestVerdict: a difference outranks missing results, and missing results outrank what cannot be recomputed. A record is verified only if
// all these lists are empty. Pairs outside a judge's sample do not count.
func TestVerdict(t *testing.T) {
	one := func() restCounts { return restCounts{{Kind: "verdict", Party: "luna"}: 1} }
	for _, c := range []struct {
		recheck    Recheck
		difference error
		want       string
	}{
		{Recheck{}, nil, Verified},
		{Recheck{rests: one()}, nil, Consistent},
		{Recheck{notRun: one()}, nil, Consistent},
		{Recheck{uncomparedTexts: one()}, nil, Consistent},
		{Recheck{uncomparedColumns: one()}, nil, Consistent},
		{Recheck{missingColumns: one()}, nil, Consistent},
		{Recheck{notSampled: one()}, nil, Verified},
		{Recheck{missing: one(), rests: one()}, nil, NotFinished},
		{Recheck{missing: one()}, errors.New("a verdict differs"), NotVerified},
	} {
		verdict, sentence := c.recheck.Verdict(c.difference)
		if verdict != c.want || !strings.HasPrefix(sentence, "consistent") && !strings.HasPrefix(sentence, c.want) {
			t.Errorf("%s, %q; want %s", verdict, sentence, c.want)
		}
	}
}

// TestSameCost: costs are sums of products, whose last bits processors round differently. A changed cost must not pass as such rounding.
func TestSameCost(t *testing.T) {
	if !sameCost(0.1+0.2, 0.3) || !sameCost(0, 1e-16) {
		t.Error("rounding is a difference")
	}
	if sameCost(0.3, 0.3001) || sameCost(0, 1e-6) || sameCost(1, -1) {
		t.Error("a changed cost is none")
	}
}

func TestAsked(t *testing.T) {
	for asked, want := range map[int]string{50: "50 questions of cqa50", 10: "10 of the 50 questions of cqa50", 0: "no answers to the 50 questions of cqa50"} {
		q := QuestionSet{Number: 50, Asked: asked, Name: "cqa50"}
		if got := q.askedText(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestAccountFitsTheScreen: no line of an account is wider than the screen. Texts continue below themselves, and no word of them is lost.
func TestAccountFitsTheScreen(t *testing.T) {
	rests := restCounts{{Kind: "reply", Party: "models", Why: strings.Repeat("nobody can recompute it ", 8)}: 3}
	c := Recheck{missing: rests}
	text := c.Account("a.gz", archive.Verified{}, errors.New("a verdict differs"), true, 80)
	for line := range strings.Lines(text) {
		if letters := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); letters > 80 {
			t.Errorf("%d columns: %s", letters, line)
		}
	}
	joined := strings.Join(strings.Fields(text), " ")
	for r := range rests {
		if !strings.Contains(joined, strings.TrimSpace(r.Why)+" cannot know "+CannotKnow) {
			t.Errorf("words are lost: %s", joined)
		}
	}
}
