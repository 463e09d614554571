package bench

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Every task of a lane is done, however many there are and whenever the lane ends.
func TestEveryTaskIsDone(t *testing.T) {
	for n := range 100 {
		var working, pending sync.WaitGroup
		var done atomic.Int64
		lane, tasks := make(chan func(), 1+n%7), n%60
		working.Go(func() { startWorkers(lane, 1+n%40, &working) })
		for range tasks {
			pending.Add(1)
			lane <- func() { done.Add(1); pending.Done() }
		}
		if n%2 == 0 {
			pending.Wait()
		}
		close(lane)
		working.Wait()
		if int(done.Load()) != tasks {
			t.Fatalf("%d of %d tasks were done", done.Load(), tasks)
		}
	}
}

// Workers begin apart, and are all there when each has waited for the one before;
// a lane that begins late does not make up for it.
func TestWorkersBeginApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var working sync.WaitGroup
		const n = 50
		lane, began := make(chan func(), n), make(chan time.Time, n)
		working.Go(func() { startWorkers(lane, n, &working) })
		time.Sleep(time.Minute)
		for range n {
			lane <- func() { began <- time.Now(); time.Sleep(time.Second) }
		}
		close(lane)
		working.Wait()
		close(began)
		last := <-began
		first := last
		for at := range began {
			if at.Sub(last) > apart {
				t.Errorf("a worker began %s after the one before", at.Sub(last))
			}
			last = at
		}
		if took := last.Sub(first); took < (n-2)*apart || took > n*apart {
			t.Errorf("%d workers began within %s", n, took)
		}
	})
}
