package llm

import "testing"

func TestSplitThought(t *testing.T) {
	tests := []struct{ name, text, answer, thought string }{
		{"none", " Go, <b>not</b> C++ ", " Go, <b>not</b> C++ ", ""},
		{"empty", "", "", ""},
		{"block", "<think>Hm.</think>Go", "Go", "Hm."},
		{"space around", "\n <think>\nHm.\n</think>\n\n Go \n", "Go \n", "Hm."},
		{"upper case", "<THINK>Hm.</Think>Go", "Go", "Hm."},
		{"other tags", "<thought>Hm.</thought><reasoning>So.</reasoning>Go", "Go", "Hm.\n\nSo."},
		{"empty block", "<think></think>\n{\"1\": 1}", "{\"1\": 1}", ""},
		{"unclosed", "<think>Go wins, scores: {\"1\": 1}", "", "Go wins, scores: {\"1\": 1}"},
		{"second unclosed", "<think>A</think><think>B", "", "A\n\nB"},
		{"opened by the template", "Hm.\n</think>\nGo", "Go", "Hm."},
		{"tags within an answer", "HTML has no <think>x</think> tag", "HTML has no <think>x</think> tag", ""},
		{"tag within a thought", "<think>what is <b>?</think>Go", "Go", "what is <b>?"},
		{"a tag alone", "<think>", "", ""},
		{"not quite", "<thinker>Go", "<thinker>Go", ""},
	}
	for _, test := range tests {
		if answer, thought := SplitThought(test.text); answer != test.answer || thought != test.thought {
			t.Errorf("%s: %q and %q, want %q and %q", test.name, answer, thought, test.answer, test.thought)
		}
	}
}
