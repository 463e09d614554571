package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"hash/maphash"
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

// startSlowServer starts such a server and returns its address.
func startSlowServer(tb testing.TB, delay time.Duration) string {
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

// A slowServer answers all that it is asked with an answer, or with a sheet of
// scores where a judge asks. It speaks just the HTTP that is needed, on the
// connection itself, because it shares two processors with what is measured. An
// answer is of the length of real ones (250 words) and differs from all others,
// so that no two judgings have the same prompt.
type slowServer struct {
	delay         time.Duration
	judging       []byte // stands in every judge's prompt
	sheet         []byte // the body with scores
	before, after []byte // of the reference in the body with an answer
	seed          maphash.Seed
}

// serveSlowly is the server's process. It prints its address and lives until its
// standard input ends.
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
	scores, _ := json.Marshal(rubric.CQA().Full())
	prose := strings.Repeat("The first object is better than the second one in this respect. ", 21)
	before, rest, _ := strings.Cut(completion(prose+"Reference @.", "stop"), "@")
	s := &slowServer{delay, []byte(rubric.CQA().Criteria[0].Text), []byte(completion(string(scores), "stop")), []byte(before), []byte(rest), maphash.MakeSeed()}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go s.serve(conn)
		}
	}()
	fmt.Printf("http://%s\n", listener.Addr())
	io.Copy(io.Discard, os.Stdin)
	return 0
}

// serve answers the requests of a connection, one after the other.
func (s *slowServer) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReaderSize(conn, 16<<10)
	var request bytes.Buffer
	var reply []byte
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		request.Reset()
		if _, err := request.ReadFrom(r.Body); err != nil {
			return
		}
		parts := [][]byte{[]byte(`{"object": "list", "data": []}`)} // of /models
		if r.Method == http.MethodPost {
			time.Sleep(s.delay)
			parts = [][]byte{s.sheet}
			if !bytes.Contains(request.Bytes(), s.judging) {
				parts = [][]byte{s.before, fmt.Appendf(nil, "%016x", maphash.Bytes(s.seed, request.Bytes())), s.after}
			}
		}
		body := bytes.Join(parts, nil)
		reply = fmt.Appendf(reply[:0], "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		if _, err := conn.Write(reply); err != nil {
			return
		}
	}
}
