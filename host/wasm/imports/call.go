package imports

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/fuel"
	"github.com/mcpctl/mcpctl/host/wasm/jsonindex"
	"github.com/mcpctl/mcpctl/host/wasm/module"
	"github.com/mcpctl/mcpctl/host/wasm/search"
)

// Memory is the memory of a guest. Bytes is replaced when the memory grows.
type Memory struct{ Bytes []byte }

// Scheduler lets other guests run while a call waits.
type Scheduler interface {
	// Pause stops the clock of the call and lets another guest run until resume is
	// called.
	Pause() (resume func())
	// Suspend is Pause for a call that waits for other guests: it also gives up the
	// place of its guest. It returns false if too many calls are suspended.
	Suspend() (resume func(), ok bool)
	// Yield lets another guest run, if one waits that should. It sets Config.Stopped if the
	// guest has used its time, or has less left than it runs until it can be stopped again.
	Yield(ahead time.Duration)
}

// Services are shared by the calls of all guests.
type Services struct {
	KV         KV              // nil: cache functions answer UNAVAILABLE
	LLM        LLM             // nil: none configured
	Context    context.Context // of requests in the background
	Background *sync.WaitGroup // counts them
}

// Config describes a call.
type Config struct {
	Context    context.Context // ends with the call
	Role       *abi.Role
	Request    abi.Call // with its Context and limits completed
	Hook       *abi.HookCall
	ModuleHash string
	IsCommand  bool // a WASI command: arguments, standard input and output
	Services   *Services
	Patterns   *search.Patterns // of the module
	Scheduler  Scheduler
	Stopped    *atomic.Bool // true once the guest has used its time
}

// State is the part of a Call that starting a guest changes. A guest that was started
// earlier carries it to its call.
type State struct {
	hostCalls int
	log       logBuffer
	wasi      wasiState
}

// Clone returns a copy that changes independently.
func (s *State) Clone() State {
	c := *s
	c.log = s.log.clone()
	return c
}

// Call is the state of one call of a guest. It is used by one goroutine at a time.
type Call struct {
	State
	refusals
	meter
	config  Config
	memory  *Memory
	started bool // _initialize has returned

	args []uint64 // of the function that is running or ran last

	buffers  buffers
	output   output
	sections sections
	meta     metadata
	values   values
	requests requests
	hook     *hook    // nil: a stage or filter
	command  *command // nil: not a command
	failure  string   // text of fail
}

// Init prepares a call. It copies config.
func (c *Call) Init(config *Config) {
	c.config = *config
	request := &c.config.Request
	if config.Hook != nil {
		c.hook = &hook{HookCall: config.Hook}
	}
	if config.IsCommand {
		c.command = newCommand(request)
	}
	limits := request.Context.Limits
	c.buffers.init(&c.refusals, request, c.hook)
	c.buffers.readsArguments = config.Role.ReadsArguments()
	c.output = output{refusals: &c.refusals, limit: limits.OutputBytes}
	c.sections = sections{refusals: &c.refusals, tree: newTree(request), buffers: &c.buffers, request: request}
	c.meta.refusals = &c.refusals
	c.values = values{refusals: &c.refusals, config: &c.config}
	c.requests = requests{refusals: &c.refusals, config: &c.config,
		timeLeft: max(time.Duration(limits.LLMMillis)*time.Millisecond-request.LLMWaited, 0)}
}

// Start notes that the guest is initialised: all functions may be called.
func (c *Call) Start() { c.started = true }

// IsStarted reports whether Start was called.
func (c *Call) IsStarted() bool { return c.started }

// SetMemory sets the memory of the guest. It must be called before the guest runs.
func (c *Call) SetMemory(m *Memory) { c.memory = m }

// Request returns the request. It must not be modified.
func (c *Call) Request() *abi.Call { return &c.config.Request }

// Invoke calls f with the arguments on stack and puts the result there.
func (f *Func) Invoke(c *Call, stack []uint64) {
	c.Begin(f, stack)
	if !c.started && !f.Early {
		stack[0] = encode(c.refuse(abi.CodeUnsupported, "%s in %s", f.Name, abi.ExportInitialize))
		return
	}
	stack[0] = encode(f.run(c, Args(stack[:len(f.Signature.Params)])))
}

// Begin notes which function runs, and ends the guest if the call is over.
func (c *Call) Begin(f *Func, stack []uint64) {
	c.hostCalls++
	c.function, c.args = f.Name, stack[:len(f.Signature.Params)]
	if c.hostCalls&63 == 0 && c.config.Context.Err() != nil {
		panic(errGivenUp)
	}
	c.check()
}

// check ends the guest if its time is over. Functions that may run for long call it
// repeatedly.
func (c *Call) check() {
	if c.config.Stopped.Load() {
		panic(errGivenUp)
	}
}

// Yield implements fuel.Yield: a guest calls it when one of its counters is negative. It
// replaces the first argument by the fuel with which the guest continues.
func (c *Call) Yield(stack []uint64) {
	left, frames := Args(stack).I32(0), Args(stack).I32(1)
	if frames < 0 {
		panic(&Trap{Text: "guest trapped: stack overflow"})
	}
	if c.config.Context.Err() != nil {
		panic(errGivenUp)
	}
	c.config.Scheduler.Yield(fuel.LeastTime(left))
	c.check()
	stack[0] = encode(c.refill(left))
}

// bytes returns n bytes of guest memory at p. They belong to the guest and change with
// it; data that is used after the function returns must be copied.
func (c *Call) bytes(p, n uint32) []byte {
	end := uint64(p) + uint64(n)
	if end > uint64(len(c.memory.Bytes)) {
		c.trapPointer()
	}
	return c.memory.Bytes[p:end:end]
}

// trapPointer ends a guest that used memory that it does not have. The trap lists the
// arguments as pointers, except small negative numbers such as -1.
func (c *Call) trapPointer() {
	list := make([]string, len(c.args))
	for i := range c.args {
		if v := Args(c.args).I32(i); v < 0 && v > -16 {
			list[i] = fmt.Sprint(v)
		} else {
			list[i] = fmt.Sprint(uint32(v))
		}
	}
	panic(&Trap{Text: fmt.Sprintf("guest trapped: bad pointer in %s(%s)", c.FuncName(), strings.Join(list, ", "))})
}

// text returns the bytes of the pointer and length at arguments i and i+1.
func (c *Call) text(a Args, i int) []byte { return c.bytes(a.U32(i), a.U32(i+1)) }

// buffer returns a buffer, or nil after recording the refusal.
func (c *Call) buffer(id int32) *buffer {
	switch {
	case id == abi.BufSections:
		b := &c.buffers.fixed[id]
		b.data = c.sections.tree.Records()
		return b
	case id >= 0 && id < abi.FirstHandle:
		return c.buffers.load(id)
	}
	return c.buffers.handle(id)
}

// span returns a buffer and the span with an offset and a length (-1: to the end).
func (c *Call) span(id, offset, n int32) (b *buffer, start, end int, ok bool) {
	if b = c.buffer(id); b == nil {
		return nil, 0, 0, false
	}
	size := len(b.data)
	start, end = int(offset), int(offset)+int(n)
	if n == -1 {
		end = max(start, size)
	}
	switch {
	case n < -1:
		c.refuse(abi.CodeBadArg, "%s: length %d, want -1 (to the end) or more", c.FuncName(), n)
		return nil, 0, 0, false
	case offset < 0 || end > size:
		c.refuseSpan(start, end, size)
		return nil, 0, 0, false
	}
	return b, start, end, true
}

// part returns the bytes of a span.
func (c *Call) part(id, offset, n int32) ([]byte, bool) {
	b, start, end, ok := c.span(id, offset, n)
	if !ok {
		return nil, false
	}
	return b.data[start:end], true
}

// tail returns the bytes of a buffer from an offset.
func (c *Call) tail(id, offset int32) ([]byte, bool) { return c.part(id, offset, -1) }

// jsonIndex returns the index of a buffer.
func (c *Call) jsonIndex(b *buffer) (*jsonindex.Index, error) {
	x, err := c.buffers.jsonIndex(b)
	if errors.Is(err, jsonindex.ErrTooManyValues) {
		panic(&Trap{fmt.Sprintf("guest trapped: JSON of more than %s values in %s", fault.Group(jsonindex.MaxValues), c.FuncName()), abi.ErrLimit})
	}
	return x, err
}

// requireCapability refuses a function whose capability the manifest does not list for
// the role.
func (c *Call) requireCapability(capability string) int32 {
	if role := c.config.Role; !slices.Contains(role.Capabilities, capability) {
		return c.refuse(abi.CodeDenied, "role %s does not have the capability %s", role.Name, capability)
	}
	return 0
}

// requireStage refuses a function that only stages may call.
func (c *Call) requireStage(name string) int32 {
	if kind := c.config.Role.Kind; kind != abi.KindStage {
		return c.refuse(abi.CodeUnsupported, "%s in a %s", name, kind)
	}
	return 0
}

// requireHook refuses a function in other hooks than these.
func (c *Call) requireHook(hooks ...abi.Hook) int32 {
	if hook := c.hook.Context.Hook; !slices.Contains(hooks, hook) {
		return c.refuse(abi.CodeUnsupported, "%s in %s", c.FuncName(), hook)
	}
	return 0
}

// Get returns the value that the role keeps under a key.
func (c *Call) Get(key []byte) (value []byte, code int32) {
	if code := c.requireCapability(module.CapabilityCache); code < 0 {
		return nil, code
	}
	return c.values.get(key)
}

// Set keeps a value for the role under a key.
func (c *Call) Set(key, value []byte) int32 {
	if code := c.requireCapability(module.CapabilityCache); code < 0 {
		return code
	}
	return c.values.set(key, value)
}

// Log adds a line to the log.
func (c *Call) Log(level int, line []byte) {
	if level >= 0 && level < len(levels) {
		c.log.add(level, line)
	}
}

// Refuse records the text that last_error returns and returns the code.
func (c *Call) Refuse(code abi.ErrCode, format string, a ...any) int32 {
	return c.refuse(code, format, a...)
}
