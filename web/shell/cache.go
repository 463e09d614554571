package shell

import "sync"

// cacheLimit is the maximum size in bytes of the values in a cache.
const cacheLimit = 8 << 20

// A Cache keeps values computed from one snapshot of the data. It is emptied when it is full or the snapshot changes.
type Cache[T interface{ Size() int }] struct {
	mu       sync.Mutex
	snapshot int
	kept     map[string]T
	size     int
}

// Get returns the cached value of a key, or else computes it and caches it. Errors are not cached.
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
