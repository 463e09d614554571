package run

import (
	"context"
	"errors"
	"testing"

	"compqa/data"
	"compqa/results/store"
)

// TestRecorderKeepsOrder: items of one sender are written in their order, and Sync returns when they are on disk.
func TestRecorderKeepsOrder(t *testing.T) {
	s, err := store.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, ctx := NewRecorder(context.Background(), s)
	for _, text := range []string{"first", "second", "third"} {
		r.Put(func(b store.Batch) error {
			return b.Answer(data.Answer{ID: "a", System: "s", Scenario: "1", Repeat: 1, Status: data.Valid, Text: text}, store.Size{}, nil)
		})
	}
	r.Sync()
	var got []string
	if err := s.EachAnswer("s", "1", func(a data.Answer) error { got = append(got, a.Text); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0] != "third" {
		t.Errorf("on record: %v, want the last one", got)
	}
	if err := r.Close(); err != nil || ctx.Err() == nil {
		t.Errorf("closed: %v, context %v", err, ctx.Err())
	}
}

// TestRecorderStops: when the record cannot be written, the run's context ends with the reason, nobody hangs, and earlier items stay.
func TestRecorderStops(t *testing.T) {
	s, err := store.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, ctx := NewRecorder(context.Background(), s)
	broken := errors.New("no space left")
	r.Put(func(b store.Batch) error {
		return b.Answer(data.Answer{ID: "a", Status: data.Valid}, store.Size{}, nil)
	})
	r.Sync()
	r.Put(func(store.Batch) error { return broken })
	r.Sync()
	for range 3 * batchSize {
		r.Put(func(store.Batch) error { t.Error("written after the record failed"); return nil })
	}
	<-ctx.Done()
	if err := r.Close(); !errors.Is(err, broken) || !errors.Is(context.Cause(ctx), broken) {
		t.Errorf("%v, %v; want the reason", err, context.Cause(ctx))
	}
	if places, err := s.AnswerPlaces(); err != nil || len(places) != 1 {
		t.Errorf("on record: %v, %v", places, err)
	}
}
