package shell

import "sync"

// cacheLimit is the size of what a cache keeps, in bytes.
const cacheLimit = 8 << 20

// A Cache keeps what was computed of one snapshot. It is emptied when it is full.
type Cache[T interface{ Size() int }] struct {
	mu       sync.Mutex
	snapshot int
	kept     map[string]T
	size     int
}

// Get returns what is kept under the key, or else what compute makes; errors are not kept.
func (c *Cache[T]) Get(snapshot int, key string, compute func() (T, error)) (T, error) {
	c.mu.Lock()
	x, known := c.kept[key]
	known = known && c.snapshot == snapshot
	c.mu.Unlock()
	if known {
		return x, nil
	}
	x, err := compute()
	if err != nil || x.Size() > cacheLimit {
		return x, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.snapshot != snapshot || c.size+x.Size() > cacheLimit || c.kept == nil {
		c.snapshot = snapshot
		c.kept = map[string]T{}
		c.size = 0
	}
	if _, known := c.kept[key]; !known {
		c.size += x.Size()
	}
	c.kept[key] = x
	return x, nil
}
