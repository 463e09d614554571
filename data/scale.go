package data

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ParseScale reads the values of a scale, which are separated by commas.
func ParseScale(text string) ([]string, error) {
	var scale []string
	for part := range strings.SplitSeq(text, ",") {
		v, err := NormaliseValue(part)
		switch {
		case err != nil:
			return nil, fmt.Errorf("the scale %q: %w", text, err)
		case v == "":
			return nil, fmt.Errorf("the scale %q has an empty value", text)
		case slices.Contains(scale, v):
			return nil, fmt.Errorf("the scale %q contains %s twice", text, v)
		}
		scale = append(scale, v)
	}
	if len(scale) < 2 {
		return nil, fmt.Errorf("the scale %q has one value; agreement needs two or more", text)
	}
	return scale, nil
}

// NormaliseValue returns the form in which values are compared: labels without space around them, numbers in their shortest form with up to
// 15 digits. So 4 and 4.0 are equal, and 0.1+0.2 is 0.3. NA, NaN, nan and null are errors: as labels, raters would seem to agree on them.
func NormaliseValue(text string) (string, error) {
	text = strings.TrimSpace(text)
	switch text {
	case "NA", "NaN", "nan", "null":
		return "", fmt.Errorf("the value is %s; leave the value of a missing rating empty", text)
	}
	x, ok := plainNumber(text)
	if !ok {
		return text, nil
	}
	return strconv.FormatFloat(x, 'g', 15, 64), nil
}
