package train

import (
	"testing"

	"compqa/data"
)

// The better answer is longer in one of two judged pairs, wherever it stands. A tie does not count. Without pairs the share is missing.
func TestAnswerLonger(t *testing.T) {
	var c Card
	c.DescribeAnswers([]data.Pair{
		{A: "one two three", B: "one", Label: data.ChoiceB},
		{A: "one", B: "one two three", Label: data.ChoiceB},
		{A: "one", B: "one two three", Label: data.ChoiceTie},
	})
	if c.Lengths.AnswerLonger == nil || *c.Lengths.AnswerLonger != 0.5 {
		t.Errorf("share %v, not 0.5", c.Lengths.AnswerLonger)
	}
	c.DescribeAnswers(nil)
	if c.Lengths.AnswerLonger != nil {
		t.Errorf("no pairs have the share %v", *c.Lengths.AnswerLonger)
	}
}
