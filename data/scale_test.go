package data

import (
	"reflect"
	"testing"
)

func TestPlainValue(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "  ": "", " yes ": "yes", "Yes": "Yes", "4": "4", "4.0": "4", "+4": "4", "04": "4", "4e0": "4", "3.50": "3.5",
		"-0": "0", "0.30000000000000004": "0.3", "123456789012345": "123456789012345", "1e300": "1e+300", "1e999": "1e999", "Inf": "Inf", "n/a": "n/a",
	} {
		if got, err := NormaliseValue(text); err != nil || got != want {
			t.Errorf("%q is %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"NA", "NaN", "nan", "null", " NA "} {
		if got, err := NormaliseValue(text); err == nil {
			t.Errorf("%q is %q", text, got)
		}
	}
}

func TestParseScale(t *testing.T) {
	got, err := ParseScale("1, 2.0,no")
	if err != nil || !reflect.DeepEqual(got, []string{"1", "2", "no"}) {
		t.Errorf("got %q, %v", got, err)
	}
	for _, text := range []string{"", "1", "1,,2", "1,1.0", "1,NA"} {
		if got, err := ParseScale(text); err == nil {
			t.Errorf("%q is %q", text, got)
		}
	}
}
