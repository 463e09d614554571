package data

import (
	"reflect"
	"strings"
	"testing"
)

type CSVKeyed struct {
	Name string `csv:"name"`
}

type csvHidden struct{ csvHiddenKey }

type csvHiddenKey struct {
	Name string `csv:"name"`
}

// gocsv leaves out the columns of embedded structs that are not exported.
func TestCSVColumnsOfHiddenStruct(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	CSVColumns(reflect.TypeFor[csvHidden]())
}

type csvRow struct {
	CSVKeyed
	N      int       `csv:"n"`
	Share  float64   `csv:"share"`
	Scores [2]string `csv:"score" csv[]:"2"`
	Note   string    `csv:"-"`
}

func readCSVRows(text string, form CSVForm) ([]csvRow, []int, error) {
	return ReadCSV[csvRow]("f.csv", strings.NewReader(text), form)
}

// The true line is that of the file, also below a cell with line breaks and an empty line.
func TestReadCSV(t *testing.T) {
	name := func(tag string) string {
		return strings.NewReplacer("score[0]", "C1", "score[1]", "C2").Replace(tag)
	}
	rows, lines, err := readCSVRows("\ufeffC2,name,n,share,C1,other\nx,\"a\nb\",3,0.5,y,1\n\n,'=c,4,1,,2\n", CSVForm{Name: name, More: true})
	if err != nil || len(rows) != 2 || rows[0] != (csvRow{CSVKeyed{"a\nb"}, 3, 0.5, [2]string{"y", "x"}, ""}) || rows[1].Name != "=c" || lines[0] != 2 || lines[1] != 5 {
		t.Errorf("%+v, %v, %v", rows, lines, err)
	}
}

// Each of these reached a struct in silence.
func TestReadCSVRefuses(t *testing.T) {
	const header = "name,n,share,score[0],score[1]\n"
	for text, want := range map[string]string{
		"":                                         "f.csv is empty",
		"name,n,share,score[0]\na,1,1,x\n":         "f.csv:1: the table has no column score[1]",
		"name,name,n,share,score[0],score[1]\n":    `f.csv:1: duplicate column "name"`,
		"name,n,shares,score[0],score[1]\n":        `f.csv:1: unknown column "shares"`,
		header + "\"a\nb\",1,1,x,y\nb,,1,x,y\n":    `f.csv:4: column n is "", not a whole number`,
		header + "a,1,NaN,x,y\n":                   `f.csv:2: column share is "NaN", not a number`,
		header + "a,1,1e999,x,y\n":                 `f.csv:2: column share is "1e999", not a number`,
		header + "a,1,1,x\n":                       "f.csv:2: 4 cells, but the header has 5 columns",
		header + "a,1,1,x,\"y\n":                   "f.csv:2: ",
		header + "a,1.5,1,x,y\n":                   `f.csv:2: column n is "1.5", not a whole number`,
		"name;n;share\n" + "a;1;2\n":               `f.csv:1: unknown column "name;n;share"`,
		strings.Replace(header, "name", "Name", 1): `f.csv:1: unknown column "Name"`,
	} {
		if _, _, err := readCSVRows(text, CSVForm{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
