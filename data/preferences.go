package data

// A PreferenceSet is a published set of pairs with the preferences that people and judges gave there.
type PreferenceSet struct {
	Name   string
	Source string // where it is from, in words
	Pairs  []Pair
	Given  []Preference
	Same   map[string]bool // ids of pairs of identical answers, which are left out
}
