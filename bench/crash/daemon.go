package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/bench/internal/rig"
)

// parts is the number of parts of a document.
const parts = 12

// part returns part i of document n, an array.
func part(n, i int) string {
	return fmt.Sprintf("[%d,%d%s]", n, i, strings.Repeat(fmt.Sprintf(",%d", 1000*n+i), 300))
}

// document returns document n, which is large enough for an index.
func document(n int) string {
	var members []string
	for i := range parts {
		members = append(members, fmt.Sprintf("%q:%s", name(i), part(n, i)))
	}
	return "{" + strings.Join(members, ",") + "}"
}

func name(i int) string { return fmt.Sprintf("part-%d", i) }

// killDaemon reads documents through the daemon, which stores them, and kills it meanwhile.
// After each start it reads parts of documents whose refs earlier sessions have received.
func killDaemon(ctx context.Context, bin string, kills int) error {
	server := httptest.NewServer(rig.Upstream{Tools: []string{"read"}, Result: func(_ string, args json.RawMessage) ([]byte, error) {
		var a struct{ N int }
		if err := json.Unmarshal(args, &a); err != nil {
			return nil, err
		}
		return rig.Text(document(a.N)), nil
	}})
	defer server.Close()
	d, err := rig.Start(ctx, bin, server.URL)
	if err != nil {
		return err
	}
	defer func() { d.Stop() }()
	k := &kept{refs: make(map[int]string)}
	checked := 0
	for killed := range kills {
		url := d.Endpoint("subindex")
		n, err := k.check(ctx, url)
		if err != nil {
			return fmt.Errorf("after %d kills: %w", killed, err)
		}
		checked += n
		var readers sync.WaitGroup
		first := make(chan struct{}, 1<<16) // receives for each document
		for range 2 {
			readers.Go(func() { k.read(ctx, url, first) })
		}
		select {
		case <-first:
		case <-time.After(30 * time.Second):
			return fmt.Errorf("after %d kills: no answer in 30 s", killed)
		}
		time.Sleep(time.Duration(20+rand.IntN(100)) * time.Millisecond)
		if err := d.Kill(); err != nil {
			return err
		}
		readers.Wait()
		if err := d.Restart(ctx); err != nil {
			return fmt.Errorf("after %d kills: %w", killed+1, err)
		}
	}
	fmt.Printf("daemon killed %d times: clients received the refs of %d originals, %d parts of them were read after a kill, none was lost or wrong\n", kills, len(k.refs), checked)
	return nil
}

// kept are the refs of documents that clients have received.
type kept struct {
	mu   sync.Mutex
	refs map[int]string
	next int
}

// read reads documents until the daemon is gone.
func (k *kept) read(ctx context.Context, url string, answered chan<- struct{}) {
	s, err := rig.Open(ctx, url)
	if err != nil {
		return
	}
	for {
		k.mu.Lock()
		k.next++
		n := k.next
		k.mu.Unlock()
		a, err := s.Ask(ctx, "read", map[string]int{"n": n})
		if err != nil {
			return
		}
		if a.Meta.Ref != "" {
			k.mu.Lock()
			k.refs[n] = a.Meta.Ref
			k.mu.Unlock()
			answered <- struct{}{}
		}
	}
}

// check opens a part of the latest documents and of some others.
func (k *kept) check(ctx context.Context, url string) (checked int, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s, err := rig.Open(ctx, url)
	if err != nil {
		return 0, err
	}
	for n, ref := range k.refs {
		if n < k.next-6 && rand.IntN(len(k.refs)) > 5 {
			continue
		}
		i := rand.IntN(parts)
		a, err := s.Ask(ctx, "read_section", map[string]string{"ref": ref, "section": name(i)})
		if err != nil {
			return checked, err
		}
		if want := part(n, i); a.IsError || !strings.Contains(a.Text, want) {
			return checked, fmt.Errorf("part %d of document %d, %s: got %.300q, want %.100q", i, n, ref, a.Text, want)
		}
		checked++
	}
	return checked, nil
}
