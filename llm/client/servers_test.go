package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"compqa/llm"
)

// A backend is an OpenAI-compatible server with some models. A test can make it unavailable.
type backend struct {
	*httptest.Server
	models  []string
	down    atomic.Bool
	chats   atomic.Int64
	now     atomic.Int64
	most    atomic.Int64
	latency time.Duration
	hold    func() // returns when a chat may go on; nil: at once
}

func newBackend(t *testing.T, latency time.Duration, models ...string) *backend {
	b := &backend{models: models, latency: latency}
	b.Server = httptest.NewServer(b)
	t.Cleanup(b.Close)
	return b
}

func (b *backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if b.down.Load() {
		panic(http.ErrAbortHandler) // the connection breaks
	}
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, "/models") {
		var list []string
		for _, m := range b.models {
			list = append(list, fmt.Sprintf(`{"id": %q}`, m))
		}
		fmt.Fprintf(w, `{"data": [%s]}`, strings.Join(list, ","))
		return
	}
	var asked struct{ Model string }
	body, _ := io.ReadAll(r.Body)
	json.Unmarshal(body, &asked)
	if !strings.Contains(" "+strings.Join(b.models, " ")+" ", " "+asked.Model+" ") {
		w.WriteHeader(404)
		io.WriteString(w, `{"error": {"message": "no such model"}}`)
		return
	}
	now := b.now.Add(1)
	for most := b.most.Load(); now > most && !b.most.CompareAndSwap(most, now); most = b.most.Load() {
	}
	b.chats.Add(1)
	if b.hold != nil {
		b.hold()
	}
	time.Sleep(b.latency)
	b.now.Add(-1)
	if b.down.Load() {
		panic(http.ErrAbortHandler)
	}
	io.WriteString(w, openAIAnswer(goAnswer, "stop"))
}

// several returns the client of several servers.
func several(t *testing.T, hooks Hooks, p llm.Provider, backends ...*backend) *client {
	t.Helper()
	p.Type = llm.TypeOpenAI
	p.Name = "lab"
	for _, b := range backends {
		p.BaseURLs = append(p.BaseURLs, b.URL+"/v1")
	}
	c, err := newClient(p, func(string) string { return "" }, hooks)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// askMany makes n calls, workers of them at a time, and returns how many failed.
func askMany(t *testing.T, c Client, n, workers int, model string) (failed int64) {
	var bad atomic.Int64
	jobs := make(chan int)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for range jobs {
				req := ask("Go?")
				req.Model = model
				if _, err := c.Chat(t.Context(), req); err != nil {
					bad.Add(1)
					t.Log(err)
				}
			}
		})
	}
	for i := range n {
		jobs <- i
	}
	close(jobs)
	all.Wait()
	return bad.Load()
}

// TestSeveralServers: a request goes to the server with the fewest requests in flight, within each server's concurrency. All requests wait
// until twelve are in flight. Then the slow server keeps its four until the others have answered the rest.
func TestSeveralServers(t *testing.T) {
	a := newBackend(t, 0, "m")
	b := newBackend(t, 0, "m")
	slow := newBackend(t, 0, "m")
	chats := func() int64 { return a.chats.Load() + b.chats.Load() + slow.chats.Load() }
	until := func(done func() bool) {
		for !done() && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
	}
	a.hold = func() { until(func() bool { return chats() >= 12 }) }
	b.hold = a.hold
	slow.hold = func() { until(func() bool { return chats() >= 400 }) }
	c := several(t, Hooks{}, llm.Provider{Concurrency: 4}, a, b, slow)
	if failed := askMany(t, c, 400, 12, "m"); failed > 0 {
		t.Errorf("%d calls failed", failed)
	}
	for name, s := range map[string]*backend{"a": a, "b": b, "slow": slow} {
		if most := s.most.Load(); most != 4 {
			t.Errorf("%s had %d requests at once, want 4", name, most)
		}
	}
	if slow.chats.Load() != 4 || chats() != 400 {
		t.Errorf("%d, %d and %d requests", a.chats.Load(), b.chats.Load(), slow.chats.Load())
	}
	if s := c.State(); s.MaxConcurrency != 12 {
		t.Errorf("%d at once, want 12", s.MaxConcurrency)
	}
}

// TestServerDies: calls to a server that goes down are made at the other servers, without a pause. The server gets calls again when it is
// back.
func TestServerDies(t *testing.T) {
	a := newBackend(t, 0, "m")
	b := newBackend(t, 0, "m")
	var dies sync.Once
	a.hold = func() {
		if a.chats.Load() >= 40 {
			dies.Do(func() { a.down.Store(true) })
		}
	}
	var paused atomic.Int64
	hooks := Hooks{OnAttempt: func(_ context.Context, try AttemptEvent) {
		if try.Pause > 0 {
			paused.Add(1)
		}
	}}
	c := several(t, hooks, llm.Provider{Concurrency: 8, Backoff: 20 * time.Millisecond, GiveUp: time.Hour}, a, b)
	if failed := askMany(t, c, 1000, 16, "m"); failed > 0 || paused.Load() > 0 {
		t.Errorf("%d calls failed, %d paused", failed, paused.Load())
	}
	if note := c.State().Note; !strings.HasPrefix(note, "1 of 2 servers down (127.0.0.1:") {
		t.Errorf("the state says %q", note)
	}
	a.down.Store(false)
	before := a.chats.Load()
	for deadline := time.Now().Add(5 * time.Minute); a.chats.Load() < before+20 && time.Now().Before(deadline); {
		askMany(t, c, 50, 16, "m")
	}
	if a.chats.Load() < before+20 || c.State().Note != "" {
		t.Errorf("the server is back, and got %d requests: %s", a.chats.Load()-before, c.State().Note)
	}
}

// TestDeadServer: a server that refuses connections from the start gets only a few calls, although it always has the fewest in flight.
func TestDeadServer(t *testing.T) {
	dead := newBackend(t, 0, "m")
	b := newBackend(t, 2*time.Millisecond, "m")
	dead.Close()
	c := several(t, Hooks{}, llm.Provider{Concurrency: 4}, dead, b)
	var tries atomic.Int64
	c.onAttempt = func(_ context.Context, x AttemptEvent) {
		if x.Outcome != llm.Valid {
			tries.Add(1)
		}
	}
	if failed := askMany(t, c, 200, 8, "m"); failed > 0 {
		t.Errorf("%d calls failed", failed)
	}
	if n := tries.Load(); n > 8 { // those in flight at first, and some more until the client knows that the server is down
		t.Errorf("%d of 200 calls were sent to the dead server", n)
	}
	if note := c.State().Note; !strings.HasPrefix(note, "1 of 2 servers down") {
		t.Errorf("the state says %q", note)
	}
}

// TestModelsOfSomeServers: a request for a model goes to a server that lists it. Without a list, one refused request shows that a server
// lacks the model.
func TestModelsOfSomeServers(t *testing.T) {
	for _, listed := range []bool{true, false} {
		a := newBackend(t, 0, "m", "small")
		b := newBackend(t, 0, "m", "large")
		c := several(t, Hooks{}, llm.Provider{Concurrency: 4}, a, b)
		if listed {
			if names, err := c.Models(t.Context()); err != nil || fmt.Sprint(names) != "[large m small]" {
				t.Errorf("%v, %v", names, err)
			}
		}
		if failed := askMany(t, c, 40, 8, "large") + askMany(t, c, 40, 8, "small"); failed > 0 {
			t.Errorf("%d calls failed", failed)
		}
		if a.chats.Load() != 40 || b.chats.Load() != 40 {
			t.Errorf("%d and %d requests", a.chats.Load(), b.chats.Load())
		}
		req := ask("Go?")
		req.Model = "none"
		if _, err := c.Chat(t.Context(), req); err == nil || !strings.Contains(err.Error(), "no such model") {
			t.Errorf("a model that no server has: %v", err)
		}
	}
}

// TestAddressesOfAName: a host name with several addresses stands for a server at each. The first chats wait until each server has one.
func TestAddressesOfAName(t *testing.T) {
	a := newBackend(t, 0, "m")
	b := &backend{models: []string{"m"}}
	a.hold = func() {
		for (a.chats.Load() == 0 || b.chats.Load() == 0) && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
	}
	b.hold = a.hold
	_, port, _ := net.SplitHostPort(a.Listener.Addr().String())
	second, err := net.Listen("tcp", "127.0.0.2:"+port)
	if err != nil {
		t.Skipf("NOT TESTED: this machine has no second loopback address: %v", err)
	}
	other := &http.Server{Handler: b}
	go other.Serve(second)
	defer other.Close()
	defer func(before func(context.Context, string) ([]string, error)) { lookUp = before }(lookUp)
	lookUp = func(_ context.Context, host string) ([]string, error) {
		return map[string][]string{"two.test": {"127.0.0.2", "127.0.0.1"}}[host], nil
	}
	c, err := newClient(llm.Provider{Type: llm.TypeOpenAI, Concurrency: 2, BaseURLs: []string{"http://two.test:" + port + "/v1"}}, func(string) string { return "" }, Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	if failed := askMany(t, c, 60, 4, "m"); failed > 0 || len(c.servers) != 2 || a.chats.Load() == 0 || b.chats.Load() == 0 ||
		a.chats.Load()+b.chats.Load() != 60 {
		t.Errorf("%d failed; %d servers; %d and %d requests", failed, len(c.servers), a.chats.Load(), b.chats.Load())
	}
	if name := c.servers[0].name; name != "127.0.0.1:"+port {
		t.Errorf("the first server is %s", name)
	}
}
