package board

import (
	"fmt"
	"io"
	"log"
	"strings"
	"testing"
	"time"

	"compqa/results/store"
)

// An imported sheet whose answer was not found is planned, done and not valid, as in the report; labels are no verdicts.
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

// What is left is estimated by party: a thousand cells without a model in ten seconds say nothing about a model that needs a
// second for each answer. A party that has not moved is named.
func TestLeftIsByParty(t *testing.T) {
	now := time.Now()
	before := sample{at: now.Add(-10 * time.Second), parties: []PartyProgress{{Kind: "answer", Name: "offline"}, {Kind: "answer", Name: "model"},
		{Kind: "verdict", Name: "judge"}}}
	p := Progress{Parties: []PartyProgress{{Kind: "answer", Name: "offline", Planned: 2000, Done: 1000},
		{Kind: "answer", Name: "model", Planned: 210, Done: 10}, {Kind: "verdict", Name: "judge", Planned: 50}}}
	p.estimate(before, now)
	if values, _ := p.Texts(); p.Left != 200*time.Second || values["left"] != "at least 3m20s (without judge)" {
		t.Errorf("%v left: %s", p.Left, values["left"])
	}
}

// While verdicts are missing, the page of a run has the points so far as hollow dots, without ranks.
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
