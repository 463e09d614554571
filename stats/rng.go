package stats

import "math/bits"

// RNG is the random number generator of all resampling in this package: SplitMix64 (Steele, Lea and Flood 2014). Its state is one counter,
// and its output is
//
//	state += 0x9e3779b97f4a7c15
//	z = (state ^ state>>30) * 0xbf58476d1ce4e5b9
//	z = (z ^ z>>27) * 0x94d049bb133111eb
//	output = z ^ z>>31
//
// It is our own, so that any machine and any Go release reproduces the same intervals; math/rand/v2 does not guarantee its streams. The
// sequence must never change; a different one needs a different name. RNG is a rand.Source of math/rand/v2. It is not safe for concurrent
// use, and not for secrets.
type RNG struct{ state uint64 }

const (
	rngGamma = 0x9e3779b97f4a7c15
	fnvBasis = 0xcbf29ce484222325
	fnvPrime = 0x100000001b3
)

// NewRNG returns the stream for a seed, the name of a purpose, and numbers that distinguish streams with the same name, such as the number
// of a resample:
//
//	h = mix(seed ^ FNV-1a(name));  h = mix(h + (number+1)·gamma) for each number
//
// where mix is the output function above. A stream depends on nothing else, so resample b is the same for any worker and in any order.
func NewRNG(seed uint64, name string, numbers ...uint64) *RNG {
	h := uint64(fnvBasis)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * fnvPrime
	}
	state := mix64(seed ^ h)
	for _, n := range numbers {
		state = mix64(state + (n+1)*rngGamma)
	}
	return &RNG{state: state}
}

func mix64(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Uint64 returns 64 uniform bits.
func (r *RNG) Uint64() uint64 {
	r.state += rngGamma
	return mix64(r.state)
}

// Intn returns a uniform integer in [0, n); n must be positive. It multiplies instead of taking the remainder and rejects the surplus, so
// it has no bias (Lemire 2019, algorithm 5).
func (r *RNG) Intn(n int) int {
	if n <= 0 {
		panic("stats: Intn of a number that is not positive")
	}
	bound := uint64(n)
	high, low := bits.Mul64(r.Uint64(), bound)
	if low < bound {
		for surplus := -bound % bound; low < surplus; {
			high, low = bits.Mul64(r.Uint64(), bound)
		}
	}
	return int(high)
}

// Float64 returns a uniform number in [0, 1), a multiple of 2⁻⁵³.
func (r *RNG) Float64() float64 { return float64(r.Uint64()>>11) / (1 << 53) }

// Shuffle puts n elements into uniformly random order (Fisher and Yates), from the last down.
func (r *RNG) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, r.Intn(i+1))
	}
}
