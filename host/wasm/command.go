package wasm

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// command is what a WASI command has of the world: its arguments and standard
// input. Standard output is the output of the run, standard error goes to the log.
type command struct {
	args  [][]byte
	size  uint32 // of all arguments, with a zero byte behind each
	read  int    // bytes of the input
	last  []byte // the last line of standard error that says something, as far as it is there
	ended bool   // with a newline
}

// program is the command of a run once it is started. Before that it has nothing of its
// call: its start function may have run before there was one.
func (r *run) program() *command {
	if r.started {
		return r.command
	}
	return nil
}

// exited ends a command from inside proc_exit.
type exited struct{ status uint32 }

func (e *exited) Error() string { return fmt.Sprintf("exited with status %d", e.status) }

// newCommand makes the arguments: the role, its config and the context as JSON.
// Programs that know nothing of us get what config says under args instead.
func newCommand(c *abi.Call) *command {
	cmd := &command{}
	cmd.add([]byte(c.Context.Role))
	var config struct{ Args *[]string }
	if json.Unmarshal(c.Config, &config) == nil && config.Args != nil {
		for _, a := range *config.Args {
			cmd.add([]byte(a))
		}
		return cmd
	}
	cmd.add(c.Config)
	cmd.add(contextJSON(c.Context))
	return cmd
}

func (c *command) add(arg []byte) {
	if at := bytes.IndexByte(arg, 0); at >= 0 {
		arg = arg[:at] // there it would end for the guest
	}
	c.args = append(c.args, arg)
	c.size += uint32(len(arg)) + 1
}

// runCommand runs the program and judges its end.
//
// Errors: abi.ErrRefused if it exited with another status than 0, which is how a
// command says FAIL.
func (r *run) runCommand() (int32, error) {
	err := r.inst.ExportedFunction(module.StartExport).CallWithStack(r, nil)
	var exit *exited
	switch {
	case r.clock.out.Load(), r.Err() != nil:
		return 0, r.cause(err)
	case errors.As(err, &exit):
		if exit.status != 0 {
			return 0, fault.New(abi.ErrRefused, "exited with status %d%s", exit.status, r.command.said())
		}
	case err != nil:
		return 0, r.cause(err)
	}
	return r.wrote("exited with status 0")
}

// wrote is the return code of a module that has no other way to pass than to write
// what it has read.
func (r *run) wrote(how string) (int32, error) {
	switch {
	case len(r.out.bytes) == 0 && len(r.call.Input) > 0:
		said := ""
		if r.command != nil {
			said = r.command.said()
		}
		return 0, fault.New(abi.ErrGuest, "%s without output%s", how, said)
	case bytes.Equal(r.out.bytes, r.call.Input):
		return abi.ReturnPass, nil
	}
	r.out.wrote = true
	return abi.ReturnDone, nil
}

// said is the last line of standard error.
func (c *command) said() string {
	if line := fault.Printable(bytes.TrimSpace(c.last), reasonBytes); line != "" {
		return ": " + line
	}
	return ""
}

// hear keeps the last line of standard error that is not blank.
func (c *command) hear(b []byte) {
	for line := range bytes.Lines(b) {
		if c.ended && len(bytes.TrimSpace(line)) > 0 {
			c.last, c.ended = c.last[:0], false
		}
		room := max(reasonBytes-len(c.last), 0)
		c.last = append(c.last, line[:min(len(line), room)]...)
		switch blank := len(bytes.TrimSpace(c.last)) == 0; {
		case blank:
			c.last = c.last[:0]
		case bytes.HasSuffix(line, []byte{'\n'}):
			c.ended = true
		}
	}
}

// wasiArgSizes says how many arguments there are, and their size.
func wasiArgSizes(r *run, a args) int32 {
	c := r.program()
	if c == nil {
		return wasiNoneOf(r, a)
	}
	binary.LittleEndian.PutUint32(r.memory(a.u32(0), 4), uint32(len(c.args)))
	binary.LittleEndian.PutUint32(r.memory(a.u32(1), 4), c.size)
	return wasiOK
}

// wasiArgs writes a pointer to each argument, and the arguments.
func wasiArgs(r *run, a args) int32 {
	c := r.program()
	if c == nil {
		return wasiOK
	}
	at := a.u32(1)
	pointers, text := r.memory(a.u32(0), 4*uint32(len(c.args))), r.memory(at, c.size)
	for _, arg := range c.args {
		binary.LittleEndian.PutUint32(pointers, at)
		n := copy(text, arg)
		text[n] = 0
		pointers, text, at = pointers[4:], text[n+1:], at+uint32(n)+1
	}
	return wasiOK
}

// stdin fills vectors with what the command has not read so far.
func (r *run) stdin(vectors []byte) (total uint32) {
	for ; len(vectors) > 0; vectors = vectors[8:] {
		b := r.memory(binary.LittleEndian.Uint32(vectors), binary.LittleEndian.Uint32(vectors[4:]))
		n := copy(b, r.call.Input[r.command.read:])
		r.command.read += n
		total += uint32(n)
	}
	return total
}

// stdout takes the output of a command. One that writes more than it may is ended:
// it could not be told in a way that all programs look at.
func (r *run) stdout(b []byte) {
	if r.room(len(b)) < 0 {
		panic(&trap{text: fmt.Sprintf("output over %s bytes (set limits.output)", fault.Group(r.out.limit)), kind: abi.ErrLimit})
	}
	r.out.bytes = append(r.out.bytes, b...)
}
