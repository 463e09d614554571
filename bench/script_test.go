package bench

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"compqa/bench/run"
	"compqa/llm/fleet"
	"compqa/llm/pgtest"
)

// tests are the tests of this package, which share a PostgreSQL server and temporary folders.
type tests struct{ *testing.M }

func (t tests) Run() int {
	defer pgtest.StopShared()
	defer func() {
		for _, r := range recorded {
			os.RemoveAll(r.dir)
		}
	}()
	return t.M.Run()
}

// deadAfter, in the environment, is fleet.DeadAfter.
const deadAfter = "COMPQA_TEST_DEAD_AFTER"

// beCompqa, in the environment, makes the test binary the program: for tests
// that have to start it, and to kill it.
const beCompqa = "COMPQA_TEST_BE_COMPQA"

func TestMain(m *testing.M) {
	if after, err := time.ParseDuration(os.Getenv(deadAfter)); err == nil {
		fleet.DeadAfter = after
	}
	if os.Getenv(beCompqa) != "" {
		os.Exit(Main(os.Args[1:], run.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
	}
	if delay := os.Getenv(beSlowServer); delay != "" {
		os.Exit(serveSlowly(delay))
	}
	if url := os.Getenv(beBareClient); url != "" {
		os.Exit(postBarely(url))
	}
	os.Setenv("COMPQA_TEST_KEY", plantedKey)
	testscript.Main(tests{m}, map[string]func(){
		"compqa": func() { os.Exit(Main(os.Args[1:], run.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})) },
	})
}

// TestScripts runs the transcripts in testdata: commands as a user types them,
// with what they print and how they exit.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "anthropic": serveAnthropic, "refused": refusedByAnthropic},
	})
}

// exits runs compqa and compares its exit code, which "! exec" does not tell
// apart: exits CODE ARGS…
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exits CODE [ARG…]")
	}
	err := ts.Exec("compqa", args[1:]...)
	code := "0"
	if err != nil {
		code = exitStatus(err)
	}
	if code != args[0] {
		ts.Fatalf("compqa %v exits %s, want %s", args[1:], code, args[0])
	}
}

func exitStatus(err error) string {
	var e *exec.ExitError
	if errors.As(err, &e) {
		return strconv.Itoa(e.ExitCode())
	}
	return err.Error()
}
