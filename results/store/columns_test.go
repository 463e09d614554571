package store

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"compqa/data"
)

func TestColumnNames(t *testing.T) {
	for field, want := range map[string]string{"ID": "id", "Object1": "object1", "TrainedOn": "trained_on", "AnswerA": "answer_a",
		"LatencyMS": "latency_ms", "HTTPStatus": "http_status", "A": "a", "Order": `"order"`} {
		if got := columnName(field); got != want {
			t.Errorf("%s: %s, want %s", field, got, want)
		}
	}
}

// TestHeadOfResults: results of all kinds have a status, a reason and the calls that they were read from.
func TestHeadOfResults(t *testing.T) {
	s, err := Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, table := range []string{"answers", "verdicts", "labels", "preferences", "samples", "grades"} {
		if _, err := Select[Head](s, `SELECT `+Columns[Head]()+` FROM `+table); err != nil {
			t.Errorf("%s: %v", table, err)
		}
	}
}

// TestRowsRoundTrip: rows with JSON, times, nested structs and NULL for zero are read as they were written.
func TestRowsRoundTrip(t *testing.T) {
	s, err := Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	total := 3.5
	type verdict struct {
		data.Verdict
		Calls CallIDs
	}
	v := verdict{data.Verdict{Answer: "a", Judge: "j", Status: data.Valid, Scores: data.Scores{"1": 3.5}, Total: &total, Repeat: 1}, CallIDs{7, 8}}
	g := RecordedGrade{ID: "p", Order: "ab", Head: Head{Status: data.Valid, Calls: CallIDs{}}, Correctness: 2}
	p := ProviderBatch{Label: "b", Payer: Party{KindAnswer, "s"}, Submitted: time.Unix(1, 5).UTC(), Keys: []string{"k"}}
	err = s.Write(func(b Batch) error {
		for _, err := range []error{b.Verdict(v.Verdict, v.Calls), b.Grade(g, g.Calls), put(b, "batches", p)} {
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	equal := func(got, want any, err error) {
		t.Helper()
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
	verdicts, err := Select[verdict](s, `SELECT `+Columns[verdict]()+` FROM verdicts`)
	equal(verdicts, []verdict{v}, err)
	grades, err := Select[RecordedGrade](s, `SELECT `+Columns[RecordedGrade]()+` FROM grades`)
	equal(grades, []RecordedGrade{g}, err)
	missing, err := Select[bool](s, `SELECT consistency IS NULL AND right IS NULL AND calls = '[]' FROM grades`)
	equal(missing, []bool{true}, err)
	batches, err := Select[ProviderBatch](s, `SELECT `+Columns[ProviderBatch]()+` FROM batches`)
	equal(batches, []ProviderBatch{p}, err)
}

// TestEachBuffered: all rows are read in order, and errors of do and of the query are returned.
func TestEachBuffered(t *testing.T) {
	s, err := Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const query = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500) SELECT i FROM n`
	type row struct{ I int }
	read := 0
	if err := EachBuffered(s, query, nil, func(r row) error {
		if read++; r.I != read {
			t.Fatalf("row %d is read after %d others", r.I, read-1)
		}
		return nil
	}); err != nil || read != 2500 {
		t.Errorf("%d of 2500 rows are read: %v", read, err)
	}
	enough := errors.New("enough")
	if err := EachBuffered(s, query, nil, func(row) error { return enough }); err != enough {
		t.Errorf("the error of a row is returned as %v", err)
	}
	if err := EachBuffered(s, "SELECT nothing", nil, func(row) error { return nil }); err == nil {
		t.Error("a query that fails has no error")
	}
}

// TestScoresTooDeep: deeply nested scores, which a forged record may have, give an error and no stack overflow.
func TestScoresTooDeep(t *testing.T) {
	var scores data.Scores
	for _, text := range []string{`{"1":` + strings.Repeat("[", 1e7) + strings.Repeat("]", 1e7) + "}", strings.Repeat(`{"1":`, 1e6) + strings.Repeat("}", 1e6)} {
		if err := (asJSON{value: &scores}).Scan(text); err == nil {
			t.Error("points within points are no error")
		}
	}
	if err := (asJSON{value: &scores}).Scan(`{"1":0.5,"2":1}`); err != nil || scores["1"] != 0.5 {
		t.Errorf("%v, %v", scores, err)
	}
}
