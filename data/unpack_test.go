package data

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/xuri/excelize/v2"
)

func zipOf(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err == nil {
			_, err = io.WriteString(w, files[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	z.Close()
	return b.String()
}

func gzipOf(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

func zstdOf(text string) string {
	w, _ := zstd.NewWriter(nil)
	return string(w.EncodeAll([]byte(text), nil))
}

func excelOf(t *testing.T, sheets map[string][][]any, names ...string) string {
	t.Helper()
	f := excelize.NewFile()
	for i, name := range names {
		if i == 0 {
			f.SetSheetName("Sheet1", name)
		} else {
			f.NewSheet(name)
		}
		for r, row := range sheets[name] {
			if err := f.SetSheetRow(name, fmt.Sprintf("A%d", r+1), &row); err != nil {
				t.Fatal(err)
			}
		}
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

type parquetRow struct {
	ID     string   `parquet:"id"`
	Score  *float64 `parquet:"score,optional"`
	Raters []int64  `parquet:"raters,list"`
	Meta   struct {
		Turn int32 `parquet:"turn"`
	} `parquet:"meta"`
}

func parquetOf(t *testing.T, n int) string {
	t.Helper()
	var rows []parquetRow
	for i := range n {
		x := float64(i) + .5
		row := parquetRow{ID: fmt.Sprintf("q%d", i), Score: &x, Raters: []int64{int64(i), 2}}
		if row.Meta.Turn = int32(i); i%2 == 1 {
			row.Score = nil
		}
		rows = append(rows, row)
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// read returns the documents of a file as JSON, the notes, and the first error.
func read(path string) (values, notes []string, err error) {
	for d, fault := range Documents(path, func(text string) { notes = append(notes, text) }) {
		if fault != nil {
			return values, notes, fault
		}
		values = append(values, d.Object().Raw)
	}
	return values, notes, nil
}

// TestUnpack checks that all ways to write and compress one table give the same rows, and that a note says what was guessed.
func TestUnpack(t *testing.T) {
	utf16 := func(text string, order binary.AppendByteOrder) string {
		b := []byte{}
		for _, r := range text {
			b = order.AppendUint16(b, uint16(r))
		}
		return string(b)
	}
	const csv, semicolons, tabs = "id,name\n1,Zoë\n2,\"b \"\"x\"\"\"\n", "id;name\n1;Zoë\n2;\"b \"\"x\"\"\"\n", "id\tname\n1\tZoë\n2\tb \"x\"\n"
	rows := [][]any{{"id", "name"}, {1, "Zoë"}, {2, `b "x"`}}
	other := [][]any{{"a", "b"}, {"c", "d"}}
	want := `{"id":"1","name":"Zoë"}` + "\n" + `{"id":"2","name":"b \"x\""}`
	for _, c := range []struct{ name, content, note string }{
		{"f.csv", csv, ""},
		{"f.csv", semicolons, ""},
		{"f.tsv", tabs, ""},
		{"f.csv", strings.ReplaceAll(csv, ",", "|"), ""},
		{"f.csv", "sep=;\r\n" + semicolons, ""},
		{"f.csv", "\ufeff" + csv, ""},
		{"f.csv", strings.ReplaceAll(csv, "\n", "\r\n"), ""},
		{"f.csv", strings.ReplaceAll(csv, "\n", "\r"), "CR alone"},
		{"f.csv", strings.ReplaceAll(csv, "ë", "\xeb"), "Windows-1252"},
		{"f.csv", "\xff\xfe" + utf16(tabs, binary.LittleEndian), "UTF-16"},
		{"f.csv", "\xfe\xff" + utf16(csv, binary.BigEndian), "UTF-16"},
		{"f.csv", utf16(csv, binary.LittleEndian), "UTF-16"},
		{"f.csv", utf16(csv, binary.BigEndian), "UTF-16"},
		{"f.csv.gz", gzipOf(csv), ""},
		{"f", gzipOf(gzipOf(csv)), ""},
		{"f.csv.zst", zstdOf(csv), ""},
		{"f.zip", zipOf(t, "__MACOSX/f.csv", "x", "folder/f.csv", csv), ""},
		{"f.csv.zip#f.csv", zipOf(t, "f.csv", csv, "g.csv", "a,b\n"), ""},
		{"f.xlsx", excelOf(t, map[string][][]any{"s": rows}, "s"), ""},
		{"f.xlsx", excelOf(t, map[string][][]any{"s": rows, "more": other}, "s", "more"), "2 sheets"},
		{"f.xlsx#my sheet", excelOf(t, map[string][][]any{"my sheet": rows, "more": other}, "more", "my sheet"), ""},
		{"f.xlsx.gz", gzipOf(excelOf(t, map[string][][]any{"s": rows}, "s")), ""},
	} {
		path, part, _ := strings.Cut(c.name, "#")
		if path = write(t, path, c.content); part != "" {
			path += "#" + part
		}
		values, notes, err := read(path)
		if got := strings.Join(values, "\n"); err != nil || got != want {
			t.Errorf("%s %.20q: %s, %v", c.name, c.content, got, err)
		}
		if said := strings.Join(notes, "\n"); !strings.Contains(said, c.note) || c.note == "" && said != "" {
			t.Errorf("%s %.20q: it says %q, want %q", c.name, c.content, said, c.note)
		}
	}
}

func TestParquet(t *testing.T) {
	values, _, err := read(write(t, "f.parquet", parquetOf(t, 3)))
	if want := `{"id":"q1","score":null,"raters":[1,2],"meta":{"turn":1}}`; err != nil || len(values) != 3 || values[1] != want {
		t.Errorf("%v, %v", values, err)
	}
}

// TestPlaceOfCell checks that the place of a value in a sheet is its cell.
func TestPlaceOfCell(t *testing.T) {
	path := write(t, "f.xlsx", excelOf(t, map[string][][]any{"s": {{"Survey of 2026"}, {"id", "name"}, {}, {1, "x"}}}, "s"))
	for d, err := range Documents(path, func(string) {}) {
		if place := d.Place("name"); err != nil || place != path+"#s!B4" || d.Errorf("x").Error() != path+"#s:4: x" {
			t.Errorf("%s, %v, %v", place, d.Errorf("x"), err)
		}
	}
}

// TestMergedHeads checks that names of groups in the row above repeated column names become a part of these names, as with merged cells.
func TestMergedHeads(t *testing.T) {
	values, _, err := read(write(t, "f.csv", ",Polite,,Short,\nid,Anna,Ben,Anna,Ben\n1,2,0,1,1\n"))
	if want := `{"id":"1","Polite (Anna)":"2","Polite (Ben)":"0","Short (Anna)":"1","Short (Ben)":"1"}`; err != nil || values[0] != want {
		t.Errorf("%v, %v", values, err)
	}
}

// TestDamagedFiles checks that the error of an unreadable file says why, with the line.
func TestDamagedFiles(t *testing.T) {
	excel := excelOf(t, map[string][][]any{"s": {{"a", "b"}, {1, 2}}}, "s")
	table := strings.Repeat("id,a,b\n", 5000)
	noise := make([]byte, 1<<16)
	for i, x := 0, uint32(1); i < len(noise); i++ {
		x = x*1664525 + 1013904223 // random numbers as in Numerical Recipes, which do not compress well
		noise[i] = 'a' + byte(x>>24)%26
	}
	for _, c := range []struct{ name, content, want string }{
		{"f.csv", "id,a\n1,x\n2,\"y\n3,z\n", `f.csv:3: a cell begins with a quote (") that is not closed`},
		{"f.csv", "id,a\n1,\"x\" y\n2,z\n3,\"w\"\n", `f.csv:2: a cell begins with a quote (") that is not closed`},
		{"f.csv.gz", gzipOf(table + string(noise))[:9000], "f.csv.gz is truncated: its gzip data end in the middle"},
		{"f.csv.zst", zstdOf(table + string(noise))[:9000], "f.csv.zst is truncated"},
		{"f.json", `[{"a": 1}, {"a": `, "f.json:1: not JSON: unexpected end of JSON input; the file is truncated"},
		{"f.json", "[{\"a\": 1},\n {\"a\": 2}", "f.json:2: not JSON: unexpected end of JSON input; the file is truncated"},
		{"f.json", "{\"a\": [1,\n 2", "f.json:2: not JSON: unexpected end of JSON input; the file is truncated"},
		{"f.json", "[{\"a\": 1},\n {\"a\": b}]", "f.json:2: not JSON"},
		{"f.json", "[1] 2", "there is more after the list"},
		{"f.jsonl", "{\"a\": 1}\n{\"a\": ", "f.jsonl:2: not JSON: unexpected end of JSON input; the file is truncated"},
		{"f.xlsx", excel[:len(excel)-30], "it is truncated or damaged"},
		{"f.xlsx#t", excel, `has no sheet "t"`},
		{"f.parquet", parquetOf(t, 3)[:200], "Parquet file without its end"},
		{"f.xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1....", "save it as .xlsx"},
		{"f.zip", zipOf(t, "a.csv", "x\n", "b.csv", "x\n"), "f.zip has 2 files; say which one is meant"},
		{"f.csv#x", "id\n1\n", "has no parts"},
		{"f.csv", "ä,b\n1,\x81\n", ""}, // one invalid byte in UTF-8 text is only noted
		{"f.csv", "id,b\n1,\x81\n", "f.csv:2: byte 3 (0x81) is neither UTF-8 nor Windows-1252"},
	} {
		path, part, _ := strings.Cut(c.name, "#")
		if path = write(t, path, c.content); part != "" {
			path += "#" + part
		}
		if _, _, err := read(path); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %.30q: %v, want %q", c.name, c.content, err, c.want)
		}
	}
}

// TestBombs checks that files that unpack to far more than their size are refused at once.
func TestBombs(t *testing.T) {
	zeros := "id,a\n" + strings.Repeat("0,"+strings.Repeat("0", 1021)+"\n", 11<<10)
	big := zipOf(t, "header.json", "{}", "samples/1.json", zeros)
	begin := time.Now()
	for name, content := range map[string]string{
		"f.csv.gz": gzipOf(zeros), "f.csv.zst": zstdOf(zeros), "f.eval": big, "f.zip": zipOf(t, "a.csv", zeros),
		"f.xlsx": zipOf(t, "[Content_Types].xml", "", "xl/workbook.xml", zeros), "lies.zip": lying(zipOf(t, "a.csv", zeros)),
		"lies.xlsx":   lying(zipOf(t, "xl/sharedStrings.xml", zeros, "xl/workbook.xml", "")),
		"overlap.zip": overlapping(zipOf(t, "a.csv", "x,y\n", "b.csv", "x,y\n")),
	} {
		want := "unpacks to more than 200 times its size"
		switch name {
		case "overlap.zip":
			want = "entries that overlap"
		case "lies.xlsx":
			want = "lies.xlsx: as an Excel file"
		case "lies.zip":
			want = "is damaged: zip: zip: not a valid zip file"
		}
		if _, _, err := read(write(t, name, content)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if took := time.Since(begin); took > 2*time.Minute {
		t.Errorf("it took %v", took)
	}
}

// lying returns a zip file whose directory claims that the first entry unpacks to 100 bytes.
func lying(file string) string {
	index := strings.Index(file, "PK\x01\x02")
	b := []byte(file)
	binary.LittleEndian.PutUint32(b[index+24:], 100)
	return string(b)
}

// overlapping returns a zip file whose second entry has the position of the first.
func overlapping(file string) string {
	index := strings.LastIndex(file, "PK\x01\x02")
	b := []byte(file)
	binary.LittleEndian.PutUint32(b[index+42:], 0)
	return string(b)
}

// FuzzDocuments checks that no file makes a reader panic, and that no error is empty.
func FuzzDocuments(f *testing.F) {
	for _, seed := range []string{"id,a\n1,\"x\n", "id;a\r1;2", "{\"a\": NaN}\n{\"a\": -Infinity}", "[{\"a\": 1}", "\xff\xfei\x00", gzipOf("a,b\n1,2\n"),
		"sep=;\na;b\n1;2\n", "ä,\x81\n", "PAR1", "PK\x03\x04", "\x28\xb5\x2f\xfd"} {
		f.Add("f.csv", seed)
		f.Add("f.json", seed)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, name, content string) {
		if name != "f.csv" && name != "f.json" && name != "f.jsonl" && name != "f.yaml" {
			name = "f"
		}
		path := dir + "/" + name
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, note := range []func(string){nil, func(string) {}} {
			n := 0
			for d, err := range Documents(path, note) {
				if n++; n > 1000 {
					break
				}
				if err == nil && d.Object().IsObject() {
					d.Place("a")
				} else if err != nil && err.Error() == "" {
					t.Error("an error without a text")
				}
			}
		}
	})
}

// TestSeveralSheets checks that several sheets of one file are read in order, each with its own header.
func TestSeveralSheets(t *testing.T) {
	path := t.TempDir() + "/a.xlsx"
	text := excelOf(t, map[string][][]any{"A": {{"id", "score"}, {"x", 1}, {"y", 2}}, "B": {{"score", "id"}, {3, "z"}}, "C+D": {{"id"}, {"w"}}}, "A", "B", "C+D")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string]string{"A+B": `{"id":"x","score":"1"} {"id":"y","score":"2"} {"score":"3","id":"z"}`, "C+D": `{"id":"w"}`} {
		values, _, err := read(path + "#" + part)
		if got := strings.ReplaceAll(strings.Join(values, " "), ": ", ":"); err != nil || strings.ReplaceAll(got, ", ", ",") != want {
			t.Errorf("#%s: %v: %s, want %s", part, err, got, want)
		}
	}
	if _, _, err := read(path + "#A+E"); err == nil || !strings.Contains(err.Error(), `no sheet "E"`) {
		t.Error(err)
	}
}
