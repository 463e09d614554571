package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"

	"compqa/llm"
)

// TestSendingCountsWhatMayBePaid: Sending counts the requests of a call that may be paid for. A request that the server refused is free. A
// request whose connection broke may have been processed.
func TestSendingCountsWhatMayBePaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
			switch n {
			case 0:
				status(w, 429, "", "Retry-After: 1")
			case 1:
				panic(http.ErrAbortHandler)
			default:
				io.WriteString(w, openAIAnswer(goAnswer, "stop"))
			}
		})
		var seen []PossibleCost
		input := 1.0
		output := 1.0
		c := s.clientWith(t, llm.Provider{Type: llm.TypeOpenAI}, Hooks{
			Price: func(string) (llm.Price, bool) { return llm.Price{Input: &input, Output: &output}, true },
			BeforeRequest: func(_ context.Context, next PossibleCost) error {
				if len(s.seen()) != len(seen) {
					t.Errorf("%d requests were sent before it was called for the next one, and it was called %d times", len(s.seen()), len(seen))
				}
				seen = append(seen, next)
				return nil
			}})
		if _, err := c.Chat(t.Context(), ask("Go?")); err != nil {
			t.Fatal(err)
		}
		one := seen[0].Cost
		if want := []PossibleCost{{1, one}, {1, one}, {2, 2 * one}}; one <= 0 || !slices.Equal(seen, want) {
			t.Errorf("called with %v, want %v", seen, want)
		}
	})
}

// TestSendingAfterTheLimits: Sending is called when the limits allow a request, and not while a call waits.
func TestSendingAfterTheLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
			<-release
			io.WriteString(w, openAIAnswer(goAnswer, "stop"))
		})
		sent := make(chan PossibleCost, 3)
		c := s.clientWith(t, llm.Provider{Type: llm.TypeOpenAI, Concurrency: 1}, Hooks{BeforeRequest: func(_ context.Context, next PossibleCost) error {
			sent <- next
			return nil
		}})
		for range 3 {
			go c.Chat(t.Context(), ask("Go?"))
		}
		synctest.Wait()
		if len(sent) != 1 || len(s.seen()) != 1 {
			t.Errorf("called %d times for one request that may be in flight, %d are", len(sent), len(s.seen()))
		}
		close(release)
		synctest.Wait()
		if len(sent) != 3 {
			t.Errorf("called %d times for 3 requests", len(sent))
		}
	})
}

// TestSendingStops: an error of Sending ends the call, and nothing is sent.
func TestSendingStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, says(openAIAnswer(goAnswer, "stop")))
		full := &llm.Error{Kind: llm.Cancelled, Message: "the disk is full", Cause: context.Canceled}
		c := s.clientWith(t, llm.Provider{Type: llm.TypeOpenAI}, Hooks{BeforeRequest: func(context.Context, PossibleCost) error { return full }})
		reply, err := c.Chat(t.Context(), ask("Go?"))
		if !errors.Is(err, context.Canceled) || len(s.seen()) != 0 || len(reply.Attempts) != 0 {
			t.Errorf("%v after %d requests and %d attempts", err, len(s.seen()), len(reply.Attempts))
		}
	})
}
