package bench

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"compqa/data"
	"compqa/data/sources"
	"compqa/results/validation"
	"compqa/stats"
)

// addTogether adds the flags of --together, which estimates people's values from all judges together.
func (f *validateFlags) addTogether(set *pflag.FlagSet) {
	set.StringVar(&f.options.Together, "together", "", "estimate what people would give from all judges together, and say what the next 100 "+
		"dollars buy; =`JUDGE` names the one that counts alone where labels are few")
	set.Lookup("together").NoOptDefVal = validation.TogetherAll
	set.Float64Var(&f.options.LabelPrice, "label-price", 0,
		"with --together or --escalate, what a person's label of an item costs, in `DOLLARS`")
	set.StringArrayVar(&f.callPrices, "call-price", nil, "with --together or --escalate, what a verdict of a judge costs: `DOLLARS`, or "+
		"JUDGE=DOLLARS (may be repeated; a run has its own)")
}

// priceCalls finds the price of a verdict of each judge: what the runs among the files paid for it, or what --call-price says.
func (f *validateFlags) priceCalls(files []string, judged *sources.Log) error {
	if f.options.Together == "" && f.options.Escalate == nil {
		return nil
	}
	prices := map[string]float64{}
	for _, dir := range data.Where(files, data.IsFolder) {
		record, err := f.recordOf(dir)
		if err != nil {
			return err
		}
		for judge, price := range validation.PaidPerVerdict(record) {
			prices[judge] = price
		}
	}
	judges := data.Set(data.Each(judged.Values.Series(), func(s data.Series) string { return s.Rater.Name }))
	for _, text := range f.callPrices {
		index := strings.LastIndexByte(text, '=')
		price, ok := data.Number(text[index+1:])
		if !ok || price < 0 || !stats.IsFinite(price) {
			return fmt.Errorf("--call-price is %q; dollars are needed, or JUDGE=DOLLARS", text)
		}
		judge := text[:max(0, index)]
		if index >= 0 && !slices.Contains(judges, judge) {
			return fmt.Errorf("--call-price %s: no judge %s; judges are %s", text, judge, data.Some(judges))
		}
		prices[judge] = price
	}
	f.options.CallPrices = prices
	return nil
}

// togetherDemoNext says what to look at in the figures of the demo with --together.
var togetherDemoNext = []string{
	"What to look at:",
	"- Three judges gave yes or no to 1500 answers of two systems, and a person labelled 240 of these, drawn at random. What the person " +
		"would give to answers like these is known better with the judges than without, as far as they explain the labels.",
	"- tables/together.csv has the same by system, and the share of the variance that the judges explain.",
	"- --together=big names the judge that counts where labels are too few for three.",
	"Then take your own files: compqa validate A.csv B.csv C.csv --people FILE --together --label-price 1.5",
}

// togetherDemoRows returns an example of three judges: 1500 answers of two systems, of which a person labelled a random 240.
func togetherDemoRows() (judged, scored [][]string) {
	r := rand.New(rand.NewPCG(7, 240))
	judged = [][]string{{"id", "system", "judge", "correct"}}
	scored = [][]string{{"id", "annotator", "correct"}}
	labelled := data.Among(r.Perm(1500)[:240])
	for i := range 1500 {
		id := fmt.Sprintf("a%04d", i+1)
		quality := r.NormFloat64() + .4
		for _, judge := range []struct {
			name          string
			milder, noise float64
		}{{"big", .1, .6}, {"small", .3, .8}, {"old", 0, 1.2}} {
			judged = append(judged, []string{id, []string{"short", "long"}[i%2], judge.name,
				yesOrNo(quality+judge.milder+judge.noise*r.NormFloat64() > 0)})
		}
		if labelled[i] {
			scored = append(scored, []string{id, "Anna", yesOrNo(quality+.25*r.NormFloat64() > 0)})
		}
	}
	return judged, scored
}
