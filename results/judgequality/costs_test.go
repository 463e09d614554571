package judgequality_test

import (
	"errors"
	"strings"
	"testing"

	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/recordtest"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// costsOf returns the contents of costs.csv.
func costsOf(t *testing.T, x *dataset.Dataset) string {
	t.Helper()
	var b strings.Builder
	if err := table.CSV(tablesOf(t, x).Bills())(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestCosts checks the costs of the attempts of recordtest.Costly, computed by hand. Agreement is perfect, so alpha per dollar is one
// divided by the cost of a thousand verdicts. Requests with unknown replies are in no cost.
func TestCosts(t *testing.T) {
	dir := t.TempDir()
	recordtest.Costly(t, dir)
	record, err := store.Create(dir)
	if err == nil {
		err = record.Write(func(b store.Batch) error {
			of := func(judge string) store.Call {
				return store.Call{Key: "k", Provider: "p", Model: "m", Payer: store.Party{Kind: store.KindVerdict, Name: judge}, Asked: judge}
			}
			return errors.Join(b.Sending(of("dear"), 1, 1), b.Sending(of("dear"), 2, 2), b.Sending(of("killed"), 1, 1))
		})
	}
	if err := errors.Join(err, record.Close()); err != nil {
		t.Fatal(err)
	}
	got := costsOf(t, recordtest.Load(t, dir))
	const want = `kind,name,provider,model,calls,attempts,prompt_tokens,cached_tokens,written_tokens,completion_tokens,reasoning_tokens,service_tier,answered_by,cost,estimated,unpriced,valid,cost_per_1000,reference,alpha_final,alpha_per_dollar,maybe_paid
answer,s,p,m,1,2,200,0,0,40,0,,,0.25,,0,6,41.666666666666664,,,,0
verdict,dear,p,m,2,3,300,0,0,60,0,,,6,0.5,0,6,1000,human,1,0.001,2
verdict,cheap,p,m,1,1,100,0,0,20,0,,,0.06,,0,6,10,human,1,0.1,0
verdict,free,p,m,1,1,100,0,0,20,0,,,0,,0,6,0,human,1,,0
verdict,unknown,p,m,1,1,100,0,0,20,0,,,,,1,6,,human,1,,0
verdict,gone,p,m,1,1,100,0,0,20,0,,,1,,0,0,,,,,0
verdict,killed,p,m,0,0,0,0,0,0,0,,,,,0,0,,,,,1
`
	if got != want {
		t.Errorf("costs.csv\n%s", got)
	}
}

// TestCostsOfTwoRuns checks that the costs of two records are added.
func TestCostsOfTwoRuns(t *testing.T) {
	a := t.TempDir()
	b := t.TempDir()
	recordtest.Costly(t, a)
	recordtest.Costly(t, b)
	got := costsOf(t, recordtest.Load(t, a, b))
	if !strings.Contains(got, "\nverdict,dear,p,m,4,6,600,0,0,120,0,,,12,1,0,6,2000,human,1,0.0005,0\n") {
		t.Error(got)
	}
}

// The total is unknown if all prices are unknown; else it is the sum of the known ones.
func TestTotalCost(t *testing.T) {
	dollars := func(costs ...stats.Figure) (rows []judgequality.CostRow) {
		for _, cost := range costs {
			rows = append(rows, judgequality.CostRow{Cost: cost})
		}
		return rows
	}
	for want, rows := range map[string][]judgequality.CostRow{stats.Missing: dollars(stats.Figure{}, stats.Figure{}), "0.00": dollars(stats.Figure{}, stats.Number(0)),
		"1.75": dollars(stats.Number(0.25), stats.Figure{}, stats.Number(1.5))} {
		of := judgequality.Tables{Paid: rows}
		if total := of.TotalCost(); total.Cost.Text(2) != want || total.Estimated.Known {
			t.Errorf("the total of %v is %q, want %q", rows, total.Cost.Text(2), want)
		}
	}
	if first := dollars(stats.Number(0.25), stats.Number(1)); (&judgequality.Tables{Paid: first}).TotalCost().Cost.Value != 1.25 || first[0].Cost.Value != 0.25 {
		t.Error("a total changes what it is of")
	}
}
