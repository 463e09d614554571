package sources

import (
	"fmt"
	"path/filepath"
	"strings"

	"compqa/data"
)

// camFile is the file with people's judgements in a checkout of cam-arg-relevance.
const camFile = "dataset_cqa_all_gpt.json"

// CAM is cam-arg-relevance (uhh-lt): arguments that the comparative argumentation machine
// found on the web for pairs of objects, with people's relevance from 0 to 3.
type CAM struct {
	Questions []data.Question // one for each object pair, in the order of the file
	Pairs     int             // entries of the file; some pairs have two
	Arguments int             // arguments in the file
	Empty     int             // arguments without a text
	Repeated  int             // arguments with a text that their pair already has
}

// ReadCAM reads cam-arg-relevance from a checkout. Entries for the same object pair, in either order, become one
// question. Arguments without a text are left out. Of arguments with the same text, the first stays, with the mean of
// their relevance. The file does not say which object an argument favours.
func ReadCAM(dir string) (CAM, error) {
	entries, lines, err := data.ReadItems[camEntry](filepath.Join(dir, camFile))
	if err != nil {
		return CAM{}, err
	}
	var c CAM
	index := map[string]int{}              // index in c.Questions, by pair
	given := map[[2]string]*camRelevance{} // relevance, by pair and text
	for i, e := range entries {
		q := data.Question{Object1: strings.TrimSpace(e.Object1), Object2: strings.TrimSpace(e.Object2)}
		if q.Object1 == "" || q.Object2 == "" || data.SameName(q.Object1, q.Object2) {
			return CAM{}, lines[i].Errorf("obj1 is %q and obj2 is %q; two different objects are needed", e.Object1, e.Object2)
		}
		c.Pairs++
		pair := q.Pair()
		if _, known := index[pair]; !known {
			q.ID, q.Text = pair, data.DefaultQuestion(q.Object1, q.Object2, "")
			index[pair] = len(c.Questions)
			c.Questions = append(c.Questions, q)
		}
		arguments := &c.Questions[index[pair]].Arguments
		for n, a := range e.Arguments {
			c.Arguments++
			if a.Relevance == nil || *a.Relevance < 0 || *a.Relevance > 3 {
				return CAM{}, lines[i].Errorf("argument %d of %s: the relevance is missing or not from 0 to 3", n+1, pair)
			}
			if a.Text == nil || strings.TrimSpace(*a.Text) == "" {
				c.Empty++
				continue
			}
			text := strings.TrimSpace(*a.Text)
			relevance := given[[2]string{pair, text}]
			if relevance != nil {
				c.Repeated++
			} else {
				relevance = &camRelevance{}
				given[[2]string{pair, text}] = relevance
				*arguments = append(*arguments, data.Argument{Text: text, Relevance: &relevance.mean})
			}
			relevance.n++
			relevance.mean += (*a.Relevance - relevance.mean) / relevance.n
		}
	}
	if len(c.Questions) == 0 {
		return CAM{}, fmt.Errorf("%s is empty; a list of object pairs is needed", filepath.Join(dir, camFile))
	}
	return c, nil
}

type camEntry struct {
	Object1   string `json:"obj1"`
	Object2   string `json:"obj2"`
	Arguments []struct {
		Text      *string  `json:"argument"`
		Relevance *float64 `json:"relevance"`
	} `json:"arguments"`
}

// A camRelevance is the running mean of the relevance of n arguments with the same text.
type camRelevance struct{ mean, n float64 }
