package bench

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"compqa/data"
	"compqa/results/dataset"
)

// A run is measured with speedCalls calls (make bench-run). Each is answered after answerTime, and atOnce calls are concurrent. No program
// can take less time than speedFloor, calls × answerTime / atOnce.
const (
	speedModels = 25 // × 4 scenarios × 50 questions = 5,000 answers, and as many verdicts
	speedCalls  = 10000
	answerTime  = 50 * time.Millisecond
	atOnce      = 200
	speedFloor  = speedCalls * answerTime / atOnce
)

// Limits for the measured run.
const (
	wallLimit   = 1.25 // multiple of speedFloor
	cpuLimit    = 350 * time.Microsecond
	memoryLimit = 100 << 20
)

// BenchmarkRun measures the program from the command line to the reports, as a user runs it, against a server in a separate process. It is
// compared with a client that only posts (see postBarely).
func BenchmarkRun(b *testing.B) {
	url := startSlowServer(b, answerTime)
	for b.Loop() {
		bare := took(b, exec.Command(os.Args[0]), beBareClient+"="+url)
		dir := b.TempDir()
		used := measured(b, "run", "--config", speedConfig(b, url), "--out", dir)
		checkSpeedRun(b, dir)
		fmt.Printf("\n%d calls of %s, %d at once, everything recorded, reports written (load %s)\n\n", speedCalls, answerTime, atOnce, load())
		fmt.Printf("| | compqa | limit | a client that only posts |\n|---|---|---|---|\n")
		fmt.Printf("| wall time | %.2f s = %.2f × the floor of %s | %.2f × | %.2f × |\n", used.wall.Seconds(), used.floors(), speedFloor, wallLimit, bare.floors())
		fmt.Printf("| processor time a call | %.3f ms | %.3f ms | %.3f ms |\n", used.perCall(), cpuLimit.Seconds()*1e3, bare.perCall())
		fmt.Printf("| memory at its peak | %d MB | %d MB | %d MB |\n", used.memory>>20, memoryLimit>>20, bare.memory>>20)
		b.ReportMetric(used.floors(), "×floor")
		b.ReportMetric(used.perCall(), "ms-cpu/call")
		b.ReportMetric(float64(used.memory>>20), "MB")
	}
}

// A usage is the time and memory that a process took.
type usage struct {
	wall, cpu time.Duration
	memory    int64 // peak resident bytes
}

// floors returns the wall time as a multiple of speedFloor.
func (u usage) floors() float64 { return float64(u.wall) / float64(speedFloor) }

// perCall returns the processor time per call, in milliseconds.
func (u usage) perCall() float64 { return u.cpu.Seconds() * 1e3 / speedCalls }

// measured runs compqa and returns its usage. It runs the program that COMPQA_PROGRAM names, or else this test binary.
func measured(tb testing.TB, args ...string) usage {
	tb.Helper()
	used, err := measuredBy(os.Getenv("COMPQA_PROGRAM"), args...)
	if err != nil {
		tb.Fatal(err)
	}
	return used
}

// measuredBy runs the program at path and returns its usage. "" is this test binary.
func measuredBy(path string, args ...string) (usage, error) {
	return tryTook(exec.Command(cmp.Or(path, os.Args[0]), args...), beCompqa+"=1", "COMPQA_TEST_KEY="+plantedKey)
}

// took runs a command and returns its usage.
func took(tb testing.TB, cmd *exec.Cmd, environment ...string) usage {
	tb.Helper()
	used, err := tryTook(cmd, environment...)
	if err != nil {
		tb.Fatal(err)
	}
	return used
}

// tryTook is like took, but the command may fail. A small helper process starts the command, because a process begins with its parent's
// peak memory, and this process holds large files.
func tryTook(cmd *exec.Cmd, environment ...string) (usage, error) {
	file, err := os.CreateTemp("", "usage-")
	if err != nil {
		return usage{}, err
	}
	file.Close()
	defer os.Remove(file.Name())
	measurer := exec.Command(os.Args[0], cmd.Args...)
	measurer.Env = append(append(os.Environ(), environment...), beMeasurer+"="+file.Name())
	began := time.Now()
	out, err := measurer.CombinedOutput()
	wall := time.Since(began)
	if err != nil {
		return usage{}, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	text, err := os.ReadFile(file.Name())
	if err != nil {
		return usage{}, err
	}
	used := usage{wall: wall}
	_, err = fmt.Sscan(string(text), &used.cpu, &used.memory)
	return used, err
}

// beMeasurer is the environment variable that makes the test binary a measuring process. It runs the command in its arguments and writes
// the usage to the file that the variable names.
const beMeasurer = "COMPQA_TEST_BE_MEASURER"

func measureCommand(path string, args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, beMeasurer+"=") })
	cmd.Stdout = os.Stdout
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	state := cmd.ProcessState
	cpu := state.UserTime() + state.SystemTime()
	memory := state.SysUsage().(*syscall.Rusage).Maxrss << 10
	if err := os.WriteFile(path, fmt.Appendln(nil, int64(cpu), memory), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// load returns the load average of the machine, which is printed with the figures.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Fields(string(text))[0]
}

func speedConfig(tb testing.TB, url string) string {
	tb.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "providers:\n  local: {type: openai, base_url: %s/v1, api_key_env: COMPQA_TEST_KEY, concurrency: %d}\nmodels:\n", url, atOnce)
	for i := range speedModels {
		fmt.Fprintf(&text, "  - {name: model-%d, provider: local, model: model-%d, options: {temperature: 1}}\n", i+1, i+1)
	}
	text.WriteString("judges:\n  - {name: judge, provider: local, model: judge, options: {temperature: 0}}\n")
	path := filepath.Join(tb.TempDir(), "speed.yaml")
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		tb.Fatal(err)
	}
	return path
}

// checkSpeedRun checks that the measured run is complete.
func checkSpeedRun(tb testing.TB, dir string) {
	tb.Helper()
	record, err := dataset.Load(dir)
	if err != nil {
		tb.Fatal(err)
	}
	valid := 0
	for _, s := range record.Sheets {
		if s.Status == data.Valid {
			valid++
		}
	}
	if len(record.Answers) != speedCalls/2 || valid != speedCalls/2 {
		tb.Fatalf("the record holds %d answers and %d valid verdicts, not %d of each", len(record.Answers), valid, speedCalls/2)
	}
}
