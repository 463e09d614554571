package client

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"compqa/llm"
	"compqa/llm/limits"
	"compqa/llm/protocol"
)

// A server is one of the servers behind a provider, with its own limits. A request goes to the server with the fewest requests relative to
// its concurrency, among those that have the model and are not down. A server that is down gets a request from time to time until it is
// back.
type server struct {
	name     string // host and port
	protocol protocol.Protocol
	limiter  *limits.Limiter

	mu            sync.Mutex
	lists         []string        // models that it lists; nil: unknown
	missingModels map[string]bool // models that it has reported as missing
}

// lookUp finds the IP addresses of a host name. Tests replace it.
var lookUp = net.DefaultResolver.LookupHost

// addresses returns the servers of a provider, and for each the IP address and port to connect to. Each IP address of a host name in
// base_urls is a server. An address "" means that the connection looks the name up, because it has at most one address now.
func addresses(p llm.Provider) (list []llm.Provider, dial []string) {
	for _, one := range p.Servers() {
		addresses := []string{""}
		if u, err := url.Parse(one.BaseURL); err == nil && len(p.BaseURLs) > 0 {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			if found, err := lookUp(ctx, u.Hostname()); err == nil && len(found) > 1 {
				addresses = slices.Sorted(slices.Values(found))
				for i, ip := range addresses {
					addresses[i] = net.JoinHostPort(ip, cmp.Or(u.Port(), u.Scheme))
				}
			}
			cancel()
		}
		for _, address := range addresses {
			list = append(list, one)
			dial = append(dial, address)
		}
	}
	return list, dial
}

// hasSeveralServers reports whether the provider has more than one server.
func (c *client) hasSeveralServers() bool { return len(c.servers) > 1 }

// addServers makes the client's servers, each with its transport, protocol and limits.
func (c *client) addServers(key string, headers map[string]string, hooks Hooks) error {
	create, known := protocol.Protocols[c.p.Type]
	if !known {
		return llm.Errorf(llm.Misconfigured, "%s", llm.CheckType(c.p.Type))
	}
	list, dial := addresses(c.p)
	for i, p := range list {
		s := &server{missingModels: map[string]bool{}}
		if u, err := url.Parse(p.BaseURL); err == nil {
			s.name = u.Host
		}
		notice := hooks.Notice
		transport := hooks.Transport
		if dial[i] != "" && transport == nil {
			s.name = dial[i]
			t := protocol.NewTransport(p.Concurrency)
			t.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
				return (&net.Dialer{Timeout: 30 * time.Second}).DialContext(ctx, network, s.name)
			}
			transport = t
		}
		if len(list) > 1 && notice != nil {
			notice = func(text string) { hooks.Notice("server " + s.name + " " + text) }
		}
		if p.Type == llm.TypeCommand && transport == nil {
			command, err := protocol.NewCommand(p, notice)
			if err != nil {
				return err
			}
			transport = command
		}
		w, err := protocol.NewEndpoint(p, key, headers, transport)
		if err != nil {
			return err
		}
		s.limiter = limits.New(p, notice)
		if len(list) > 1 {
			s.limiter.OtherServerFree = func() bool { return c.usable(s) }
		}
		s.protocol, err = create(w, p, notice)
		if err != nil {
			return err
		}
		c.servers = append(c.servers, s)
	}
	return nil
}

// usable reports whether a server other than this one takes requests now.
func (c *client) usable(not *server) bool {
	return slices.ContainsFunc(c.servers, func(s *server) bool {
		ready, _ := s.limiter.Load()
		return s != not && ready
	})
}

// mayHaveModel reports whether a server may have a model: the server lists it, or lists nothing and has not reported it as missing.
func (s *server) mayHaveModel(model string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.missingModels[model] && (s.lists == nil || slices.Contains(s.lists, model) || slices.Contains(s.lists, model+latest))
}

// choose chooses the server for a call's next request, and enters the server's queue.
func (c *call) choose() *server {
	c.client.choosing.Lock()
	defer c.client.choosing.Unlock()
	best := slices.MinFunc(c.client.servers, func(a, b *server) int { return slices.Compare(c.doubts(a), c.doubts(b)) })
	best.limiter.Enter()
	return best
}

// doubts returns the reasons against a server as numbers, the most important first: it does not have the model, is unfit, pauses, was asked
// last, and its load.
func (c *call) doubts(s *server) []float64 {
	ready, load := s.limiter.Load()
	list := []float64{0, 0, 0, 0, load}
	for i, doubt := range []bool{!s.mayHaveModel(c.req.Model), c.unfitServers[s], !ready, s == c.server} {
		if doubt {
			list[i] = 1
		}
	}
	return list
}

// useOtherServer reports whether a failed call is to be made at another server immediately, because this one does not have the model or
// refuses the key.
func (c *call) useOtherServer(e *llm.Error) bool {
	if !c.client.hasSeveralServers() || e.HTTPStatus != http.StatusNotFound && e.Concerns != llm.AllModels {
		return false
	}
	if e.HTTPStatus == http.StatusNotFound {
		c.server.mu.Lock()
		c.server.missingModels[c.req.Model] = true
		c.server.mu.Unlock()
	}
	if c.unfitServers == nil {
		c.unfitServers = map[*server]bool{}
	}
	c.unfitServers[c.server] = true
	return slices.ContainsFunc(c.client.servers, func(s *server) bool { return !c.unfitServers[s] && s.mayHaveModel(c.req.Model) })
}

// isDown reports whether all servers are down.
func (c *client) isDown() bool {
	return !slices.ContainsFunc(c.servers, func(s *server) bool { return !s.limiter.IsDown() })
}

// suspect reports whether each server is down, or also fails for other calls since this call's first request was sent and failed.
func (c *client) suspect(failing *call, sent, failed time.Time) bool {
	return !slices.ContainsFunc(c.servers, func(s *server) bool { return !s.limiter.IsDown() && !s.limiter.Suspect(failing, sent, failed) })
}

// Models returns the models that any server lists. If all servers fail, it returns the error of the first.
func (c *client) Models(ctx context.Context) ([]string, error) {
	lists := make([][]string, len(c.servers))
	faults := make([]error, len(c.servers))
	var asked sync.WaitGroup
	for i, s := range c.servers {
		asked.Go(func() { lists[i], faults[i] = s.protocol.Models(ctx) })
	}
	asked.Wait()
	if !slices.Contains(faults, nil) {
		return nil, c.finish(faults[0], "", nil)
	}
	for i, s := range c.servers {
		if len(lists[i]) > 0 && c.hasSeveralServers() {
			s.mu.Lock()
			s.lists = lists[i]
			s.mu.Unlock()
		}
	}
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all), nil
}

// State describes what the client is doing, over all servers.
func (c *client) State() llm.State {
	var sum llm.State
	var down []string
	for _, s := range c.servers {
		x := s.limiter.State()
		sum.InFlight += x.InFlight
		sum.Concurrency += x.Concurrency
		sum.MaxConcurrency += x.MaxConcurrency
		sum.Oldest = max(sum.Oldest, x.Oldest)
		if x.WaitReason != "" && (sum.WaitReason == "" || x.WaitLeft > sum.WaitLeft) {
			sum.WaitReason = x.WaitReason
			sum.WaitLeft = x.WaitLeft
		}
		if s.limiter.IsDown() {
			down = append(down, s.name)
		}
	}
	sum.Waiting = max(0, int(c.calls.Load())-sum.InFlight)
	if c.hasSeveralServers() && len(down) > 0 {
		sum.Note = fmt.Sprintf("%d of %d servers down (%s)", len(down), len(c.servers), strings.Join(down, ", "))
	}
	return sum
}
