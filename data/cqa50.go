package data

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"
)

// The built-in question set: the 50 object pairs of the CompQA paper with their aspects
// (facts from the authors' release; 20 pairs have one). A natural question, 8 to 14
// arguments and one reference answer for each pair were written for this project. An
// argument is one true, checkable, self-contained sentence. The numbers of arguments for
// the two objects differ by at most two. A reference is written to get 18 or 19 points
// from a strict annotator. Object names are spelled as in the release.
var (
	//go:embed cqa50/questions.jsonl
	cqa50Questions []byte
	//go:embed cqa50/references.jsonl
	cqa50References []byte
)

// CQA50Name is the name of the built-in set in a configuration.
const CQA50Name = "cqa50"

// CQA50 is the built-in question set, 50 questions in the paper's order. A test makes the
// checks of user files, so that runs do not repeat them.
var CQA50 = sync.OnceValue(func() []Question {
	var questions []Question
	dec := json.NewDecoder(bytes.NewReader(cqa50Questions))
	for dec.More() {
		var q Question
		if err := dec.Decode(&q); err != nil {
			panic(fmt.Sprintf("the embedded questions: %v", err))
		}
		q.ID = q.Pair()
		questions = append(questions, q)
	}
	return questions
})

// References are the built-in reference answers by pair key.
var References = sync.OnceValue(func() map[string]string {
	references := map[string]string{}
	dec := json.NewDecoder(bytes.NewReader(cqa50References))
	for dec.More() {
		var r struct{ Object1, Object2, Aspect, Text string }
		if err := dec.Decode(&r); err != nil {
			panic(fmt.Sprintf("the embedded references: %v", err))
		}
		references[PairKey(r.Object1, r.Object2)] = r.Text
	}
	return references
})
