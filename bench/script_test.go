package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"compqa/bench/cli"
	"compqa/bench/run"
	"compqa/llm/fleet"
	"compqa/llm/pgtest"
)

// tests runs the tests of this package, and then removes the PostgreSQL server and the temporary folders that they share.
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

// deadAfter is the environment variable that sets fleet.DeadAfter.
const deadAfter = "COMPQA_TEST_DEAD_AFTER"

// beCompqa is the environment variable that makes the test binary run as the program, for tests that start and kill it.
const beCompqa = "COMPQA_TEST_BE_COMPQA"

// statusFile is the environment variable that names a file. At its end, a program that a test started writes there what Linux says about
// the process.
const statusFile = "COMPQA_TEST_STATUS"

func TestMain(m *testing.M) {
	run.LinesEvery = time.Hour // so that slow machines print no more lines than fast ones
	if after, err := time.ParseDuration(os.Getenv(deadAfter)); err == nil {
		fleet.DeadAfter = after
	}
	if path := os.Getenv(beMeasurer); path != "" {
		os.Exit(measureCommand(path, os.Args[1:]))
	}
	if os.Getenv(beCompqa) != "" {
		code := Main(context.Background(), os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
		if file := os.Getenv(statusFile); file != "" {
			status, err := os.ReadFile("/proc/self/status")
			if err == nil {
				err = os.WriteFile(file, status, 0o644)
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}
		os.Exit(code)
	}
	if delay := os.Getenv(beSlowServer); delay != "" {
		os.Exit(serveSlowly(delay))
	}
	if url := os.Getenv(beBareClient); url != "" {
		os.Exit(postBarely(url))
	}
	os.Setenv("COMPQA_TEST_KEY", plantedKey)
	testscript.Main(tests{m}, map[string]func(){
		"compqa": func() {
			os.Exit(Main(context.Background(), os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
		},
	})
}

// scriptVariables are the environment variables that the commands of transcripts read.
var scriptVariables = []string{"HOME", "TMPDIR", "COMPQA_TEST_KEY", "ANTHROPIC_API_KEY"}

// A oneByOne runs transcripts one after the other, because their commands run in this process and in the folder of the transcript.
type oneByOne struct{ *testing.T }

func (t oneByOne) Parallel()     {}
func (t oneByOne) Verbose() bool { return testing.Verbose() }
func (t oneByOne) Run(name string, do func(testscript.T)) {
	do(t)
}

// TestScripts runs the transcripts in testdata: commands as a user types them, with their output and exit code.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			if alone(t) {
				runScript(t, file)
			}
		})
	}
}

func runScript(t *testing.T, file string) {
	for _, name := range scriptVariables {
		t.Setenv(name, "")
	}
	testscript.RunT(oneByOne{t}, testscript.Params{
		Files:               []string{file},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "anthropic": serveAnthropic, "refused": refusedByAnthropic},
	})
}

// exits is the script command "exits CODE ARGS…", which runs compqa and checks its exit code. "! exec" cannot distinguish exit codes. A
// command with the argument "-", which may be standard input, runs as a separate process. Other commands run in this process, because
// starting a program takes 30 ms.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exits CODE [ARG…]")
	}
	code := "0"
	if slices.Contains(args, "-") {
		if err := ts.Exec("compqa", args[1:]...); err != nil {
			code = exitStatus(err)
		}
	} else {
		code = strconv.Itoa(inScript(ts, args[1:]))
	}
	if code != args[0] {
		ts.Fatalf("compqa %v exits %s, want %s", args[1:], code, args[0])
	}
}

// inScript runs a command in this process, in the folder and with the environment of a transcript.
func inScript(ts *testscript.TestScript, args []string) int {
	for _, name := range scriptVariables {
		if value := ts.Getenv(name); value != "" {
			os.Setenv(name, value)
		} else {
			os.Unsetenv(name)
		}
	}
	before, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer os.Chdir(before)
	return Main(context.Background(), args, cli.Streams{In: strings.NewReader(""), Out: ts.Stdout(), Err: ts.Stderr()})
}

func exitStatus(err error) string {
	var e *exec.ExitError
	if errors.As(err, &e) {
		return strconv.Itoa(e.ExitCode())
	}
	return err.Error()
}
