package imports

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// command is the environment of a WASI command: its arguments and standard input.
// Standard output is the output of the call; standard error goes to the log.
type command struct {
	args      [][]byte
	argsBytes uint32 // of all arguments, each with a zero byte
	read      int    // bytes of the input
	lastLine  []byte // the last line of standard error that is not blank, as far as written
	lineEnded bool   // by a line end
}

// newCommand creates the arguments: the role, its config and the context as JSON.
// Programs that do not know mcpctl get the config's args instead.
func newCommand(request *abi.Call) *command {
	cmd := &command{}
	cmd.addArg([]byte(request.Context.Role))
	var config struct{ Args *[]string }
	if json.Unmarshal(request.Config, &config) == nil && config.Args != nil {
		for _, a := range *config.Args {
			cmd.addArg([]byte(a))
		}
		return cmd
	}
	cmd.addArg(request.Config)
	cmd.addArg(EncodeJSON(request.Context))
	return cmd
}

// addArg adds an argument up to the first zero byte, where it ends for the guest.
func (c *command) addArg(arg []byte) {
	if at := bytes.IndexByte(arg, 0); at >= 0 {
		arg = arg[:at]
	}
	c.args = append(c.args, arg)
	c.argsBytes += uint32(len(arg)) + 1
}

// message returns the last line of standard error as the end of an error text, or "".
func (c *command) message() string {
	if line := fault.Printable(bytes.TrimSpace(c.lastLine), MaxReasonBytes); line != "" {
		return ": " + line
	}
	return ""
}

// noteError keeps the last line of standard error that is not blank.
func (c *command) noteError(b []byte) {
	for line := range bytes.Lines(b) {
		if c.lineEnded && len(bytes.TrimSpace(line)) > 0 {
			c.lastLine, c.lineEnded = c.lastLine[:0], false
		}
		room := max(MaxReasonBytes-len(c.lastLine), 0)
		c.lastLine = append(c.lastLine, line[:min(len(line), room)]...)
		switch isBlank := len(bytes.TrimSpace(c.lastLine)) == 0; {
		case isBlank:
			c.lastLine = c.lastLine[:0]
		case bytes.HasSuffix(line, []byte{'\n'}):
			c.lineEnded = true
		}
	}
}

// startedCommand returns the command once the guest is started. Its start function may
// have run before the request was known, so it sees no arguments or input.
func (c *Call) startedCommand() *command {
	if c.started {
		return c.command
	}
	return nil
}

// CommandMessage returns the last line of a command's standard error as the end of an
// error text, or "".
func (c *Call) CommandMessage() string {
	if c.command == nil {
		return ""
	}
	return c.command.message()
}

// ReturnCode returns the return code of a module of another format, which passes its
// input by writing it unchanged. ending describes how the module ended.
//
// Errors: abi.ErrGuest if it wrote nothing.
func (c *Call) ReturnCode(ending string) (int32, error) {
	input := c.Request().Input
	switch {
	case len(c.output.bytes) == 0 && len(input) > 0:
		return 0, fault.New(abi.ErrGuest, "%s without output%s", ending, c.CommandMessage())
	case bytes.Equal(c.output.bytes, input):
		return abi.ReturnPass, nil
	}
	c.output.written = true
	return abi.ReturnDone, nil
}

func wasiArgSizes(c *Call, a Args) int32 {
	cmd := c.startedCommand()
	if cmd == nil {
		return wasiNone(c, a)
	}
	binary.LittleEndian.PutUint32(c.bytes(a.U32(0), 4), uint32(len(cmd.args)))
	binary.LittleEndian.PutUint32(c.bytes(a.U32(1), 4), cmd.argsBytes)
	return wasiOK
}

// wasiArgs writes a pointer to each argument, and the arguments.
func wasiArgs(c *Call, a Args) int32 {
	cmd := c.startedCommand()
	if cmd == nil {
		return wasiOK
	}
	at := a.U32(1)
	pointers, text := c.bytes(a.U32(0), 4*uint32(len(cmd.args))), c.bytes(at, cmd.argsBytes)
	for _, arg := range cmd.args {
		binary.LittleEndian.PutUint32(pointers, at)
		n := copy(text, arg)
		text[n] = 0
		pointers, text, at = pointers[4:], text[n+1:], at+uint32(n)+1
	}
	return wasiOK
}

// readInput fills vectors with the input that the command has not read.
func readInput(c *Call, vectors []byte) (total uint32) {
	for ; len(vectors) > 0; vectors = vectors[8:] {
		b := c.bytes(binary.LittleEndian.Uint32(vectors), binary.LittleEndian.Uint32(vectors[4:]))
		n := copy(b, c.Request().Input[c.command.read:])
		c.command.read += n
		total += uint32(n)
	}
	return total
}

// writeStdout adds to the output of a command. A command that exceeds the limit is
// ended, because many programs ignore errors of writes.
func writeStdout(c *Call, b []byte) {
	if c.output.write(b) < 0 {
		panic(&Trap{Text: fmt.Sprintf("output over %s bytes (set limits.output)", fault.Group(c.output.limit)), Kind: abi.ErrLimit})
	}
}
