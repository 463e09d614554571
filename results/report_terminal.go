package results

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
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
	}
	fmt.Fprintln(w)
	for _, line := range t.worthLines() {
		printWrapped(w, line)
	}
	fmt.Fprintf(w, "%s: see failures.md\nRead on in %s\n", t.failuresLine(), filepath.Join(dir, "report.md"))
	return nil
}

// printWrapped prints a sentence in lines that the screen holds.
func printWrapped(w io.Writer, text string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && narrow.StringWidth(line+" "+word) > screen {
			fmt.Fprintln(w, line)
			line = " "
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	fmt.Fprintln(w, line)
}

// agreementSummary is a row a pairing. Shuffled judges, one each, would crowd it.
func (t *tables) agreementSummary() *textTable {
	table := &textTable{words: 2, header: []string{"judge", "against", "n", "alpha, all", "alpha, totals", "rho, totals", "alpha in criteria"}}
	at := map[[3]string]AgreementRow{}
	for _, r := range t.agreements {
		at[[3]string{r.Judge, r.Reference, r.Level}] = r
	}
	for _, r := range t.agreements {
		if r.Level != LevelSeparate || r.Kind == kindFloor && strings.HasPrefix(r.Judge, shuffledPrefix) {
			continue
		}
		final, within := at[[3]string{r.Judge, r.Reference, LevelFinal}], at[[3]string{r.Judge, r.Reference, LevelWithinCriterion}]
		table.add(r.Judge, r.Reference, strconv.Itoa(r.N), r.AlphaInterval.text(2), final.AlphaInterval.text(2), final.Spearman.text(2), within.AlphaInterval.text(2))
	}
	return table
}
