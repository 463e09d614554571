package report

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"compqa/results/dataset"
	"compqa/results/table"
)

// Additional files of a report whose verdicts were parsed again.
const (
	reparseNote = "reparse.md"
	reparseRows = TablesFolder + "/reparse.csv"
)

// ReportRescored writes a report whose verdicts are parsed again by rescore. It writes the differences to reparse.md and reparse.csv, and
// returns reparse.md as note. The records are not changed.
func ReportRescored(dirs []string, to string, rescore dataset.Rescore, program string) (t *Report, note string, err error) {
	run, anew, err := dataset.LoadRescored(rescore, nil, dirs...)
	if err != nil {
		return nil, "", err
	}
	after, err := computeAndWrite(dataset.New(run), to)
	if err != nil {
		return nil, "", err
	}
	after.reparsed = &Reparsed{anew.Read, anew.Changes}
	note = reparseText(len(run.Sheets), anew, program)
	if err := table.WriteFiles(to, map[string]func(io.Writer) error{reparseNote: table.Text(note),
		reparseRows: table.CSV(anew.Changes)}); err != nil {
		return nil, "", err
	}
	return after, note, nil
}

// reparseText summarises the differences, as Markdown.
func reparseText(verdicts int, anew dataset.Rereading, program string) string {
	text := fmt.Sprintf("These tables use verdicts that compqa %s parsed again from the raw replies. The record is not changed; compqa "+
		"report without --reparse computes its tables.\n\n%d of %d verdicts have a recorded reply of a model and were parsed again; the "+
		"others are unchanged.\n", program, anew.Read, verdicts)
	if len(anew.Changes) == 0 {
		return text + "All of them equal the recorded verdicts.\n"
	}
	counts := map[[3]string]int{}
	for _, c := range anew.Changes {
		counts[[3]string{c.Judge, string(c.StatusBefore), string(c.StatusAfter)}]++
	}
	kinds := table.New(3, "judge", "status before", "status after", "verdicts")
	for _, k := range slices.SortedFunc(maps.Keys(counts), func(a, b [3]string) int { return slices.Compare(a[:], b[:]) }) {
		kinds.Add(k[0], k[1], k[2], counts[k])
	}
	return text + fmt.Sprintf("%d differ from the recorded verdicts (complete list: %s):\n\n%sThe first one: %s\n", len(anew.Changes),
		reparseRows, kinds.Markdown(), anew.Changes[0])
}
