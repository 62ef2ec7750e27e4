package wasm

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// One write may be all of a guest's memory, and end lines for seconds: its time is looked
// at in between.
func TestALongWriteEndsWithTheTime(t *testing.T) {
	for fd, to := range map[uint64]string{1: "the log, for it is no command", 2: "standard error of a command"} {
		r := sectionRun(0)
		if fd == 2 {
			r.command, r.started = newCommand(&abi.Call{}), true
		}
		r.mem.buf = append(make([]byte, 16), bytes.Repeat([]byte{'\n'}, 60<<20)...)
		binary.LittleEndian.PutUint32(r.mem.buf, 16)
		binary.LittleEndian.PutUint32(r.mem.buf[4:], 60<<20)
		r.clock = startClock(time.Millisecond, wallOnly, func() {})
		if got, trapped := called(wasiWrite, r, args{fd, 0, 1, 8}); trapped == nil {
			t.Errorf("to %s: all was taken, %d", to, got)
		}
		r.clock.stop()
	}
}

// A line is a line in however many writes it comes, and wherever we look at the clock.
func TestLinesOfALongWrite(t *testing.T) {
	r := sectionRun(0)
	r.command, r.started = newCommand(&abi.Call{}), true
	r.clock = startClock(time.Minute, processTime, func() {})
	defer r.clock.stop()
	text := strings.Repeat("\n", streamBytes-3) + "a line over a border\n" + strings.Repeat("\n", streamBytes)
	r.mem.buf = append(make([]byte, 16), text...)
	binary.LittleEndian.PutUint32(r.mem.buf, 16)
	binary.LittleEndian.PutUint32(r.mem.buf[4:], uint32(len(text)))
	if got, trapped := called(wasiWrite, r, args{2, 0, 1, 8}); got != wasiOK || trapped != nil {
		t.Fatal(got, trapped)
	}
	if lines := r.log.all(); len(lines) != 1 || lines[0].Text != "a line over a border" || r.command.said() != ": a line over a border" {
		t.Errorf("log %v, last line %q", lines, r.command.said())
	}
}

// What a person reads of a module that is refused is one line, which moves no cursor and
// has an end, whatever the module calls its imports.
func TestRefusalsAreOneLine(t *testing.T) {
	name := "\x1b]52;c;aGk=\x07\n\u202eevil" + strings.Repeat("x", 100<<10)
	s := &script{exports: []string{"mcpctl_" + name}}
	_, err := module.Inspect("head", s.returns(0).wasm())
	if err == nil || len(err.Error()) > 5<<10 || strings.ContainsAny(err.Error(), "\x1b\x07\n\u202e") || !strings.Contains(err.Error(), `\u001b]52;`) {
		t.Errorf("%d bytes: %.200q", len(err.Error()), err)
	}
}
