package results

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
)

// print shows the leaderboard, what the judges are worth, and what failed.
func (t *tables) print(w io.Writer, dir string) error {
	fmt.Fprintf(w, "Points (%s): mean of the scenarios' means ± mean of their sample deviations (verdicts)\n\n", t.points())
	if err := t.overallTable().shortened().terminal(w); err != nil {
		return err
	}
	if len(t.agreements) > 0 {
		fmt.Fprintf(w, "\nAgreement with people: Krippendorff's alpha (interval level) and Spearman's rho\n\n")
		if err := t.agreementSummary().shortened().terminal(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
		for _, r := range t.agreements {
			if r.Kind == kindFloor && r.Level == LevelSeparate {
				fmt.Fprintf(w, "%s has not read an answer: a judge that does not beat it has shown nothing.\n", short(r.Judge))
			}
		}
	}
	fmt.Fprintf(w, "\n%s: %s\nRead on in %s\n", t.failuresLine(), "see failures.md", filepath.Join(dir, "report.md"))
	return nil
}

// agreementSummary is a row a pairing.
func (t *tables) agreementSummary() *textTable {
	table := &textTable{words: 2, header: []string{"judge", "against", "n", "alpha, all", "alpha, totals", "rho, totals", "alpha in criteria"}}
	at := map[[3]string]AgreementRow{}
	for _, r := range t.agreements {
		at[[3]string{r.Judge, r.Reference, r.Level}] = r
	}
	for _, r := range t.agreements {
		if r.Level != LevelSeparate {
			continue
		}
		final, within := at[[3]string{r.Judge, r.Reference, LevelFinal}], at[[3]string{r.Judge, r.Reference, LevelWithinCriterion}]
		table.add(r.Judge, r.Reference, strconv.Itoa(r.N), r.AlphaInterval.text(2), final.AlphaInterval.text(2), final.Spearman.text(2), within.AlphaInterval.text(2))
	}
	return table
}
