package proxy

import (
	"context"
	"encoding/json"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Controllers creates a Steering for each session, which runs the hooks of the
// controllers that a project's ProxyModel names.
//
// Implementations are safe for concurrent use.
type Controllers interface {
	// Steer starts to steer a session. It runs no hook. Initialize is called first, but
	// only if a controller has on_initialize.
	Steer(s flow.Steered) Steering
}

// Steering runs the controllers of one session: those that its project has configured
// at each request. The state of a controller survives a change of its module.
//
// A hook that fails is reported. It counts as passed, unless its controller blocks on
// failure (onFailure) or owns the called tool: then the answer is an error.
// Implementations are safe for concurrent use; hooks of one controller take turns.
type Steering interface {
	// Active reports whether the project has any controller now, or may have one
	// because modules are still loading. If not, the session behaves as if there were
	// no controllers.
	Active() bool

	// Initialize runs on_initialize and returns the text that controllers add to the
	// instructions of the server, nil or empty if none. params are those of the
	// client's initialize.
	Initialize(ctx context.Context, params json.RawMessage) (text []byte, reports []flow.HookReport)

	// Virtual returns all tools that controllers have added to the session, each marked
	// as hidden. A name belongs to the controller that added it until the session ends,
	// even if it is no longer listed.
	Virtual() []flow.ListedTool

	// ListTools edits the list: it hides, patches and adds tools. tools are those of
	// the servers and of the host. It returns the whole list, including hidden tools
	// and those of Virtual; the result may share memory with tools, which the caller
	// does not use any more. Only the order of tools of one kind matters: the caller
	// then lists virtual tools first, then those of servers, then those of the host,
	// and renames a server's tool if a virtual tool has the same name. reason is list
	// or lookup.
	ListTools(ctx context.Context, reason string, tools []flow.ListedTool) ([]flow.ListedTool, flow.Effects)

	// Call runs the call hooks. Without an Answer, the call goes to the Tool of the
	// verdict, or to the called tool. A call of a virtual tool, even of one that is no
	// longer listed, without an answer of its owner gets an error as Answer, and so
	// does a cancelled call.
	Call(ctx context.Context, c flow.SteeredCall) flow.CallVerdict

	// Wants reports whether any controller has this hook now, or may have because
	// modules are still loading. If not, the caller need not prepare its input.
	Wants(hook abi.Hook) bool

	// Logs reports whether any controller may send log messages now.
	Logs() bool

	// Result runs, in reverse order, the result hooks of the controllers before the one
	// that answered, or of all if a server did. v is the verdict of Call. If ctx is
	// done before all have run, the result is withheld.
	Result(ctx context.Context, c flow.SteeredCall, v flow.CallVerdict, r flow.SteeredResult) flow.ResultVerdict

	// Close runs on_close in the background and drops the session's state. reason is
	// client, idle or shutdown.
	Close(reason string)
}
