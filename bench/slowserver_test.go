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

// beSlowServer is the environment variable that makes the test binary an OpenAI-compatible server. Its value is the time after which the
// server replies. Speed is measured against this server in a separate process, so that its work is not counted.
const beSlowServer = "COMPQA_TEST_BE_SLOW_SERVER"

// startSlowServer starts a process with beSlowServer and returns its address.
func startSlowServer(tb testing.TB, delay time.Duration) string {
	tb.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), beSlowServer+"="+delay.String())
	stdin, err := cmd.StdinPipe() // the server ends when this pipe closes, however this process ends
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

// A slowServer replies to every request with an answer, or with a score sheet to a judge. It implements only the necessary HTTP, directly
// on the connection, because it shares two processors with what is measured. An answer has a realistic length (250 words) and differs from
// all others, so that no two judges' prompts are equal.
type slowServer struct {
	delay         time.Duration
	judging       []byte // text that is in every judge's prompt
	sheet         []byte // the body of a reply with scores
	before, after []byte // parts of the body of a reply before and after the answer
	seed          maphash.Seed
}

// serveSlowly is the main function of the server process. It prints its address and runs until its standard input closes.
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

// serve answers the requests on a connection, one after the other.
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
		parts := [][]byte{[]byte(`{"object": "list", "data": []}`)} // the reply to /models
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
