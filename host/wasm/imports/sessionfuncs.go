package imports

import (
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// sessionFuncs are for controllers with the capability. Changes have no effect before
// the output of the hook is committed.
var sessionFuncs = merge(stateFuncs, readFuncs, toolFuncs, callFuncs)

// withSession returns f for hooks of roles with the capability.
func withSession(name string, f run) run {
	return func(c *Call, a Args) int32 {
		if role := c.config.Role; c.hook == nil {
			return c.refuse(abi.CodeDenied, "%s is for controllers, role %s is a %s", name, role.Name, role.Kind)
		}
		if code := c.requireCapability(module.CapabilitySession); code < 0 {
			return code
		}
		return f(c, a)
	}
}

var stateFuncs = map[string]run{
	abi.FuncStateGet: stateGet,
	abi.FuncStateSet: stateSet,
	abi.FuncStateDel: stateDel,
}

func stateGet(c *Call, a Args) int32 {
	value, ok := c.hook.currentState(string(c.text(a, 0)))
	if !ok {
		return c.refuseNotFound()
	}
	return c.buffers.addOwned(value)
}

func stateSet(c *Call, a Args) int32 {
	key, value := c.text(a, 0), c.text(a, 2)
	switch {
	case len(key) == 0 || !utf8.Valid(key):
		return c.refuse(abi.CodeBadArg, "key of a state is empty or not UTF-8")
	case len(key) > abi.LimitStateKeyBytes:
		return c.refuse(abi.CodeLimit, "key of %d bytes, limit %d", len(key), abi.LimitStateKeyBytes)
	}
	if keys, size := c.hook.stateSizeWith(string(key), value); keys > abi.LimitStateKeys || size > abi.LimitStateBytes {
		return c.refuse(abi.CodeLimit, "state of %s keys and %s bytes, limit %s and %s",
			fault.Group(keys), fault.Group(size), fault.Group(abi.LimitStateKeys), fault.Group(abi.LimitStateBytes))
	}
	c.hook.setState(string(key), append([]byte{}, value...))
	return 0
}

func stateDel(c *Call, a Args) int32 {
	key := string(c.text(a, 0))
	if _, ok := c.hook.currentState(key); !ok {
		return c.refuseNotFound()
	}
	c.hook.setState(key, nil)
	return 0
}

// readFuncs read prompts and stored content.
var readFuncs = map[string]run{
	abi.FuncPrompts:       func(c *Call, _ Args) int32 { return c.buffers.addOwned(c.hook.Host.Prompts()) },
	abi.FuncPromptRecords: func(c *Call, _ Args) int32 { return c.buffers.addOwned(c.hook.Host.PromptRecords()) },
	abi.FuncPromptBody:    promptBody,
	abi.FuncPromptPropose: promptPropose,
	abi.FuncContentOpen:   contentOpen,
	abi.FuncContentMeta:   contentMeta,
	abi.FuncSectionRead:   sectionRead,
}

// addAnswer creates a handle of an answer of the host, or returns the code of its error.
func (c *Call) addAnswer(answer []byte, err error) int32 {
	switch {
	case err == nil:
		return c.buffers.addOwned(answer)
	case c.config.Context.Err() != nil:
		panic(errGivenUp)
	}
	return c.refuseError(err)
}

// askSuspended asks the host for an answer that may need other guests or a disk. Other
// guests get the place of this one meanwhile.
func askSuspended(c *Call, ask func() ([]byte, error)) int32 {
	resume, ok := c.config.Scheduler.Suspend()
	if !ok {
		return c.refuse(abi.CodeUnavailable, "too many hooks wait already")
	}
	answer, err := func() ([]byte, error) {
		defer resume()
		return ask()
	}()
	if err == nil && c.config.Context.Err() != nil {
		panic(errGivenUp)
	}
	return c.addAnswer(answer, err)
}

func promptBody(c *Call, a Args) int32 {
	name, flags := string(c.text(a, 0)), a.I32(2)
	if flags&^abi.PromptStored != 0 {
		return c.refuse(abi.CodeBadArg, "flags %d", flags)
	}
	if flags == 0 { // a briefing reads dozens: suspending for each would double its time
		if body, ok := c.hook.Host.KnownPromptBody(name); ok {
			return c.addAnswer(body, nil)
		}
	}
	return askSuspended(c, func() ([]byte, error) {
		return c.hook.Host.PromptBody(c.config.Context, name, flags&abi.PromptStored != 0)
	})
}

func promptPropose(c *Call, a Args) int32 {
	proposal := c.text(a, 0)
	if len(proposal) > abi.LimitProposalBytes {
		return c.refuse(abi.CodeLimit, "proposal of %s bytes, limit %s", fault.Group(len(proposal)), fault.Group(abi.LimitProposalBytes))
	}
	object, err := strictObject(proposal)
	if err != nil {
		return c.refuse(abi.CodeBadArg, "proposal: %v", err)
	}
	return askSuspended(c, func() ([]byte, error) {
		id, err := c.hook.Host.ProposePrompt(c.config.Context, object)
		return []byte(id), err
	})
}

func contentOpen(c *Call, a Args) int32 {
	return c.addAnswer(c.hook.Host.Content(string(c.text(a, 0))))
}

func contentMeta(c *Call, a Args) int32 {
	return c.addAnswer(c.hook.Host.ContentMeta(string(c.text(a, 0))))
}

func sectionRead(c *Call, a Args) int32 {
	ref, section := string(c.text(a, 0)), string(c.text(a, 2))
	return askSuspended(c, func() ([]byte, error) { return c.hook.Host.Section(c.config.Context, ref, section) })
}
