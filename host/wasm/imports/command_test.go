package imports

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// setVector puts one vector for text at the beginning of memory, and text after it.
func setVector(c *Call, text []byte) {
	c.memory.Bytes = append(make([]byte, 16), text...)
	binary.LittleEndian.PutUint32(c.memory.Bytes, 16)
	binary.LittleEndian.PutUint32(c.memory.Bytes[4:], uint32(len(text)))
}

// TestLongWriteIsStopped verifies that a write of all memory, with line ends only, ends
// with the time of the call.
func TestLongWriteIsStopped(t *testing.T) {
	for fd, to := range map[uint64]string{1: "the log of a stage", 2: "standard error of a command"} {
		c := newCall(0)
		if fd == 2 {
			c.command, c.started = newCommand(&abi.Call{}), true
		}
		setVector(c, bytes.Repeat([]byte{'\n'}, 60<<20))
		stopAfter(t, c, time.Millisecond)
		if got, trap := invoke(wasiWrite, c, Args{fd, 0, 1, 8}); trap == nil {
			t.Errorf("to %s: everything was written, %d", to, got)
		}
	}
}

// TestLinesOfLongWrite verifies that a line is kept whole where a write is split.
func TestLinesOfLongWrite(t *testing.T) {
	c := newCall(0)
	c.command, c.started = newCommand(&abi.Call{}), true
	setVector(c, []byte(strings.Repeat("\n", streamBytes-3)+"a line over a border\n"+strings.Repeat("\n", streamBytes)))
	if got, trap := invoke(wasiWrite, c, Args{2, 0, 1, 8}); got != wasiOK || trap != nil {
		t.Fatal(got, trap)
	}
	if lines := c.FinishLog(); len(lines) != 1 || lines[0].Text != "a line over a border" || c.CommandMessage() != ": a line over a border" {
		t.Errorf("log %v, last line %q", lines, c.CommandMessage())
	}
}
