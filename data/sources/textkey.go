package sources

import (
	"crypto/sha256"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"compqa/data"
)

var fold = cases.Fold()

// FoldedText returns a text for comparison: in composed form (NFC), with single blanks, case folded.
func FoldedText(text string) string {
	if folded, ascii := foldedASCII(text); ascii {
		return folded
	}
	return fold.String(strings.Join(strings.Fields(norm.NFC.String(text)), " "))
}

// foldedASCII returns FoldedText of a text that has only ASCII characters, without the tables of Unicode. ascii is false for other texts.
func foldedASCII(text string) (folded string, ascii bool) {
	letters := make([]byte, 0, len(text))
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= utf8.RuneSelf:
			return "", false
		case c == ' ' || '\t' <= c && c <= '\r':
			if len(letters) > 0 && letters[len(letters)-1] != ' ' {
				letters = append(letters, ' ')
			}
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		letters = append(letters, c)
	}
	return strings.TrimSuffix(string(letters), " "), true
}

// TextKey returns a key that is equal for items whose texts are equal after FoldedText.
func (i *Item) TextKey() string {
	if short := i.About().Short; short != nil && short.Text != "" {
		return short.Text
	}
	return Digest(FoldedText(i.Text))
}

// QuestionKey returns a key that is equal for items with the same question.
func (i *Item) QuestionKey() string {
	if short := i.About().Short; short != nil && short.Question != "" {
		return short.Question
	}
	return Digest(FoldedText(i.Question))
}

// WordsOfText returns the number of words in the whole text, even if only its beginning is kept.
func (i *Item) WordsOfText() int {
	if short := i.About().Short; short != nil && short.Text != "" {
		return short.Words
	}
	return len(data.Words(i.Text))
}

// Digest returns a short text itself, or the SHA-256 of a longer one: whole texts as keys would take more memory than a large log.
func Digest(text string) string {
	if len(text) <= sha256.Size {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return string(sum[:])
}
