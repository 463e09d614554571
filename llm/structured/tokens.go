package structured

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// A Token is one token of a reply, with its log-probability and the log-probabilities of other tokens in its place.
type Token struct {
	Token   string  `json:"token"`
	Logprob float64 `json:"logprob"`
	Others  []Token `json:"top_logprobs"`
}

// Tokens returns the tokens of a reply from its body as received, or nil if the server returned no log-probabilities. OpenAI-compatible
// servers and Ollama return them with `extra: {logprobs: true}`.
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

// pointsPlace matches a criterion and its points in a score sheet: "3": 2.
var pointsPlace = regexp.MustCompile(`"([^"\\]+)"\s*:\s*(-?\d+(?:\.\d+)?)`)

// PointsProbabilities returns, for each of the criteria, the probability of the points in a reply. It is the product of the probabilities
// of the tokens that the points are written with. If a criterion has points several times, the last ones count.
func PointsProbabilities(raw string, criteria []string) map[string]float64 {
	tokens := Tokens(raw)
	var text strings.Builder
	var ends []int // the end of each token in the text, in bytes
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
