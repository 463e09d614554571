package bench

import (
	"testing"

	"github.com/spf13/pflag"
)

// TestPrintedCommandOfValidate: the command in a message has the flags as they were given. A flag that needs no value has none, or has it
// after "=".
func TestPrintedCommandOfValidate(t *testing.T) {
	var f validateFlags
	f.add(pflag.NewFlagSet("validate", pflag.ContinueOnError))
	if err := f.set.Parse([]string{"--people", "my people.csv", "--replace", "--answers=false", "--fail-below", "alpha=0.5"}); err != nil {
		t.Fatal(err)
	}
	want := "compqa validate log.csv --people 'my people.csv' --replace --answers=false --fail-below alpha=0.5 --reading r.yaml"
	if got := f.command([]string{"log.csv"}, "--reading", "r.yaml"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
