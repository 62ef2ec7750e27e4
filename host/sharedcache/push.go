package sharedcache

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/credential"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Limits of results that are stored.
const (
	maxOffers     = 64
	maxOffered    = 8 << 20 // bytes of all offers
	maxBatch      = 100     // results of a call
	maxBatchBytes = 4 << 20
	pushTimeout   = 20 * time.Second
	// rightFor is how long an answer about a right is used. mcpd checks each call too.
	rightFor = 10 * time.Minute
)

// target is where results are stored and asked for, and the login when their runs began.
type target struct{ project, model, login string }

func targetOf(r *flow.SharedRun) target { return target{r.By.Project, r.Model, r.Login} }

// offer is a result that waits until it is stored.
type offer struct {
	target
	key    [32]byte
	module string
	value  []byte
	texts  []string
}

// right is whether the user may store results.
type right struct {
	isDenied bool
	until    time.Time
}

// wirePut is the body of PUT /cache.
type wirePut struct {
	Project    string      `json:"project"`
	ProxyModel string      `json:"proxyModel"`
	Entries    []wireEntry `json:"entries"`
}

// IsWanted implements pipeline.Shared.
func (c *Cache) IsWanted(r *flow.SharedRun, took time.Duration) bool {
	c.mu.Lock()
	c.costs.noteRun(r, took)
	c.mu.Unlock()
	if !r.LLM && took < c.opts.MinCost {
		return false
	}
	l, ok := c.link(r.By.Project)
	if !ok || l.Mode != On {
		return false
	}
	if !c.opts.CanLeave(r) {
		c.count(&c.figures.Withheld, 1)
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.rights[targetOf(r)]
	if ok && known.isDenied && c.opts.Now().Before(known.until) {
		c.figures.Dropped++
		return false
	}
	return true
}

// Offer implements pipeline.Shared.
func (c *Cache) Offer(r *flow.SharedRun, encoded []byte, texts []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(encoded) > maxValue || len(c.offers) >= maxOffers || c.offered+len(encoded) > maxOffered || c.closed {
		c.figures.Dropped++
		return
	}
	c.offered += len(encoded)
	c.offers = append(c.offers, offer{targetOf(r), r.Key, r.By.ModuleHash, encoded, texts})
	select {
	case c.nudge <- struct{}{}:
	default: // one is pending
	}
}

// Run stores offered results until ctx ends, and then waits for the questions.
func (c *Cache) Run(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-c.nudge:
		case <-ctx.Done():
		}
		for ctx.Err() == nil {
			to, batch := c.takeOffers()
			if len(batch) == 0 {
				break
			}
			c.push(ctx, to, batch)
		}
	}
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.work.Wait()
}

// takeOffers returns results for one target, none if there are no offers.
func (c *Cache) takeOffers() (to target, batch []offer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var rest []offer
	size := 0
	for _, o := range c.offers {
		if len(batch) == 0 {
			to = o.target
		}
		if o.target != to || len(batch) >= maxBatch || size+len(o.value) > maxBatchBytes && size > 0 {
			rest = append(rest, o)
			continue
		}
		size += len(o.value)
		batch = append(batch, o)
	}
	c.offers = rest
	c.offered -= size
	return to, batch
}

// push stores results, if the user may store any.
func (c *Cache) push(ctx context.Context, to target, batch []offer) {
	ctx, cancel := context.WithTimeout(ctx, pushTimeout)
	defer cancel()
	l, ok := c.link(to.project)
	if !ok || l.Mode != On || l.ID != to.login || !c.mayPush(ctx, l, to) {
		c.count(&c.figures.Dropped, len(batch))
		return
	}
	req := wirePut{Project: to.project, ProxyModel: to.model, Entries: []wireEntry{}}
	clean := c.opts.Cleaner()
	for _, o := range batch {
		if hasSecret(o.texts, clean) {
			c.count(&c.figures.Withheld, 1)
			continue
		}
		req.Entries = append(req.Entries, wireEntry{Key: o.key[:], Value: o.value, ModuleHash: o.module})
	}
	if len(req.Entries) == 0 {
		return
	}
	if err := c.put(ctx, l, to, req); err != nil {
		c.count(&c.figures.Dropped, len(req.Entries))
		return
	}
	c.count(&c.figures.Pushed, len(req.Entries))
}

func (c *Cache) count(figure *int64, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*figure += int64(n)
}

// hasSecret reports whether a text looks like a credential, or contains a secret of this
// machine.
func hasSecret(texts []string, clean func(string) string) bool {
	for _, t := range texts {
		if len(credential.FindText(t)) > 0 || clean(t) != t {
			return true
		}
	}
	return false
}

// mayPush reports whether the user may store results of a target. It asks without a result, so
// that none leaves this machine without the right.
func (c *Cache) mayPush(ctx context.Context, l Link, to target) bool {
	c.mu.Lock()
	known, ok := c.rights[to]
	c.mu.Unlock()
	if ok && c.opts.Now().Before(known.until) {
		return !known.isDenied
	}
	return c.put(ctx, l, to, wirePut{Project: to.project, ProxyModel: to.model, Entries: []wireEntry{}}) == nil
}

// put calls mcpd and remembers its answer about the right.
func (c *Cache) put(ctx context.Context, l Link, to target, req wirePut) error {
	err := l.Call(ctx, http.MethodPut, "/cache", nil, req, nil)
	denied := errors.Is(err, abi.ErrDenied) || errors.Is(err, abi.ErrNotFound) || errors.Is(err, abi.ErrConfig)
	if err != nil && !denied {
		c.noteResult(to, err)
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if denied && !c.rights[to].isDenied {
		c.opts.Log.Info("results are not stored in the shared cache", "project", to.project, "proxymodel", to.model, "error", err)
	}
	if c.login != to.login {
		return err
	}
	c.rights[to] = right{denied, c.opts.Now().Add(rightFor)}
	return err
}
