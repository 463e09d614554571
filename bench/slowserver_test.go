package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"compqa/rubric"
)

// beSlowServer, in the environment, makes the test binary an OpenAI-compatible
// server that answers after the time that is its value: what speed is measured
// against, in a process of its own so that its work is not counted as ours.
const beSlowServer = "COMPQA_TEST_BE_SLOW_SERVER"

// slowServer starts such a server and returns its address.
func slowServer(tb testing.TB, delay time.Duration) string {
	tb.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), beSlowServer+"="+delay.String())
	stdin, err := cmd.StdinPipe() // its end is the server's, however this process ends
	if err != nil {
		tb.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { stdin.Close(); cmd.Wait() })
	url, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		tb.Fatalf("the server did not start: %v", err)
	}
	return strings.TrimSpace(url)
}

// serveSlowly is the server's process. It prints its address and lives until its
// standard input ends. An answer is of the length of real ones (250 words) and
// differs from all others, so that no two judgings have the same prompt.
func serveSlowly(after string) int {
	delay, err := time.ParseDuration(after)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	judging := []byte(rubric.CQA().Criteria[0].Text)
	sheet, _ := json.Marshal(rubric.CQA().Full())
	prose := strings.Repeat("The first object is better than the second one in this respect. ", 21)
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method == http.MethodGet {
			io.WriteString(w, `{"object": "list", "data": []}`)
			return
		}
		time.Sleep(delay)
		text := string(sheet)
		if !bytes.Contains(body, judging) {
			h := fnv.New64a()
			h.Write(body)
			text = fmt.Sprintf("%sReference %x.", prose, h.Sum64())
		}
		io.WriteString(w, completion(text, "stop"))
	}))
	fmt.Printf("http://%s\n", listener.Addr())
	io.Copy(io.Discard, os.Stdin)
	return 0
}
