package sources

import (
	"crypto/sha256"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"compqa/data"
)

var fold = cases.Fold()

// FoldedText returns a text for comparison: composed (NFC), every run of white space one blank, case folded.
func FoldedText(text string) string {
	return fold.String(strings.Join(strings.Fields(norm.NFC.String(text)), " "))
}

// TextKey returns a key that items with the same text share, as FoldedText compares.
func (i *Item) TextKey() string {
	if i.Short != nil && i.Short.Text != "" {
		return i.Short.Text
	}
	return Digest(FoldedText(i.Text))
}

// QuestionKey returns a key that items with the same question share.
func (i *Item) QuestionKey() string {
	if i.Short != nil && i.Short.Question != "" {
		return i.Short.Question
	}
	return Digest(FoldedText(i.Question))
}

// WordsOfText returns the number of words of the whole text.
func (i *Item) WordsOfText() int {
	if i.Short != nil && i.Short.Text != "" {
		return i.Short.Words
	}
	return len(data.Words(i.Text))
}

// Digest returns a text, or the hash of a long one: keys of a large log would take more memory than the log.
func Digest(text string) string {
	if len(text) <= sha256.Size {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return string(sum[:])
}
