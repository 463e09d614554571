package results

import (
	"strconv"
	"sync/atomic"
)

// An absent filter says of most calls that are not on record that they are not,
// without a look at it: of nearly every call of a new run. It is a Bloom filter
// (Bloom, 1970): it never denies a call that is there, and takes fifteen of
// a hundred others for being there once a million calls are. nil denies none.
type absent struct {
	bits [absentBits / 64]atomic.Uint64
}

const (
	absentBits   = 1 << 22 // half a megabyte
	absentHashes = 4
)

// places are a key's bits: its own are as good as random.
func (a *absent) places(key string) (places [absentHashes]uint64) {
	first, second := hexWord(key, 0), hexWord(key, 16)
	for i := range places {
		places[i] = (first + uint64(i)*second) % absentBits
	}
	return places
}

// hexWord is 16 hexadecimal digits of a key; of what is no key, 0.
func hexWord(key string, from int) uint64 {
	if len(key) < from+16 {
		return 0
	}
	w, _ := strconv.ParseUint(key[from:from+16], 16, 64)
	return w
}

// add notes that a call is on record.
func (a *absent) add(key string) {
	if a == nil {
		return
	}
	for _, p := range a.places(key) {
		a.bits[p/64].Or(1 << (p % 64))
	}
}

// says reports whether a call is certainly not on record.
func (a *absent) says(key string) bool {
	if a == nil {
		return false
	}
	for _, p := range a.places(key) {
		if a.bits[p/64].Load()&(1<<(p%64)) == 0 {
			return true
		}
	}
	return false
}
