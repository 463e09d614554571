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

// TestCSVColumnsOfHiddenStruct checks that an embedded struct that is not exported makes csvColumns panic: gocsv would skip its columns.
func TestCSVColumnsOfHiddenStruct(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	csvColumns(reflect.TypeFor[csvHidden]())
}

type csvRow struct {
	CSVKeyed
	N     int     `csv:"n"`
	Share float64 `csv:"share"`
	Note  string  `csv:"-"`
}

func TestReadCSV(t *testing.T) {
	rows, err := ReadCSV[csvRow]("f.csv", "name,n,share\n\"a\nb\",3,0.5\n\n'=c,4,1\n")
	if err != nil || len(rows) != 2 || rows[0] != (csvRow{CSVKeyed{"a\nb"}, 3, 0.5, ""}) || rows[1].Name != "=c" {
		t.Errorf("%+v, %v", rows, err)
	}
}

// TestReadCSVRefuses checks that errors are reported which gocsv would accept silently.
func TestReadCSVRefuses(t *testing.T) {
	const header = "name,n,share\n"
	for text, want := range map[string]string{
		"":                              "f.csv is empty",
		"name,n\na,1\n":                 `f.csv:1: there is no column "share"`,
		"name,name,n,share\n":           `f.csv:1: duplicate column "name"`,
		"name,n,shares\na,1,1\n":        `f.csv:1: unknown column "shares"`,
		header + "\"a\nb\",1,1\nb,,1\n": `f.csv:4: column n is "", not a number of type int`,
		header + "a,1,NaN\n":            `f.csv:2: column share is "NaN", not a number`,
		header + "a,1,1e999\n":          `f.csv:2: column share is "1e999", not a number`,
		header + "a,1\n":                "f.csv:2: 2 cells, but the header has 3 columns",
		header + "a,1,\"y\n":            "f.csv:2: ",
		header + "a,1.5,1\n":            `f.csv:2: column n is "1.5", not a number of type int`,
		"Name,n,share\na,1,1\n":         `f.csv:1: unknown column "Name"`,
	} {
		if _, err := ReadCSV[csvRow]("f.csv", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
