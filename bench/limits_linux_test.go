package bench

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The limits on reading a file in a separate process: processor time, which other processes do not affect, and memory.
const (
	mostProcessor = 5 * time.Second
	mostResident  = 300 << 10 // KiB
)

// limitedRun runs a command in a process that is stopped at four times the limits. It returns the exit code and the output.
func limitedRun(t *testing.T, args ...string) (code int, said string) {
	t.Helper()
	cmd := exec.Command("sh", append([]string{"-c", `ulimit -t 20; ulimit -v 6000000; exec "$0" "$@"`, os.Args[0]}, args...)...)
	status := filepath.Join(t.TempDir(), "status")
	cmd.Env = append(os.Environ(), beCompqa+"=1", "GOMAXPROCS=2", "GOGC=100", statusFile+"="+status)
	var out bytes.Buffer
	cmd.Stdout = &out
	cmd.Stderr = &out
	err := cmd.Run() // the caller checks the exit code
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	said = out.String()
	// Read the peak memory of the program itself. What Linux counts for a child includes the memory of the process that started it.
	text, _ := os.ReadFile(status)
	_, peak, _ := strings.Cut(string(text), "VmHWM:")
	peak, _, _ = strings.Cut(peak, "kB")
	resident, err := strconv.Atoi(strings.TrimSpace(peak))
	if err != nil {
		t.Fatalf("the process did not end by itself: %v\n%s", err, said)
	}
	if processor := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(); processor > mostProcessor || resident > mostResident {
		t.Errorf("%v of processor time and %d MB", processor, resident>>10)
	}
	return cmd.ProcessState.ExitCode(), said
}

// TestReadersAreBounded: files that would take minutes or all memory to read are refused within seconds, with the limit in the message.
// Each of these inputs exceeded a limit of an earlier version.
func TestReadersAreBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	footer := binary.AppendUvarint([]byte{0x15, 2, 0x19, 0xfc}, 1<<31-1) // version 1; a list of structs
	parquet := append([]byte("PAR1"), footer...)
	parquet = append(binary.LittleEndian.AppendUint32(parquet, uint32(len(footer))), "PAR1"...)
	number := `[{"item":"a","rater":"r","value":` + strings.Repeat("1", 20_000_000) + `}]`
	row := "i" + strings.Repeat(",1", 200_000) + "\n"
	var columns strings.Builder
	columns.WriteString("item")
	for i := range 200_000 {
		columns.WriteString(",c" + strings.Repeat("x", i%7) + string(rune('a'+i%26)))
	}
	columns.WriteString("\n" + row + row)
	const levels = 9000
	question := `{"object1":"x","object2":"y","arguments":` + strings.Repeat("[", levels) + `"` + strings.Repeat("a", 10_000_000) + `"` +
		strings.Repeat("]", levels) + "}\n"
	flat := `{"object1":"x","object2":"y","arguments":["` + strings.Repeat("a", 10_000_000) + `"]}` + "\n"
	arguments := "\n" + `{"object1":"x","object2":"y","arguments":["a"` + strings.Repeat(`,"an argument"`, 900_000) + "]}\n"
	objects := `{"objects":["a"` + strings.Repeat(`,"an object"`, 900_000) + "]}\n"
	configuration := "models: [{name: template, provider: baseline}]\njudges: [{name: rules, provider: embedded}]\n"
	estimate := func(name, questions string) []string {
		dataset := "dataset: " + write(name+".jsonl", []byte(questions)) + "\n"
		return []string{"estimate", "--config", write(name+".yaml", []byte(dataset+configuration))}
	}
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"a list of Parquet": {[]string{"agree", "--units", write("list.parquet", parquet), "--out", filepath.Join(dir, "a.csv")},
			"a list of 2147483647 items is said to be in it, and 0 bytes are left"},
		"a number": {[]string{"agree", "--units", write("number.json", []byte(number)), "--out", filepath.Join(dir, "b.csv")},
			"number.json:1: a number has 20000000 characters; at most 400 are read"},
		"columns": {[]string{"agree", "--units", write("columns.csv", []byte(columns.String())), "--out", filepath.Join(dir, "c.csv")},
			"columns.csv:1: 200001 cells in a row: at most 10000 columns are read"},
		"a question":  {estimate("q", question), "q.jsonl:1: lists and objects are nested in more than 200 levels"},
		"an argument": {estimate("flat", flat), "flat.yaml uses no model"},
		"arguments":   {estimate("arguments", arguments), "arguments.jsonl:2: arguments has more than 10000 items"},
		"objects":     {estimate("objects", objects), "objects.jsonl:1: objects has more than 10000 names"},
	} {
		t.Run(name, func(t *testing.T) {
			code, said := limitedRun(t, test.args...)
			if code != exitUsage && name != "an argument" || !strings.Contains(said, test.want) {
				t.Errorf("exit %d, %s; want %q", code, said, test.want)
			}
		})
	}
}

// TestPlannedNumbersAreBounded: the planned numbers in a record cause no allocations of that size, and a negative number is refused.
func TestPlannedNumbersAreBounded(t *testing.T) {
	t.Parallel()
	for planned, want := range map[string]string{"100000000": "", "-2": "the record plans -2 results (answer): it was changed by another program"} {
		dir := importedPeople(t)
		changed(t, dir, `UPDATE plan SET planned = `+planned+` WHERE kind = 'answer'`)
		code, said := limitedRun(t, "report", dir)
		if want == "" && code != exitDone || want != "" && (code == exitDone || !strings.Contains(said, want)) {
			t.Errorf("%s planned: exit %d, %s", planned, code, said)
		}
	}
}
