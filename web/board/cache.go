package board

import "sync"

// cacheLimit is the size of the pages that are kept, in bytes.
const cacheLimit = 24 << 20

// A pageCache keeps the pages of one snapshot that were shown. It is emptied when it is full.
type pageCache struct {
	mu       sync.Mutex
	snapshot int
	pages    map[string]string
	size     int
}

func (c *pageCache) get(snapshot int, key string) (html string, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.snapshot != snapshot {
		return "", false
	}
	html, known = c.pages[key]
	return html, known
}

func (c *pageCache) put(snapshot int, key, html string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.snapshot != snapshot || c.size+len(html) > cacheLimit || c.pages == nil {
		c.snapshot, c.pages, c.size = snapshot, map[string]string{}, 0
	}
	c.size += len(html) - len(c.pages[key])
	c.pages[key] = html
}
