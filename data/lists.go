package data

import (
	"encoding/json"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
)

// Each applies a function to each item and returns the results.
func Each[T, V any](list []T, value func(T) V) []V {
	all := make([]V, len(list))
	for i, item := range list {
		all[i] = value(item)
	}
	return all
}

// Where returns the items that meet a condition.
func Where[T any](list []T, is func(T) bool) (met []T) {
	for _, item := range list {
		if is(item) {
			met = append(met, item)
		}
	}
	return met
}

// Count returns the number of items that meet a condition.
func Count[T any](list []T, is func(T) bool) (n int) {
	for _, item := range list {
		if is(item) {
			n++
		}
	}
	return n
}

// First returns the first item that meets a condition.
func First[T any](list []T, is func(T) bool) (item T, found bool) {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i], true
	}
	return item, false
}

// By returns a map from keys to items. If several items have the same key, the last one counts.
func By[T any, K comparable](list []T, key func(T) K) map[K]T {
	byKey := make(map[K]T, len(list))
	for _, item := range list {
		byKey[key(item)] = item
	}
	return byKey
}

// Among returns the set of the items of a list.
func Among[K comparable](list []K) map[K]bool {
	set := map[K]bool{}
	for _, item := range list {
		set[item] = true
	}
	return set
}

// Must returns a value that was read from an embedded file, and panics on an error.
func Must[T any](value T, err error) T {
	if err != nil {
		panic("an embedded file: " + err.Error())
	}
	return value
}

// Decoded decodes a JSON text.
func Decoded[T any](text []byte) (value T, err error) {
	err = json.Unmarshal(text, &value)
	return value, err
}

// SideBySide calls do for 0 … n-1 in parallel, on as many goroutines as there are processors. The calls must not write to shared
// variables. It returns the error of the smallest i that has one. A report on 515,000 verdicts spends 20 of 31 s of processor time in such
// calls; two processors save up to a third of its time.
func SideBySide(n int, do func(i int) error) error {
	faults := make([]error, n)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error {
			faults[i] = do(i)
			return nil
		})
	}
	group.Wait()
	for _, err := range faults {
		if err != nil {
			return err
		}
	}
	return nil
}
