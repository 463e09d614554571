package protocol

import (
	"encoding/json"
	"testing"
)

func TestAcceptedSchema(t *testing.T) {
	tests := []struct{ name, schema, want string }{
		{"as it is", `{"type":"object","properties":{"b":{"type":"integer","enum":[1,2]},"a":{}},"required":["b","a"],"additionalProperties":false}`,
			`{"type":"object","properties":{"b":{"type":"integer","enum":[1,2]},"a":{}},"required":["b","a"],"additionalProperties":false}`},
		{"closed", `{"type":"object","properties":{"b":{"type":"object"}}}`,
			`{"type":"object","properties":{"b":{"type":"object","additionalProperties":false}},"additionalProperties":false}`},
		{"open ones too", `{"additionalProperties":true,"type":"object"}`, `{"additionalProperties":false,"type":"object"}`},
		{"limits", `{"type":"array","minItems":2,"items":{"type":"number","minimum":0,"maximum":2,"multipleOf":0.5},"maxItems":3}`,
			`{"type":"array","items":{"type":"number"}}`},
		{"names that are keywords", `{"properties":{"minimum":{"type":"string","minLength":1},"enum":{"type":"object","properties":{}}}}`,
			`{"properties":{"minimum":{"type":"string"},"enum":{"type":"object","properties":{},"additionalProperties":false}},"additionalProperties":false}`},
		{"values that look like schemas", `{"enum":[{"minimum":1,"type":"object"}],"const":{"maximum":1}}`, `{"enum":[{"minimum":1,"type":"object"}],"const":{"maximum":1}}`},
		{"lists of schemas", `{"anyOf":[{"type":"object"},{"type":"integer","maximum":9}],"$defs":{"x":{"type":"string","maxLength":3}}}`,
			`{"anyOf":[{"type":"object","additionalProperties":false},{"type":"integer"}],"$defs":{"x":{"type":"string"}}}`},
		{"not an object", `true`, `true`},
		{"escapes", `{"properties":{"a\"b<":{"type":"null"}}}`, `{"properties":{"a\"b\u003c":{"type":"null"}},"additionalProperties":false}`},
	}
	for _, test := range tests {
		got, err := acceptedSchema(json.RawMessage(test.schema))
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %s, %v; want %s", test.name, got, err, test.want)
		}
	}
}

func FuzzAcceptedSchema(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"minimum":1}}}`)
	f.Add(`[1,{"":{}}]`)
	f.Fuzz(func(t *testing.T, schema string) {
		if !json.Valid([]byte(schema)) {
			return
		}
		got, err := acceptedSchema(json.RawMessage(schema))
		if err != nil || !json.Valid(got) {
			t.Fatalf("%s becomes %s, %v", schema, got, err)
		}
		again, err := acceptedSchema(got)
		if err != nil || string(again) != string(got) {
			t.Errorf("%s becomes %s, then %s, %v", schema, got, again, err)
		}
	})
}
