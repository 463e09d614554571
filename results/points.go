package results

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strconv"

	"compqa/data"
	"compqa/rubric"
)

// points reads the scores of valid sheets, in the order of the rubric's criteria.
// Of sheets with the same scores, which there are many of among a million, all
// have the same slice.
type points struct {
	criteria []rubric.Criterion
	keys     []string  // what stands before each criterion's points in JSON: {"1": and then ,"10":
	place    []int     // of each key's criterion
	row      []float64 // read last

	seed  maphash.Seed
	known map[uint64][]float64 // by the hash of their JSON
	room  []float64
}

// slab is how many points or costs are allocated at once.
const slab = 1 << 14

func newPoints(r rubric.Rubric) *points {
	p := &points{criteria: r.Criteria, row: make([]float64, len(r.Criteria)), seed: maphash.MakeSeed(), known: map[uint64][]float64{}}
	ids := r.IDs()
	sorted := slices.Sorted(slices.Values(ids)) // as encoding/json writes a map
	for i, id := range sorted {
		key, _ := json.Marshal(id)
		before := ","
		if i == 0 {
			before = "{"
		}
		p.keys, p.place = append(p.keys, before+string(key)+":"), append(p.place, slices.Index(ids, id))
	}
	return p
}

// read is the scores of a valid sheet; a sheet that is not complete is a fault of
// the record, never a zero.
func (p *points) read(encoded string) ([]float64, error) {
	if !p.readPlain(encoded) {
		if err := p.decode(encoded); err != nil {
			return nil, err
		}
	}
	hash := maphash.String(p.seed, encoded)
	if known := p.known[hash]; known != nil && slices.Equal(known, p.row) {
		return known, nil
	}
	n := len(p.row)
	if len(p.room) < n {
		p.room = make([]float64, max(n, slab))
	}
	own := p.room[:n:n]
	p.room = p.room[n:]
	copy(own, p.row)
	p.known[hash] = own
	return own, nil
}

// readPlain reads scores as this program writes them, where none has more than a
// digit and one decimal: nearly all, in a tenth of the time. False is for decode to
// judge.
func (p *points) readPlain(encoded string) bool {
	for i, key := range p.keys {
		digit := len(key)
		if len(encoded) < digit+2 || encoded[:digit] != key || !isDigit(encoded[digit]) {
			return false
		}
		value, after := float64(encoded[digit]-'0'), digit+1
		if encoded[after] == '.' {
			if len(encoded) < after+3 || !isDigit(encoded[after+1]) {
				return false
			}
			value, after = (10*value+float64(encoded[after+1]-'0'))/10, after+2 // the nearest number, as any parser's
		}
		p.row[p.place[i]], encoded = value, encoded[after:]
	}
	return encoded == "}" && len(p.keys) > 0
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func (p *points) decode(encoded string) error {
	var scores data.Scores
	if err := json.Unmarshal([]byte(encoded), &scores); err != nil {
		return err
	}
	for i, c := range p.criteria {
		points, ok := scores[c.ID]
		if !ok {
			return fmt.Errorf("it is recorded as valid but has no score for criterion %s", c.ID)
		}
		p.row[i] = points
	}
	return nil
}

// scoresText is scores in JSON as encoding/json writes a map, which takes it many
// times as long where they are plain numbers.
func scoresText(scores data.Scores) (string, error) {
	ids := make([]string, 0, len(scores))
	for id, points := range scores {
		if !plain(id) || points != math.Trunc(points) || math.Abs(points) > 1e6 || points == 0 && math.Signbit(points) {
			ids = nil
			break
		}
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		text, err := json.Marshal(scores)
		return string(text), err
	}
	slices.Sort(ids)
	text := []byte{'{'}
	for _, id := range ids {
		text = append(append(append(text, '"'), id...), `":`...)
		text = append(strconv.AppendInt(text, int64(scores[id]), 10), ',')
	}
	text[len(text)-1] = '}'
	return string(text), nil
}

// plain tells a text that is the same in JSON.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
