package board

import (
	"fmt"
	"io"
	"log"
	"strings"
	"testing"
	"time"

	"compqa/results/store"
	"compqa/stats"
)

// TestUnplacedSheets: an imported sheet whose answer was not found counts as planned, done and not valid, as in the report. Labels do not
// count as verdicts.
func TestUnplacedSheets(t *testing.T) {
	s, err := store.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Write(func(b store.Batch) error {
		if err := b.SetPlan("file", []store.Participant{{Name: "s"}}, []store.Participant{{Name: "j"}},
			[]store.PlanCell{{Kind: store.KindVerdict, Judge: "j", System: "s", Scenario: "1", Planned: 2}}); err != nil {
			return err
		}
		return b.SetUnplaced("file", []store.Unplaced{{Judge: "j", Source: "file:1", System: "s", Scenario: "1"},
			{Judge: "j", Source: "a" + store.LabelSource, System: "s", Scenario: "1"}})
	}); err != nil {
		t.Fatal(err)
	}
	l, err := newCounter([]*store.Store{s}, log.New(io.Discard, "", 0))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.update(true); err != nil {
		t.Fatal(err)
	}
	if p, _ := l.Now(); p.Planned != 3 || p.Done != 1 || p.Invalid != 1 || len(p.Reasons) != 1 || p.Reasons[0].Count != 1 {
		t.Errorf("%+v; want 3 planned, and 1 done that is skipped", p)
	}
}

// TestLeftIsByParty: remaining time is estimated by party. A thousand results without a model in ten seconds say nothing about a model
// that needs a second per answer. A party without progress is named.
func TestLeftIsByParty(t *testing.T) {
	now := time.Now()
	before := sample{when: now.Add(-10 * time.Second), parties: []PartyProgress{{Kind: "answer", Name: "offline"}, {Kind: "answer", Name: "model"},
		{Kind: "verdict", Name: "judge"}}}
	p := Progress{Done: 1010, Planned: 2260, Parties: []PartyProgress{{Kind: "answer", Name: "offline", Planned: 2000, Done: 1000},
		{Kind: "answer", Name: "model", Planned: 210, Done: 10}, {Kind: "verdict", Name: "judge", Planned: 50}}}
	p.estimate(before, now)
	values, _ := p.Texts()
	if p.Left != 200*time.Second || values["title"] != "44 % done, at least 3 min left" || values["left:answer:model"] != "3 min left" ||
		values["left:answer:offline"] != "10 s left" || values["left:verdict:judge"] != "waits for its turn" {
		t.Errorf("%v left: %v", p.Left, values)
	}
}

// TestCostAtTheEnd: the estimated cost of a run is the sum over its parties of cost so far per result, times planned results. A party that
// has not begun is named. Pending results are not failures.
func TestCostAtTheEnd(t *testing.T) {
	paid := func(name string, number, repeated int, cost float64) store.Attempts {
		return store.Attempts{Party: store.Party{Kind: "answer", Name: name}, Number: number, Repeated: repeated, Cost: cost}
	}
	p := Progress{Attempts: 125, Repeated: 5, Cost: 3, Done: 150, Planned: 500, Invalid: 1, Parties: []PartyProgress{
		{Kind: "answer", Name: "large", Planned: 200, Done: 100, Model: true, Attempts: paid("large", 105, 5, 2)},
		{Kind: "answer", Name: "small", Planned: 100, Done: 20, Invalid: 1, Model: true, Attempts: paid("small", 20, 0, 1)},
		{Kind: "answer", Name: "late", Planned: 170, Model: true}, {Kind: "answer", Name: "offline", Planned: 30, Done: 30}}}
	values, _ := p.Texts()
	// 2·200/100 + 1·100/20 = 9
	if values["cost"] != " $3.00 so far, about $9.00 with all answers and verdicts without late, which has not begun." || values["pending"] != "350" ||
		values["invalid"] != "1" || values["cost:answer:large"] != "$2.00" || values["repeated:answer:large"] != "5" ||
		values["cost:answer:late"] != stats.Missing {
		t.Errorf("%q %v", values["cost"], values)
	}
	p.Ended = "2026-11-28T10:00:00Z"
	if values, _ := p.Texts(); values["cost"] != " $3.00 so far." || values["left:answer:late"] != "170 missing" ||
		values["title"] != "The run ended with 30 % done" {
		t.Errorf("%v", values)
	}
}

// TestCallsOverTime: calls are counted since the last break of ten minutes, in equal intervals.
func TestCallsOverTime(t *testing.T) {
	c := callsOf(map[string]int{"2026-11-27T10:00:00": 9, "2026-11-28T10:00:00": 1, "2026-11-28T10:00:47": 3, "2026-11-28T10:00:24": 6})
	if c.text() != "10 calls in 48 s, 0.2 a second; from 10:00:00 to 10:00:48 UTC." || c.Counts[0] != 1 || c.Counts[24] != 6 || c.Counts[47] != 3 {
		t.Errorf("%s %v", c.text(), c.Counts)
	}
	if heights := c.Heights(); heights[24] != 100 || heights[47] != 50 || heights[1] != 0 {
		t.Errorf("%v", heights)
	}
	if callsOf(nil).text() != "" {
		t.Error("calls out of nothing")
	}
}

// TestRankingSoFar: while verdicts are missing, the page of a run shows the points so far as hollow dots, without ranks.
func TestRankingSoFar(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	r.answers(0, questions)
	r.verdicts(0, questions/2)
	r.close()
	b := opened(t, r.dir)
	if err := b.Load(); err != nil {
		t.Fatal(err)
	}
	if _, body, _ := get(t, b.Handler(""), "/live"); !strings.Contains(body, "Ranking so far") || !strings.Contains(body, `class="dot hollow"`) ||
		!strings.Contains(body, fmt.Sprintf("%d of %d", questions/2, questions)) {
		t.Error(body)
	}
}
