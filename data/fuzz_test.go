package data

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// FuzzRecords passes each text to all readers of this project's files, as a table and as JSON Lines. No reader may panic, each error names
// the file, and all numbers that were read are finite.
func FuzzRecords(f *testing.F) {
	for _, seed := range []string{
		`{"id": "a", "object1": "x", "object2": "y", "text": "x is better", "system": "s", "repeat": 1}`,
		`{"id": "p", "judge": "human:1", "method": "m", "order": "ab", "grader": "human:1", "choice": "a", "correctness": 5, "consistency": 3}`,
		`{"id": "p", "judge": "j", "choice": "tie", "order": "ba", "repeat": 1e999}`,
		`{"id": "x", "judge": "j", "contrast": [{"row": 0, "label": "yes"}], "partition": [[0, 1], [2]]}`,
		`{"id": "p", "question": "q", "a": "x", "b": "y", "label": "a"}`,
		`{"object1": "x", "object2": "y", "sources": [{"text": "t", "object": 1}]}`,
		`{"object1": "x", "object2": "y", "arguments": [{"text": "t", "favours": "object1", "relevance": 1e400}]}`,
		`{"messages": [{"role": "user", "content": "q"}], "table": {"columns": ["x", "y"], "rows": []}}`,
		`{"id": "x", "judge": "j", "scores": {"1": NaN, "2": -1e309}}`,
		"id,object1,object2,text\na,x,y,\"t\"\n", "id,judge,choice\np,j,a\n", "id,judge,scores\nx,j,\"{\"\"1\"\": 1e999}\"\n",
		"id,a,b\np,x\n", "id\tjudge\n", "\xff\xfe", "[", "null", "",
	} {
		f.Add([]byte(seed))
	}
	readers := map[string]func(path string) (any, error){
		"questions": func(path string) (any, error) { return ReadQuestions(path) },
		"grades":    func(path string) (any, error) { return ReadGrades(path) },
		"labels":    func(path string) (any, error) { return ReadLabels(path) },
		"pairs":     func(path string) (any, error) { return ReadPairs(path) },
		"sources":   func(path string) (any, error) { return ReadSources(path) },
		"contrasts": func(path string) (any, error) { return ReadContrasts(path) },
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, name := range []string{"f.jsonl", "f.csv"} {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			for what, read := range readers {
				got, err := read(path)
				if err != nil && !strings.Contains(err.Error(), name) {
					t.Errorf("%s: the error does not name the file: %v", what, err)
				}
				if err == nil && !finite(reflect.ValueOf(got)) {
					t.Errorf("%s: a number is infinite or not a number: %+v", what, got)
				}
			}
		}
	})
}

// finite reports whether all numbers in a value are finite.
func finite(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Float64, reflect.Float32:
		return !math.IsInf(v.Float(), 0) && !math.IsNaN(v.Float())
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || finite(v.Elem())
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if !finite(v.Index(i)) {
				return false
			}
		}
	case reflect.Map:
		for i := v.MapRange(); i.Next(); {
			if !finite(i.Value()) {
				return false
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if !finite(v.Field(i)) {
				return false
			}
		}
	}
	return true
}
