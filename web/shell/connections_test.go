package shell

import (
	"io"
	"net"
	"testing"
	"time"
)

// Connections beyond the limit are closed at once; where one ends, another may open.
func TestLimitedListener(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &limitedListener{Listener: inner, most: 2}
	defer l.Close()
	accepted := make(chan net.Conn, 10)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	dial := func() net.Conn {
		c, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		c.SetReadDeadline(time.Now().Add(5 * time.Second))
		return c
	}
	first, second := dial(), dial()
	defer first.Close()
	defer second.Close()
	one := <-accepted
	<-accepted
	third := dial()
	defer third.Close()
	if _, err := third.Read(make([]byte, 1)); err == nil || len(accepted) > 0 {
		t.Errorf("a third connection is open: %v", err)
	} else if timeout, is := err.(net.Error); err != io.EOF && is && timeout.Timeout() {
		t.Error("a third connection waits")
	}
	one.Close()
	one.Close() // a second time does not count
	fourth := dial()
	defer fourth.Close()
	<-accepted
	if n := l.open.Load(); n != 2 {
		t.Errorf("%d connections", n)
	}
}
