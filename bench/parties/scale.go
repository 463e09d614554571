package parties

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/data/sources"
	"compqa/rubric"
	"compqa/stats"
)

// criterionScales returns, by criterion id, what points the values of a file mean under the user's scales. A scale lists the values from
// the worst to the best; they stand for the levels of the criterion in ascending points. A criterion whose values are its points has no
// entry.
func criterionScales(r rubric.Rubric, o sources.Options) (map[string]map[string]float64, error) {
	names := data.Each(r.Criteria, func(c rubric.Criterion) string { return c.Name })
	byID := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(o.Scales)) {
		c := criterionNamed(r, name)
		if name == "" {
			continue
		} else if c == nil {
			return nil, fmt.Errorf("--scale %s=…: there is no criterion %q%s", name, name, data.Suggest(name, "criteria", names))
		}
		byID[c.ID] = o.Scales[name]
	}
	points := map[string]map[string]float64{}
	for _, c := range r.Criteria {
		scale := cmp.Or(byID[c.ID], o.Scales[""])
		if scale == "" {
			continue
		}
		values, err := scaleValues(c, scale)
		if err != nil {
			return nil, err
		}
		if values != nil {
			points[c.ID] = values
		}
	}
	return points, nil
}

// scaleValues returns the points of each value of a scale on a criterion, or nil if the values are the points themselves. A scale is 1..5,
// a list such as no,partly,yes, or labels. It must have as many values as the criterion has levels.
func scaleValues(c rubric.Criterion, scale string) (map[string]float64, error) {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("--scale %s=%s: %s", c.Name, scale, fmt.Sprintf(format, args...))
	}
	levels := data.Each(c.Levels, func(l rubric.Level) float64 { return l.Points })
	slices.Sort(levels)
	levels = slices.Compact(levels)
	least, most := c.Range()
	var values []string
	if low, high, isRange := strings.Cut(scale, ".."); isRange {
		from, err := strconv.ParseFloat(low, 64)
		to, fault := strconv.ParseFloat(high, 64)
		switch {
		case err != nil || fault != nil || !(from < to):
			return nil, wrong("a range is LOW..HIGH, for instance 1..5")
		case from == least && to == most:
			return nil, nil
		}
		for x := from; x <= to && len(values) <= len(levels); x++ {
			values = append(values, stats.Shortest(x))
		}
	} else if scale != "labels" {
		values = data.Each(strings.Split(scale, ","), strings.TrimSpace)
	}
	if len(values) != len(levels) {
		return nil, wrong("the rubric gives the points %s, and a scale needs a value for each of them, from the worst to the best",
			strings.Join(data.Each(levels, stats.Shortest), ", "))
	}
	points := map[string]float64{}
	for i, value := range values {
		points[strings.ToLower(value)] = levels[i]
	}
	if len(points) < len(values) {
		return nil, wrong("a value occurs twice")
	}
	return points, nil
}

// onScale returns the points of a value under a user's scale. If scale is nil, the value is a number or the text of a level.
func onScale(c rubric.Criterion, scale map[string]float64, value string) (float64, error) {
	if scale == nil {
		return pointsOf(c, value)
	}
	written := strings.ToLower(strings.TrimSpace(value))
	if x, number := data.Number(written); number {
		written = stats.Shortest(x)
	}
	points, known := scale[written]
	if !known {
		return 0, fmt.Errorf("%q; --scale has %s", data.Clip(value), strings.Join(slices.Sorted(maps.Keys(scale)), ", "))
	}
	return points, nil
}
