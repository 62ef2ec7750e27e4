package prompt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// Read reads the resource of a link from the server of another project. It must limit
// its time itself, because a server may have to be installed first. Its errors are
// logged and not sent to clients.
type Read func(ctx context.Context, target string) ([]byte, error)

// Times and limits of links.
const (
	maxWait      = 2500 * time.Millisecond // maximum wait of readers, from the start of the fetch
	reserve      = 4 * time.Second         // part of a reader's time that is never spent waiting; a hook has 10 s
	freshFor     = time.Minute             // age after which a copy is fetched again
	deadFor      = 5 * time.Second         // time after a failure without another fetch
	checkAlive   = 5 * time.Minute         // interval of background checks of links that can be read
	checkDead    = 30 * time.Second        // interval of background checks of dead links
	checksAtOnce = 4
	fetchAtOnce  = 16 // limit of concurrent fetches for Fetch

	maxLinkBytes = 4 << 20
	maxKeptBytes = 32 << 20 // total of all copies
)

// Links reads and caches the resources that prompts link to. It is safe for concurrent
// use.
type Links struct {
	read    Read
	log     *slog.Logger
	changed func() // called when a Body has changed
	now     func() time.Time

	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup

	mu        sync.Mutex
	byName    map[string]*link
	copyBytes int // bytes of all copies
	fetching  int // running fetches
	checking  bool
}

type link struct {
	body   Body
	text   []byte // copy of the content; nil if none
	read   time.Time
	failed time.Time // time of the last failure; zero if the last fetch succeeded
	why    error     // error of the last fetch
	flight *fetch    // running fetch; nil if none
}

// fetch is one read of a resource, shared by all readers.
type fetch struct {
	done chan struct{}
	late chan struct{} // closed after maxWait; readers stop waiting
	text []byte
	err  error
}

// LinkOptions are the settings of NewLinks. Read is required.
type LinkOptions struct {
	Read    Read
	Log     *slog.Logger     // default: discard
	Changed func()           // called without locks; may be nil
	Now     func() time.Time // default time.Now
}

// NewLinks returns empty Links. The caller must close them.
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

// Close cancels all fetches and waits for them. It may be called twice.
func (l *Links) Close() error {
	l.mu.Lock()
	l.end()
	l.mu.Unlock()
	l.work.Wait()
	return nil
}

// errDead is the error that clients receive for a link that cannot be read, unless it is
// ErrNotGranted.
var errDead = fmt.Errorf("%w: the linked resource cannot be read at the moment", abi.ErrUnavailable)

// ErrNotGranted is the error of a link to a project of the team server that nobody has
// granted. Its text is for clients.
var ErrNotGranted = fmt.Errorf("%w: the link is not granted; whoever may edit the project that it leads to can grant it on the team server", abi.ErrDenied)

// clientError returns what clients receive in place of the error of a fetch.
func clientError(err error) error {
	if errors.Is(err, ErrNotGranted) {
		return ErrNotGranted
	}
	return errDead
}

// Body returns the Body of a link without fetching it.
func (l *Links) Body(target string) Body {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k := l.byName[target]; k != nil && k.body.Status != "" {
		return k.body
	}
	return Body{Status: Unknown}
}

// Fault returns the error of a dead link. It is meant for operators and must not be sent
// to clients. It is nil for a link that is not dead.
func (l *Links) Fault(target string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k := l.byName[target]; k != nil {
		return k.why
	}
	return nil
}

// Copy returns the copy of a link, if there is one.
func (l *Links) Copy(target string) ([]byte, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k := l.byName[target]; k != nil {
		return k.text, k.text != nil
	}
	return nil, false
}

// Content returns the text of a linked resource. It returns a copy immediately and
// replaces a copy older than a minute in the background. If the last fetch failed, the
// copy is not used, because the source may have withdrawn the text. Without a copy,
// Content waits until 2.5 s after the start of the fetch or until 4 s before the
// deadline of ctx, so that a hook can read any number of links that do not answer. The
// fetch continues in the background. The caller must not modify the text.
//
// It returns abi.ErrUnavailable, with a text that reveals nothing about the source,
// ErrNotGranted, or the error of ctx.
func (l *Links) Content(ctx context.Context, target string) ([]byte, error) {
	l.mu.Lock()
	k := l.get(target)
	f := l.refresh(target, k)
	text, dead, why := k.text, !k.failed.IsZero(), k.why
	l.mu.Unlock()
	switch {
	case text != nil && !dead:
		return text, nil
	case f == nil:
		return nil, clientError(why)
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

// Fetch starts background fetches of the targets that Content would have to wait for, so
// that a reader of several links waits for all of them at the same time.
func (l *Links) Fetch(targets []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, target := range targets {
		if l.fetching >= fetchAtOnce {
			return
		}
		l.refresh(target, l.get(target))
	}
}

// refresh returns the running fetch of a link, or starts one if the last result is too
// old. It returns nil if no fetch is needed.
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

// Check fetches in the background the targets whose check is due, at most checksAtOnce
// concurrently, and removes all other links. It does not wait. While an earlier check
// runs, it only removes links.
func (l *Links) Check(targets []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.removeUnused(targets)
	if l.checking || l.life.Err() != nil {
		return
	}
	l.checking = true
	l.work.Go(func() { l.check(targets) })
}

// removeUnused removes the links that are not in all.
func (l *Links) removeUnused(all []string) {
	wanted := make(map[string]bool)
	for _, target := range all {
		wanted[target] = true
	}
	for target, k := range l.byName {
		if !wanted[target] && k.flight == nil {
			l.copyBytes -= len(k.text)
			delete(l.byName, target)
		}
	}
}

func (l *Links) check(targets []string) {
	turns := make(chan struct{}, checksAtOnce)
	for _, target := range targets {
		turns <- struct{}{} // Read limits the time of each fetch
		l.mu.Lock()
		k := l.get(target)
		if k.flight != nil || !l.isDue(k) || l.life.Err() != nil {
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

// isDue reports whether a background check of a link is due.
func (l *Links) isDue(k *link) bool {
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

// start returns the running fetch of a link or starts one.
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
	l.fetching++
	l.work.Go(func() { l.fetch(target, k, f) })
	return f
}

func (l *Links) fetch(target string, k *link, f *fetch) {
	defer close(f.done)
	defer time.AfterFunc(maxWait, func() { l.markLate(target, k, f) }).Stop()
	text, err := l.read(l.life, target)
	if err == nil && len(text) > maxLinkBytes {
		err = fmt.Errorf("%w: resource is %d bytes, limit %d", abi.ErrLimit, len(text), maxLinkBytes)
	}
	var next Body
	if err == nil {
		rule := OutlineOf(string(text))
		next = Body{Status: Alive, Bytes: len(text), Hash: hashOf(text), Rule: &rule}
	}
	l.report(target, err, l.storeResult(k, f, text, next, err))
}

// errLate is the Fault of a link whose fetch takes longer than maxWait.
var errLate = fmt.Errorf("no answer within %v; the request to its server continues", maxWait)

// markLate ends the wait of readers for a fetch. A link without a copy is dead until the
// fetch ends.
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
		if k.why == nil { // an earlier error is more specific
			k.why = errLate
		}
	}
	l.mu.Unlock()
	l.report(target, errLate, news)
}

// report logs the error of a changed link and calls changed.
func (l *Links) report(target string, err error, news bool) {
	if !news {
		return
	}
	target, _, _ = strings.Cut(target, teamLink)
	if errors.Is(err, ErrNotGranted) {
		l.log.Warn("a link is not granted", "link", target, "error", err)
	} else if err != nil {
		l.log.Error("linked resource is dead", "link", target, "error", err)
	}
	l.changed()
}

// storeResult stores the result of a fetch and reports whether the link has changed.
func (l *Links) storeResult(k *link, f *fetch, text []byte, next Body, err error) (news bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k.flight = nil
	l.fetching--
	if err != nil && errors.Is(l.life.Err(), context.Canceled) {
		f.err = errDead // cancelled by Close: the status of the link is unknown
		return false
	}
	before := k.body
	if errors.Is(err, ErrNotGranted) { // nothing of a grant that was withdrawn is kept
		f.err = ErrNotGranted
		news = !errors.Is(k.why, ErrNotGranted)
		k.failed, k.why, k.body = l.now(), err, Body{Status: Unknown}
		l.storeCopy(k, nil)
		return news
	}
	if err != nil {
		f.err = errDead
		news = before.Status != Dead || errors.Is(k.why, errLate)
		k.failed, k.why = l.now(), err
		k.body.Status = Dead // size and summary of the last success are kept
		return news
	}
	f.text = text
	if before.Hash == next.Hash {
		next.Rule = before.Rule
	}
	k.body, k.read, k.failed = next, l.now(), time.Time{}
	k.why = nil
	l.storeCopy(k, text)
	return before != next
}

// storeCopy stores the copy of a link and discards copies of others to stay within
// maxKeptBytes.
func (l *Links) storeCopy(k *link, text []byte) {
	l.copyBytes += len(text) - len(k.text)
	k.text = text
	for _, other := range l.byName {
		if l.copyBytes <= maxKeptBytes {
			return
		}
		if other != k {
			l.copyBytes -= len(other.text)
			other.text = nil
		}
	}
}
