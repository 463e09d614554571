package project

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestSheetsAreReadAsJSON(t *testing.T) {
	type plain Sheet
	for _, text := range []string{`{}`, `{"values":{"a":"1","b":""},"reason":"good"}`, `{"values":{"a":"\u00e9\n"},"reason":"\"so\""}`,
		`{"values":{"a":"1"},"stage":2}`, `{"values":{"a":"1"},"values":{"b":"2"}}`, `{"VALUES":{"a":"1"}}`, `{"values":null}`, `null`,
		`{"values":{"a":1}}`, `{"values":{"a":null}}`, `{"values":["a"]}`, `{"reason":3}`, `{"other":{"values":{"a":"1"}}}`, `[]`, `"a"`,
		"{\"values\":{\"a\":\"\xff\"}}", `{"values":{"a":"b:c"}}`, `{"values":{"a":"1"}`} {
		var sheet Sheet
		var same plain
		err := json.Unmarshal([]byte(text), &sheet)
		expected := json.Unmarshal([]byte(text), &same)
		if (err == nil) != (expected == nil) || err == nil && !reflect.DeepEqual(sheet, Sheet(same)) {
			t.Errorf("%s: %+v, %v; encoding/json has %+v, %v", text, sheet, err, same, expected)
		}
	}
}
