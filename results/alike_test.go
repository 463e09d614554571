package results

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Worked by hand: 0 and 1 differ from 3 and 4, 2 from nobody, so that the
// largest sets of systems alike are {0, 1, 2} and {2, 3, 4}.
func TestAlikeByHand(t *testing.T) {
	apart := func(i, k int) bool { return i < 2 && k > 2 }
	if got := strings.Join(letters(5, alike(5, apart)), " "); got != "a· a· ab ·b ·b" {
		t.Errorf("the groups are drawn %q", got)
	}
	if got := letters(3, alike(3, func(int, int) bool { return false })); strings.Join(got, " ") != "a a a" {
		t.Errorf("three alike are drawn %q", got)
	}
	if got := letters(3, alike(3, func(int, int) bool { return true })); strings.Join(got, " ") != "a·· ·b· ··c" {
		t.Errorf("three apart are drawn %q", got)
	}
	if got := alike(0, nil); got != nil {
		t.Errorf("nothing makes %v", got)
	}
	if got := letters(1, alike(1, nil)); strings.Join(got, " ") != "a" {
		t.Errorf("one is drawn %q", got)
	}
	// 30 systems of which the first and second, third and fourth, … differ have
	// 2¹⁵ largest sets
	if got := alike(30, func(i, k int) bool { return i%2 == 0 && k == i+1 }); got != nil {
		t.Errorf("%d sets are drawn", len(got))
	}
}

// What defines the drawing: two systems share a letter exactly when they are not
// told apart, and no set is part of another.
func TestAlikeOfAnyPairs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + random.IntN(8)
		different := map[[2]int]bool{}
		for i := range n {
			for k := i + 1; k < n; k++ {
				different[[2]int{i, k}] = random.IntN(3) == 0
			}
		}
		sets := alike(n, func(i, k int) bool { return different[[2]int{i, k}] })
		for i := range n {
			for k := i + 1; k < n; k++ {
				share := slices.ContainsFunc(sets, func(set []int) bool { return slices.Contains(set, i) && slices.Contains(set, k) })
				if share == different[[2]int{i, k}] {
					t.Fatalf("%d and %d of %d: told apart %v, share a set %v", i, k, n, different[[2]int{i, k}], share)
				}
			}
		}
		for a, set := range sets {
			for b, other := range sets {
				if a != b && !slices.ContainsFunc(set, func(i int) bool { return !slices.Contains(other, i) }) {
					t.Fatalf("%v is part of %v", set, other)
				}
			}
		}
	}
}
