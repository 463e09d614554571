package sources

import (
	"fmt"

	"compqa/data"
)

// Inclusions reads the probabilities, in (0, 1], with which items were sampled for labelling. The file needs columns for the id and the
// inclusion probability, as to_label.csv has. The result is by id.
func Inclusions(path string) (map[string]float64, error) {
	sheet, err := OpenSheet(path)
	if err != nil {
		return nil, err
	}
	reading, err := sheet.Read(Options{})
	if err != nil {
		return nil, err
	}
	chances := map[string]float64{}
	item := reading.Column(RoleItem)
	inclusion := reading.Column(RoleInclusion)
	if item == "" || inclusion == "" {
		return nil, fmt.Errorf("%s needs the columns id and inclusion, as to_label.csv of compqa validate --budget has them", path)
	}
	for row, fault := range sheet.Rows(func(string) {}) {
		if fault != nil {
			return nil, fault
		}
		id := row.Text(item)
		text := row.Text(inclusion)
		x, ok := data.Number(text)
		if !ok || x <= 0 || x > 1 {
			return nil, row.Errorf("the probability of inclusion is %q; it is above 0 and at most 1", data.Clip(text))
		}
		chances[id] = x
	}
	return chances, nil
}
