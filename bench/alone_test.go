package bench

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// aloneTest is the environment variable that names the test for which this process was started.
const aloneTest = "COMPQA_TEST_ALONE"

// alone runs a test that changes the working directory or the environment in a process of its own, in parallel to other tests. It returns
// true in the new process. In the original process it returns false, after the new one has ended, and fails the test if the new process
// failed.
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
	cmd := exec.CommandContext(t.Context(), self, "-test.run", pattern, "-test.v") // ends with this test
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
