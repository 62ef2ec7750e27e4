package top

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
)

// live shows a tally on a terminal until it ends.
type live struct {
	io     *iostreams.Streams
	tally  *tally
	events <-chan api.Event
	keys   <-chan byte // nil if the input is no terminal
	tick   <-chan time.Time
	now    func() time.Time
	size   func() (width, height int)

	sorted string
	wide   bool

	lines int    // of the last draw
	drawn [2]int // size of the terminal at that time
}

// sortKeys are the keys that change the order.
var sortKeys = map[byte]string{'n': "name", 'c': "calls", 'e': "errors", 'i': "in", 'o': "out", 's': "saved", 'm': "p50", 'l': "p95"}

const footer = "q quit   sort: n name  c calls  e errors  i in  o out  s saved  m p50  l p95"

// run draws the table at each tick after which it may differ, so that a flood of events
// costs no more than one. It returns nil when the user ends it.
func (v *live) run(ctx context.Context) error {
	if err := v.draw(); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return nil // interrupting is the normal way to end
		case e := <-v.events:
			v.tally.add(e)
		case key, ok := <-v.keys:
			if !ok {
				v.keys = nil
				continue
			}
			if isQuit(key) {
				return nil
			}
			if by, ok := sortKeys[key]; ok && by != v.sorted {
				v.sorted = by
				if err := v.draw(); err != nil {
					return err
				}
			}
		case <-v.tick:
			if err := v.draw(); err != nil {
				return err
			}
		}
	}
}

// isQuit reports whether a key ends the view: q, or Ctrl-C, which a terminal in raw mode
// does not turn into a signal.
func isQuit(key byte) bool { return key == 'q' || key == 'Q' || key == 3 }

// Control sequences. Without wrapping, a long line does not move the lines below it.
const (
	wrapOff   = "\x1b[?7l"
	wrapOn    = "\x1b[?7h"
	clearLine = "\x1b[K"
	clearDown = "\x1b[J"
	clearAll  = "\x1b[H\x1b[2J"
)

// draw replaces the lines of the last draw.
func (v *live) draw() error {
	var text bytes.Buffer
	width, height := v.size()
	table := listing(v.tally, v.sorted, v.now(), width).Table(v.wide).Fit(width)
	if err := table.Fprint(&text); err != nil {
		return err
	}
	lines := bytes.Split(bytes.TrimSuffix(text.Bytes(), []byte("\n")), []byte("\n"))
	if room := max(height-3, 2); height > 0 && len(lines) > room {
		lines = append(lines[:room-1:room-1], lines[len(lines)-1]) // the last line is the total
	}
	lines = append(lines, nil, []byte(v.io.Paint(iostreams.Dim, footer)))
	var screen bytes.Buffer
	screen.WriteString(wrapOff)
	switch size := [2]int{width, height}; {
	case v.lines > 0 && size != v.drawn: // the terminal has moved the lines
		screen.WriteString(clearAll)
	case v.lines > 0:
		fmt.Fprintf(&screen, "\r\x1b[%dA", v.lines)
	}
	for _, l := range lines {
		screen.Write(l)
		screen.WriteString(clearLine + "\r\n")
	}
	screen.WriteString(clearDown + wrapOn)
	v.lines, v.drawn = len(lines), [2]int{width, height}
	_, err := v.io.Out.Write(screen.Bytes())
	return err
}
