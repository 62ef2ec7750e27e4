package team

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// Options of New. Cache and Log are required.
type Options struct {
	Cache   string // file of the last good snapshot
	Log     *slog.Logger
	Offline bool // the snapshot on disk is used, mcpd is not contacted

	// Pause waits for d, or until ctx ends, before mcpd is contacted again. Default: a timer.
	Pause func(ctx context.Context, d time.Duration)
	// Now is the clock. Default: time.Now.
	Now func() time.Time
	// Heartbeat is the time after which a silent stream has ended. Default: 45 s.
	Heartbeat time.Duration
}

// Follower holds the objects of a mcpd and follows their changes. It is safe for concurrent
// use.
type Follower struct {
	opts    Options
	changes chan struct{} // has an element if Set or State.Phase has changed

	mu         sync.Mutex
	settings   Settings
	configured chan struct{} // closed and replaced by Configure
	client     *Client       // nil if the settings cannot be used
	state      State
	objects    objects
	current    *Set // of objects; nil after a change
	warned     bool // that mcpd is not reachable
	unsaved    bool
	saved      time.Time
}

// New returns a Follower without settings.
func New(o Options) *Follower {
	if o.Pause == nil {
		o.Pause = pause
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = heartbeatLimit
	}
	return &Follower{opts: o, changes: make(chan struct{}, 1), configured: make(chan struct{}),
		state: State{Phase: NotConfigured, Since: o.Now()}, objects: newObjects()}
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// Changes has an element after the objects, the login or the phase have changed. Several
// changes may be one element.
func (f *Follower) Changes() <-chan struct{} { return f.changes }

func (f *Follower) notify() {
	select {
	case f.changes <- struct{}{}:
	default: // one is pending
	}
}

// State returns the present state.
func (f *Follower) State() State {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.state
	s.Version = f.objects.version
	return s
}

// Set returns the present objects.
func (f *Follower) Set() Set {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.current == nil {
		login := ""
		if f.client != nil && f.state.Phase != Refused && !f.settings.Login.IsZero() {
			login = f.settings.Login.id()
		}
		s := f.objects.set(login)
		s.URL = f.settings.URL
		f.current = &s
	}
	return *f.current
}

// Settings returns the settings of the last Configure.
func (f *Follower) Settings() Settings {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.settings
}

// Client returns the client of the present login. It belongs to the Follower.
//
// Errors: ErrNotConfigured, ErrNotLoggedIn, those of NewClient; the refusal of mcpd if it
// does not accept the token.
func (f *Follower) Client() (*Client, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.settings.URL == "":
		return nil, ErrNotConfigured
	case f.client == nil || f.state.Phase == Refused:
		return nil, f.state.Err
	case f.settings.Login.IsZero():
		return nil, ErrNotLoggedIn
	}
	return f.client, nil
}

// Configure sets the address and the login. Equal settings change nothing. Objects of
// another user or another mcpd are dropped; those on disk are used if they belong to the
// login.
func (f *Follower) Configure(s Settings) {
	if base, err := ParseURL(s.URL); err == nil {
		s.URL = base
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	kept := f.settings
	if kept.Cache = s.Cache; kept.isEqual(s) { // how the cache is used is no reason to connect again
		f.settings = kept
		return
	}
	before := f.settings.Login
	f.settings = s
	if f.client != nil {
		f.client.Close()
	}
	client, err := NewClient(s)
	f.client = client
	if s.Login.IsZero() || s.Login.URL != before.URL || s.Login.User != before.User || s.Login.URL != s.URL {
		f.objects = newObjects()
		f.restore()
	}
	f.unsaved = false
	phase := Connecting
	switch {
	case s.URL == "":
		phase, err = NotConfigured, nil
	case errors.Is(err, ErrNotLoggedIn):
		phase = NotLoggedIn
	case err != nil:
		phase = Invalid
	case s.Login.IsZero():
		phase = NotLoggedIn
	case f.opts.Offline:
		phase = Paused
	}
	f.setState(phase, err)
	f.state.URL, f.state.User = s.URL, ""
	if phase != NotLoggedIn {
		f.state.User = s.Login.User
	}
	f.current = nil
	close(f.configured)
	f.configured = make(chan struct{})
	f.notify()
}

// restore uses the snapshot on disk if it belongs to the login; without a login it is
// removed. The caller holds mu.
func (f *Follower) restore() {
	login := f.settings.Login
	if login.IsZero() || login.URL != f.settings.URL {
		if !f.opts.Offline && f.settings.URL != "" {
			if err := removeCache(f.opts.Cache); err != nil {
				f.opts.Log.Warn("the snapshot of mcpd cannot be removed", "error", err)
			}
		}
		return
	}
	c, err := readCache(f.opts.Cache, login)
	if err == nil && c != nil {
		err = f.objects.replace(c.wireSnapshot)
	}
	if err != nil {
		f.opts.Log.Warn("the snapshot of mcpd on disk is not used", "error", err)
	}
}

// setState changes the phase. The caller holds mu.
func (f *Follower) setState(p Phase, err error) {
	if p != f.state.Phase {
		f.state.Since = f.opts.Now()
		f.notify()
	}
	f.state.Phase, f.state.Err = p, err
}

// Run follows mcpd until ctx ends.
func (f *Follower) Run(ctx context.Context) {
	for ctx.Err() == nil {
		f.mu.Lock()
		client, phase, configured := f.client, f.state.Phase, f.configured
		f.mu.Unlock()
		if phase != Connecting && phase != Following && phase != Stale {
			select {
			case <-configured:
			case <-ctx.Done():
			}
			continue
		}
		f.follow(ctx, client, configured)
	}
	f.save(true)
}

// follow follows mcpd with one login, until ctx ends, the settings change, or the token is
// refused.
func (f *Follower) follow(ctx context.Context, client *Client, configured <-chan struct{}) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-configured:
			cancel()
		case <-ctx.Done():
		}
	}()
	fresh := false // a snapshot was taken, and no event requires another one
	var pace resyncPace
	for ctx.Err() == nil {
		var err error
		if !fresh {
			err = f.takeSnapshot(ctx, client)
			fresh = err == nil
		}
		if err == nil {
			err = f.watch(ctx, client)
		}
		f.save(true)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, errResync):
			fresh = false
			if delay := pace.next(f.opts.Now()); delay > 0 {
				f.opts.Pause(ctx, delay)
			}
		case f.lost(client, err):
			return
		default:
			f.opts.Pause(ctx, time.Second+rand.N(9*time.Second)) // not all followers of a mcpd that restarts return at once
		}
	}
}

// lost records that mcpd is away. It reports whether the token was refused, so that only a
// new login helps.
func (f *Follower) lost(client *Client, err error) (refused bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.client != client {
		return true // the settings have changed
	}
	if isStatus(err, http.StatusUnauthorized) {
		f.opts.Log.Warn("mcpd refuses the token; log in again", "url", client.URL(), "error", err)
		f.current = nil
		f.setState(Refused, err)
		f.notify()
		return true
	}
	if f.state.Phase == Following {
		f.opts.Log.Info("the stream of mcpd ended", "url", client.URL(), "cause", err) // a proxy may end it regularly
	} else if !f.warned {
		f.opts.Log.Warn("mcpd is not reachable; the last snapshot is used", "url", client.URL(), "error", err)
		f.warned = true
	}
	f.setState(Stale, err)
	return false
}

// takeSnapshot replaces the objects by those that mcpd has now.
func (f *Follower) takeSnapshot(ctx context.Context, client *Client) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	resp, err := client.send(ctx, http.MethodGet, "/snapshot", nil, nil, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := client.read(resp.Body, maxSnapshot)
	if err != nil {
		return err
	}
	var s wireSnapshot
	if err := decodeStrict(body, &s); err != nil {
		return fmt.Errorf("%w: mcpd %s: the snapshot is not valid: %s", abi.ErrUnavailable, client.URL(), client.clean(err.Error()))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.client != client {
		return context.Canceled
	}
	if err := f.objects.replace(s); err != nil {
		return err
	}
	f.changed()
	return nil
}

// changed records that the objects have changed. The caller holds mu.
func (f *Follower) changed() {
	f.current, f.unsaved = nil, true
	f.notify()
}

// errResync means that a new snapshot is needed.
var errResync = errors.New("mcpd requests a new snapshot")

// watch follows the changes after the present version until the stream ends.
//
// Errors: errResync; the reason why the stream ended.
func (f *Follower) watch(ctx context.Context, client *Client) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silent := time.AfterFunc(f.opts.Heartbeat, func() { cancel(errSilent) })
	defer silent.Stop()

	f.mu.Lock()
	version := strconv.FormatUint(f.objects.version, 10)
	f.mu.Unlock()
	header := http.Header{"Accept": {"text/event-stream"}, "Last-Event-Id": {version}}
	resp, err := client.send(ctx, http.MethodGet, "/watch", url.Values{"since": {version}}, header, nil)
	if isStatus(err, http.StatusGone) {
		return errResync
	}
	if err != nil {
		return explainSilence(ctx, err)
	}
	defer resp.Body.Close()
	f.mu.Lock()
	if f.client == client {
		f.setState(Following, nil)
		f.warned = false
	}
	f.mu.Unlock()
	stream := newEvents(alive{resp.Body, func() { silent.Reset(f.opts.Heartbeat) }})
	for {
		ev, err := stream.next()
		if err != nil {
			return explainSilence(ctx, fmt.Errorf("%w: mcpd %s: the stream of changes ended: %s", abi.ErrUnavailable, client.URL(), client.clean(err.Error())))
		}
		if err := f.receive(client, ev); err != nil {
			return err
		}
	}
}

// explainSilence returns the cause of an error that the missing heartbeat caused.
func explainSilence(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errSilent) {
		return fmt.Errorf("%w: %w", abi.ErrUnavailable, errSilent)
	}
	return err
}

// receive applies one event.
func (f *Follower) receive(client *Client, ev sseEvent) error {
	switch ev.name {
	case "resync":
		return errResync
	case "revoked":
		return &StatusError{Status: http.StatusUnauthorized, Detail: revokedDetail(ev.data), url: client.URL()}
	case "change", "sync":
	default:
		return nil // of a newer mcpd
	}
	var c wireChange
	if err := decodeStrict([]byte(ev.data), &c); err != nil {
		return fmt.Errorf("%w: mcpd sent an invalid event: %s", abi.ErrUnavailable, client.clean(err.Error()))
	}
	f.mu.Lock()
	if f.client != client {
		f.mu.Unlock()
		return context.Canceled
	}
	var changed bool
	var err error
	if ev.name == "sync" {
		if changed, err = f.objects.sync(c.Version); changed {
			f.unsaved = true
		}
	} else if changed, err = f.objects.apply(c); changed {
		f.changed()
	}
	f.mu.Unlock()
	if err == nil {
		f.save(false)
	}
	return err
}

// revokedDetail describes the event revoked. An older mcpd does not send whether the token has
// expired.
func revokedDetail(data string) string {
	var in struct {
		Expired bool `json:"expired"`
	}
	if json.Unmarshal([]byte(data), &in) == nil && in.Expired {
		return "the token has expired"
	}
	return "the token was revoked"
}

// saveInterval is the shortest time between two writes of the snapshot while changes arrive.
const saveInterval = 5 * time.Second

// save writes the present objects to disk if they have changed. Unless now is set, it waits
// for saveInterval since the last time.
func (f *Follower) save(now bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.unsaved || f.opts.Offline || !now && f.opts.Now().Sub(f.saved) < saveInterval {
		return
	}
	f.unsaved, f.saved = false, f.opts.Now()
	err := writeCache(f.opts.Cache, cached{URL: f.settings.Login.URL, User: f.settings.Login.User, Saved: f.saved.UTC(), wireSnapshot: f.objects.wire()})
	if err != nil {
		f.opts.Log.Warn("the snapshot of mcpd cannot be kept on disk", "error", err)
	}
}
