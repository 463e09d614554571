package bench

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// aloneTest, in the environment, names the test that has this process for itself.
const aloneTest = "COMPQA_TEST_ALONE"

// alone gives a test that changes the folder or the environment a process of its own, beside the other tests. It reports
// whether this is that process; in the other one the test has ended, and failed if it failed there.
func alone(t *testing.T) bool {
	t.Helper()
	if os.Getenv(aloneTest) == t.Name() {
		return true
	}
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(t.Name()), "/", "$/^") + "$"
	cmd := exec.CommandContext(t.Context(), self, "-test.run", pattern, "-test.v") // it ends with this test
	cmd.Env = append(os.Environ(), aloneTest+"="+t.Name())
	out, err := cmd.CombinedOutput()
	switch {
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	case strings.Contains(string(out), "--- SKIP: "+t.Name()+" "):
		_, reason, _ := strings.Cut(string(out), ".go:")
		t.Skip(strings.TrimLeft(reason, "0123456789: "))
	case !strings.Contains(string(out), "--- PASS: "+t.Name()+" "):
		t.Errorf("it did not run:\n%s", out)
	}
	return false
}
