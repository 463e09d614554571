package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"compqa/data"
)

// A noting is a database driver that records the texts of all queries.
type noting struct {
	driver.Driver
	mu      sync.Mutex
	queries []string
	args    map[string][]driver.NamedValue
}

type notingConn struct {
	driver.Conn
	of *noting
}

func (n *noting) Open(name string) (driver.Conn, error) {
	c, err := n.Driver.Open(name)
	return notingConn{c, n}, err
}

func (c notingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.of.mu.Lock()
	c.of.queries = append(c.of.queries, query)
	c.of.args[query] = args
	c.of.mu.Unlock()
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
}

// TestPlansOfQueries: SQLite starts no query over verdicts with the table plan. It would then read all verdicts of a judge for each cell,
// seven times as slow at 100,000 verdicts. The test checks the queries of all functions of this package that read several verdicts.
func TestPlansOfQueries(t *testing.T) {
	dir := t.TempDir()
	s, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	cells := []PlanCell{{Kind: KindAnswer, System: "s", Scenario: "1", Planned: 1}, {Kind: KindVerdict, Judge: "j", System: "s", Scenario: "1", Planned: 1}}
	if err := s.Write(func(b Batch) error {
		_, err := b.BeginRun(Provenance{Rubric: `{"name": "x"}`}, time.Unix(0, 0))
		total := 1.0
		return errors.Join(err, b.SetPlan(FromConfig, nil, []Participant{{Name: "j", Kind: "model"}}, cells),
			b.Answer(data.Answer{ID: "a", System: "s", Scenario: "1", Status: data.Valid}, Size{}, nil),
			b.Verdict(data.Verdict{Answer: "a", Judge: "j", Repeat: 1, Status: data.Valid, Total: &total}, nil))
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(dir); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	notes := &noting{Driver: s.db.Driver(), args: map[string][]driver.NamedValue{}}
	sql.Register("noting", notes)
	plain := s.db
	defer plain.Close()
	if s.db, err = sql.Open("noting", "file:"+s.Path); err != nil {
		t.Fatal(err)
	}
	for _, k := range Kinds {
		errs := s.EachResult(k, func(r Result) error {
			at, err := s.AtRow(k, r.Row)
			if found, failed := at.Find(s); err != nil || failed != nil || found == nil {
				t.Errorf("%s: %v, %v", at, err, failed)
			}
			return nil
		})
		if errs != nil {
			t.Errorf("%s: %v", k.Name, errs)
		}
	}
	points, noPoints := s.MeanTotals(`r.judge = ?`, "j")
	if points["a"] != 1 {
		t.Errorf("points: %v", points)
	}
	covered, err := s.Coverage()
	if len(covered) != 2 || covered[0].Recorded != 1 || covered[1].Recorded != 1 {
		t.Errorf("covered: %+v", covered)
	}
	_, noTotals := s.PeopleTotals()
	_, noContrasts := s.Contrasts()
	_, noLeftOut := s.LeftOut("x")
	_, noVerdicts := s.VerdictsOn("a")
	_, noSheets := s.PeopleSheets(nil)
	_, noScored := s.ScoredBy(data.IsHuman)
	_, noAnswers := s.SomeAnswers(1, 1)
	_, noReplies := s.UnusedReplies()
	type row struct{ Judge, Answer string }
	each := func(row) error { return nil }
	noRows := errors.Join(EachOf(s, KindVerdict, each), EachOfUnordered(s, KindVerdict, each), EachJudgedText(s, func(struct{ Judge, Judged string }) error { return nil }),
		s.EachVerdictOn("s", false, func(data.Verdict) error { return nil }))
	if err := errors.Join(noPoints, err, noTotals, noContrasts, noLeftOut, noVerdicts, noSheets, noScored, noAnswers, noReplies, noRows); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, query := range slices.Compact(slices.Sorted(slices.Values(notes.queries))) {
		if !strings.Contains(query, "verdicts") && !strings.Contains(query, "results") {
			continue
		}
		seen++
		args := data.Each(notes.args[query], func(a driver.NamedValue) any { return a.Value })
		rows, err := plain.Query("EXPLAIN QUERY PLAN "+query, args...)
		if err != nil {
			t.Fatal(err)
		}
		var steps []string
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			steps = append(steps, detail)
		}
		aliases := []string{"plan"}
		for _, found := range regexp.MustCompile(`\bplan (\w+)`).FindAllStringSubmatch(query, -1) {
			aliases = append(aliases, found[1])
		}
		reads := func(step string) bool { return strings.HasPrefix(step, "SCAN ") || strings.HasPrefix(step, "SEARCH ") }
		if begins, _ := data.First(steps, reads); slices.Contains(aliases, strings.Fields(begins + " - -")[1]) && !strings.Contains(query, "WITH found") &&
			!strings.Contains(query, "SELECT DISTINCT judge FROM plan") {
			t.Errorf("it begins with the plan: %s\n%s", query, strings.Join(steps, "\n"))
		}
		for i, step := range steps { // no later step may go from plan to verdicts either
			if i > 0 && strings.HasPrefix(step, "SEARCH ") && regexp.MustCompile(`^SEARCH (v|r|results) `).MatchString(step) &&
				slices.Contains(aliases, strings.Fields(steps[i-1] + " - -")[1]) {
				t.Errorf("it goes from the plan to results: %s\n%s", query, strings.Join(steps, "\n"))
			}
		}
		rows.Close()
	}
	if seen < 12 {
		t.Errorf("only %d queries were over verdicts: %s", seen, fmt.Sprint(notes.queries))
	}
}
