package wasm

import (
	"errors"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// sessionFuncs is the namespace mcpctl:session/v1, for controllers with the
// capability. Nothing that they change is in force before the hook's output is
// committed.
var sessionFuncs = join(stateFuncs, toolFuncs, callFuncs, promptFuncs, contentFuncs)

func withSession(name string, f importFunc) importFunc {
	return func(r *run, a args) int32 {
		if r.hook == nil {
			return r.refuse(abi.CodeDenied, "%s is for controllers, role %s is a %s", name, r.role.Name, r.role.Kind)
		}
		if code := r.granted(module.CapabilitySession); code < 0 {
			return code
		}
		return f(r, a)
	}
}

// only refuses a function in other hooks than these.
func (r *run) only(hooks ...abi.Hook) int32 {
	if !slices.Contains(hooks, r.hook.Context.Hook) {
		return r.refuse(abi.CodeUnsupported, "%s in %s", r.importName(), r.hook.Context.Hook)
	}
	return 0
}

// give makes a handle of what the host answered.
func (r *run) give(answer []byte) int32 {
	return r.add(buffer{data: answer, owned: len(answer)})
}

// giveOr is give, or the code of an error of the host.
func (r *run) giveOr(answer []byte, err error) int32 {
	if err != nil {
		return r.hostCode(err)
	}
	return r.give(answer)
}

// hostCode tells a guest what went wrong in the host. A run that was given up
// meanwhile ends here.
func (r *run) hostCode(err error) int32 {
	if r.Err() != nil {
		panic(errGivenUp)
	}
	code := abi.CodeUnavailable
	for _, k := range []struct {
		kind error
		code abi.ErrCode
	}{{abi.ErrNotFound, abi.CodeNotFound}, {abi.ErrConfig, abi.CodeBadArg}, {abi.ErrLimit, abi.CodeLimit},
		{abi.ErrConflict, abi.CodeConflict}, {abi.ErrDenied, abi.CodeDenied}} {
		if errors.Is(err, k.kind) {
			code = k.code
			break
		}
	}
	return r.refuse(code, "%v", err)
}
