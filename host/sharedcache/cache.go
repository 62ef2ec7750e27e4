// Package sharedcache looks up results of stages in the cache that a team shares on mcpd, the
// team server, and stores results of this machine there.
//
// A Cache implements pipeline.Shared. It asks only for runs that probably take longer than a
// call of mcpd, waits for a bounded time, and asks nothing for a while after a failure. Results
// are stored in the background by Run, which needs the right to do so.
//
// Neither mcpd nor its producers are trusted: a result has the key and the module that were
// asked for, and a producer that may be one for this user. The pipeline checks its content.
package sharedcache

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/flow"
)

// Limits of the calls of mcpd.
const (
	maxValue  = 1 << 20 // bytes of a result
	maxKeys   = 10      // of a question: with the largest values its answer is below the limit of a call
	maxAsking = 4       // concurrent questions
	missedFor = 10 * time.Second
	maxMissed = 4096
)

// Defaults of Options.
const (
	// defaultMinCost is the run time from which a result is worth a call. A question costs
	// about 1 ms in a local network and 20 to 50 ms through the internet.
	defaultMinCost = 50 * time.Millisecond
	defaultWait    = 150 * time.Millisecond
)

// Mode is how the shared cache is used.
type Mode string

// The modes. Any other value is Off.
const (
	Off  Mode = "off"
	Read Mode = "read" // results of others are used, none is stored
	On   Mode = "on"
)

// Caller calls mcpd; see team.Client.
type Caller interface {
	Call(ctx context.Context, method, path string, query url.Values, in, out any) error
}

// Link is the present connection to mcpd.
type Link struct {
	Caller
	Mode Mode
	User string // its name in mcpd
	ID   string // of the login
}

// Options of New. Team, IsShared, CanLeave and Cleaner are required.
type Options struct {
	// Team returns the connection; ok is false while mcpd cannot be called.
	Team func() (l Link, ok bool)
	// IsShared reports whether mcpd has a project.
	IsShared func(project string) bool
	// CanLeave reports whether the content of a run may leave this machine.
	CanLeave func(r *flow.SharedRun) bool
	// Cleaner returns a function that removes the secrets of this machine from a text.
	Cleaner func() func(string) string

	MinCost time.Duration // run time from which a result is shared; default 50 ms
	Wait    time.Duration // for the answer to a question; default 150 ms
	Now     func() time.Time
	Log     *slog.Logger
}

// Figures count since the Cache was created.
type Figures struct {
	Hits       int64 `json:"hits"`
	Misses     int64 `json:"misses"`
	Unanswered int64 `json:"unanswered"` // questions that mcpd did not answer in time
	Refused    int64 `json:"refused"`    // results that failed a check
	Pushed     int64 `json:"pushed"`
	Withheld   int64 `json:"withheld"` // results that may not leave this machine
	Dropped    int64 `json:"dropped"`  // results that could not be stored: no right, mcpd away, or too many
}

// Cache is the client of the shared cache. It is safe for concurrent use.
type Cache struct {
	opts  Options
	work  sync.WaitGroup // questions
	nudge chan struct{}  // has an element if there are offers

	mu       sync.Mutex
	closed   bool
	login    string // that the fields below are of
	pauses   map[string]*pause
	missed   map[missing]time.Time // when it was not found
	rights   map[target]right
	costs    costs
	waiting  map[target][]*question
	asking   int
	offers   []offer
	offered  int // bytes
	figures  Figures
	reported map[string]bool // producers of refused results that are in the log
}

// missing is a result that mcpd did not have.
type missing struct {
	model string
	key   [32]byte
}

// New returns a Cache. Results are stored while Run runs.
func New(o Options) *Cache {
	if o.MinCost == 0 {
		o.MinCost = defaultMinCost
	}
	if o.Wait == 0 {
		o.Wait = defaultWait
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	c := &Cache{opts: o, nudge: make(chan struct{}, 1), costs: make(costs), waiting: make(map[target][]*question), reported: make(map[string]bool)}
	c.forget("")
	return c
}

// forget drops what is known about mcpd for another login. The caller holds mu, or is New.
func (c *Cache) forget(login string) {
	c.login = login
	c.pauses, c.missed, c.rights = make(map[string]*pause), make(map[missing]time.Time), make(map[target]right)
}

// Figures returns the present figures.
func (c *Cache) Figures() Figures {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.figures
}

// link returns the connection for results of a project; ok is false if mcpd is not used for them
// now.
func (c *Cache) link(project string) (l Link, ok bool) {
	l, ok = c.opts.Team()
	if !ok || l.Mode != Read && l.Mode != On || !c.opts.IsShared(project) {
		return Link{}, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.login != l.ID {
		c.forget(l.ID)
	}
	return l, !c.closed && !c.isPaused(project)
}

// IsShared implements pipeline.Shared.
func (c *Cache) IsShared(project string) bool { return c.opts.IsShared(project) }

// Find implements pipeline.Shared.
func (c *Cache) Find(ctx context.Context, r *flow.SharedRun) (value []byte, producer string, ok bool) {
	l, ok := c.link(r.By.Project)
	r.Login = l.ID
	if !ok || !c.isWorthAsking(r) {
		return nil, "", false
	}
	q := &question{key: r.Key, module: r.By.ModuleHash, answer: make(chan answer, 1)}
	if !c.ask(targetOf(r), q) {
		return nil, "", false
	}
	select {
	case a := <-q.answer:
		return a.value, a.producer, a.ok
	case <-ctx.Done():
		return nil, "", false
	}
}

// isWorthAsking reports whether a run probably takes longer than a question, and mcpd did not
// miss its result just now.
func (c *Cache) isWorthAsking(r *flow.SharedRun) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.missed[missing{r.Model, r.Key}]; ok && c.opts.Now().Sub(at) < missedFor {
		return false
	}
	return r.LLM || c.costs.estimate(r) >= max(c.opts.MinCost, 2*c.costs.question())
}

// Refuse implements pipeline.Shared.
func (c *Cache) Refuse(r *flow.SharedRun, producer string, why error) {
	c.mu.Lock()
	c.figures.Hits--
	c.mu.Unlock()
	c.refuse(r.By.Project, producer, why.Error())
}

// maxReported limits the producers of refused results that are in the log.
const maxReported = 100

// refuse counts a result that is not used. The log gets the first one of each producer.
func (c *Cache) refuse(project, producer, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.figures.Refused++
	c.figures.Misses++
	if c.reported[producer] || len(c.reported) >= maxReported {
		return
	}
	c.reported[producer] = true
	c.opts.Log.Warn("a result of the shared cache is not used", "project", project, "producer", producer, "error", why)
}

// String describes the state for people, on one line; it is empty if mcpd is not used.
func (c *Cache) String() string {
	l, ok := c.opts.Team()
	if !ok || l.Mode != Read && l.Mode != On {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f := &c.figures
	text := fmt.Sprintf("cache of the team: %s, hits: %d, misses: %d, stored: %d", l.Mode, f.Hits, f.Misses, f.Pushed)
	if f.Refused > 0 {
		text += fmt.Sprintf(", refused: %d (see the log)", f.Refused)
	}
	if c.isPaused(allProjects) {
		text += "; mcpd did not answer in time, it is asked again later"
	}
	var denied []string
	for to, r := range c.rights {
		if r.isDenied {
			denied = append(denied, to.project)
		}
	}
	if len(denied) > 0 {
		slices.Sort(denied)
		text += "; no right to store results of " + strings.Join(slices.Compact(denied), ", ")
	}
	return text
}
