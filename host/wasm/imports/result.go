package imports

import (
	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/tree"
)

func newTree(request *abi.Call) tree.Builder { return tree.New(&request.Tree) }

// Outcome returns the output of a stage or filter that returned DONE, or PASS if done
// is false.
func (c *Call) Outcome(done bool) (out abi.Output, err error) {
	out = abi.Output{Pass: true, Marks: c.Request().Marks} // content and marks stay unchanged
	if done {
		if !c.config.Role.Transforming() {
			return abi.Output{}, fault.NewHost(abi.ErrGuest, "returned DONE, the manifest declares transforms: false")
		}
		text, err := c.output.finish()
		if err != nil {
			return abi.Output{}, err
		}
		out = abi.Output{Bytes: text, Marks: c.output.sortedMarks()}
	}
	if out.Tree, err = c.sections.tree.Finish(c.meta.values[keyType], c.meta.values[keySyntax]); err != nil {
		return abi.Output{}, err
	}
	if err := checkMarks(out.Marks, out.Tree.Sections); err != nil {
		return abi.Output{}, err
	}
	delete(c.meta.values, keySyntax) // long, and equal for all contents
	out.Meta, out.Private = c.meta.values, c.buffers.readSession
	return out, nil
}

// maxListed limits the sections that the indexes of one output list together. The host prints
// the indexes after the call, outside its limits: a million sections take most of a second.
const maxListed = 4 * abi.LimitSections

// checkMarks returns an error if the indexes list too many sections.
func checkMarks(marks []abi.Mark, sections []abi.Section) error {
	if len(marks) <= 1 {
		return nil
	}
	children := make(map[int]int) // by parent
	for i := range sections {
		children[sections[i].Parent]++
	}
	listed := 0
	for _, m := range marks {
		listed += children[max(m.Section, -1)]
	}
	if listed > maxListed {
		return fault.NewHost(abi.ErrLimit, "its %d indexes list %d sections, limit %d", len(marks), listed, maxListed)
	}
	return nil
}

// HookOutcome returns the output of a hook that returned DONE, or PASS if done is false.
func (c *Call) HookOutcome(done bool) (abi.HookOutput, error) {
	out, err := c.hook.outcome(&c.output, done)
	if err == nil {
		out.Meta = c.meta.values
	}
	return out, err
}

// Failure returns the text of fail, or "".
func (c *Call) Failure() string { return c.failure }

// HostCalls returns the number of calls of host functions.
func (c *Call) HostCalls() int { return c.hostCalls }

// LLMRequests returns the number of requests that were sent, or answered with a stored
// answer.
func (c *Call) LLMRequests() (n int) {
	for i := range c.requests.all {
		if q := &c.requests.all[i]; q.call != nil || q.state == requestSettled && q.code == 0 {
			n++
		}
	}
	return n
}

// FinishLog returns the lines of the log.
func (c *Call) FinishLog() []abi.LogLine { return c.log.finish() }

// IsProvisional reports whether the output may change once an LLM has answered.
func (c *Call) IsProvisional() bool { return c.requests.provisional }

// FinishRequests ends the use of the LLM. Requests in the background continue; settled
// is closed when the last of them has ended, and nil if there is none.
func (c *Call) FinishRequests() (settled <-chan struct{}) {
	running := c.requests.finish()
	if len(running) == 0 {
		return nil
	}
	done := make(chan struct{})
	c.config.Services.Background.Go(func() {
		defer close(done)
		for _, call := range running {
			<-call.Done()
		}
	})
	return done
}

// Release returns the memory of the section tree.
func (c *Call) Release() { c.sections.tree.Release() }

// WriteOutput appends to the output. It refuses with LIMIT if the output is too large.
func (c *Call) WriteOutput(b []byte) int32 { return c.output.write(b) }
