package data

import (
	"encoding/json"
	"testing"
)

func TestScoresAreInNaturalOrder(t *testing.T) {
	for want, scores := range map[string]Scores{
		`null`: nil, `{}`: {}, `{"1":1,"2":0.5,"10":0,"15":-1}`: {"10": 0, "2": 0.5, "15": -1, "1": 1}, `{"2":1,"a":1,"b\"":2}`: {"b\"": 2, "a": 1, "2": 1},
		`{"1":1,"2":2,"3":3}`: {"3": 3, "1": 1, "2": 2}, `{"01":2,"1":1,"2":3}`: {"2": 3, "01": 2, "1": 1},
	} {
		got, err := json.Marshal(scores)
		if err != nil || string(got) != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
}
