package stats

import (
	"errors"
	"fmt"
	"testing"
)

// TestWhy checks that a missing figure keeps its reason in its point and bounds, and that the point of a known figure has no reason.
// Reasons wrap ErrUndefined; a NotEnough also wraps ErrTooShort.
func TestWhy(t *testing.T) {
	missing := MissingFigure(fmt.Errorf("alpha: %w", ErrNoVariation))
	for _, f := range []Figure{missing, missing.Point(), missing.Lower(), Bound(missing, Number(1), Number(2)).Point()} {
		if f.Known || f.Reason() != "the ratings do not vary" || !errors.Is(f.Why, ErrUndefined) || errors.Is(f.Why, ErrTooShort) {
			t.Errorf("%+v", f)
		}
	}
	unbounded := Bound(Number(3), MissingFigure(NotEnough("two of five")), MissingFigure(NotEnough("two of five")))
	if !unbounded.Known || unbounded.Bounded || unbounded.Reason() != "two of five" || !errors.Is(unbounded.Why, ErrTooShort) {
		t.Errorf("%+v", unbounded)
	}
	if point := unbounded.Point(); point != Number(3) || point.Reason() != "" || unbounded.Upper().Reason() != "two of five" {
		t.Errorf("%+v", point)
	}
}
