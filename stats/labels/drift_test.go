package labels

import (
	"math"
	"math/rand/v2"
	"testing"

	"compqa/data/sharedtest"
)

// stream simulates looks at a judge. Each look has yes-or-no items in clusters of two, with the given bias of the judge and quality of the
// systems; one in four is labelled.
func stream(rng *rand.Rand, looks, base, each int, bias, quality func(look int) float64) (ratings []Rating) {
	cluster := 0
	for look := 1; look <= looks; look++ {
		n := each
		if look == 1 {
			n = base
		}
		for i := range n {
			hard := 0.0
			if i%2 == 0 {
				cluster++
				hard = 0.5 * rng.NormFloat64()
			}
			q := 0.3 + hard + rng.NormFloat64() + quality(look)
			yes := func(x float64) float64 { return float64(count(x > 0)) }
			ratings = append(ratings, Rating{Look: look, Cluster: cluster, Judge: yes(q + 0.3 + 0.7*rng.NormFloat64() + bias(look)),
				People: yes(q + 0.5*rng.NormFloat64()), Labelled: i%8 < 2})
		}
	}
	return ratings
}

func none(int) float64 { return 0 }

func from(look int, size float64) func(int) float64 {
	return func(l int) float64 {
		if l >= look {
			return size
		}
		return 0
	}
}

// TestDrift checks who changed, since when, and in which direction: later minus baseline.
func TestDrift(t *testing.T) {
	rng := func() *rand.Rand { return rand.New(rand.NewPCG(5, 5)) }
	still := FindDrift(stream(rng(), 8, 400, 200, none, none), 1, 0.95)
	if still.Moved != Nobody || still.AllItems.Since != 0 || still.Anchors.Since != 0 || !(still.AllItems.SE > 0) {
		t.Errorf("nothing changed: %+v", still)
	}
	judge := FindDrift(stream(rng(), 8, 400, 200, from(4, 1), none), 1, 0.95)
	if judge.Moved != Judge || judge.AllItems.Since < 4 || judge.AllItems.Value < 0.1 || judge.Anchors.Value < 0.1 {
		t.Errorf("the judge is more lenient: %+v", judge)
	}
	worse := FindDrift(stream(rng(), 8, 400, 200, none, from(4, -0.7)), 1, 0.95)
	if worse.Moved != Systems || worse.AllItems.Since < 4 || worse.AllItems.Value > -0.1 {
		t.Errorf("systems are worse: %+v", worse)
	}
	severe := stream(rng(), 8, 400, 200, none, none)
	for i := range severe {
		if severe[i].Look >= 4 && severe[i].People == 1 && i%2 == 0 {
			severe[i].People = 0
		}
	}
	if people := FindDrift(severe, 1, 0.95); people.Moved != People || people.Anchors.Value < 0.1 {
		t.Errorf("people are more severe: %+v", people)
	}
	for name, few := range map[string][]Rating{"nothing": nil, "one look": stream(rng(), 1, 50, 0, none, none),
		"five": stream(rng(), 2, 5, 5, none, none)} {
		if d := FindDrift(few, 1, 0.95); d.Moved != Nobody || d.AllItems.E != 0 {
			t.Errorf("%s: %+v", name, d)
		}
	}
	same := make([]Rating, 60)
	for i := range same {
		same[i] = Rating{Look: 1 + i/30, Cluster: i, Judge: 1, People: 1, Labelled: true}
	}
	if d := FindDrift(same, 1, 0.95); d.Moved != Nobody || d.AllItems.Value != 0 {
		t.Errorf("equal values: %+v", d)
	}
}

// TestMixtureE is by hand, with d = 2, s = 1 and a prior of 1: ρ = I = 1, √(1/2) · e^(4/4).
func TestMixtureE(t *testing.T) {
	if e, want := MixtureE(2, 1, 1), math.Sqrt(0.5)*math.E; math.Abs(e-want) > 1e-12 || MixtureE(-2, 1, 1) != e || MixtureE(2, 0, 1) != 1 {
		t.Errorf("E is %v, want %v", e, want)
	}
}

// TestSoakDrift checks that of 1,000 streams of 20 looks without a change at most 5 % give an alarm (a z-test at each look: more than 25
// %). Of 60 simulated changes, at least 57 are found, and at least 54 attributed correctly. The table is in docs/statistics.md.
func TestSoakDrift(t *testing.T) {
	sharedtest.Soak(t)
	const streams, looks, level = 1000, 20, 0.95
	for _, size := range []struct{ base, each int }{{80, 40}, {200, 100}} {
		alarms := 0
		repeated := 0
		for i := range streams {
			ratings := stream(rand.New(rand.NewPCG(uint64(size.base), uint64(i))), looks, size.base, size.each, none, none)
			d := FindDrift(ratings, 1, level)
			alarms += count(d.Moved != Nobody)
			z := false
			for look := 2; look <= looks && size.base == 80; look++ {
				of := func(value func(Rating) (float64, bool)) {
					var c Change
					c.see(ratings, look, 0, level, math.Inf(1), value)
					z = z || c.SE > 0 && math.Abs(c.Value) > 1.96*c.SE
				}
				of(func(r Rating) (float64, bool) { return r.Judge, true })
				of(func(r Rating) (float64, bool) { return r.Judge - r.People, r.Labelled })
			}
			repeated += count(z)
		}
		t.Logf("| %d, then %d a look | %.3f | %.3f |", size.base, size.each, float64(alarms)/streams, float64(repeated)/streams)
		if alarms > streams*5/100 || size.base == 80 && repeated < streams*25/100 {
			t.Errorf("%d items: %d alarms, %d of a z-test at each look", size.base, alarms, repeated)
		}
	}
	found := 0
	right := 0
	for i := range 60 {
		rng := rand.New(rand.NewPCG(77, uint64(i)))
		bias := from(6, 0.8)
		quality := none
		want := Judge
		if i%2 == 1 {
			bias = none
			quality = from(6, -0.6)
			want = Systems
		}
		d := FindDrift(stream(rng, looks, 400, 200, bias, quality), 1, level)
		found = found + count(d.Moved != Nobody && max(d.AllItems.Since, d.Anchors.Since) >= 6)
		right = right + count(d.Moved == want)
	}
	t.Logf("of 60 planted changes %d found, %d named rightly", found, right)
	if found < 57 || right < 54 {
		t.Errorf("of 60 planted changes %d found, %d named rightly", found, right)
	}
}

// TestLeastChange checks that a difference equal to the least change reaches the limit.
func TestLeastChange(t *testing.T) {
	for _, se := range []float64{0.01, 0.1, 1} {
		d := leastChange(se, 0.4, 40)
		if e := MixtureE(d, se, 0.4); math.Abs(e-40) > 1e-9 {
			t.Errorf("se %v: E of %v is %v", se, d, e)
		}
	}
}

// TestFound checks that a change of the size Found, which the last look finds in 80 % of cases, is found by one of 8 looks at least as
// often.
func TestFound(t *testing.T) {
	still := FindDrift(stream(rand.New(rand.NewPCG(1, 1)), 8, 100, 50, none, none), 1, 0.95)
	lenient := func(seed uint64, bias float64) Drift {
		return FindDrift(stream(rand.New(rand.NewPCG(3, seed)), 8, 100, 50, from(2, bias), none), 1, 0.95)
	}
	bias := 0.1
	for change := 0.0; change < still.AllItems.Found; bias += 0.05 { // with many items
		d := FindDrift(stream(rand.New(rand.NewPCG(2, 2)), 2, 4000, 4000, from(2, bias), none), 1, 0.95)
		change = d.AllItems.Value
	}
	found := 0
	const streams = 200
	for i := range uint64(streams) {
		if lenient(i, bias-0.05).AllItems.Since > 0 {
			found++
		}
	}
	if share := float64(found) / streams; share < 0.8 {
		t.Errorf("a change of %v is found in %v of streams", still.AllItems.Found, share)
	}
}
