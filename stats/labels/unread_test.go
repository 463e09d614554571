package labels

import (
	"math"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/stats"
)

// madeUnread returns data made by a rule. The confidence of item i of n is the remainder of 379 i + 7 divided by n. Items are labelled if
// the remainder of 101 i divided by n is below labelled. A verdict is wrong if the remainder of 57 i by 97, divided by 97, is below a
// limit: low for the surest item, high for the least sure one, and linear between them.
func madeUnread(n, labelled int, low, high float64) Unread {
	u := Unread{Confidence: make([][]float64, 1), Wrong: make([][]bool, 1), Alpha: .1, Delta: .05, Seed: 1}
	for i := range n {
		confidence := float64((i*379+7)%n) / float64(n)
		u.Confidence[0] = append(u.Confidence[0], confidence)
		if i*101%n < labelled {
			u.Labelled = append(u.Labelled, i)
			rise := float64((high - low) * (1 - confidence)) // no fused multiplication
			u.Wrong[0] = append(u.Wrong[0], float64(i*57%97)/97 < low+rise)
		}
	}
	return u
}

// TestUnreadReference compares thresholds, counts, p-values, levels and answers with independent code (numpy 2.4.6, scipy 1.17.1) on the
// same data. Its quantiles are floating-point products, so that no n - 1 here is a multiple of ten.
func TestUnreadReference(t *testing.T) {
	tied := madeUnread(503, 300, -.05, .2)
	for i, c := range tied.Confidence[0] {
		tied.Confidence[0][i] = math.RoundToEven(c*4) / 4
	}
	constant := madeUnread(503, 300, -.05, .1)
	for i := range constant.Confidence[0] {
		constant.Confidence[0][i] = 1
	}
	stream := madeUnread(503, 300, -.05, .2)
	stream.Stream = true
	larger := madeUnread(503, 300, -.05, .35)
	larger.Alpha = .2
	larger.Delta = .1
	single := madeUnread(251, 180, -.05, .12)
	twice := Unread{Confidence: make([][]float64, 1), Wrong: make([][]bool, 1), Alpha: .15, Delta: .05} // each item twice, as a cluster: either may be taken
	for i, c := range single.Confidence[0] {
		twice.Confidence[0] = append(twice.Confidence[0], c, c)
		twice.Clusters = append(twice.Clusters, i, i)
	}
	for k, i := range single.Labelled {
		twice.Labelled = append(twice.Labelled, 2*i, 2*i+1)
		twice.Wrong[0] = append(twice.Wrong[0], single.Wrong[0][k], single.Wrong[0][k])
	}
	chances := madeUnread(503, 300, -.05, .2) // all equal: nothing is thinned, and the answer is that of a stream
	for range chances.Labelled {
		chances.Chances = append(chances.Chances, .6)
	}
	none := madeUnread(503, 300, .1, .3)
	for _, test := range []struct {
		name         string
		of           Unread
		threshold    float64 // NaN: none
		level, share float64
		wrong, used  int
		p            []float64
	}{
		{"pool", madeUnread(503, 300, -.05, .2), 0.4990059642147117, 0.01711809158325195, 0.4975369458128079, 4, 151,
			[]float64{0.0515837104072, 0.00899727427725, 0.00134944967836, 0.00134552957695, 0.00777230138787, 0.0203239014435,
				0.0290447142514, 0.115966793988, 0.174114285522, 0.361045712421}},
		{"stream", stream, 0.2982107355864811, 0.01711809158325195, 353. / 503, 10, 212,
			[]float64{0.0343368382029, 0.00161730926992, 6.85596132413e-05, 4.1980198234e-05, 0.000505274429847, 0.00197639087379,
				0.00397239030666, 0.0455416228044, 0.0897120285453, 0.322385093691}},
		{"chances", chances, 0.2982107355864811, 0.01711809158325195, 0.6945812807881774, 10, 212, nil},
		{"none", none, math.NaN(), 0.01711809158325195, 0, 0, 0, []float64{0.422054648373, 0.472875608397, 0.639749069623,
			0.687499873839, 0.850748452828, 0.939993892786, 0.966982648885, 0.992141868422, 0.996891772555, 0.999439121722}},
		{"tied", tied, .75, 0.02027553558349609, 0.37438423645320196, 1, 112, []float64{0.0608143839238, 0.00338691403425,
			0.0336863398327, 0.171646195954, 0.361045712421}},
		{"constant", constant, 1, .05, 1, 13, 300, []float64{0.00754681245601}},
		{"alpha .2", larger, 0.1988071570576541, 0.03280564308166503, 0.7980295566502463, 29, 241, []float64{0.00596546310832,
			0.000152960725835, 2.85154715692e-05, 7.16117200311e-05, 0.000191798205305, 0.000738792758726, 0.00170648514082,
			0.0170556148582, 0.0346762193134, 0.137784570418}},
		{"clusters", twice, 0, 0.02116127014160156, 1, 9, 180, []float64{0.0536464098056, 0.00287793728503, 0.000154391002987,
			8.28252301654e-06, 4.44327623969e-07, 3.15110344624e-05, 2.63077020693e-06, 3.00851572064e-05, 1.31981241373e-05,
			2.04066775158e-05}},
	} {
		s := test.of.Answer()
		if math.IsNaN(test.threshold) != (s.Widest < 0) || math.Abs(s.Level-test.level) > 1e-7 || math.Abs(s.Share-test.share) > 1e-12 {
			t.Errorf("%s: widest %d, level %v, share %v; want %v, %v", test.name, s.Widest, s.Level, s.Share, test.level, test.share)
		}
		if s.Widest >= 0 {
			if step := s.Steps[s.Widest]; step.Judges[0].Threshold != test.threshold || step.Wrong != test.wrong || step.Labelled != test.used {
				t.Errorf("%s: %+v; want threshold %v, %d of %d wrong", test.name, step, test.threshold, test.wrong, test.used)
			}
		}
		for i, p := range test.p {
			if got := s.Steps[i].P; math.Abs(got-p) > 1e-9*p {
				t.Errorf("%s, step %d: p %v, want %v", test.name, i, got, p)
			}
		}
		if s.Odd < OddSample {
			t.Errorf("%s: %v: labels seem to be no random sample", test.name, s.Odd)
		}
	}
}

// cascadeUnread has two judges by the rule of madeUnread. The second has the remainders of 211 i + 3 and of 31 i, and is wrong in at most a
// tenth.
func cascadeUnread() Unread {
	u := madeUnread(503, 300, -.05, .5)
	var confidence []float64
	var wrong []bool
	for i := range 503 {
		confidence = append(confidence, float64((i*211+3)%503)/503)
	}
	for _, i := range u.Labelled {
		rise := float64(.1 * (1 - confidence[i])) // no fused multiplication
		wrong = append(wrong, float64(i*31%97)/97 < rise)
	}
	u.Confidence = append(u.Confidence, confidence)
	u.Wrong = append(u.Wrong, wrong)
	return u
}

// TestCascadeReference compares the steps' p-values, the level, the answer and the deciding judges of a cascade with independent code
// (numpy 2.4.6, scipy 1.17.1), also for the answer with OfAll.
func TestCascadeReference(t *testing.T) {
	for _, test := range []struct {
		alpha, delta  float64
		widest        int
		share, level  float64
		decided       [3]int // items that the first judge, the second judge, and nobody decides
		widestOfFirst int    // with OfAll, for half of alpha
		p             []float64
	}{
		{.1, .05, 2, 0.5172413793103449, 0.01807690620422363, [3]int{150, 105, 248}, 3, []float64{0.0247597803706, 0.0126249657555,
			0.00999178287878, 0.0620818051118, 0.396367216406, 0.519008693147, 0.852378228638, 0.986198679254, 0.997679593234, 0.999986111495}},
		{.2, .1, 6, 0.9211822660098522, 0.04176413536071778, [3]int{352, 106, 45}, 4, []float64{0.000463976443757, 3.86341235715e-05,
			2.21695771488e-06, 3.60321501953e-05, 0.00184416509409, 0.00281421801985, 0.0234439996695, 0.185986017252, 0.419511194513,
			0.88445818145}},
	} {
		u := cascadeUnread()
		u.Alpha = test.alpha
		u.Delta = test.delta
		s := u.Answer()
		if s.Widest != test.widest || math.Abs(s.Share-test.share) > 1e-12 || math.Abs(s.Level-test.level) > 1e-7 {
			t.Fatalf("alpha %v: step %d, share %v, level %v; want %+v", test.alpha, s.Widest, s.Share, s.Level, test)
		}
		var decided [3]int
		for i := range u.Confidence[0] {
			judge, asked := u.Decider(s.Steps[s.Widest], i)
			if !asked {
				t.Fatalf("item %d has not been asked about", i)
			}
			decided[(judge+3)%3]++
		}
		if decided != test.decided {
			t.Errorf("alpha %v: decided %v, want %v", test.alpha, decided, test.decided)
		}
		for i, p := range test.p {
			if got := s.Steps[i].P; math.Abs(got-p) > 1e-9*p {
				t.Errorf("alpha %v, step %d: p %v, want %v", test.alpha, i, got, p)
			}
		}
		first := madeUnread(503, 300, -.05, .5)
		first.Alpha = test.alpha / 2
		first.Delta = test.delta
		first.OfAll = true
		if s := first.Answer(); s.Widest != test.widestOfFirst || s.Level != test.delta {
			t.Errorf("alpha %v of all: step %d, want %d", test.alpha/2, s.Widest, test.widestOfFirst)
		}
	}
}

// asking asks judges about items until there is an answer, and returns it with the number of items that the second judge was asked about.
// known has the second judge's confidences.
func (u *Unread) asking(known []float64) (s UnreadAnswer, asked int) {
	u.Sampled = true
	u.Confidence[1] = slices.Repeat([]float64{NotAsked}, len(known))
	for {
		s = u.Answer()
		if s.Pending < 0 {
			break
		}
		for _, i := range u.ToAsk(s)[1] {
			u.Confidence[1][i] = known[i]
			asked++
		}
	}
	return s, asked
}

// TestAsking checks that a judge that is asked step by step is only asked about labelled items and what the judge before it leaves. The
// answer is the same as if all its confidences were known.
func TestAsking(t *testing.T) {
	for _, alpha := range []float64{.1, .2, .03} {
		u := cascadeUnread()
		u.Alpha = alpha
		known := u.Confidence[1]
		s, asked := u.asking(known)
		left := len(u.Labelled)
		for i, c := range u.Confidence[0] {
			if s.Widest >= 0 && c < s.Steps[s.Widest].Judges[0].Threshold && !slices.Contains(u.Labelled, i) {
				left++
			}
		}
		if asked != left {
			t.Errorf("alpha %v: asked about %d items, want %d", alpha, asked, left)
		}
		u.Confidence[1] = known
		if all := u.Answer(); all.Widest != s.Widest || all.Share != s.Share || (s.Widest >= 0) != (alpha > .03) {
			t.Errorf("alpha %v: step %d, share %v; where all is known step %d, share %v", alpha, s.Widest, s.Share, all.Widest, all.Share)
		}
	}
}

// TestUnreadLevel compares levels, tails and least numbers of labels with independent code (scipy 1.17.1: binom, hypergeom). The numbers
// with errors are for a power of 80 % at 3/10 of the largest share.
func TestUnreadLevel(t *testing.T) {
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-7 {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	near("five steps", unreadLevel([]int{30, 60, 100, 140, 200}, .1, .05), 0.025656547546386722)
	near("one step, three times", unreadLevel([]int{29, 29, 29}, .1, .05), .05)
	near("eight steps", unreadLevel([]int{50, 100, 150, 200, 250, 300, 350, 400}, .2, .1), 0.037216019630432126)
	near("hypergeometric", hypergeometric(3, 200, 27, 60), 0.014263947311540078)
	near("hypergeometric, few", hypergeometric(0, 10, 2, 4), 1./3)
	near("binomial", floats.Sum(binomial(4, 120, .1)), 0.005618086296928943)
	for alpha, want := range map[float64][2]int{.05: {59, 243}, .1: {29, 120}, .15: {19, 69}, .2: {14, 51}} {
		if least, enough := LeastUnread(alpha, .05), EnoughUnread(alpha, .05, .3*alpha); least != want[0] || enough != want[1] {
			t.Errorf("alpha %v: %d without an error, %d; want %v", alpha, least, enough, want)
		}
	}
}

// TestUnreadSmall checks that no item, one item, and labels for all items have no answer, and that labels of the surest items only are not
// a random sample.
func TestUnreadSmall(t *testing.T) {
	for n := range 3 {
		u := Unread{Confidence: [][]float64{make([]float64, n)}, Wrong: [][]bool{nil}, Alpha: .1, Delta: .05}
		if n > 0 {
			u.Labelled = []int{0}
			u.Wrong[0] = []bool{false}
		}
		if s := u.Answer(); s.Widest >= 0 || s.Share != 0 || len(s.Steps) != min(n, 1) || s.Odd < OddSample {
			t.Errorf("of %d: %+v", n, s)
		}
	}
	all := madeUnread(101, 101, -1, -.5)
	if s := all.Answer(); s.Widest >= 0 {
		t.Errorf("no item is left, but %+v", s)
	}
	all.Stream = true
	if s := all.Answer(); s.Widest != 9 || s.Share != 1 {
		t.Errorf("of a stream without errors %+v", s)
	}
	surest := madeUnread(503, 0, 0, 0)
	for i, c := range surest.Confidence[0] {
		if c > .45 {
			surest.Labelled = append(surest.Labelled, i)
			surest.Wrong[0] = append(surest.Wrong[0], false)
		}
	}
	if s := surest.Answer(); s.Widest >= 0 || s.Odd > 1e-100 { // independent code: 4e-115, with another rule for ties of p
		t.Errorf("only the surest are labelled: %d, odd %v", s.Widest, s.Odd)
	}
}

// TestUnreadDraws checks that labels with unequal probabilities are an equal-probability sample after thinning, and that one label of each
// cluster is kept, as the seed determines.
func TestUnreadDraws(t *testing.T) {
	u := madeUnread(503, 503, 0, 0)
	var counts [2]int
	for i := range u.Labelled {
		u.Chances = append(u.Chances, []float64{.2, .8}[i%2])
		u.Clusters = append(u.Clusters, i/3)
	}
	thinned := u
	thinned.Clusters = nil
	for seed := range uint64(20) {
		thinned.Seed = seed
		for _, k := range thinned.usedLabels() {
			counts[k%2]++
		}
	}
	if counts[0] != 20*252 || math.Abs(float64(counts[1])-20*251./4) > 4*math.Sqrt(20*251*.25*.75) {
		t.Errorf("kept %v, want 5040 and about 1255", counts)
	}
	first := u.usedLabels()
	seen := map[int]bool{}
	for _, k := range first {
		if seen[u.Clusters[k]] {
			t.Errorf("cluster %d has two labels", u.Clusters[k])
		}
		seen[u.Clusters[k]] = true
	}
	again := u
	again.Seed = 2
	if !slices.Equal(first, u.usedLabels()) || slices.Equal(first, again.usedLabels()) || len(seen) != 168 {
		t.Errorf("the seed does not decide which of a cluster counts, or %d of 168 clusters have a label", len(seen))
	}
}

// unreadTruths are functions for the share of wrong verdicts by the rank of the confidence, from 0 to 1 for the surest. levels is the
// number of different confidences, or 0 if all differ.
var unreadTruths = []struct {
	wrong  func(rank float64) float64
	levels float64
}{
	{func(float64) float64 { return .1 }, 0},
	{func(float64) float64 { return .1 }, 3},
	{func(float64) float64 { return .11 }, 0},
	{func(float64) float64 { return .12 }, 5},
	{func(float64) float64 { return .15 }, 0},
	{func(float64) float64 { return .3 }, 0},
	{func(rank float64) float64 { return .2 - .15*rank }, 0},
	{func(rank float64) float64 { return .05 + .15*rank }, 0}, // the surest are wrong most often
	{func(rank float64) float64 { return map[bool]float64{true: .03, false: .25}[rank > .5] }, 0},
	{func(rank float64) float64 { return map[bool]float64{true: .1, false: .4}[rank > .5] }, 0},
	{func(rank float64) float64 { return map[bool]float64{true: .15, false: .09}[rank > .8] }, 0},
	{func(rank float64) float64 { return .06 + .2*math.Abs(rank-.6) }, 0},
	{func(rank float64) float64 { return .25 - .22*rank }, 5},
}

// unreadPopulation draws n items by one of unreadTruths: confidences, and whether verdicts are wrong.
func unreadPopulation(truth, n int, rng *stats.RNG) (confidence []float64, wrong []bool) {
	for range n {
		rank := rng.Float64()
		if levels := unreadTruths[truth].levels; levels > 0 {
			rank = math.Floor(rank*levels) / levels
		}
		confidence = append(confidence, rank)
		wrong = append(wrong, rng.Float64() < unreadTruths[truth].wrong(rank))
	}
	return confidence, wrong
}

// unreadRisk returns the share of wrong verdicts among items with a confidence of at least threshold.
func unreadRisk(truth int, threshold float64) float64 {
	const steps = 20000
	sum := 0.0
	n := 0.0
	for i := range steps {
		rank := (float64(i) + .5) / steps
		if levels := unreadTruths[truth].levels; levels > 0 {
			rank = math.Floor(rank*levels) / levels
		}
		if rank >= threshold {
			sum = sum + unreadTruths[truth].wrong(rank)
			n++
		}
	}
	return sum / n
}

func (u *Unread) label(items []int, wrong [][]bool) {
	u.Labelled = items
	u.Wrong = make([][]bool, len(wrong))
	for judge := range wrong {
		for _, i := range items {
			u.Wrong[judge] = append(u.Wrong[judge], wrong[judge][i])
		}
	}
}

// wrongUnread reports whether an answer is wrong: more than Alpha of its unread and unlabelled verdicts are wrong or, with OfAll, more than
// Alpha of all items are wrong and unread. wrong is by judge.
func (u *Unread) wrongUnread(wrong [][]bool, s UnreadAnswer) bool {
	labelled := u.labelled()
	bad := 0
	n := 0
	for i := range labelled {
		judge, _ := u.Decider(s.Steps[s.Widest], i)
		if judge >= 0 && (!labelled[i] || u.OfAll) {
			n++
			if wrong[judge][i] {
				bad++
			}
		}
	}
	if u.OfAll {
		n = len(labelled)
	}
	return float64(bad) > u.Alpha*float64(n)
}

// TestSoakUnreadGuarantee checks that over 500 splits of each truth the answer is wrong in at most 5 %. For a pool, wrong means that more
// than alpha of the unread and unlabelled verdicts differ; this is tested for 13 truths and 4 sizes, also if four looks share delta and the
// first answer counts. For a population, it means that the share of wrong verdicts from the threshold on is above alpha; this is tested for
// streams, for clusters whose items are wrong together, and for labels drawn with probabilities that depend on the confidence. For a
// cascade whose second judge has another truth, it covers all that both decide, also if the second judge is only asked about what the first
// leaves. OfAll is tested, too.
func TestSoakUnreadGuarantee(t *testing.T) {
	sharedtest.Soak(t)
	const splits, alpha, delta = 500, .1, .05
	var lock sync.Mutex
	answers := map[string]int{}
	violated := map[string]float64{} // by kind: the largest share of wrong answers over truths and sizes
	try := func(kind string, truth, pool, labels int) {
		rng := stats.NewRNG(uint64(truth), "guarantee "+kind, uint64(pool))
		bad := 0
		answered := 0
		for range splits {
			u := Unread{Alpha: alpha, Delta: delta, Stream: kind == "stream", Seed: rng.Uint64()}
			confidence, wrong := unreadPopulation(truth, pool, rng)
			u.Confidence = [][]float64{confidence}
			all := [][]bool{wrong}
			order := make([]int, pool)
			for i := range order {
				order[i] = i
			}
			rng.Shuffle(pool, func(i, j int) { order[i], order[j] = order[j], order[i] })
			looks := []int{labels}
			switch kind {
			case "looks":
				u.Delta = delta / 4
				looks = []int{labels / 4, labels / 2, labels * 3 / 4, labels}
			case "clusters": // of four items
				for i := range order {
					u.Clusters = append(u.Clusters, i/4)
					confidence[i] = confidence[i/4*4]
					wrong[i] = wrong[i/4*4]
				}
			case "chances":
				order = slices.DeleteFunc(order, func(i int) bool { return rng.Float64() >= .9-.7*confidence[i] })
				looks = []int{len(order)}
				for _, i := range order {
					u.Chances = append(u.Chances, .9-.7*confidence[i])
				}
			case "cascade", "asked":
				second, wrongToo := unreadPopulation((truth+6)%len(unreadTruths), pool, rng)
				u.Confidence, all = append(u.Confidence, second), append(all, wrongToo)
			case "of all":
				u.OfAll = true
			}
			for _, n := range looks {
				u.label(order[:n], all)
				var s UnreadAnswer
				if kind == "asked" {
					s, _ = u.asking(slices.Clone(u.Confidence[1]))
				} else {
					s = u.Answer()
				}
				if s.Widest < 0 {
					continue
				}
				answered++
				pooled := !slices.Contains([]string{"stream", "clusters", "chances"}, kind)
				if pooled && u.wrongUnread(all, s) || !pooled && unreadRisk(truth, s.Steps[s.Widest].Judges[0].Threshold) > alpha+1e-9 {
					bad++
				}
				break
			}
		}
		lock.Lock()
		defer lock.Unlock()
		answers[kind] += answered
		violated[kind] = max(violated[kind], float64(bad)/splits)
	}
	err := data.SideBySide(len(unreadTruths), func(truth int) error {
		for _, size := range [][2]int{{300, 100}, {600, 200}, {1500, 300}, {2000, 400}} {
			try("rest", truth, size[0], size[1])
			try("cascade", truth, size[0], size[1])
			try("of all", truth, size[0], size[1])
		}
		try("asked", truth, 600, 200)
		try("looks", truth, 600, 200)
		try("stream", truth, 400, 400)
		try("clusters", truth, 1200, 400)
		try("chances", truth, 800, 0)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the largest shares of splits with a wrong answer are %v, of %v answers", violated, answers)
	for kind, share := range violated {
		if share > delta || answers[kind] == 0 {
			t.Errorf("%s: the answer is wrong in %.3f of splits (%d answers)", kind, share, answers[kind])
		}
	}
}
