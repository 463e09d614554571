package bench

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
)

// beBareClient, in the environment, makes the test binary a client that posts to
// the server at the address that is its value as much as a run does, and does
// nothing with what comes back: what this machine can do at best, beside which a
// run is measured.
const beBareClient = "COMPQA_TEST_BE_BARE_CLIENT"

func postBarely(url string) int {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = atOnce
	client := &http.Client{Transport: transport}
	body := strings.Repeat("x", 6<<10) // the mean of prompts and judges' prompts
	post := func(i int) error {
		resp, err := client.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(body+strconv.Itoa(i)))
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		return err
	}
	calls := make(chan int)
	failed := make(chan error, speedCalls)
	var workers sync.WaitGroup
	for range atOnce {
		workers.Go(func() {
			for i := range calls {
				if err := post(i); err != nil {
					failed <- err
				}
			}
		})
	}
	for i := range speedCalls {
		calls <- i
	}
	close(calls)
	workers.Wait()
	if len(failed) > 0 {
		fmt.Fprintln(os.Stderr, <-failed)
		return exitFailed
	}
	return exitDone
}
