package prompt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// Read fetches the resource that a link names, from a server of the project it
// names. It limits its own time: a server may have to be installed first. Its errors
// are logged, and shown to no client.
type Read func(ctx context.Context, target string) ([]byte, error)

// How long what is known of a link holds.
const (
	patience     = 2500 * time.Millisecond // of those who wait for a fetch, from when it began
	reserve      = 4 * time.Second         // of a caller's time that waits leave: a hook has 10 s in all
	freshFor     = time.Minute             // a content
	deadFor      = 5 * time.Second         // a failure: nobody waits for it again so soon
	checkAlive   = 5 * time.Minute         // in the background
	checkDead    = 30 * time.Second        // in the background
	checksAtOnce = 4
	fetchAtOnce  = 16 // by Fetch

	maxLinkBytes = 4 << 20
	maxKeptBytes = 32 << 20 // of the contents of all links
)

// Links are the resources that prompts link to. Safe for concurrent use.
type Links struct {
	read    Read
	log     *slog.Logger
	changed func() // a Body is new
	now     func() time.Time

	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup

	mu       sync.Mutex
	byName   map[string]*link
	kept     int // bytes
	flying   int // fetches under way
	checking bool
}

type link struct {
	body   Body
	text   []byte // nil: not kept
	read   time.Time
	failed time.Time // zero: the last fetch went well
	why    error     // of the last fetch
	flight *fetch
}

// fetch is one read of a resource, for all who wait for it.
type fetch struct {
	done chan struct{}
	late chan struct{} // closed when readers no longer wait for it
	text []byte
	err  error
}

// LinkOptions are options of NewLinks; Read is required.
type LinkOptions struct {
	Read    Read
	Log     *slog.Logger     // default: nothing is logged
	Changed func()           // called without locks; may be nil
	Now     func() time.Time // default time.Now
}

// NewLinks makes Links of which nothing is known. It must be closed.
func NewLinks(o LinkOptions) *Links {
	l := &Links{read: o.Read, log: o.Log, changed: o.Changed, now: o.Now, byName: make(map[string]*link)}
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	if l.changed == nil {
		l.changed = func() {}
	}
	if l.now == nil {
		l.now = time.Now
	}
	l.life, l.end = context.WithCancel(context.Background())
	return l
}

// Close gives up what is being fetched and waits for it. It may be called twice.
func (l *Links) Close() error {
	l.mu.Lock()
	l.end()
	l.mu.Unlock()
	l.work.Wait()
	return nil
}

// errDead is all that a client learns of a link that cannot be read.
var errDead = fmt.Errorf("%w: the linked resource cannot be read at the moment", abi.ErrUnavailable)

// Body is what is known of a link, without a look.
func (l *Links) Body(target string) Body {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k := l.byName[target]; k != nil && k.body.Status != "" {
		return k.body
	}
	return Body{Status: Unknown}
}

// Fault says why a link is dead, in the words of its source: it is for those who
// run the daemon. It is nil for a link that is not dead.
func (l *Links) Fault(target string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k := l.byName[target]; k != nil {
		return k.why
	}
	return nil
}

// Kept is the content of a link, if it is still in memory.
func (l *Links) Kept(target string) ([]byte, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k := l.byName[target]; k != nil {
		return k.text, k.text != nil
	}
	return nil, false
}

// Content returns the text of a linked resource. A copy is returned at once; one that
// is older than a minute is replaced in the background. The copy of a link whose last
// fetch failed is not returned: its source may have withdrawn the text. Without a copy Content waits
// until 2.5 s after the start of the fetch, and not for the last 4 s that ctx has left,
// so that a hook survives any number of servers that do not answer. The fetch goes on in
// the background. The caller must not modify the text.
//
// Errors: abi.ErrUnavailable, with a text that reveals nothing of the source; that
// of ctx.
func (l *Links) Content(ctx context.Context, target string) ([]byte, error) {
	l.mu.Lock()
	k := l.get(target)
	f := l.refresh(target, k)
	text, dead := k.text, !k.failed.IsZero()
	l.mu.Unlock()
	switch {
	case text != nil && !dead:
		return text, nil
	case f == nil:
		return nil, errDead
	}
	var hurry <-chan time.Time
	if end, ok := ctx.Deadline(); ok {
		hurry = time.After(time.Until(end) - reserve)
	}
	select {
	case <-f.done:
		return f.text, f.err
	case <-f.late:
		return nil, errDead
	case <-hurry:
		return nil, cmp.Or(ctx.Err(), errDead)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Fetch starts in the background to read those of the targets that Content would have
// to wait for, so that a reader of several waits for all of them at once.
func (l *Links) Fetch(targets []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, target := range targets {
		if l.flying >= fetchAtOnce {
			return
		}
		l.refresh(target, l.get(target))
	}
}

// refresh returns the fetch that is under way, or starts one if what is known of the
// link is too old. It returns nil if no fetch is needed.
func (l *Links) refresh(target string, k *link) *fetch {
	switch {
	case k.flight != nil:
	case !k.failed.IsZero() && l.now().Sub(k.failed) < deadFor:
		return nil
	case k.failed.IsZero() && k.text != nil && l.now().Sub(k.read) < freshFor:
		return nil
	}
	return l.start(target, k)
}

// Check looks in the background at those links of which nothing new is known, a
// few at a time, and forgets the others. It does not wait; while an earlier Check
// runs it does nothing.
func (l *Links) Check(targets []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(targets)
	if l.checking || l.life.Err() != nil {
		return
	}
	l.checking = true
	l.work.Go(func() { l.check(targets) })
}

// forget drops the links that nobody names any more.
func (l *Links) forget(all []string) {
	wanted := make(map[string]bool)
	for _, target := range all {
		wanted[target] = true
	}
	for target, k := range l.byName {
		if !wanted[target] && k.flight == nil {
			l.kept -= len(k.text)
			delete(l.byName, target)
		}
	}
}

func (l *Links) check(targets []string) {
	turns := make(chan struct{}, checksAtOnce)
	for _, target := range targets {
		turns <- struct{}{} // each fetch ends within 30 s
		l.mu.Lock()
		k := l.get(target)
		if k.flight != nil || !l.due(k) || l.life.Err() != nil {
			l.mu.Unlock()
			<-turns
			continue
		}
		f := l.start(target, k)
		l.mu.Unlock()
		l.work.Go(func() {
			<-f.done
			<-turns
		})
	}
	l.mu.Lock()
	l.checking = false
	l.mu.Unlock()
}

func (l *Links) due(k *link) bool {
	switch {
	case k.body.Status == "":
		return true
	case !k.failed.IsZero():
		return l.now().Sub(k.failed) >= checkDead
	}
	return l.now().Sub(k.read) >= checkAlive
}

func (l *Links) get(target string) *link {
	k := l.byName[target]
	if k == nil {
		k = &link{}
		l.byName[target] = k
	}
	return k
}

// start joins the fetch that is under way, or begins one.
func (l *Links) start(target string, k *link) *fetch {
	if k.flight != nil {
		return k.flight
	}
	f := &fetch{done: make(chan struct{}), late: make(chan struct{})}
	if l.life.Err() != nil {
		f.err = errDead
		close(f.done)
		return f
	}
	k.flight = f
	l.flying++
	l.work.Go(func() { l.fetch(target, k, f) })
	return f
}

func (l *Links) fetch(target string, k *link, f *fetch) {
	defer close(f.done)
	defer time.AfterFunc(patience, func() { l.markLate(target, k, f) }).Stop()
	text, err := l.read(l.life, target)
	if err == nil && len(text) > maxLinkBytes {
		err = fmt.Errorf("%w: resource is %d bytes, limit %d", abi.ErrLimit, len(text), maxLinkBytes)
	}
	var next Body
	if err == nil {
		rule := OutlineOf(string(text))
		next = Body{Status: Alive, Bytes: len(text), Hash: hashOf(text), Rule: &rule}
	}
	l.report(target, err, l.settle(k, f, text, next, err))
}

// errLate is why a link is dead whose fetch has taken longer than readers wait.
var errLate = fmt.Errorf("no answer within %v; its server is still being waited for", patience)

// markLate ends the wait of readers for a fetch. A link of which no copy is kept is
// dead until the fetch ends.
func (l *Links) markLate(target string, k *link, f *fetch) {
	l.mu.Lock()
	if k.flight != f {
		l.mu.Unlock()
		return
	}
	close(f.late)
	news := false
	if k.text == nil {
		news = k.body.Status != Dead
		k.body.Status = Dead
		if k.why == nil { // the reason of an earlier failure says more
			k.why = errLate
		}
	}
	l.mu.Unlock()
	l.report(target, errLate, news)
}

// report logs and passes on that something new is known of a link.
func (l *Links) report(target string, err error, news bool) {
	if !news {
		return
	}
	if err != nil {
		l.log.Error("linked resource is dead", "link", target, "error", err)
	}
	l.changed()
}

// settle notes what a look has found, and reports whether that is news.
func (l *Links) settle(k *link, f *fetch, text []byte, next Body, err error) (news bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k.flight = nil
	l.flying--
	if err != nil && errors.Is(l.life.Err(), context.Canceled) {
		f.err = errDead // it was given up here, which says nothing of the link
		return false
	}
	before := k.body
	if err != nil {
		f.err = errDead
		news = before.Status != Dead || errors.Is(k.why, errLate)
		k.failed, k.why = l.now(), err
		k.body.Status = Dead // size and summary are those of the last time
		return news
	}
	f.text = text
	if before.Hash == next.Hash {
		next.Rule = before.Rule
	}
	k.body, k.read, k.failed = next, l.now(), time.Time{}
	k.why = nil
	l.keep(k, text)
	return before != next
}

// keep holds a content for a minute; those of others make room.
func (l *Links) keep(k *link, text []byte) {
	l.kept += len(text) - len(k.text)
	k.text = text
	for _, other := range l.byName {
		if l.kept <= maxKeptBytes {
			return
		}
		if other != k {
			l.kept -= len(other.text)
			other.text = nil
		}
	}
}
