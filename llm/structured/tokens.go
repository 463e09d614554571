package structured

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// A Token is one of a reply, with its logarithmic probability and those of others in its place.
type Token struct {
	Token   string  `json:"token"`
	Logprob float64 `json:"logprob"`
	Others  []Token `json:"top_logprobs"`
}

// Tokens returns those of a reply whose server returned log-probabilities (`extra: {logprobs: true}` asks OpenAI-compatible servers and
// Ollama for them), by the body as it was received; nil: it did not.
func Tokens(raw string) []Token {
	if !strings.Contains(raw, `"logprob"`) || !json.Valid([]byte(raw)) {
		return nil
	}
	list := gjson.Get(raw, "logprobs") // Ollama's
	if choice := gjson.Get(raw, "choices.0"); choice.Exists() {
		list = choice.Get("logprobs.content")
	}
	var tokens []Token
	if err := json.Unmarshal([]byte(list.Raw), &tokens); err != nil {
		return nil
	}
	return tokens
}

// pointsPlace matches the points of a criterion in a sheet.
var pointsPlace = regexp.MustCompile(`"([^"\\]+)"\s*:\s*(-?\d+(?:\.\d+)?)`)

// PointsProbabilities returns the probabilities of the points that a reply gives to some criteria: the product of those of the tokens
// that they are written with. Of several points of a criterion the last ones count.
func PointsProbabilities(raw string, criteria []string) map[string]float64 {
	tokens := Tokens(raw)
	var text strings.Builder
	var ends []int // of tokens, in bytes
	for _, t := range tokens {
		text.WriteString(t.Token)
		ends = append(ends, text.Len())
	}
	all := map[string]float64{}
	for _, place := range pointsPlace.FindAllStringSubmatchIndex(text.String(), -1) {
		id := text.String()[place[2]:place[3]]
		start := place[4]
		end := place[5]
		if !slices.Contains(criteria, id) {
			continue
		}
		sum := 0.0
		for i, t := range tokens {
			if ends[i] > start && ends[i]-len(t.Token) < end {
				sum += t.Logprob
			}
		}
		if p := math.Exp(sum); p >= 0 && p <= 1 {
			all[id] = p
		}
	}
	return all
}
