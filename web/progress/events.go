package progress

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"
)

// Events sends the state of the run whenever it changes, as server-sent events. Each is
// complete, so that a browser that was away has missed nothing.
func (l *Counter) Events(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	control.SetReadDeadline(time.Time{}) // the server's would end the stream
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	for {
		now, changed := l.Now()
		values, status := now.Texts()
		text, err := json.Marshal(map[string]any{"values": values, "status": status})
		if err != nil {
			return
		}
		control.SetWriteDeadline(time.Now().Add(30 * time.Second))
		if _, err := w.Write(bytes.Join([][]byte{[]byte("data: "), text, []byte("\n\n")}, nil)); err != nil || control.Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-changed:
		case <-time.After(15 * time.Second): // so that a closed connection is noticed
		}
	}
}
