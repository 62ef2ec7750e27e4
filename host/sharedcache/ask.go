package sharedcache

import (
	"context"
	"net/http"
	"strings"
	"unicode"
)

// wireEntry is a result in a body of mcpd's API.
type wireEntry struct {
	Key        []byte `json:"key"`
	Value      []byte `json:"value"`
	ModuleHash string `json:"moduleHash"`
	Producer   string `json:"producer,omitempty"`
}

// wireGet is the body of POST /cache/get.
type wireGet struct {
	Project string   `json:"project"`
	Keys    [][]byte `json:"keys"`
}

// wireGot is the answer to wireGet.
type wireGot struct {
	Entries []wireEntry `json:"entries"`
}

// question asks for one result.
type question struct {
	key    [32]byte
	module string // hash of the module that must have computed it
	answer chan answer
}

type answer struct {
	value    []byte
	producer string
	ok       bool
}

// ask sends a question, together with others of the project that wait at the same time. It
// returns false if no answer will follow.
func (c *Cache) ask(l Link, project string, q *question) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.waiting[project] = append(c.waiting[project], q)
	if c.asking < maxAsking {
		c.asking++
		c.work.Go(func() { c.askAll(l) })
	}
	return true
}

// askAll asks until no question waits.
func (c *Cache) askAll(l Link) {
	for {
		project, batch, paused := c.take()
		if len(batch) == 0 {
			return
		}
		var entries map[[32]byte]wireEntry
		if !paused {
			entries = c.get(l, project, batch)
		}
		for _, q := range batch {
			q.answer <- c.accept(l, project, q, entries)
		}
	}
}

// take returns questions of one project, none if no question waits.
func (c *Cache) take() (project string, batch []*question, paused bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for project, batch = range c.waiting {
		if len(batch) > maxKeys {
			batch, c.waiting[project] = batch[:maxKeys], batch[maxKeys:]
		} else {
			delete(c.waiting, project)
		}
		return project, batch, c.closed || c.isPaused(project)
	}
	c.asking--
	return "", nil, false
}

// get returns the results that mcpd has, by their key, and nil if it does not answer.
func (c *Cache) get(l Link, project string, batch []*question) map[[32]byte]wireEntry {
	keys := make([][32]byte, len(batch))
	for i, q := range batch {
		keys[i] = q.key
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.opts.Wait)
	defer cancel()
	begin := c.opts.Now()
	entries, err := post(ctx, l, project, keys)
	c.noteResult(project, err)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.figures.Unanswered += int64(len(batch))
		return nil
	}
	c.costs.noteQuestion(c.opts.Now().Sub(begin))
	return entries
}

// post asks mcpd for the results of keys, at most maxKeys.
func post(ctx context.Context, l Link, project string, keys [][32]byte) (map[[32]byte]wireEntry, error) {
	req := wireGet{Project: project}
	for i := range keys {
		req.Keys = append(req.Keys, keys[i][:])
	}
	var got wireGot
	if err := l.Call(ctx, http.MethodPost, "/cache/get", nil, req, &got); err != nil {
		return nil, err
	}
	entries := make(map[[32]byte]wireEntry)
	for _, e := range got.Entries {
		if len(e.Key) == len([32]byte{}) {
			entries[[32]byte(e.Key)] = e
		}
	}
	return entries, nil
}

// accept returns the answer to a question from the results that mcpd has sent, nil if it sent
// none.
func (c *Cache) accept(l Link, project string, q *question, entries map[[32]byte]wireEntry) answer {
	if entries == nil {
		return answer{}
	}
	e, ok := entries[q.key]
	if !ok {
		c.noteMiss(q.key)
		return answer{}
	}
	if why := whyRefused(l, q, &e); why != "" {
		c.refuse(project, printable(e.Producer), why)
		return answer{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.figures.Hits++
	return answer{e.Value, e.Producer, true}
}

// printable returns the name of a producer on one line, of at most 100 characters.
func printable(producer string) string {
	n := 0
	return strings.Map(func(r rune) rune {
		n++
		switch {
		case n > 100:
			return -1
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		}
		return r
	}, producer)
}

// whyRefused returns why a result may not be used, or "".
func whyRefused(l Link, q *question, e *wireEntry) string {
	switch {
	case e.ModuleHash != q.module:
		return "it is of another module"
	case len(e.Value) > maxValue:
		return "it is too large"
	case e.Producer != "user "+l.User && !strings.HasPrefix(e.Producer, "serviceaccount "):
		return "it is of another user"
	}
	return ""
}

// noteMiss remembers a key that mcpd does not have.
func (c *Cache) noteMiss(key [32]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.figures.Misses++
	if len(c.missed) >= maxMissed {
		clear(c.missed)
	}
	c.missed[key] = c.opts.Now()
}
