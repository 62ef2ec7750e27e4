// Command studio measures the screen of `mcpctl console --model-studio` in a real terminal: the
// time from a key to the text on the screen, memory and processor time, with 10,000 events in
// the list and 200 new ones a second. It needs Linux and tmux.
//
//	make bench-studio
//	go run ./bench/studio -keys 200 -bin bin
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// limits that the screen must hold.
const (
	maxKey  = 50 * time.Millisecond // p95
	maxRSS  = 60                    // MB
	stored  = 10_000
	perSec  = 200
	project = "load"
)

var sizes = [][2]int{{60, 15}, {80, 24}, {200, 60}}

func main() {
	keys := flag.Int("keys", 100, "keys per size")
	bin := flag.String("bin", "bin", "directory that contains mcpctl")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *bin, *keys); err != nil {
		fmt.Fprintln(os.Stderr, "bench/studio:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, bin string, keys int) error {
	home, err := os.MkdirTemp("", "bench-studio-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	program, err := filepath.Abs(filepath.Join(bin, "mcpctl"))
	if err != nil {
		return err
	}
	fmt.Printf("%d events of 60 lines, %d new ones a second\n", stored, perSec)
	fmt.Println("times in ms; host: a pause of 1 ms and one look at the frame, which show how busy the machine is")
	fmt.Printf("%-8s %8s %8s %8s %8s %8s %8s\n", "size", "key p50", "p95", "max", "host p95", "RSS MB", "CPU %")
	var failed error
	for _, size := range sizes {
		r, err := measure(ctx, home, program, size, keys)
		if err != nil {
			return err
		}
		p95 := r.keys[len(r.keys)*95/100]
		fmt.Printf("%-8s %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f\n", fmt.Sprintf("%dx%d", size[0], size[1]),
			ms(r.keys[len(r.keys)/2]), ms(p95), ms(r.keys[len(r.keys)-1]), ms(r.host[len(r.host)*95/100]), r.rss, r.cpu)
		if p95 > maxKey || r.rss > maxRSS {
			failed = errors.Join(failed, fmt.Errorf("%dx%d: over the limit of %v and %d MB", size[0], size[1], maxKey, maxRSS))
		}
	}
	return failed
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// figures are the results for one size.
type figures struct {
	keys []time.Duration // sorted
	host []time.Duration // sorted
	rss  float64         // largest, MB
	cpu  float64         // percent of one processor
}

// shown matches the first line of a text in the frame: the event, and its body.
var shown = regexp.MustCompile(`#(\d+) transformed(?s:.*)event (\d+) line 1 `)

func measure(ctx context.Context, home, program string, size [2]int, keys int) (f figures, err error) {
	d, err := serve(home)
	if err != nil {
		return f, err
	}
	defer d.Close()
	t, err := startTerminal(ctx, home, program, size)
	if err != nil {
		return f, err
	}
	defer t.Close()
	if err := t.await(fmt.Sprintf("%d of %d events", stored, stored)); err != nil {
		return f, err
	}
	stop := d.generate(perSec)
	defer stop()
	if err := t.send("k"); err != nil { // the selection no longer follows new events
		return f, err
	}
	time.Sleep(2 * time.Second)
	before, begin := cpuTime(t.pid), time.Now()
	for i := range keys {
		took, err := t.press(map[bool]string{true: "k", false: "j"}[i%8 < 5])
		if err != nil {
			return f, err
		}
		f.keys = append(f.keys, took)
		pause := time.Now()
		time.Sleep(time.Millisecond)
		if _, err := t.capture(); err != nil {
			return f, err
		}
		f.host = append(f.host, time.Since(pause))
		f.rss = max(f.rss, rss(t.pid))
		time.Sleep(time.Duration(120+i*37%110) * time.Millisecond) // not in step with the redraws
	}
	f.cpu = 100 * (cpuTime(t.pid) - before).Seconds() / time.Since(begin).Seconds()
	slices.Sort(f.keys)
	slices.Sort(f.host)
	return f, nil
}

// press sends a key and returns the time until the frame shows another event with its text.
func (t *terminal) press(key string) (time.Duration, error) {
	frame, err := t.capture()
	if err != nil {
		return 0, err
	}
	before := shown.FindStringSubmatch(frame)
	begin := time.Now()
	if err := t.send(key); err != nil {
		return 0, err
	}
	for time.Since(begin) < 5*time.Second {
		if frame, err = t.capture(); err != nil {
			return 0, err
		}
		now := shown.FindStringSubmatch(frame)
		if now != nil && now[1] == now[2] && (before == nil || now[1] != before[1]) {
			return time.Since(begin), nil
		}
		time.Sleep(time.Millisecond)
	}
	return 0, fmt.Errorf("key %s had no effect in 5 s:\n%s", key, strings.TrimRight(frame, "\n"))
}
