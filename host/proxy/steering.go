package proxy

import (
	"context"
	"encoding/json"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Controllers steers sessions: it runs the hooks of the controllers that a project's
// ProxyModel names.
//
// Implementations are safe for concurrent use.
type Controllers interface {
	// Steer starts to steer a session. No hook runs before Initialize.
	Steer(s flow.Steered) Steering
}

// Steering runs the controllers of one session: those that its project has configured
// at each request. The state of a controller survives a change of its module.
//
// A hook that fails is reported and otherwise treated as if it had passed.
// Implementations are safe for concurrent use; hooks of one controller take turns.
type Steering interface {
	// Active reports whether any controller has a hook to run now. Without one, the
	// session behaves as if there were no controllers.
	Active() bool

	// Initialize returns the text for the instructions.
	Initialize(ctx context.Context, params json.RawMessage) (text []byte, reports []flow.HookReport)

	// Virtual returns the tools that controllers have added to the session, hidden. A name
	// belongs to its owner as long as the session lasts, listed or not.
	Virtual() []flow.ListedTool

	// ListTools edits the list: it hides, patches and adds tools. tools are those of the
	// servers and of the host. It returns the whole list, including hidden tools and those
	// of Virtual; the result may share memory with tools, which the caller does not use
	// any more. The order of tools of one kind is kept: virtual tools are listed first,
	// then those of servers, then those of the host. If a virtual tool takes the name of a
	// server's tool, the latter is renamed afterwards. reason is list or lookup.
	ListTools(ctx context.Context, reason string, tools []flow.ListedTool) ([]flow.ListedTool, flow.Effects)

	// Call runs the call hooks. Without an Answer, the call goes to the Tool of the
	// verdict, or to the called tool. A call of a virtual tool, even of one that is no
	// longer listed, that gets neither is answered by an error.
	Call(ctx context.Context, c flow.SteeredCall) flow.CallVerdict

	// Wants reports whether any controller has this hook now, so that its input need not
	// be prepared otherwise.
	Wants(hook abi.Hook) bool

	// Logs reports whether any controller may send log messages now.
	Logs() bool

	// Result runs the result hooks of the controllers before the one that answered, or of
	// all if a server did.
	Result(ctx context.Context, c flow.SteeredCall, v flow.CallVerdict, r flow.SteeredResult) flow.ResultVerdict

	// Close runs on_close in the background and drops the session's state. reason is
	// client, idle or shutdown.
	Close(reason string)
}
