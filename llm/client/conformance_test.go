package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"compqa/llm"
)

// conformance lists cases that every network protocol must handle alike. script is how the server responds.
var conformance = []struct {
	name   string
	script func(v voice) script // the server's responses, in a protocol's form
	cancel time.Duration        // when the caller cancels; 0: never

	kind     llm.Kind // Valid: no error
	statuses []int    // HTTP status of each attempt
	text     string   // Reply.Text
	message  string   // part of the error's message; without an error, of the first attempt's reason
	// shortest and longest time of the call, by the fake clock
	atLeast, atMost time.Duration
}{
	{
		name:   "success",
		script: func(v voice) script { return says(v.answer(goAnswer, "stop")) },
		kind:   llm.Valid, statuses: []int{200}, text: goAnswer,
	}, {
		name: "429 with Retry-After in seconds",
		script: func(v voice) script {
			return first(func(w http.ResponseWriter) {
				status(w, 429, `{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}`, "Retry-After: 17")
			}, v)
		},
		kind: llm.Valid, statuses: []int{429, 200}, text: goAnswer, atLeast: 17 * time.Second, atMost: 22 * time.Second,
	}, {
		name: "429 with Retry-After as a date",
		script: func(v voice) script {
			return first(func(w http.ResponseWriter) {
				// The server's clock is a day ahead of ours, as its Date header shows.
				now := time.Now().Add(24 * time.Hour)
				status(w, 429, "", "Date: "+now.UTC().Format(http.TimeFormat), "Retry-After: "+now.Add(20*time.Second).UTC().Format(http.TimeFormat))
			}, v)
		},
		kind: llm.Valid, statuses: []int{429, 200}, text: goAnswer, atLeast: 20 * time.Second, atMost: 26 * time.Second,
	}, {
		name: "429 with Retry-After-Ms",
		script: func(v voice) script {
			return first(func(w http.ResponseWriter) { status(w, 429, "", "Retry-After-Ms: 2500", "Retry-After: 40") }, v)
		},
		kind: llm.Valid, statuses: []int{429, 200}, text: goAnswer, atLeast: 2500 * time.Millisecond, atMost: 3200 * time.Millisecond,
	}, {
		name: "429 that asks for an hour",
		script: func(v voice) script {
			return first(func(w http.ResponseWriter) { status(w, 429, "", "Retry-After: 3600") }, v)
		},
		kind: llm.Valid, statuses: []int{429, 200}, text: goAnswer, atLeast: time.Minute, atMost: 76 * time.Second,
	}, {
		name:   "429 for ever",
		script: func(v voice) script { return refuses(429, "") },
		kind:   llm.Failed, statuses: []int{429, 429, 429, 429, 429}, message: "empty body",
		atLeast: 15 * time.Second, atMost: 19 * time.Second, // 1 + 2 + 4 + 8 s, and up to a quarter more
	}, {
		name:   "500",
		script: func(v voice) script { return refuses(500, `{"error":"crash"}`) },
		kind:   llm.Failed, statuses: []int{500, 500, 500, 500, 500}, message: "crash",
	}, {
		name:   "529",
		script: func(v voice) script { return first(func(w http.ResponseWriter) { status(w, 529, "overloaded") }, v) },
		kind:   llm.Valid, statuses: []int{529, 200}, text: goAnswer,
	}, {
		name:   "400",
		script: func(v voice) script { return refuses(400, `{"error":{"message":"temperature must be at most 2"}}`) },
		kind:   llm.Failed, statuses: []int{400}, message: "temperature must be at most 2",
	}, {
		name: "404",
		script: func(v voice) script {
			return refuses(404, `{"error":"model \"some-model\" not found, try pulling it first"}`)
		},
		kind: llm.Misconfigured, statuses: []int{404}, message: `model "some-model" not found`,
	}, {
		name:   "401",
		script: func(v voice) script { return refuses(401, `{"error":{"message":"Incorrect API key provided"}}`) },
		kind:   llm.Misconfigured, statuses: []int{401}, message: "the server refuses the key",
	}, {
		name: "HTML error page",
		script: func(v voice) script {
			return first(func(w http.ResponseWriter) {
				status(w, 502, "<html><head><title>502 Bad\n Gateway</title></head></html>", "Content-Type: text/html")
			}, v)
		},
		kind: llm.Valid, statuses: []int{502, 200}, text: goAnswer,
	}, {
		name:   "HTML page as a success",
		script: func(v voice) script { return says("<!doctype html><title>Welcome</title>") },
		kind:   llm.Misconfigured, statuses: []int{200},
	}, {
		name:   "redirect",
		script: func(v voice) script { return refuses(301, "", "Location: https://elsewhere.test/v1") },
		kind:   llm.Misconfigured, statuses: []int{301}, message: "https://elsewhere.test/v1",
	}, {
		name:   "empty body",
		script: func(v voice) script { return first(func(w http.ResponseWriter) { w.WriteHeader(200) }, v) },
		kind:   llm.Valid, statuses: []int{200, 200}, text: goAnswer,
	}, {
		name:   "empty body of an overloaded server",
		script: func(v voice) script { return refuses(503, "") },
		kind:   llm.Failed, statuses: []int{503, 503, 503, 503, 503},
	}, {
		name: "truncated body",
		script: func(v voice) script {
			return first(func(w http.ResponseWriter) {
				body := v.answer(goAnswer, "stop")
				io.WriteString(w, body[:len(body)/2])
			}, v)
		},
		kind: llm.Valid, statuses: []int{200, 200}, text: goAnswer,
	}, {
		name: "slow body",
		script: func(v voice) script {
			return func(n int, w http.ResponseWriter, r *http.Request) {
				body := v.answer(goAnswer, "stop")
				if n > 0 {
					io.WriteString(w, body)
					return
				}
				io.WriteString(w, body[:len(body)/2])
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			}
		},
		kind: llm.Valid, statuses: []int{0, 200}, text: goAnswer, message: "within 5m0s", atLeast: 5 * time.Minute, atMost: 5*time.Minute + 2*time.Second,
	}, {
		name: "dropped connection",
		script: func(v voice) script {
			return first(func(w http.ResponseWriter) {
				conn, _, _ := w.(http.Hijacker).Hijack()
				conn.Close()
			}, v)
		},
		kind: llm.Valid, statuses: []int{0, 200}, text: goAnswer,
	}, {
		name: "refusal by a content filter",
		script: func(v voice) script {
			return refuses(400, `{"error":{"code":"content_filter","message":"The response was filtered"}}`)
		},
		kind: llm.Refused, statuses: []int{400}, message: "filtered",
	}, {
		name:   "refusal in the middle",
		script: func(v voice) script { return says(v.answer("Go com", "content_filter")) },
		kind:   llm.Refused, statuses: []int{200}, text: "Go com",
	}, {
		name:   "length stop",
		script: func(v voice) script { return says(v.answer("Go compiles fas", v.length)) },
		kind:   llm.Truncated, statuses: []int{200}, text: "Go compiles fas",
	}, {
		name:   "length stop in the middle of a thought",
		script: func(v voice) script { return says(v.answer("<think>Which one? Per", v.length)) },
		kind:   llm.Truncated, statuses: []int{200}, text: "",
	}, {
		name:   "thought without an answer",
		script: func(v voice) script { return says(v.answer("<think>Which one? Perhaps Go.", "stop")) },
		kind:   llm.Failed, statuses: []int{200, 200}, text: "",
	}, {
		name:   "empty answer",
		script: func(v voice) script { return says(v.answer(" \n", "stop")) },
		kind:   llm.Failed, statuses: []int{200, 200}, text: " \n",
	}, {
		name: "a body without end",
		script: func(v voice) script {
			return says(strings.Repeat(" ", 2<<20) + v.answer(goAnswer, "stop"))
		},
		kind: llm.Truncated, statuses: []int{200}, message: "cut off after 1048576 bytes",
	}, {
		name:   "a text without end",
		script: func(v voice) script { return says(v.answer(strings.Repeat("and so on ", 1<<20), v.length)) },
		kind:   llm.Truncated, statuses: []int{200}, message: "cut off after 1048576 bytes",
	}, {
		name: "context cancelled before the reply",
		script: func(v voice) script {
			return func(_ int, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
		},
		cancel: 3 * time.Second,
		kind:   llm.Cancelled, statuses: []int{0}, atLeast: 3 * time.Second, atMost: 3 * time.Second,
	}, {
		name:   "context cancelled in a pause",
		script: func(v voice) script { return refuses(429, "", "Retry-After: 30") },
		cancel: 10 * time.Second,
		kind:   llm.Cancelled, statuses: []int{429}, atLeast: 10 * time.Second, atMost: 10 * time.Second,
	},
}

const goAnswer = "Go compiles faster."

// first returns a script that calls do for the first request, and answers the others.
func first(do func(w http.ResponseWriter), v voice) script {
	return func(n int, w http.ResponseWriter, r *http.Request) {
		if n == 0 {
			do(w)
			return
		}
		io.WriteString(w, v.answer(goAnswer, "stop"))
	}
}

// refuses returns a script that responds to each request with an error.
func refuses(code int, body string, headers ...string) script {
	return func(_ int, w http.ResponseWriter, _ *http.Request) { status(w, code, body, headers...) }
}

// TestConformance: each protocol handles each case of conformance as expected.
func TestConformance(t *testing.T) {
	for _, v := range voices {
		for _, test := range conformance {
			t.Run(v.kind+"/"+test.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := serve(t, test.script(v))
					c := s.client(t, llm.Provider{Type: v.kind})
					ctx := t.Context()
					if test.cancel > 0 {
						var stop context.CancelFunc
						ctx, stop = context.WithTimeout(ctx, test.cancel)
						defer stop()
					}
					begin := time.Now()
					reply, err := c.Chat(ctx, ask("Which compiles faster, Go or C++?"))
					took := time.Since(begin)

					kind := llm.Valid
					e, ok := errors.AsType[*llm.Error](err)
					if ok {
						kind = e.Kind
					} else if err != nil {
						t.Fatalf("error of type %T", err)
					}
					if kind != test.kind {
						t.Fatalf("ended as %s (%v), want %s", kind, err, test.kind)
					}
					if reply.Text != test.text {
						t.Errorf("text %q, want %q", reply.Text, test.text)
					}
					if ok && (!strings.Contains(e.Message, test.message) || e.Attempts != len(test.statuses) || e.Provider != "test" || e.Model != testModel) {
						t.Errorf("error %+v, want %q after %d attempts", e, test.message, len(test.statuses))
					}
					checkAttempts(t, reply, kind, test.statuses)
					if first := reply.Attempts[0].Reason; !ok && !strings.Contains(first, test.message) {
						t.Errorf("first attempt failed for %q, want %q", first, test.message)
					}
					if took < test.atLeast || test.atMost > 0 && took > test.atMost {
						t.Errorf("took %s, want %s to %s", took, test.atLeast, test.atMost)
					}
					if kind == llm.Valid {
						checkSuccess(t, reply, v.stop)
					}
				})
			})
		}
	}
}

// checkAttempts checks the outcomes, statuses and times of a call's attempts.
func checkAttempts(t *testing.T, reply llm.Reply, last llm.Kind, statuses []int) {
	t.Helper()
	if len(reply.Attempts) != len(statuses) {
		t.Fatalf("%d attempts, want %d", len(reply.Attempts), len(statuses))
	}
	for i, a := range reply.Attempts {
		if a.HTTPStatus != statuses[i] {
			t.Errorf("attempt %d: HTTP status %d, want %d (%s)", i, a.HTTPStatus, statuses[i], a.Reason)
		}
		if (a.Reason == "") != (a.Outcome == llm.Valid) {
			t.Errorf("attempt %d is %s for reason %q", i, a.Outcome, a.Reason)
		}
		if a.Started.IsZero() || i > 0 && a.Wait <= 0 {
			t.Errorf("attempt %d: started %s after waiting %s", i, a.Started, a.Wait)
		}
	}
	for i, a := range reply.Attempts {
		// The body of an error is on record, too.
		if said := i == 0 && statuses[0] >= 400 && a.Reason != "empty body"; said && len(a.Raw) == 0 {
			t.Errorf("attempt %d: no body is kept of %s", i, a.Reason)
		}
	}
	if end := reply.Attempts[len(statuses)-1].Outcome; last != llm.Cancelled && end != last {
		t.Errorf("last attempt is %s, the call %s", end, last)
	}
}

// checkSuccess checks the usage and the other fields of a successful reply.
func checkSuccess(t *testing.T, reply llm.Reply, stop string) {
	t.Helper()
	u := reply.Usage
	if u.Prompt == nil || *u.Prompt != 11 || u.Completion == nil || *u.Completion != 7 || u.Cached != nil || u.Reasoning != nil {
		t.Errorf("usage %+v, want 11 and 7, the rest unknown", u)
	}
	if reply.Model != testModel+"-v2" || reply.Finish != stop || !strings.Contains(reply.Raw, goAnswer) {
		t.Errorf("model %q, finish %q, raw %s", reply.Model, reply.Finish, reply.Raw)
	}
}
