package client

import (
	"context"
	"fmt"
	"maps"
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

// A server is one of the servers behind a provider. Each has its own limits. A request goes to
// the server with the fewest requests for its concurrency that has the model and is not down;
// a server that is down gets a request from time to time, until it is back.
type server struct {
	name     string // host and port
	protocol Protocol
	limiter  *limits.Limiter

	mu      sync.Mutex
	lists   map[string]bool // its models; nil: unknown
	missing map[string]bool // models that it said it does not have
}

// addresses are the servers of a provider: those of base_urls, each at all addresses that its
// host name has, or the one of base_url. dial is the address to connect to; "": by the name.
func addresses(p llm.Provider) (list []llm.Provider, dial []string) {
	if len(p.BaseURLs) == 0 {
		return []llm.Provider{p}, []string{""}
	}
	for _, base := range p.BaseURLs {
		p.BaseURL = base
		for _, address := range resolved(base) {
			list, dial = append(list, p), append(dial, address)
		}
	}
	return list, dial
}

// resolved are the addresses with ports of a URL's host, or "" if it has one or cannot be
// looked up: then the connection does that.
func resolved(base string) []string {
	u, err := url.Parse(base)
	if err != nil || u.Hostname() == "" || net.ParseIP(u.Hostname()) != nil {
		return []string{""}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	found, err := net.DefaultResolver.LookupHost(ctx, u.Hostname())
	if err != nil || len(found) < 2 {
		return []string{""}
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	slices.Sort(found)
	for i, ip := range found {
		found[i] = net.JoinHostPort(ip, port)
	}
	return found
}

// dialing is a transport that connects to one address, whatever the name is.
func dialing(address string, concurrency int) http.RoundTripper {
	t := protocol.NewTransport(concurrency)
	t.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{Timeout: 30 * time.Second}).DialContext(ctx, network, address)
	}
	return t
}

// several reports whether the provider has more than one server.
func (c *client) several() bool { return len(c.servers) > 1 }

// addServers makes the servers of the client. learned and hooks are shared by all of them.
func (c *client) addServers(key string, headers map[string]string, hooks Hooks) error {
	create, known := protocols[c.p.Type]
	if !known {
		return llm.Errorf(llm.Misconfigured, "%s", llm.CheckType(c.p.Type))
	}
	list, dial := addresses(c.p)
	for i, p := range list {
		s := &server{missing: map[string]bool{}}
		if u, err := url.Parse(p.BaseURL); err == nil {
			s.name = u.Host
		}
		notice, transport := hooks.Notice, hooks.Transport
		if dial[i] != "" {
			s.name = dial[i]
			if transport == nil {
				transport = dialing(dial[i], p.Concurrency)
			}
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
			s.limiter.Elsewhere = func() bool { return c.usable(s) }
		}
		if s.protocol, err = create(p, w, c.learned, hooks); err != nil {
			return err
		}
		c.servers = append(c.servers, s)
	}
	return nil
}

// usable reports whether another server than this one takes requests now.
func (c *client) usable(not *server) bool {
	return slices.ContainsFunc(c.servers, func(s *server) bool {
		ready, _ := s.limiter.Load()
		return s != not && ready
	})
}

// has reports whether a server may have a model: it lists it, or it lists none and has not
// said that it does not have it.
func (s *server) has(model string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.missing[model] && (s.lists == nil || s.lists[model] || s.lists[model+latest])
}

// choose picks the server of a call's next request, and enters its queue.
func (c *call) choose() *server {
	all := c.client.servers
	if len(all) == 1 {
		all[0].limiter.Enter()
		return all[0]
	}
	c.client.choosing.Lock()
	defer c.client.choosing.Unlock()
	candidates := all
	for _, keep := range []func(*server) bool{
		func(s *server) bool { return s.has(c.req.Model) },
		func(s *server) bool { return !c.unfit[s] },
		func(s *server) bool { ready, _ := s.limiter.Load(); return ready },
		func(s *server) bool { return s != c.server },
	} {
		if some := slices.DeleteFunc(slices.Clone(candidates), func(s *server) bool { return !keep(s) }); len(some) > 0 {
			candidates = some
		}
	}
	best := slices.MinFunc(candidates, func(a, b *server) int {
		_, x := a.limiter.Load()
		_, y := b.limiter.Load()
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	best.limiter.Enter()
	return best
}

// elsewhere reports whether a call that failed is to be made at another server at once: this
// one does not have the model, or refuses the key.
func (c *call) elsewhere(e *llm.Error) bool {
	if !c.client.several() || e.HTTPStatus != http.StatusNotFound && !e.ForAll {
		return false
	}
	if e.HTTPStatus == http.StatusNotFound {
		c.server.mu.Lock()
		c.server.missing[c.req.Model] = true
		c.server.mu.Unlock()
	}
	if c.unfit == nil {
		c.unfit = map[*server]bool{}
	}
	c.unfit[c.server] = true
	return slices.ContainsFunc(c.client.servers, func(s *server) bool { return !c.unfit[s] && s.has(c.req.Model) })
}

// isDown reports whether all servers are down.
func (c *client) isDown() bool {
	return !slices.ContainsFunc(c.servers, func(s *server) bool { return !s.limiter.IsDown() })
}

// Models implements Client: what any server lists. The error is that of the first server, if
// all have one.
func (c *client) Models(ctx context.Context) ([]string, error) {
	all := map[string]bool{}
	faults := make([]error, len(c.servers))
	var asked sync.WaitGroup
	var mu sync.Mutex
	for i, s := range c.servers {
		asked.Go(func() {
			names, err := s.protocol.Models(ctx)
			mu.Lock()
			defer mu.Unlock()
			if faults[i] = err; err != nil {
				return
			}
			lists := map[string]bool{}
			for _, name := range names {
				all[name], lists[name] = true, true
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.lists = nil; len(names) > 0 && c.several() {
				s.lists = lists
			}
		})
	}
	asked.Wait()
	if !slices.Contains(faults, nil) {
		return nil, c.finish(faults[0], "", nil)
	}
	for _, s := range c.servers {
		s.mu.Lock()
		for name := range s.lists {
			all[name] = true
		}
		s.mu.Unlock()
	}
	return slices.Sorted(maps.Keys(all)), nil
}

// State describes what the client is doing, over all servers.
func (c *client) State() llm.State {
	var sum llm.State
	var down []string
	for _, s := range c.servers {
		x := s.limiter.State()
		sum.InFlight, sum.Waiting = sum.InFlight+x.InFlight, sum.Waiting+x.Waiting
		sum.Concurrency, sum.MaxConcurrency = sum.Concurrency+x.Concurrency, sum.MaxConcurrency+x.MaxConcurrency
		sum.Oldest = max(sum.Oldest, x.Oldest)
		if x.WaitReason != "" && (sum.WaitReason == "" || x.WaitLeft > sum.WaitLeft) {
			sum.WaitReason, sum.WaitLeft = x.WaitReason, x.WaitLeft
		}
		if s.limiter.IsDown() {
			down = append(down, s.name)
		}
	}
	if c.several() && len(down) > 0 {
		sum.Note = fmt.Sprintf("%d of %d servers down (%s)", len(down), len(c.servers), strings.Join(down, ", "))
	}
	return sum
}
