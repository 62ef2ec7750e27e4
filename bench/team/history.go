package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"
)

// Sizes of the goal history.
const (
	registers  = 5 // prompts that all write
	writers    = 8
	observers  = 6 // watchers
	opTimeout  = 2 * time.Second
	maxOps     = 6000 // the check needs memory for each
	checkLimit = 2 * time.Minute
)

// history writes, reads and watches prompts while processes are killed and paused, and checks
// that there is an order in which the results are those of one register after another.
func (b *bench) history(ctx context.Context) ([]figure, error) {
	var all []figure
	for _, onPostgres := range []bool{false, true} {
		c, err := b.start(ctx, onPostgres, 1+count(onPostgres))
		if err != nil {
			return nil, err
		}
		figures, err := (&recorder{cluster: c, began: time.Now()}).run(ctx, b.minutes/5)
		c.stop()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.engine(), err)
		}
		for i := range figures {
			figures[i].text = c.engine() + " " + figures[i].text
		}
		all = append(all, figures...)
	}
	return all, nil
}

// The results of an operation.
const (
	isRead   = "read"
	written  = "written"
	conflict = "conflict"
	unknown  = "unknown" // the write may have an effect now, later or never
)

// input is a read of a register, or a write on the condition that it has a value.
type input struct {
	register     int
	write        bool
	expect, next string
}

// output is the result, with the value of a read.
type output struct{ result, value string }

// register is the model of one prompt: its state is its value.
var register = porcupine.Model{
	Partition: func(ops []porcupine.Operation) [][]porcupine.Operation {
		parts := make([][]porcupine.Operation, registers)
		for _, op := range ops {
			n := op.Input.(input).register
			parts[n] = append(parts[n], op)
		}
		return parts
	},
	Init: func() any { return "0" },
	Step: func(state, in, out any) (bool, any) {
		i, o := in.(input), out.(output)
		switch {
		case !i.write:
			return o.value == state, state
		case o.result == conflict:
			return i.expect != state, state
		case i.expect == state: // unknown: if it has no effect, it is the last operation in the order
			return true, i.next
		}
		return o.result == unknown, state
	},
}

// revision is a version of a register.
type revision struct {
	register int
	value    string
}

// recorder records what clients and watchers see.
type recorder struct {
	cluster *cluster
	began   time.Time
	over    atomic.Bool
	values  atomic.Int64

	mu      sync.Mutex
	ops     []porcupine.Operation
	seen    map[int64]revision   // of each version, by anyone
	watched []map[int64]revision // of each watcher
	faults  []string
}

func (h *recorder) run(ctx context.Context, duration time.Duration) ([]figure, error) {
	c := h.cluster
	var yaml strings.Builder
	yaml.WriteString("kind: Project\nmetadata: {name: p}\nspec: {}\n")
	for i := range registers {
		yaml.WriteString(registerYAML(i, "0"))
	}
	if _, err := c.replicas[0].apply(ctx, yaml.String(), ""); err != nil {
		return nil, err
	}
	start, err := c.awaitVersion(ctx)
	if err != nil {
		return nil, err
	}
	h.seen = make(map[int64]revision)
	var clients, watching sync.WaitGroup
	watchCtx, stopWatching := context.WithCancel(ctx)
	defer stopWatching()
	for range observers {
		mine := make(map[int64]revision)
		h.watched = append(h.watched, mine)
		watching.Go(func() { h.watch(watchCtx, start, mine) })
	}
	for n := range writers {
		clients.Go(func() { h.write(ctx, n) })
	}
	kills, pauses, err := h.disturb(ctx, duration)
	h.over.Store(true)
	clients.Wait()
	if err != nil {
		return nil, err
	}
	end, err := c.awaitVersion(ctx)
	if err != nil {
		return nil, err
	}
	for i := range registers { // the last reads of the order
		h.read(ctx, c.replicas[0], 0, i)
	}
	err = h.awaitWatchers(ctx, end)
	stopWatching()
	watching.Wait()
	if err != nil {
		return nil, err
	}
	return h.check(start, end, kills, pauses), nil
}

func registerYAML(i int, value string) string {
	return fmt.Sprintf("---\nkind: Prompt\nmetadata: {name: register-%d, project: p}\nspec: {content: \"%s\"}\n", i, value)
}

// disturb kills and pauses processes in turn.
func (h *recorder) disturb(ctx context.Context, duration time.Duration) (kills, pauses int, err error) {
	for time.Since(h.began) < duration && ctx.Err() == nil && h.size() < maxOps {
		time.Sleep(time.Duration(300+rand.IntN(1200)) * time.Millisecond)
		r := h.cluster.replicas[rand.IntN(len(h.cluster.replicas))]
		if rand.IntN(2) == 0 {
			r.pause(time.Duration(200+rand.IntN(3000)) * time.Millisecond)
			pauses++
			continue
		}
		r.kill()
		kills++
		if err := r.start(ctx); err != nil {
			return kills, pauses, err
		}
	}
	return kills, pauses, ctx.Err()
}

func (h *recorder) size() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.ops)
}

// write reads registers and writes some of them on the condition that they are unchanged.
func (h *recorder) write(ctx context.Context, client int) {
	for !h.over.Load() {
		r := h.cluster.replicas[rand.IntN(len(h.cluster.replicas))]
		i := rand.IntN(registers)
		value, base, ok := h.read(ctx, r, client, i)
		if !ok {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		if rand.IntN(3) > 0 {
			time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
			h.writeOne(ctx, h.cluster.replicas[rand.IntN(len(h.cluster.replicas))], client, i, value, base)
		}
	}
}

func (h *recorder) add(client int, in input, called time.Time, out output) {
	returned := int64(time.Since(h.began))
	if out.result == unknown {
		returned = math.MaxInt64
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, porcupine.Operation{ClientId: client, Input: in, Call: int64(called.Sub(h.began)), Output: out, Return: returned})
}

// stored is an object as mcpd returns it.
type stored struct {
	Kind, Name, Revision string
	Manifest             struct{ Spec struct{ Content string } }
}

// read reads a register. It is recorded only if it was answered.
func (h *recorder) read(ctx context.Context, r *replica, client, i int) (value, base string, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, opTimeout)
	defer cancel()
	called := time.Now()
	var o stored
	if err := r.call(ctx, "GET", fmt.Sprintf("/api/v1/prompts/register-%d?project=p", i), nil, &o); err != nil {
		h.unexpected(err)
		return "", "", false
	}
	value = o.Manifest.Spec.Content
	h.add(client, input{register: i}, called, output{isRead, value})
	h.see(o.Revision, revision{i, value})
	return value, o.Revision, true
}

// writeOne writes a register if it still has the revision.
func (h *recorder) writeOne(ctx context.Context, r *replica, client, i int, expect, base string) {
	ctx, cancel := context.WithTimeout(ctx, opTimeout)
	defer cancel()
	next := strconv.FormatInt(h.values.Add(1), 10)
	called := time.Now()
	_, err := r.apply(ctx, registerYAML(i, next), base)
	status, isStatus := errors.AsType[statusError](err)
	result := unknown
	switch {
	case err == nil:
		result = written
	case isStatus && status.status == http.StatusConflict:
		result = conflict
	default:
		h.unexpected(err)
	}
	h.add(client, input{register: i, write: true, expect: expect, next: next}, called, output{result: result})
}

// unexpected records an answer that is neither a result nor that of a process or database
// that cannot be reached.
func (h *recorder) unexpected(err error) {
	if status, ok := errors.AsType[statusError](err); ok && status.status < http.StatusInternalServerError {
		h.fault("%v", err)
	}
}

func (h *recorder) fault(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.faults = append(h.faults, fmt.Sprintf(format, args...))
}

// see records the register of a version, which is the same for all.
func (h *recorder) see(version string, r revision) {
	v, err := strconv.ParseInt(version, 10, 64)
	if err != nil {
		h.fault("version %q", version)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if old, ok := h.seen[v]; ok && old != r {
		h.faults = append(h.faults, fmt.Sprintf("version %d is %v and %v", v, old, r))
	}
	h.seen[v] = r
}

// watch watches from a version, and again from the last one after each end of a stream.
func (h *recorder) watch(ctx context.Context, last int64, mine map[int64]revision) {
	for ctx.Err() == nil {
		r := h.cluster.replicas[rand.IntN(len(h.cluster.replicas))]
		last = h.stream(ctx, r, last, mine)
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(50+rand.IntN(200)) * time.Millisecond):
		}
	}
}

// stream reads one stream and returns the last version.
func (h *recorder) stream(ctx context.Context, r *replica, last int64, mine map[int64]revision) int64 {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(3+rand.IntN(5))*time.Second) // a paused process holds a stream open
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.addr+"/api/v1/watch?"+url.Values{"since": {strconv.FormatInt(last, 10)}}.Encode(), nil)
	if err != nil {
		return last
	}
	req.Header.Set("Authorization", "Bearer "+h.cluster.token)
	resp, err := client.Do(req)
	if err != nil {
		return last
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		if resp.StatusCode < http.StatusInternalServerError {
			h.fault("watch since %d: %s", last, resp.Status)
		}
		return last
	}
	in := bufio.NewScanner(resp.Body)
	kind := ""
	for in.Scan() {
		if name, ok := strings.CutPrefix(in.Text(), "event: "); ok {
			kind = name
			if kind != "change" && kind != "sync" {
				h.fault("watch since %d: %s", last, kind)
			}
			continue
		}
		data, ok := strings.CutPrefix(in.Text(), "data: ")
		if !ok {
			continue
		}
		var change struct {
			Version string
			Object  stored
		}
		if err := json.Unmarshal([]byte(data), &change); err != nil {
			h.fault("watch: %v", err)
			return last
		}
		r := revision{-1, ""}
		if kind == "change" {
			n, err := strconv.Atoi(strings.TrimPrefix(change.Object.Name, "register-"))
			if err != nil {
				h.fault("change of %q", change.Object.Name)
				return last
			}
			r = revision{n, change.Object.Manifest.Spec.Content}
		}
		last = h.received(change.Version, r, last, mine)
	}
	return last
}

// received records an event of a watcher and returns the version that it has now.
func (h *recorder) received(version string, r revision, last int64, mine map[int64]revision) int64 {
	v, err := strconv.ParseInt(version, 10, 64)
	switch {
	case err != nil, v < last, v == last && r.register >= 0:
		h.fault("version %q after %d", version, last)
	case r.register >= 0:
		h.see(version, r)
		h.mu.Lock()
		mine[v] = r
		h.mu.Unlock()
	}
	return max(v, last)
}

// awaitWatchers waits until each watcher has the last change of each register.
func (h *recorder) awaitWatchers(ctx context.Context, end int64) error {
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if h.areCurrent(end) {
			return nil
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			return fmt.Errorf("a watcher does not have version %d", end)
		}
	}
}

func (h *recorder) areCurrent(end int64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !slices.ContainsFunc(h.watched, func(mine map[int64]revision) bool { _, ok := mine[end]; return !ok && len(h.seen) > 0 })
}

// check compares the records.
func (h *recorder) check(start, end int64, kills, pauses int) []figure {
	results := make(map[string]int)
	for _, op := range h.ops {
		results[op.Output.(output).result]++
	}
	began := time.Now()
	verdict := porcupine.CheckOperationsTimeout(register, h.ops, checkLimit)
	figures := []figure{
		note("%d kills, %d pauses, %d reads, %d writes, %d conflicts, %d unknown", kills, pauses, results[isRead], results[written], results[conflict], results[unknown]),
		{fmt.Sprintf("history %s after %v (bar Ok)", verdict, round(time.Since(began))), verdict == porcupine.Ok},
	}
	commits := int(end - start)
	figures = append(figures, figure{fmt.Sprintf("%d versions for %d to %d writes", commits, results[written], results[written]+results[unknown]),
		commits >= results[written] && commits <= results[written]+results[unknown]})
	skipped, lost := 0, 0
	for v := start + 1; v <= end; v++ {
		r, known := h.seen[v]
		for _, mine := range h.watched {
			if _, ok := mine[v]; ok {
				continue
			}
			skipped++
			if known && !h.hasLater(mine, v, r.register) {
				lost++
			}
		}
	}
	for _, f := range h.faults[:min(len(h.faults), 5)] {
		progress("history: %s", f)
	}
	return append(figures, exactly("changes lost by watchers", lost, 0), exactly("events out of order or wrong", len(h.faults), 0),
		note("%d of %d events replaced by a later one of the same object", skipped, commits*observers))
}

// hasLater reports whether a watcher has a later change of a register.
func (h *recorder) hasLater(mine map[int64]revision, v int64, register int) bool {
	for later, r := range mine {
		if later > v && r.register == register {
			return true
		}
	}
	return false
}
