package bench

import (
	"bytes"
	"encoding/csv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"compqa/bench/verify"
	"compqa/data/sharedtest"
	"compqa/results/validation"
)

// demoFiles writes the log and the people's scores of compqa validate --demo. change edits the records of both files. It gets the number of
// the record, from 1, and its cells by column. A record whose cells it clears is left out.
func demoFiles(t *testing.T, change func(file string, record int, cells map[string]string)) (log, people string) {
	t.Helper()
	dir := t.TempDir()
	if code, _, stderr := compqa("validate", "--demo", "--out", filepath.Join(dir, "demo")); code != exitDone {
		t.Fatal(stderr)
	}
	paths := []string{filepath.Join(dir, "log.csv"), filepath.Join(dir, "people.csv")}
	for i, name := range []string{"demo-log.csv", "demo-people.csv"} {
		rows, err := csv.NewReader(bytes.NewReader(fileContent(t, filepath.Join(dir, "demo", name)))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var header []string
		var records []map[string]string
		for k, row := range rows[1:] {
			cells := map[string]string{}
			for c, name := range rows[0] {
				cells[name] = row[c]
			}
			if change != nil {
				change(filepath.Base(paths[i]), k+1, cells)
			}
			for name := range cells {
				if !slices.Contains(append(rows[0], header...), name) {
					header = append(header, name)
				}
			}
			if len(cells) > 0 {
				records = append(records, cells)
			}
		}
		header = append(slices.Clone(rows[0]), header...)
		var text bytes.Buffer
		w := csv.NewWriter(&text)
		w.Write(header)
		for _, cells := range records {
			var row []string
			for _, name := range header {
				row = append(row, cells[name])
			}
			w.Write(row)
		}
		w.Flush()
		if err := os.WriteFile(paths[i], text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return paths[0], paths[1]
}

// half is a change for demoFiles. It leaves out people's scores of items with an even number, gives the others one inclusion probability,
// and changes some values of judges.
func half(file string, record int, cells map[string]string) {
	even := strings.ContainsAny(cells["id"][2:], "02468")
	switch {
	case file == "people.csv" && even:
		clear(cells)
	case file == "people.csv":
		cells["inclusion"] = "0.4"
	case record%7 == 0:
		cells["polite"] = "1"
	}
}

// validationIn runs compqa validate and returns its folder.
func validationIn(t *testing.T, args ...string) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "validation")
	if code, _, stderr := compqa(append([]string{"validate", "--out", dir}, args...)...); code != exitDone {
		t.Fatalf("validate %v: exit %d, %s", args, code, stderr)
	}
	return dir
}

// wholeValidation makes a validation with every table: with an older log, as a second look, and with inclusion probabilities.
func wholeValidation(t *testing.T) (dir string) {
	t.Helper()
	before, some := demoFiles(t, half)
	log, people := demoFiles(t, func(file string, record int, cells map[string]string) {
		if file == "people.csv" {
			cells["inclusion"] = "0.4"
			if cells["id"] > "a50" {
				clear(cells)
			}
		}
	})
	looks := filepath.Join(t.TempDir(), "looks")
	validationIn(t, before, "--people", some, "--record", looks)
	return validationIn(t, log, "--people", people, "--since", before, "--record", looks, "--by", "system", "--budget", "5")
}

// wholeExport is the content of one export of a wholeValidation, made once for all tests of forgeries.
var wholeExport = struct {
	sync.Once
	content []byte
}{}

func wholeExportFile(t *testing.T) string {
	t.Helper()
	wholeExport.Do(func() { wholeExport.content = fileContent(t, exportOf(t, wholeValidation(t))) })
	file := filepath.Join(t.TempDir(), "validation.gz")
	if err := os.WriteFile(file, wholeExport.content, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestValidationsAreVerified: exports of honest validations have the tables as validate wrote them, and verify recomputes the tables.
func TestValidationsAreVerified(t *testing.T) {
	t.Parallel()
	log, people := demoFiles(t, nil)
	before, some := demoFiles(t, half)
	careful, _ := demoFiles(t, func(file string, _ int, cells map[string]string) {
		if file == "log.csv" && cells["judge"] != "careful" {
			clear(cells)
		}
	})
	inclusion := filepath.Join(t.TempDir(), "inclusion.csv")
	if err := os.WriteFile(inclusion, []byte("id,inclusion\na01,0.5\na03,0.25\na05,1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]func(t *testing.T) string{
		"every table": wholeValidation,
		"probabilities": func(t *testing.T) string {
			return validationIn(t, log, "--people", some, "--inclusion", inclusion, "--labels-for", "0.05", "--seed", "7", "--epsilon", "0.2")
		},
	}
	if sharedtest.Soaking(t) {
		maps.Copy(kinds, map[string]func(t *testing.T) string{
			"several judges": func(t *testing.T) string { return validationIn(t, log, "--people", people) },
			"one judge": func(t *testing.T) string {
				return validationIn(t, careful, "--people", people, "--judge", "careful=polite", "--join", "id")
			},
			"thresholds": func(t *testing.T) string {
				return validationIn(t, log, "--people", people, "--threshold", "polite=4", "--map-scale", "linear", "--scale", "polite=1..5")
			},
			"since": func(t *testing.T) string {
				return validationIn(t, log, "--people", people, "--since", before, "--by", "system")
			},
			"a run":  func(t *testing.T) string { return validationIn(t, importedPeople(t)) },
			"itself": func(t *testing.T) string { return validationIn(t, validationIn(t, log, "--people", people)) },
		})
	}
	for name, make := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := make(t)
			file := exportOf(t, dir)
			s, stderr := verdictOf(t, file)
			if s.Verdict != verify.Consistent || restOf(s.Rests, "value").Count == 0 {
				t.Errorf("%s: %s%s", s.Verdict, s.Difference, stderr)
			}
			packed := map[string]string{}
			for name, content := range unpacked(t, file) {
				if table, is := strings.CutPrefix(name, "compqa-run/validation/"); is {
					packed[table] = string(content)
				}
			}
			written, err := filepath.Glob(filepath.Join(dir, "tables", "*.csv"))
			if err != nil || len(written) != len(packed) {
				t.Errorf("the tables %v, packed %v (%v)", written, slices.Sorted(maps.Keys(packed)), err)
			}
			for _, path := range written {
				if name := filepath.Base(path); string(fileContent(t, path)) != packed[name] {
					t.Errorf("%s is packed as\n%s\nwritten as\n%s", name, packed[name], fileContent(t, path))
				}
			}
		})
	}
}

// TestSoakValidationsAreVerified runs TestValidationsAreVerified with all cases.
func TestSoakValidationsAreVerified(t *testing.T) {
	sharedtest.Soak(t)
	TestValidationsAreVerified(t)
}

// otherCell returns another number for a number, or another text for a text.
func otherCell(cell string) string {
	if x, err := strconv.ParseFloat(cell, 64); err == nil {
		return strconv.FormatFloat(x+0.001, 'g', -1, 64)
	}
	return cell + "1"
}

// TestForgedValidations: a changed cell in a table of a validation, a removed table, and a changed value or probability in its input are
// differences. `make soak` tries every cell.
func TestForgedValidations(t *testing.T) {
	t.Parallel()
	file := wholeExportFile(t)
	s, _ := verdictOf(t, file)
	if restOf(s.Rests, "inclusion probability").Count != 50 || restOf(s.Rests, "earlier look").Count != 1 {
		t.Errorf("the honest one rests on %v", s.Rests)
	}
	const folder, input = "compqa-run/validation/", "compqa-run/" + validation.InputName
	forged := func(name, want string, change func(files map[string][]byte)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := unpacked(t, file)
			change(files)
			expectDifference(t, packed(t, files, true), want)
		})
	}
	replaced := func(old, now string) func(files map[string][]byte) {
		return func(files map[string][]byte) {
			text := strings.Replace(string(files[input]), old, now, 1)
			if text == string(files[input]) {
				t.Errorf("there is no %s", old)
			}
			files[input] = []byte(text)
		}
	}
	for _, name := range []string{"validation.csv", "differences.csv", "any_time.csv", "moved.csv"} {
		rows, err := csv.NewReader(bytes.NewReader(unpacked(t, file)[folder+name])).ReadAll()
		if err != nil || len(rows) < 2 {
			t.Fatalf("%s has %d rows, %v", name, len(rows), err)
		}
		forged("without "+name, "validation/"+name+" was recomputed", func(files map[string][]byte) { delete(files, folder+name) })
		for c, column := range rows[0] {
			if c != len(rows[0])-1 && !sharedtest.Soaking(t) {
				continue
			}
			forged(name+" "+column, "column "+column, func(files map[string][]byte) {
				changed := slices.Clone(rows)
				index := 1 + c%(len(rows)-1)
				changed[index] = slices.Clone(changed[index])
				changed[index][c] = otherCell(changed[index][c])
				var text bytes.Buffer
				if err := csv.NewWriter(&text).WriteAll(changed); err != nil {
					t.Error(err)
				}
				files[folder+name] = text.Bytes()
			})
		}
	}
	forged("a probability", "column ", replaced(`"inclusion":0.4`, `"inclusion":0.1`))
	forged("a probability beyond 1", "must be in (0, 1]", replaced(`"inclusion":0.4`, `"inclusion":1.4`))
	forged("a value of people", "is recorded as", replaced(`"value":"yes"`, `"value":"no"`))
	forged("an earlier look", "any_time.csv", replaced(`"same":true`, `"same":false`))
	forged("a look", "the last look", replaced(`"Last":1`, `"Last":2`))
	forged("a text", "item a", replaced("Open Orders", "Open Ordurs"))
	forged("no input", "but not "+validation.InputName, func(files map[string][]byte) { delete(files, input) })
	forged("another column", "validation/moved.csv", func(files map[string][]byte) {
		files[folder+"moved.csv"] = bytes.Replace(files[folder+"moved.csv"], []byte("\n"), []byte(",more\n"), 1)
	})
	files := unpacked(t, file)
	for name := range files {
		if name == input || strings.HasPrefix(name, folder) {
			delete(files, name)
		}
	}
	// The missing input is needed for the decisions in the report.
	expectDifference(t, packed(t, files, true), "The export lacks validation.json, from which the decisions of a validation follow")
	ofOtherVersion(t, files)
	if s, _ := verdictOf(t, packed(t, files, true)); s.Verdict != verify.Consistent || restOf(s.Rests, "report").Party != "compqa validate" {
		t.Errorf("without its tables: %+v", s)
	}
	run := unpacked(t, exportOf(t, importedPeople(t)))
	run[input] = unpacked(t, file)[input]
	expectDifference(t, packed(t, run, true), "the record is not that of a validation")
}

// TestSoakForgedValidations runs TestForgedValidations with all cases.
func TestSoakForgedValidations(t *testing.T) {
	sharedtest.Soak(t)
	TestForgedValidations(t)
}

// TestKeysOfValidation: keys in the input of a validation that this version does not know are listed. What no program writes is refused.
func TestKeysOfValidation(t *testing.T) {
	t.Parallel()
	file := wholeExportFile(t)
	const input = "compqa-run/" + validation.InputName
	with := func(old, now string) verify.Summary {
		files := unpacked(t, file)
		if !bytes.Contains(files[input], []byte(old)) {
			t.Fatalf("%s is not in the input", old)
		}
		files[input] = bytes.Replace(files[input], []byte(old), []byte(now), 1)
		s, _ := verdictOf(t, packed(t, files, true))
		return s
	}
	s := with(`"options":{`, `"audited_by":"somebody","options":{"Trusted":true,`)
	var named []string
	for _, r := range s.Rests {
		if r.Kind == "key" && r.Party == validation.InputName {
			named = append(named, r.Why)
		}
	}
	if s.Verdict != verify.Consistent || len(named) != 2 || !strings.HasPrefix(named[0], "audited_by: ") ||
		!strings.HasPrefix(named[1], "options.Trusted: ") {
		t.Errorf("unknown keys: %v, %+v", named, s)
	}
	for _, c := range [][3]string{
		{`"options":{`, `"options":{"Budget":5,`, "validation.json: it has the key options.Budget twice"},
		{`"options":{`, `"OPTIONS":{"Budget":0},"options":{`, "validation.json: it has the key OPTIONS, which is read as options"},
		{`"texts":[`, `"texts":["","",`, "a text or a series is listed twice"},
	} {
		if s := with(c[0], c[1]); s.Verdict != verify.NotVerified || !strings.Contains(s.Difference, c[2]) {
			t.Errorf("want %q: %s, %s", c[2], s.Verdict, s.Difference)
		}
	}
}

// TestExportOfValidationWithoutInput: if the input of a validation is deleted, its export says what it lacks.
func TestExportOfValidationWithoutInput(t *testing.T) {
	t.Parallel()
	log, people := demoFiles(t, half)
	dir := validationIn(t, log, "--people", people)
	if err := os.Remove(filepath.Join(dir, validation.InputName)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "v.gz")
	code, _, stderr := compqa("export", dir, "--out", file)
	if code != exitDone || !strings.Contains(stderr, "has no validation.json") || !strings.Contains(stderr, "its decisions follow from the record") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	s, _ := verdictOf(t, file)
	if s.Verdict != verify.Consistent || restOf(s.Rests, "report").Count != 1 {
		t.Errorf("%+v", s)
	}
}

// TestHostileValidations: an input that no program writes is refused, whatever it contains. `make soak` tries all cases.
func TestHostileValidations(t *testing.T) {
	t.Parallel()
	file := wholeExportFile(t)
	for old, now := range map[string]string{
		`"item":0`: `"item":-1`, `"item":1`: `"item":2147483647`, `"series":0`: `"series":1e9`, `"question":1`: `"question":99999999`,
		`"Budget":5`: `"Budget":-5`, `"Epsilon":0.15`: `"Epsilon":1e308`, `"Worst":0`: `"Worst":-3`,
		`"judged":`:           `"judged":null,"x":`,
		`"Lines":[`:           `"Lines":[{},`,
		`"texts":[`:           `"texts":[` + strings.Repeat(`"",`, 500_000),
		`"value":"4"`:         `"value":"` + strings.Repeat("9", 5000) + `"`,
		`"value":"5"`:         `"value":"1e308"`,
		`"value":"3"`:         `"value":"NaN"`,
		`"Scales":{`:          `"Scales":{"polite":"0..1e300",`,
		`"Declared":null`:     `"Declared":{"polite":"x"}`,
		`{"judged":`:          strings.Repeat("[", 100_000),
		`"Thresholds":{`:      `"Thresholds":{"polite":-1e308,`,
		`"low":1,"high":5`:    `"low":-1e308,"high":1e308`,
		`"Columns":["system"`: `"Columns":["a","b","c","system"`,
	} {
		if !sharedtest.Soaking(t) && !strings.Contains(now, "-") {
			continue
		}
		t.Run(old, func(t *testing.T) {
			t.Parallel()
			files := unpacked(t, file)
			const input = "compqa-run/" + validation.InputName
			text := strings.Replace(string(files[input]), old, now, 1)
			if text == string(files[input]) {
				t.Fatalf("there is no %s", old)
			}
			files[input] = []byte(text)
			code, stdout, stderr := compqa("verify", packed(t, files, true))
			if code != exitFailed || strings.Contains(stderr, "panic") {
				t.Errorf("exit %d\n%s%s", code, stdout, stderr)
			}
		})
	}
}

// TestSoakHostileValidations runs TestHostileValidations with all cases.
func TestSoakHostileValidations(t *testing.T) {
	sharedtest.Soak(t)
	TestHostileValidations(t)
}
