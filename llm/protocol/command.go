package protocol

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"compqa/llm"
)

// A Command is a program that answers requests. Each request is one line of JSON on its standard input: an OpenAI chat request with an id.
// The reply is one line on its standard output with the same id, and with text, with error, or with a complete OpenAI reply. One process
// serves all requests. It starts with the first request, starts again after it has ended, and is killed when a request times out. A Command
// replaces the HTTP connection, so the OpenAI protocol does the rest.
type Command struct {
	args     []string
	dir      string
	notice   func(string) // called with lines of standard error; may be nil
	maxReply int          // most bytes of a reply

	mu      sync.Mutex
	lastID  int // id of the latest request
	current *process
	failed  int // consecutive processes that ended without a reply
}

// A process is one start of the program.
type process struct {
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	waiting map[string]chan string // replies, by id
	ended   chan struct{}
	reason  string // valid when ended is closed
	replied bool
	stderr  string // the last line of standard error
}

// mostStarts is the number of consecutive processes that may end without a reply. Then the program is not started again.
const mostStarts = 3

// NewCommand returns the transport of a provider of type command.
func NewCommand(p llm.Provider, notice func(string)) (*Command, error) {
	if len(p.Run) == 0 || strings.TrimSpace(p.Run[0]) == "" {
		return nil, llm.Errorf(llm.Misconfigured, `type command needs run, the program and its arguments: run: ["python3", "judge.py"]`)
	}
	most, err := parseSize(cmp.Or(p.MaxReply, "1MiB"))
	return &Command{args: p.Run, dir: p.Dir, notice: notice, maxReply: int(most)}, err
}

// RoundTrip sends one request to the program and returns its reply as an HTTP response. A program that ended gives status 503.
func (c *Command) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodPost {
		return response(req, http.StatusNotImplemented, failure("a program lists no models"), nil)
	}
	defer req.Body.Close()
	var body map[string]json.RawMessage
	if err := json.NewDecoder(req.Body).Decode(&body); err != nil {
		return nil, err
	}
	p, id, reply, err := c.send(body)
	if err != nil {
		return response(req, http.StatusServiceUnavailable, failure(err.Error()), nil)
	}
	select {
	case line := <-reply:
		text, err := completionOf(line)
		return response(req, http.StatusOK, text, err)
	case <-p.ended:
		return response(req, http.StatusServiceUnavailable, failure(p.reason), nil)
	case <-req.Context().Done():
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(p.waiting, id)
		if errors.Is(context.Cause(req.Context()), errTimeout) {
			c.kill(p) // it may never reply again
		}
		return nil, req.Context().Err()
	}
}

// send writes a request to the program, and starts the program if it is not running.
func (c *Command) send(body map[string]json.RawMessage) (p *process, id string, reply chan string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current == nil {
		if err := c.start(); err != nil {
			return nil, "", nil, err
		}
	}
	c.lastID++
	id = strconv.Itoa(c.lastID)
	body["id"] = json.RawMessage(`"` + id + `"`)
	line, err := json.Marshal(body)
	if err != nil {
		return nil, "", nil, err
	}
	p = c.current
	reply = make(chan string, 1)
	p.waiting[id] = reply
	go p.stdin.Write(append(line, '\n')) // an error here ends the process, and so ends the wait
	return p, id, reply, nil
}

// start starts the program.
func (c *Command) start() error {
	if c.failed >= mostStarts {
		return fmt.Errorf("%s has ended %d times without a reply and is not started again", c.args[0], c.failed)
	}
	p := &process{cmd: exec.Command(c.args[0], c.args[1:]...), waiting: map[string]chan string{}, ended: make(chan struct{})}
	p.cmd.Dir = c.dir
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.stdin = in
	p.cmd.Stderr = &lineWriter{each: func(line string) {
		c.mu.Lock()
		p.stderr = line
		c.mu.Unlock()
		if c.notice != nil {
			c.notice(fmt.Sprintf("%s: %s", c.args[0], clipped(line)))
		}
	}}
	p.cmd.WaitDelay = 5 * time.Second
	if err := p.cmd.Start(); err != nil {
		c.failed++
		return fmt.Errorf("cannot start %s: %w", c.args[0], err)
	}
	c.current = p
	go c.listen(p, out)
	return nil
}

// listen passes replies on until the program ends. Then it notes the reason, and wakes the requests that wait.
func (c *Command) listen(p *process, out io.Reader) {
	scanner := bufio.NewScanner(out)
	scanner.Buffer(nil, c.maxReply)
	why := ""
	for why == "" && scanner.Scan() {
		why = c.receive(p, scanner.Text())
	}
	if err := scanner.Err(); err != nil && why == "" {
		why = "its output cannot be read: " + err.Error()
	}
	c.mu.Lock()
	c.kill(p)
	c.mu.Unlock()
	err := p.cmd.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failed++
	if p.replied {
		c.failed = 0
	}
	if why == "" {
		why = "the program has ended"
		if err != nil {
			why += " (" + err.Error() + ")"
		}
	}
	if p.stderr != "" {
		why += "; its last words: " + clipped(p.stderr)
	}
	p.reason = c.args[0] + ": " + why
	close(p.ended)
}

// kill kills a process whose output has ended or is not needed any more.
func (c *Command) kill(p *process) {
	if c.current == p {
		c.current = nil
	}
	p.cmd.Process.Kill()
}

// receive passes a line to the request that it replies to. A line without an id belongs to the only request that waits. why says what is
// wrong if the line is not JSON; the process is then ended.
func (c *Command) receive(p *process, line string) (why string) {
	if strings.TrimSpace(line) == "" {
		return ""
	}
	var head struct {
		ID any `json:"id"`
	}
	if err := json.Unmarshal([]byte(line), &head); err != nil {
		return fmt.Sprintf("its reply is not one line of JSON: %s", clipped(line))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	id := fmt.Sprint(head.ID)
	if head.ID == nil && len(p.waiting) == 1 {
		for only := range p.waiting {
			id = only
		}
	}
	reply := p.waiting[id]
	delete(p.waiting, id)
	if reply != nil {
		reply <- line
		p.replied = true
	}
	return "" // without a waiting request, the line is dropped
}

// completionOf returns a line as an OpenAI reply. A complete OpenAI reply stays as it is; text or error is put into one.
func completionOf(line string) (string, error) {
	var r struct {
		Choices json.RawMessage `json:"choices"`
		Text    *string         `json:"text"`
		Error   any             `json:"error"`
		Usage   json.RawMessage `json:"usage"`
	}
	err := json.Unmarshal([]byte(line), &r)
	switch {
	case err != nil:
		return "", fmt.Errorf("the reply is unreadable: %w", err)
	case r.Choices != nil:
		return line, nil
	case r.Error != nil:
		return failure(fmt.Sprint(r.Error)), nil
	case r.Text == nil:
		return failure("the reply has neither text nor error: " + clipped(line)), nil
	}
	whole := map[string]any{"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]string{"content": *r.Text}}}}
	if r.Usage != nil {
		whole["usage"] = r.Usage
	}
	text, err := json.Marshal(whole)
	return string(text), err
}

// failure returns the JSON of an error with a message.
func failure(message string) string {
	text, _ := json.Marshal(map[string]any{"error": map[string]string{"message": message}})
	return string(text)
}

// response returns an HTTP response to req with a JSON body, or err.
func response(req *http.Request, status int, body string, err error) (*http.Response, error) {
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Status: strconv.Itoa(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: int64(len(body)),
		Body: io.NopCloser(strings.NewReader(body))}, nil
}

// A lineWriter calls a function with each line written to it that is not blank.
type lineWriter struct {
	incomplete []byte
	each       func(string)
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.incomplete = append(w.incomplete, p...)
	for {
		line, rest, found := bytes.Cut(w.incomplete, []byte("\n"))
		if !found {
			w.incomplete = w.incomplete[max(0, len(w.incomplete)-MaxRaw):]
			return len(p), nil
		}
		w.incomplete = rest
		if len(bytes.TrimSpace(line)) > 0 {
			w.each(string(bytes.TrimSpace(line)))
		}
	}
}
