package report

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"compqa/data"
)

// ColumnsText is the file in the tables folder that describes all columns.
const ColumnsText = "columns.md"

//go:embed columns.yaml
var columnsYAML []byte

// A Described is a CSV file (or several with the same columns) and the meaning of its columns.
type Described struct {
	File    string // leaderboard.csv; or annotation/agreement.csv if another file has the same base name
	About   string
	Columns []Meaning
}

// A Meaning describes a column: what it contains, its unit or values, and when a cell is empty.
type Meaning struct{ Column, Means, Unit, Empty string }

// Tables returns the descriptions of all CSV files, in the order of the manual.
func Tables() []Described { return described().tables }

// Columns returns the descriptions of all CSV files in Markdown.
func Columns() string {
	return "# Columns of the CSV files\n\n" + described().about + "\n" + strings.Join(data.Each(Tables(), Described.Markdown), "\n")
}

// Markdown returns a section with a row for each column.
func (d Described) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s\n| column | meaning | unit or values | empty |\n| --- | --- | --- | --- |\n", d.File, d.About)
	for _, m := range d.Columns {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", m.Column, m.Means, m.Unit, m.Empty)
	}
	return b.String()
}

// descriptions are the contents of columns.yaml.
type descriptions struct {
	about  string
	tables []Described
}

// described parses columns.yaml once. It panics if the file is invalid, which a test would find.
var described = sync.OnceValue(func() descriptions {
	var file struct {
		About  string               `yaml:"about"`
		Common map[string][3]string `yaml:"common"`
		Tables []struct {
			File    string    `yaml:"file"`
			About   string    `yaml:"about"`
			Columns yaml.Node `yaml:"columns"`
		} `yaml:"tables"`
	}
	if err := yaml.Load(columnsYAML, &file, yaml.WithKnownFields()); err != nil {
		panic(fmt.Errorf("columns.yaml: %w", err))
	}
	read := descriptions{about: file.About}
	for _, t := range file.Tables {
		d := Described{File: t.File, About: t.About}
		for i := 0; i < len(t.Columns.Content); i += 2 { // Content alternates keys and values
			name := t.Columns.Content[i].Value
			texts := [3]string{}
			if err := t.Columns.Content[i+1].Decode(&texts); err != nil {
				panic(fmt.Errorf("columns.yaml: %s of %s: %w", name, t.File, err))
			}
			if texts == [3]string{} {
				texts = file.Common[name]
			}
			d.Columns = append(d.Columns, Meaning{name, texts[0], texts[1], texts[2]})
		}
		read.tables = append(read.tables, d)
	}
	return read
})
