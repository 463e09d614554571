package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"compqa/llm"
)

// beCommand makes the test binary the program of a provider of type command.
const beCommand = "COMPQA_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(beCommand) != "" {
		command()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// command answers each request with its last message. Some messages make it end, hang or misbehave.
func command() {
	requests := bufio.NewScanner(os.Stdin)
	n := 0
	for requests.Scan() {
		n++
		var r struct {
			ID       string
			Messages []struct{ Content string }
		}
		json.Unmarshal(requests.Bytes(), &r)
		text := r.Messages[len(r.Messages)-1].Content
		reply := map[string]any{"id": r.ID, "text": fmt.Sprintf("%s (%d)", text, n), "usage": map[string]int{"prompt_tokens": 3, "completion_tokens": 2}}
		switch text {
		case "die":
			fmt.Fprintln(os.Stderr, "I die.")
			os.Exit(3)
		case "sleep":
			time.Sleep(time.Minute)
		case "complain":
			reply = map[string]any{"id": r.ID, "error": "no such model"}
		case "babble":
			fmt.Println("Loading weights")
			continue
		case "anonymous":
			delete(reply, "id")
		}
		line, _ := json.Marshal(reply)
		fmt.Println(string(line))
	}
}

func commandClient(t *testing.T, p llm.Provider, notice func(string)) Client {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(beCommand, "1")
	p.Name = "own"
	p.Type = llm.TypeCommand
	p.Run = []string{program}
	p.Backoff = time.Millisecond
	c, err := New(p, os.Getenv, Hooks{Notice: notice})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func say(c Client, text string) (llm.Reply, error) {
	return c.Chat(context.Background(), llm.Request{Model: "m", Messages: []llm.Message{{Role: "user", Content: text}}})
}

// TestCommand: one process answers all requests, one after the other.
func TestCommand(t *testing.T) {
	c := commandClient(t, llm.Provider{}, nil)
	for i, text := range []string{"one", "two", "anonymous"} {
		r, err := say(c, text)
		if want := fmt.Sprintf("%s (%d)", text, i+1); err != nil || r.Text != want || *r.Usage.Prompt != 3 {
			t.Errorf("%q, %v; want %q", r.Text, err, want)
		}
	}
	if _, err := say(c, "complain"); err == nil || !strings.Contains(err.Error(), "no such model") {
		t.Errorf("an error of the program: %v", err)
	}
}

// TestCommandAtOnce: each reply goes to the request with its id.
func TestCommandAtOnce(t *testing.T) {
	c := commandClient(t, llm.Provider{Concurrency: 8}, nil)
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			text := fmt.Sprint("text", i)
			if r, err := say(c, text); err != nil || !strings.HasPrefix(r.Text, text+" (") {
				t.Errorf("%q, %v; want %s", r.Text, err, text)
			}
		})
	}
	group.Wait()
}

// TestCommandRestarts: a program that ends, hangs or does not write JSON is started again. Its standard error is in the notices.
func TestCommandRestarts(t *testing.T) {
	var mu sync.Mutex
	said := ""
	notice := func(text string) { mu.Lock(); said += text + "\n"; mu.Unlock() }
	c := commandClient(t, llm.Provider{Retries: -1, Timeout: time.Second}, notice)
	for text, want := range map[string]string{"die": "I die.", "babble": "not one line of JSON: Loading weights", "sleep": "no complete reply within 1s"} {
		if r, err := say(c, "one"); err != nil {
			t.Fatalf("before %s: %q, %v", text, r.Text, err)
		}
		_, err := say(c, text)
		if e, ok := errors.AsType[*llm.Error](err); !ok || e.Kind != llm.Failed || !strings.Contains(e.Message, want) {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
		if r, err := say(c, "two"); err != nil || !strings.HasPrefix(r.Text, "two (") {
			t.Errorf("after %s: %q, %v", text, r.Text, err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if !strings.Contains(said, "I die.") {
		t.Errorf("the log has %q", said)
	}
}

// TestCommandNeverAnswers: a program that cannot be started, or repeatedly ends at once, is given up.
func TestCommandNeverAnswers(t *testing.T) {
	c, err := New(llm.Provider{Type: llm.TypeCommand, Run: []string{"/no/such/program"}, Retries: -1}, os.Getenv, Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := say(c, "one"); err == nil || !strings.Contains(err.Error(), "cannot start /no/such/program") {
		t.Errorf("%v", err)
	}
	c = commandClient(t, llm.Provider{Retries: -1}, nil)
	for range 4 {
		_, err = say(c, "die")
	}
	if err == nil || !strings.Contains(err.Error(), "has ended 3 times without a reply") {
		t.Errorf("%v", err)
	}
	if _, err := New(llm.Provider{Type: llm.TypeCommand}, os.Getenv, Hooks{}); err == nil || !strings.Contains(err.Error(), "needs run") {
		t.Errorf("without run: %v", err)
	}
}
