package wasm

import (
	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

var promptFuncs = map[string]importFunc{
	abi.FuncPrompts:       func(r *run, _ args) int32 { return r.give(r.hook.Host.Prompts()) },
	abi.FuncPromptRecords: func(r *run, _ args) int32 { return r.give(r.hook.Host.PromptRecords()) },
	abi.FuncPromptBody:    promptBody,
	abi.FuncPromptPropose: promptPropose,
}

var contentFuncs = map[string]importFunc{
	abi.FuncContentOpen: contentOpen,
	abi.FuncContentMeta: contentMeta,
	abi.FuncSectionRead: sectionRead,
}

func promptBody(r *run, a args) int32 {
	name, flags := string(r.text(a, 0)), a.i32(2)
	if flags&^abi.PromptStored != 0 {
		return r.refuse(abi.CodeBadArg, "flags %d", flags)
	}
	if flags == 0 { // a briefing asks for dozens: giving up the place for each is half of its time
		if body, ok := r.hook.Host.KnownPromptBody(name); ok {
			return r.giveOr(body, nil)
		}
	}
	return r.apart(func() ([]byte, error) {
		return r.hook.Host.PromptBody(r.Context, name, flags&abi.PromptStored != 0)
	})
}

func promptPropose(r *run, a args) int32 {
	proposal := r.text(a, 0)
	if len(proposal) > abi.LimitProposalBytes {
		return r.refuse(abi.CodeLimit, "proposal of %s bytes, limit %s", fault.Group(len(proposal)), fault.Group(abi.LimitProposalBytes))
	}
	object, err := strictObject(proposal)
	if err != nil {
		return r.refuse(abi.CodeBadArg, "proposal: %v", err)
	}
	return r.apart(func() ([]byte, error) {
		id, err := r.hook.Host.ProposePrompt(r.Context, object)
		return []byte(id), err
	})
}

func contentOpen(r *run, a args) int32 {
	return r.giveOr(r.hook.Host.Content(string(r.text(a, 0))))
}

func contentMeta(r *run, a args) int32 {
	return r.giveOr(r.hook.Host.ContentMeta(string(r.text(a, 0))))
}

func sectionRead(r *run, a args) int32 {
	ref, section := string(r.text(a, 0)), string(r.text(a, 2))
	return r.apart(func() ([]byte, error) { return r.hook.Host.Section(r.Context, ref, section) })
}

// apart asks the host what may take other guests to answer, or a disk: they get
// this one's place meanwhile.
func (r *run) apart(ask func() ([]byte, error)) int32 {
	back, ok := r.park()
	if !ok {
		return r.refuse(abi.CodeUnavailable, "too many hooks wait already")
	}
	answer, err := func() ([]byte, error) {
		defer back()
		return ask()
	}()
	if err == nil && r.Err() != nil {
		panic(errGivenUp)
	}
	return r.giveOr(answer, err)
}
