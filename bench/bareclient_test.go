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

// beBareClient is an environment variable that makes the test binary a bare client. It posts as many requests as a run does to the server
// at the address in the variable, and ignores the replies. The client measures how fast this machine can be; a run is compared with it.
const beBareClient = "COMPQA_TEST_BE_BARE_CLIENT"

func postBarely(url string) int {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = atOnce
	client := &http.Client{Transport: transport}
	body := strings.Repeat("x", 6<<10) // the mean size of prompts to models and judges
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
