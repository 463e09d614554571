package bench

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// TestConcurrencyFlag: the server never sees more concurrent requests than --concurrency allows, even if the provider's concurrency in the
// configuration is 16. The server answers when the allowed number of requests is waiting, or after a second.
func TestConcurrencyFlag(t *testing.T) {
	t.Parallel()
	server := wellServer(t)
	var mu sync.Mutex
	now := 0
	most := 0
	wanted := 0
	var full chan struct{}
	counted := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet { // the request lists the models
			server.serve(w, r)
			return
		}
		mu.Lock()
		now++
		most = max(most, now)
		reached := full
		if now == wanted {
			wanted = 0 // wait for this number only once
			close(full)
		}
		mu.Unlock()
		select {
		case <-reached:
			time.Sleep(time.Millisecond) // wait, so that a surplus request would be seen
		case <-time.After(time.Second):
		}
		server.serve(w, r)
		mu.Lock()
		now--
		mu.Unlock()
	}))
	t.Cleanup(counted.Close)
	for _, test := range []struct {
		args []string
		most int
	}{
		{[]string{"--concurrency", "2"}, 2},
		{[]string{"--concurrency", "24"}, 24},
		{nil, 16},
	} {
		mu.Lock()
		most = 0
		wanted = test.most
		full = make(chan struct{})
		mu.Unlock()
		args := append([]string{"run", "--config", liveConfig(t, counted.URL, ""), "--out", t.TempDir(), "--limit", "30", "--only", "answers"}, test.args...)
		if code, _, stderr := compqa(args...); code != exitDone {
			t.Fatalf("exit %d, %s", code, stderr)
		}
		if most > test.most || most <= test.most/2 {
			t.Errorf("%v: %d at once, want %d", test.args, most, test.most)
		}
	}
}
