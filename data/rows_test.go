package data

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestEncodings checks that text that is not UTF-8 is refused, and that the error says what to do.
func TestEncodings(t *testing.T) {
	csv := "object1,object2\ntea,caf\xe9\nmate,caf\xe9\n"
	for _, c := range []struct{ name, content, want string }{
		{"q.csv", csv, "q.csv:2: byte 8 (0xe9) is not UTF-8"},
		{"q.csv", csv, "iconv -f WINDOWS-1252 -t UTF-8"},
		{"q.jsonl", "\n{\"object1\": \"tea\", \"object2\": \"caf\xe9\"}\n", "q.jsonl:2: byte 35 (0xe9) is not UTF-8"},
		{"q.csv", "object1,object2\ntea,caf\xc3", "q.csv:2: byte 8 (0xc3) is not UTF-8"},
		{"q.csv", "o\x00b\x00", "q.csv:1: this is UTF-16"},
		{"q.csv", "object1,object2\n1,2\n1,\x002\n", "q.csv:3: byte 3 is NUL (0x00), so this is not a text file, or it is damaged"},
		{"q.csv", "\x00\x00\x00\x00", "q.csv:1: byte 1 is NUL"},
		{"q.json", "true or", "q.json:1: not JSON"},
	} {
		_, err := ReadQuestions(write(t, c.name, c.content))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.content, err, c.want)
		}
	}
	utf16 := "\xff\xfe" + strings.Join(strings.Split("object1,object2\ntea,mate\n", ""), "\x00") + "\x00"
	if q, err := ReadQuestions(write(t, "q.csv", utf16)); err != nil || len(q) != 1 || q[0].Object2 != "mate" {
		t.Errorf("UTF-16: %+v, %v", q, err)
	}
	long := "object1,object2\n" + strings.Repeat("ä", 100_000) + ",€\n" // characters across the limits of read buffers
	if q, err := ReadQuestions(write(t, "q.csv", long)); err != nil || len(q) != 1 || q[0].Object2 != "€" {
		t.Errorf("%d questions, %v", len(q), err)
	}
}

// TestSeveralFaults checks that rows with the same fault give one line with their number. Up to twenty different faults of a file are
// listed, ordered by line.
func TestSeveralFaults(t *testing.T) {
	var csv, jsonl, different strings.Builder
	csv.WriteString("object1,object2\n")
	for i := range 30 {
		fmt.Fprintf(&csv, "a%d,\n", i)
		fmt.Fprintf(&jsonl, "{\"object1\": \"a%d\"}\n", i)
		fmt.Fprintf(&different, "{\"object1\": \"a\", \"object2\": \"b\", \"f%d\": 1}\n", i)
	}
	for name, content := range map[string]string{"q.csv": csv.String(), "q.jsonl": jsonl.String()} {
		_, err := ReadQuestions(write(t, name, content))
		first := map[string]int{"q.csv": 2, "q.jsonl": 1}[name]
		want := fmt.Sprintf("%s:%d: object2 is missing (29 more rows have this fault, the last on line %d)", name, first, first+29)
		if err == nil || !strings.HasSuffix(err.Error(), want) || strings.Contains(err.Error(), "\n") || lineOf(err) != first {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	_, err := ReadQuestions(write(t, "q.jsonl", different.String()))
	if err == nil || strings.Count(err.Error(), "unknown field") != 20 || !strings.HasSuffix(err.Error(), "only the first 20 errors are listed") {
		t.Errorf("different faults: %v", err)
	}
	_, err = ReadQuestions(write(t, "q.csv", "object1,object2\na,\nb,b\nc,\n\"c,d\ne,f\n"))
	var lineError *LineError
	if err == nil || strings.Count(err.Error(), "\n") != 2 || !errors.As(err, &lineError) || lineError.Line != 2 ||
		!strings.Contains(err.Error(), "q.csv:2: object2 is missing (another row has this fault: line 4)\n") {
		t.Errorf("%v", err)
	}
	if _, err := ReadQuestions(write(t, "q.csv", "objet1,objet2\na,b\nc,d\n")); err == nil || strings.Count(err.Error(), "q.csv:1: ") != 2 || strings.Contains(err.Error(), "q.csv:2") {
		t.Errorf("faults of the header: %v", err)
	}
}

// TestGuardCell checks that no spreadsheet program executes a cell, that numbers are unchanged, and that this package reads back what was
// written.
func TestGuardCell(t *testing.T) {
	for cell, want := range map[string]string{
		"": "", "-": "-", "-1.5": "-1.5", "+3e-7": "+3e-7", "0": "0", "tea": "tea", "'tea": "'tea", "a=b": "a=b", "5-HT": "5-HT",
		"=1+1": "'=1+1", "+49 30": "'+49 30", "-x": "'-x", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\r=1": "'\r=1", "--": "'--",
		"'=1+1": "''=1+1", "''-": "'''-", "'-1.5": "''-1.5",
	} {
		if got := GuardCell(cell); got != want {
			t.Errorf("%q is written %q, want %q", cell, got, want)
		}
		if cell != "" && plainCell(GuardCell(cell)) != cell {
			t.Errorf("%q is read as %q", cell, plainCell(GuardCell(cell)))
		}
	}
	pairs, err := ReadPairs(write(t, "p.csv", "id,question,a,b\n'=1,q,a,''=x\n"))
	if err != nil || pairs[0].ID != "=1" || pairs[0].B != "'=x" {
		t.Errorf("%+v, %v", pairs, err)
	}
}

func TestReadText(t *testing.T) {
	if text, _, err := ReadText(write(t, "t.tmpl", "é\n")); err != nil || string(text) != "é\n" {
		t.Errorf("%q, %v", text, err)
	}
	for _, bad := range []string{"a\ncaf\xe9 b\n", "a\ncaf\xe9"} {
		if _, _, err := ReadText(write(t, "t.json", bad)); err == nil || !strings.Contains(err.Error(), "t.json:2: byte 4 (0xe9) is not UTF-8") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
