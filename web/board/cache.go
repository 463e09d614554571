package board

import "sync"

// cacheLimit is the size of the replies that are kept, in bytes.
const cacheLimit = 16 << 20

// A cache keeps the replies of one snapshot that were sent. It is emptied when it is full.
type cache struct {
	mu       sync.Mutex
	snapshot int
	replies  map[string]reply
	size     int
}

// get is the reply that is kept under the key, or else the one that compute makes; errors are not kept.
func (c *cache) get(snapshot int, key string, compute func() (reply, error)) (reply, error) {
	c.mu.Lock()
	r, known := c.replies[key]
	known = known && c.snapshot == snapshot
	c.mu.Unlock()
	if known {
		return r, nil
	}
	r, err := compute()
	if err != nil {
		return r, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.snapshot != snapshot || c.size+len(r.text) > cacheLimit || c.replies == nil {
		c.snapshot, c.replies, c.size = snapshot, map[string]reply{}, 0
	}
	if _, known := c.replies[key]; !known {
		c.size += len(r.text)
	}
	c.replies[key] = r
	return r, nil
}
