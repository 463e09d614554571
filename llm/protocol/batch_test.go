package protocol

import (
	"errors"
	"testing"

	"compqa/llm"
)

func kindOf(err error) llm.Kind {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return e.Kind
	}
	return llm.Valid
}

func TestUnreadableBatchLines(t *testing.T) {
	for _, line := range []string{`{`, `{"custom_id":""}`, `[]`} {
		if _, _, err := readBatchLine([]byte(line)); kindOf(err) != llm.Failed {
			t.Errorf("OpenAI, %s: %v", line, err)
		}
		if _, _, err := readMessageResult([]byte(line)); kindOf(err) != llm.Failed {
			t.Errorf("Anthropic, %s: %v", line, err)
		}
	}
	for line, want := range map[string]llm.Kind{
		`{"custom_id":"a"}`: llm.Failed,
		`{"custom_id":"a","response":{"status_code":200,"body":{"choices":[]}}}`:          llm.Failed,
		`{"custom_id":"a","response":{"status_code":200,"body":[1]}}`:                     llm.Failed,
		`{"custom_id":"a","response":{"status_code":401,"body":{"error":"no key"}}}`:      llm.Misconfigured,
		`{"custom_id":"a","response":null,"error":{"code":"server_error","message":"x"}}`: llm.Failed,
	} {
		if id, _, err := readBatchLine([]byte(line)); id != "a" || kindOf(err) != want {
			t.Errorf("%s: %q, %v", line, id, err)
		}
	}
	for line, want := range map[string]llm.Kind{
		`{"custom_id":"a"}`: llm.Failed,
		`{"custom_id":"a","result":{"type":"succeeded"}}`:                                                            llm.Failed,
		`{"custom_id":"a","result":{"type":"succeeded","message":{"content":[]}}}`:                                   llm.Failed,
		`{"custom_id":"a","result":{"type":"errored","error":{"error":{"type":"x"}}}}`:                               llm.Failed,
		`{"custom_id":"a","result":{"type":"errored","error":{"error":{"type":"permission_error","message":"no"}}}}`: llm.Misconfigured,
		`{"custom_id":"a","result":{"type":"canceled"}}`:                                                             llm.Unavailable,
	} {
		if id, _, err := readMessageResult([]byte(line)); id != "a" || kindOf(err) != want {
			t.Errorf("%s: %q, %v", line, id, err)
		}
	}
}
