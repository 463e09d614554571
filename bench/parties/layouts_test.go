package parties

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/xuri/excelize/v2"

	"compqa/data"
	"compqa/data/sources"
	"compqa/rubric"
)

// A sheetCell is one score of the sheet that all layouts contain.
type sheetCell struct {
	ID        string  `parquet:"id"`
	Annotator string  `parquet:"annotator"`
	Criterion string  `parquet:"criterion"`
	Value     float64 `parquet:"value"`
}

// sheet returns the scores of two people on two criteria for eight answers, with one missing.
func sheet() (cells []sheetCell) {
	for i := range 8 {
		for p, person := range []string{"Anna", "Zoë"} {
			for c, criterion := range []string{"correct", "clear"} {
				if i == 3 && p == 1 && c == 0 {
					continue
				}
				cells = append(cells, sheetCell{fmt.Sprintf("q%d", i), person, criterion, float64((i*(p+2)+c*3)%5) / 2})
			}
		}
	}
	return cells
}

// wide writes the sheet with a column for each criterion and person. head returns the name of a column, comma separates columns, and
// decimal is the decimal separator.
func wide(comma, decimal string, head func(criterion, person string) string) string {
	values := map[string]string{}
	for _, c := range sheet() {
		values[c.ID+c.Annotator+c.Criterion] = strings.ReplaceAll(fmt.Sprint(c.Value), ".", decimal)
	}
	lines := [][]string{{"id"}}
	for i := range 8 {
		lines = append(lines, []string{fmt.Sprintf("q%d", i)})
		for _, person := range []string{"Anna", "Zoë"} {
			for _, criterion := range []string{"correct", "clear"} {
				if i == 0 {
					lines[0] = append(lines[0], head(criterion, person))
				}
				lines[i+1] = append(lines[i+1], values[lines[i+1][0]+person+criterion])
			}
		}
	}
	return strings.Join(data.Each(lines, func(line []string) string { return strings.Join(line, comma) }), "\n") + "\n"
}

// layouts returns the files in which people and programs could keep the sheet, by their names.
func layouts(t *testing.T) map[string]string {
	last := func(c, p string) string { return c + "_" + p }
	plain := wide(",", ".", last)
	long := "id,annotator,criterion,value\n"
	lines := ""
	list := []string{}
	excel := excelize.NewFile()
	excel.SetSheetRow("Sheet1", "A1", &[]any{"id", "annotator", "criterion", "value"})
	for i, c := range sheet() {
		long += fmt.Sprintf("%s,%s,%s,%v\n", c.ID, c.Annotator, c.Criterion, c.Value)
		object := fmt.Sprintf(`{"id": %q, "annotator": %q, "criterion": %q, "value": %v}`, c.ID, c.Annotator, c.Criterion, c.Value)
		lines += object + "\n"
		list = append(list, object)
		excel.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+2), &[]any{c.ID, c.Annotator, c.Criterion, c.Value})
	}
	var xlsx, columns, packed bytes.Buffer
	if err := excel.Write(&xlsx); err != nil {
		t.Fatal(err)
	}
	if err := parquet.Write(&columns, sheet()); err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(&packed)
	z.Write([]byte(plain))
	z.Close()
	unicode := []byte("\xff\xfe") // the byte order mark of Excel's "Unicode Text"
	for _, r := range wide("\t", ",", last) {
		unicode = binary.LittleEndian.AppendUint16(unicode, uint16(r))
	}
	merged := wide(",", ".", func(c, p string) string { return c })
	merged = ",Anna,,Zoë,\n" + merged
	return map[string]string{
		"merged-criteria.xlsx": mergedHead(t, 1, func(c, p string) (string, string) { return c, p }),
		"merged-people.xlsx":   mergedHead(t, 1, func(c, p string) (string, string) { return p, c }),
		"merged-title.xlsx":    mergedHead(t, 3, func(c, p string) (string, string) { return c, p }), "merged-ids.xlsx": mergedIDs(t),
		"wide.csv": plain, "semicolons.csv": wide(";", ",", last), "tabs.tsv": wide("\t", ".", last), "packed.csv.gz": packed.String(),
		"parentheses.csv":  wide(",", ".", func(c, p string) string { return c + " (" + p + ")" }),
		"person-first.csv": wide(",", ".", func(c, p string) string { return p + "_" + c }), "long.csv": long, "lines.jsonl": lines,
		"list.json": "[" + strings.Join(list, ", ") + "]", "document.json": `{"rows": [` + strings.Join(list, ", ") + `]}`,
		"book.xlsx": xlsx.String(), "columns.parquet": columns.String(), "unicode.txt": string(unicode),
		"windows.csv": strings.ReplaceAll(wide(";", ",", last), "ë", "\xeb"), "merged.csv": merged,
	}
}

// mergedHead writes the sheet as an Excel file with two lines of headings, which begin in a row. The first line has merged cells; the cell
// of the id is merged over both lines.
func mergedHead(t *testing.T, row int, head func(criterion, person string) (above, below string)) string {
	f := excelize.NewFile()
	at := func(column, line int) string { name, _ := excelize.CoordinatesToCellName(column, line); return name }
	merge := func(from, to, line, last int) { f.MergeCell("Sheet1", at(from, line), at(to, last)) }
	if row > 1 {
		f.SetCellStr("Sheet1", "A1", "Scores of the spring study")
		merge(1, 5, 1, 1)
	}
	f.SetCellStr("Sheet1", at(1, row), "id")
	merge(1, 1, row, row+1)
	values := map[string]float64{}
	for _, c := range sheet() {
		above, below := head(c.Criterion, c.Annotator)
		values[c.ID+above+below] = c.Value
	}
	var aboves, belows []string
	for _, c := range []string{"correct", "clear"} {
		for _, p := range []string{"Anna", "Zoë"} {
			if above, below := head(c, p); !slices.Contains(aboves, above) {
				aboves = append(aboves, above)
			} else if !slices.Contains(belows, below) {
				belows = append(belows, below)
			}
		}
	}
	_, first := head("correct", "Anna")
	belows = append([]string{first}, belows...)
	for a, above := range aboves {
		f.SetCellStr("Sheet1", at(2+2*a, row), above)
		merge(2+2*a, 3+2*a, row, row)
		for b, below := range belows {
			f.SetCellStr("Sheet1", at(2+2*a+b, row+1), below)
			for i := range 8 {
				id := fmt.Sprintf("q%d", i)
				f.SetCellStr("Sheet1", at(1, row+2+i), id)
				if x, scored := values[id+above+below]; scored {
					f.SetCellFloat("Sheet1", at(2+2*a+b, row+2+i), x, 1, 64)
				}
			}
		}
	}
	var out bytes.Buffer
	f.Write(&out)
	return out.String()
}

// mergedIDs writes the long sheet as an Excel file with merged cells for each id, and within it for each person.
func mergedIDs(t *testing.T) string {
	f := excelize.NewFile()
	f.SetSheetRow("Sheet1", "A1", &[]any{"id", "annotator", "criterion", "value"})
	cells := sheet()
	first := [2]int{2, 2}
	for i, c := range cells {
		f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+2), &[]any{c.ID, c.Annotator, c.Criterion, c.Value})
		for k, name := range []string{"A", "B"} {
			if i+1 == len(cells) || cells[i+1].ID != c.ID || k == 1 && cells[i+1].Annotator != c.Annotator {
				for row := first[k] + 1; row <= i+2; row++ {
					f.SetCellValue("Sheet1", fmt.Sprint(name, row), nil)
				}
				f.MergeCell("Sheet1", fmt.Sprint(name, first[k]), fmt.Sprint(name, i+2))
				first[k] = i + 3
			}
		}
	}
	var out bytes.Buffer
	if err := f.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestLayouts: every layout gives the same values, when read as a people's file of run and import (ReadVerdicts), and when read by validate
// (sources.Read).
func TestLayouts(t *testing.T) {
	r := rubric.Rubric{Name: "brief", Step: 0.5, Measurement: "interval", Criteria: []rubric.Criterion{
		{ID: "1", Group: "all", Name: "correct", Text: "It is correct.", Levels: []rubric.Level{{Points: 0}, {Points: 2}}},
		{ID: "2", Group: "all", Name: "clear", Text: "It is clear.", Levels: []rubric.Level{{Points: 0}, {Points: 2}}}}}
	var want []string
	for _, c := range sheet() {
		want = append(want, fmt.Sprintf("%s %s %s %v", c.ID, c.Annotator, c.Criterion, c.Value))
	}
	slices.Sort(want)
	for name, content := range layouts(t) {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		verdicts, _, err := ReadVerdicts(path, r, true, func(string) bool { return true }, sources.Options{})
		var got []string
		for v := range verdicts.All() {
			for _, c := range r.Criteria {
				if points, scored := v.Scores[c.ID]; scored {
					got = append(got, fmt.Sprintf("%s %s %s %v", v.Answer, strings.TrimPrefix(v.Judge, "human:"), c.Name, points))
				}
			}
		}
		if slices.Sort(got); err != nil || !slices.Equal(got, want) {
			t.Errorf("run, %s: %v\n%v\nwant\n%v", name, err, got, want)
		}
		log, err := sources.Read(path, sources.Options{People: true, Names: []string{"correct", "clear"}})
		if err != nil {
			t.Errorf("validate, %s: %v", name, err)
			continue
		}
		got = nil
		for _, s := range log.Values.All() {
			x, _ := data.Number(s.Value)
			if s.Value != "" {
				got = append(got, fmt.Sprintf("%s %s %s %v", log.Items[s.Item].ID, s.Rater.Name, s.ID, x))
			}
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("validate, %s: %v\nwant\n%v", name, got, want)
		}
	}
}
