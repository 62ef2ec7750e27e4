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
	ProxyModel string `json:"proxyModel,omitempty"`
}

// wireGet is the body of POST /cache/get.
type wireGet struct {
	Project    string   `json:"project"`
	ProxyModel string   `json:"proxyModel"`
	Keys       [][]byte `json:"keys"`
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

// ask sends a question, together with others of the target that wait at the same time. It
// returns false if no answer will follow.
func (c *Cache) ask(to target, q *question) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.waiting[to] = append(c.waiting[to], q)
	if c.asking < maxAsking {
		c.asking++
		c.work.Go(c.askAll)
	}
	return true
}

// askAll asks until no question waits. Questions of an earlier login get no result.
func (c *Cache) askAll() {
	for {
		to, batch := c.take()
		if len(batch) == 0 {
			return
		}
		var entries map[[32]byte]wireEntry
		l, ok := c.link(to.project)
		if ok && l.ID == to.login {
			entries = c.get(l, to, batch)
		}
		for _, q := range batch {
			q.answer <- c.accept(l, to, q, entries)
		}
	}
}

// take returns questions of one target, none if no question waits.
func (c *Cache) take() (to target, batch []*question) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for to, batch = range c.waiting {
		if len(batch) > maxKeys {
			batch, c.waiting[to] = batch[:maxKeys], batch[maxKeys:]
		} else {
			delete(c.waiting, to)
		}
		return to, batch
	}
	c.asking--
	return target{}, nil
}

// get returns the results that mcpd has, by their key, and nil if it does not answer.
func (c *Cache) get(l Link, to target, batch []*question) map[[32]byte]wireEntry {
	keys := make([][32]byte, len(batch))
	for i, q := range batch {
		keys[i] = q.key
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.opts.Wait)
	defer cancel()
	begin := c.opts.Now()
	entries, err := post(ctx, l, to.project, to.model, keys)
	c.noteResult(to, err)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.figures.Unanswered += int64(len(batch))
		return nil
	}
	c.costs.noteQuestion(c.opts.Now().Sub(begin))
	return entries
}

// post asks mcpd for the results of keys of a ProxyModel, at most maxKeys.
func post(ctx context.Context, l Link, project, model string, keys [][32]byte) (map[[32]byte]wireEntry, error) {
	req := wireGet{Project: project, ProxyModel: model}
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
func (c *Cache) accept(l Link, to target, q *question, entries map[[32]byte]wireEntry) answer {
	if entries == nil {
		return answer{}
	}
	e, ok := entries[q.key]
	if !ok {
		c.noteMiss(to, q.key)
		return answer{}
	}
	if why := whyRefused(l, to, q, &e); why != "" {
		c.refuse(to.project, printable(e.Producer), why)
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
func whyRefused(l Link, to target, q *question, e *wireEntry) string {
	switch {
	case e.ModuleHash != q.module:
		return "it is of another module"
	case e.ProxyModel != to.model:
		return "it is of another proxymodel"
	case len(e.Value) > maxValue:
		return "it is too large"
	case e.Producer != "user "+l.User && !strings.HasPrefix(e.Producer, "serviceaccount "):
		return "it is of another user"
	}
	return ""
}

// noteMiss remembers a key that mcpd does not have.
func (c *Cache) noteMiss(of target, key [32]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.figures.Misses++
	if c.login != of.login {
		return
	}
	if len(c.missed) >= maxMissed {
		clear(c.missed)
	}
	c.missed[missing{of.model, key}] = c.opts.Now()
}
