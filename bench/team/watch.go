package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http/httputil"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Figures of the goal watch.
const (
	robots       = 100 // service accounts, which have the tokens of the watchers
	changes      = 10  // one each second, while all watch
	stormChanges = 5   // while none watches
	maxEach      = 40 << 10
	reserved     = 200 // files that this program and mcpd need for other things
)

// watchers are open streams of changes.
type watchers struct {
	cluster *cluster
	all     []*watcher

	sent sync.Map // by version, when the request began that made it

	synced atomic.Int64 // streams that are current
	faults atomic.Int64 // changes that a stream skipped, repeated or reordered
	first  atomic.Value // the first fault, a string
}

// watcher is one client that watches.
type watcher struct {
	*watchers
	token string
	conn  atomic.Pointer[net.TCPConn]

	mu      sync.Mutex
	last    int64 // the version that it has
	latency []time.Duration
	reached chan struct{} // closed when it has the version target
	target  int64
}

// watch opens watchers on two replicas, changes prompts that all may view, and lets all
// reconnect at once after both processes were killed.
func (b *bench) watch(ctx context.Context) ([]figure, error) {
	n, err := raiseFiles(b.watchers)
	if err != nil {
		return nil, err
	}
	var figures []figure
	if n < b.watchers {
		figures = append(figures, figure{fmt.Sprintf("%d watchers, the limit of open files allows no more (bar %d)", n, b.watchers), false})
	} else {
		figures = append(figures, note("%d watchers", n))
	}
	c, err := b.start(ctx, true, 2)
	if err != nil {
		return nil, err
	}
	defer c.stop()
	if _, err := c.replicas[0].apply(ctx, watchedYAML(), ""); err != nil {
		return nil, err
	}
	version, err := c.awaitVersion(ctx)
	if err != nil {
		return nil, err
	}
	w := &watchers{cluster: c}
	if err := w.createTokens(ctx, n); err != nil {
		return nil, err
	}
	progress("watch: %d tokens created", n)
	if err := c.restart(ctx); err != nil { // the baseline without the memory that hashes of passwords took
		return nil, err
	}
	before, err := c.memory()
	if err != nil {
		return nil, err
	}
	for _, one := range w.all {
		one.last = version
	}
	took, err := w.connect(ctx, 256, version)
	if err != nil {
		return nil, err
	}
	progress("watch: connected in %v", round(took))
	work, err := c.measure(func() error {
		for i := range changes {
			if err := w.change(ctx, i, w.targets(version+int64(i)+1)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	after, err := c.memory()
	if err != nil {
		return nil, err
	}
	all, slowest := w.latencies()
	figures = append(figures, atMost(fmt.Sprintf("%d changes visible p99", changes), quantile(all, 0.99), 500*time.Millisecond),
		atMost("to all", slowest, time.Second),
		exactly("events", len(all), changes*n), note("processor %v for an event", work/time.Duration(changes*n)))
	each := (after - before) / int64(n)
	figures = append(figures, figure{fmt.Sprintf("%.1f KB each (bar %d)", float64(each)/1024, maxEach>>10), each <= maxEach})

	w.disconnect()
	if err := c.restart(ctx); err != nil {
		return nil, err
	}
	for i := range stormChanges {
		if _, err := c.replicas[0].apply(ctx, watchedPrompt(i, 2), ""); err != nil {
			return nil, err
		}
	}
	took, err = w.connect(ctx, n, version+changes+stormChanges)
	if err != nil {
		return nil, err
	}
	w.disconnect()
	figures = append(figures, atMost(fmt.Sprintf("%d reconnect and get %d changes in", n, stormChanges), took, 10*time.Second),
		exactly("changes lost or repeated", int(w.faults.Load()), 0))
	if text, ok := w.first.Load().(string); ok {
		progress("watch: first fault: %s", text)
	}
	return figures, nil
}

// raiseFiles raises the limit of open files and returns for how many watchers it suffices.
// Processes of mcpd inherit it.
func raiseFiles(want int) (int, error) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, err
	}
	limit.Cur = limit.Max
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, err
	}
	return min(want, int(limit.Cur)-reserved), nil
}

// watchedYAML returns the project that all watch, and the service accounts.
func watchedYAML() string {
	var yaml strings.Builder
	yaml.WriteString("---\nkind: Project\nmetadata: {name: shared}\nspec: {}\n")
	var subjects []string
	for i := range robots {
		fmt.Fprintf(&yaml, "---\nkind: ServiceAccount\nmetadata: {name: robot-%d}\nspec: {}\n", i)
		fmt.Fprintf(&yaml, "---\nkind: RbacBinding\nmetadata: {name: own-%d}\nspec: {subjects: [{serviceAccount: robot-%d}], verbs: [view], kinds: [Prompt, Project], projects: [own-%d]}\n", i, i, i)
		subjects = append(subjects, fmt.Sprintf("{serviceAccount: robot-%d}", i))
	}
	fmt.Fprintf(&yaml, "---\nkind: RbacBinding\nmetadata: {name: all}\nspec: {subjects: [%s], verbs: [view], kinds: [Prompt, Project], projects: [shared]}\n", strings.Join(subjects, ", "))
	for i := range changes {
		yaml.WriteString(watchedPrompt(i, 0))
	}
	return yaml.String()
}

func watchedPrompt(i, n int) string {
	return promptYAML("shared", fmt.Sprintf("prompt-%d", i), n*1000+i)
}

// createTokens creates a token for each watcher.
func (w *watchers) createTokens(ctx context.Context, n int) error {
	w.all = make([]*watcher, n)
	return parallel(32, n, func(i int) error {
		var out struct{ Token string }
		err := w.cluster.replicas[i%2].call(ctx, "POST", "/api/v1/tokens", map[string]string{"name": fmt.Sprintf("bench-%d", i), "serviceAccount": fmt.Sprintf("robot-%d", i%robots)}, &out)
		w.all[i] = &watcher{watchers: w, token: out.Token}
		return err
	})
}

// parallel calls f for 0 to n-1, some at a time, and returns the first error.
func parallel(atOnce, n int, f func(i int) error) error {
	var next, failed atomic.Int64
	var first error
	var once sync.Once
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && failed.Load() == 0; i = int(next.Add(1)) - 1 {
				if err := f(i); err != nil {
					once.Do(func() { first = err })
					failed.Add(1)
				}
			}
		})
	}
	all.Wait()
	return first
}

func (c *cluster) memory() (sum int64, err error) {
	for _, r := range c.replicas {
		n, err := r.memory()
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// settle is the time after which a stream is missing.
const settle = 2 * time.Minute

// connect opens all streams, some at a time, and waits until each has the version.
func (w *watchers) connect(ctx context.Context, atOnce int, version int64) (time.Duration, error) {
	reached := w.targets(version)
	began := time.Now()
	err := parallel(atOnce, len(w.all), func(i int) error {
		for try := 0; ; try++ {
			err := w.all[i].open(w.cluster.replicas[i%len(w.cluster.replicas)].addr)
			if err == nil || try == 5 {
				return err
			}
			time.Sleep(time.Duration(try+1) * 100 * time.Millisecond)
		}
	})
	if err != nil {
		return 0, err
	}
	err = w.wait(ctx, reached)
	return time.Since(began), err
}

// targets makes each watcher report when it has a version.
func (w *watchers) targets(version int64) []chan struct{} {
	reached := make([]chan struct{}, len(w.all))
	for i, one := range w.all {
		reached[i] = make(chan struct{})
		one.mu.Lock()
		one.reached, one.target = reached[i], version
		one.mu.Unlock()
	}
	return reached
}

func (w *watchers) wait(ctx context.Context, reached []chan struct{}) error {
	late := time.After(settle)
	for i, done := range reached {
		select {
		case <-done:
		case <-ctx.Done():
			return ctx.Err()
		case <-late:
			missing := 0
			for _, c := range reached[i:] {
				select {
				case <-c:
				default:
					missing++
				}
			}
			return fmt.Errorf("%d of %d watchers do not have the version after %v", missing, len(reached), settle)
		}
	}
	return nil
}

// change changes a prompt and waits until all have the change.
func (w *watchers) change(ctx context.Context, i int, reached []chan struct{}) error {
	w.sent.Store(w.all[0].target, time.Now())
	if _, err := w.cluster.replicas[i%2].apply(ctx, watchedPrompt(i, 1), ""); err != nil {
		return err
	}
	if err := w.wait(ctx, reached); err != nil {
		return err
	}
	time.Sleep(time.Second)
	return nil
}

func (w *watchers) latencies() (all []time.Duration, slowest time.Duration) {
	for _, one := range w.all {
		all = append(all, one.latency...)
	}
	slices.Sort(all)
	return all, quantile(all, 1)
}

// disconnect closes all streams.
func (w *watchers) disconnect() {
	for _, one := range w.all {
		if conn := one.conn.Swap(nil); conn != nil {
			_ = conn.SetLinger(0)
			conn.Close()
		}
	}
	for w.synced.Load() > 0 { // the goroutines end
		time.Sleep(10 * time.Millisecond)
	}
}

// open opens the stream after the version that the watcher has.
func (w *watcher) open(addr string) error {
	conn, err := net.DialTimeout("tcp", addr, 20*time.Second)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(conn, "GET /api/v1/watch?since=%d HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", w.last, addr, w.token)
	if err != nil {
		conn.Close()
		return err
	}
	w.conn.Store(conn.(*net.TCPConn))
	in := bufio.NewReaderSize(conn, 1<<10)
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
	status, err := in.ReadString('\n')
	if err == nil && !strings.Contains(status, " 200 ") {
		err = errors.New(strings.TrimSpace(status))
	}
	for err == nil {
		var line []byte
		if line, err = in.ReadSlice('\n'); len(bytes.TrimSpace(line)) == 0 {
			break
		}
	}
	if err != nil {
		conn.Close()
		return err
	}
	_ = conn.SetReadDeadline(time.Time{})
	w.synced.Add(1)
	go func() {
		defer w.synced.Add(-1)
		w.read(bufio.NewReaderSize(httputil.NewChunkedReader(in), 256))
	}()
	return nil
}

// read reads events until the stream ends, and checks that versions follow each other.
func (w *watcher) read(in *bufio.Reader) {
	id := int64(-1)
	for {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) { // the data of an event: its rest
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = in.ReadSlice('\n')
			}
			line = nil
		}
		if err != nil {
			return
		}
		switch {
		case bytes.HasPrefix(line, []byte("id: ")):
			if id, err = strconv.ParseInt(string(bytes.TrimSpace(line[4:])), 10, 64); err != nil {
				w.fault("id %q", line)
			}
		case string(line) == "event: change\n":
			if id != w.last+1 {
				w.fault("change %d after %d", id, w.last)
			}
			w.has(id)
		case string(line) == "event: sync\n":
			if id != w.last {
				w.fault("sync %d after %d", id, w.last)
			}
			w.has(id)
		case string(line) == "event: resync\n", string(line) == "event: revoked\n":
			w.fault("%s", bytes.TrimSpace(line))
		}
	}
}

// has records that the watcher has a version.
func (w *watcher) has(version int64) {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	if sent, ok := w.sent.Load(version); ok && version > w.last {
		w.latency = append(w.latency, now.Sub(sent.(time.Time)))
	}
	w.last = version
	if w.reached != nil && version >= w.target {
		close(w.reached)
		w.reached = nil
	}
}

func (w *watcher) fault(format string, args ...any) {
	w.faults.Add(1)
	w.first.CompareAndSwap(nil, fmt.Sprintf(format, args...))
}
