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
	questions := decodeLines[Question](cqa50Questions)
	for i, q := range questions {
		questions[i].ID = q.Pair()
	}
	return questions
})

// References are the built-in reference answers by pair key.
var References = sync.OnceValue(func() map[string]string {
	references := map[string]string{}
	for _, r := range decodeLines[Answer](cqa50References) {
		references[r.Pair()] = r.Text
	}
	return references
})

// decodeLines decodes an embedded JSON Lines file.
func decodeLines[T any](lines []byte) (all []T) {
	dec := json.NewDecoder(bytes.NewReader(lines))
	for dec.More() {
		var record T
		if err := dec.Decode(&record); err != nil { // the file is a part of the program
			panic(fmt.Sprintf("an embedded file of package data: %v", err))
		}
		all = append(all, record)
	}
	return all
}
