// Package ollamatest runs a real Ollama server with a tiny model of random
// weights, for tests. Its answers are word salad, but they come over the real
// protocol, with all that a real server does: a JSON Schema constrains them, a
// limit truncates them, an overloaded server refuses them.
//
// It runs where COMPQA_TEST_OLLAMA names the server's program: make test-ollama builds it from
// source the first time.
package ollamatest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Model is the name of the server's model. Its context is 4096 tokens and a reply at most 256, unless a request says otherwise. A byte of a
// prompt is one token.
const Model = "tiny"

// template is the chat template ChatML.
const template = "{{- range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}<|im_start|>assistant\n"

// patience is the longest time for the start and the end of the server.
const patience = time.Minute

// Server is a running Ollama server.
type Server struct {
	URL string // http://127.0.0.1:PORT: base_url of a provider of type ollama; of type openai with /v1

	tb      testing.TB
	program string
	home    string
	env     []string
	running *exec.Cmd
}

// Start starts the server in its own folder on a free port, installs Model, and stops the server when the test ends. env has more
// environment variables, for instance "OLLAMA_MAX_QUEUE=1". Without COMPQA_TEST_OLLAMA the test is skipped.
func Start(tb testing.TB, env ...string) *Server {
	tb.Helper()
	program := os.Getenv("COMPQA_TEST_OLLAMA")
	if program == "" {
		tb.Skip("SKIPPED: no real Ollama server without COMPQA_TEST_OLLAMA (make test-ollama)")
	}
	s := &Server{tb: tb, program: program, home: tb.TempDir(), env: env}
	tb.Cleanup(s.Stop)
	address, err := freeAddress()
	if err != nil {
		tb.Fatal(err)
	}
	s.URL = "http://" + address
	s.Resume()
	if err := s.create(); err != nil {
		tb.Fatalf("%v\n%s", err, s.log())
	}
	return s
}

// freeAddress returns an address that is free now. Its port is below 32768, so the system does not assign it to other programs. It stays
// free until the server, or the restarted server, listens there.
func freeAddress() (string, error) {
	for {
		address := fmt.Sprintf("127.0.0.1:%d", 20000+rand.IntN(10000))
		l, err := net.Listen("tcp", address)
		if err == nil {
			return address, l.Close()
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			return "", fmt.Errorf("looking for a free port: %w", err)
		}
	}
}

// Resume starts a stopped server again, at the same address and with the same models.
func (s *Server) Resume() {
	s.tb.Helper()
	log, err := os.OpenFile(s.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		s.tb.Fatal(err)
	}
	defer log.Close()
	serve := exec.Command(s.program, "serve")
	serve.Dir = s.home
	serve.Env = append([]string{
		"HOME=" + s.home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + s.home,
		"OLLAMA_MODELS=" + filepath.Join(s.home, "models"), "OLLAMA_HOST=" + s.URL,
		"OLLAMA_NUM_PARALLEL=4", "OLLAMA_KEEP_ALIVE=30m",
	}, s.env...)
	serve.Stdout = log
	serve.Stderr = log
	if err := serve.Start(); err != nil {
		s.tb.Fatalf("starting ollama: %v", err)
	}
	s.running = serve
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		resp, err := http.Get(s.URL + "/api/version")
		if err == nil {
			resp.Body.Close()
			return
		}
		if time.Now().After(end) {
			s.tb.Fatalf("ollama doesn't answer: %v\n%s", err, s.log())
		}
	}
}

// Stop ends the server, which interrupts the calls in progress. It does nothing if the server is already stopped.
func (s *Server) Stop() {
	if s.running == nil {
		return
	}
	serve := s.running
	s.running = nil
	if serve.Process.Signal(os.Interrupt) != nil {
		serve.Process.Kill()
	}
	kill := time.AfterFunc(patience, func() { serve.Process.Kill() })
	serve.Wait() // the exit status only says how it was stopped
	kill.Stop()
	if s.tb.Failed() {
		s.tb.Logf("the server's log ends:\n%s", s.log())
	}
}

func (s *Server) logFile() string { return filepath.Join(s.home, "serve.log") }

// log returns the end of the server's log.
func (s *Server) log() []byte {
	text, err := os.ReadFile(s.logFile())
	if err != nil {
		return []byte(err.Error())
	}
	return text[max(0, len(text)-8000):]
}

// create uploads the model and registers it under its name.
func (s *Server) create() error {
	file, err := os.Create(filepath.Join(s.home, "tiny.gguf"))
	if err != nil {
		return err
	}
	defer file.Close()
	if err := WriteModel(file, 1); err != nil {
		return fmt.Errorf("writing the model: %w", err)
	}
	weights, err := os.ReadFile(file.Name())
	if err != nil {
		return err
	}
	sum := sha256.Sum256(weights)
	digest := "sha256:" + hex.EncodeToString(sum[:])
	if _, err := s.post("/api/blobs/"+digest, weights); err != nil {
		return fmt.Errorf("uploading the model: %w", err)
	}
	description, err := json.Marshal(map[string]any{
		"model": Model, "files": map[string]string{"tiny.gguf": digest}, "template": template, "stream": false,
		// More than one thread is slow on shared cores at times.
		"parameters": map[string]any{"num_ctx": 4096, "num_predict": 256, "num_thread": 1, "stop": []string{"<|im_end|>"}},
	})
	if err != nil {
		return err
	}
	answer, err := s.post("/api/create", description)
	if err != nil {
		return fmt.Errorf("creating the model: %w", err)
	}
	if !bytes.Contains(answer, []byte(`"success"`)) {
		return fmt.Errorf("creating the model: %s", answer)
	}
	return nil
}

func (s *Server) post(path string, body []byte) ([]byte, error) {
	resp, err := http.Post(s.URL+path, "application/octet-stream", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= 300 {
		err = fmt.Errorf("HTTP %d: %s", resp.StatusCode, answer)
	}
	return answer, err
}
