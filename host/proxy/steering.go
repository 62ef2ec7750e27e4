package proxy

import (
	"context"
	"encoding/json"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Controllers steers sessions: it runs the hooks of the controllers that a
// project's ProxyModel names.
//
// Implementations are safe for concurrent use.
type Controllers interface {
	// Steer begins to steer a session. No hook runs before Initialize.
	Steer(s flow.Steered) Steering
}

// Steering is the controllers of one session, those of its project as it is
// configured at each request: what the session keeps for a controller survives a
// change of its module.
//
// A hook that fails is in the reports and otherwise as if it had passed.
// Implementations are safe for concurrent use; hooks of one controller take turns.
type Steering interface {
	// Active reports whether any controller has a hook to run in this project now.
	// Without one the session behaves as if there were no controllers.
	Active() bool

	// Initialize gives the text for the instructions.
	Initialize(ctx context.Context, params json.RawMessage) (text []byte, reports []flow.HookReport)

	// Virtual are the tools that controllers have added to the session, hidden: a name
	// stays with its owner for as long as the session lasts, listed or not.
	Virtual() []flow.ListedTool

	// ListTools edits the list: hides, patches, adds. tools are those of servers and
	// the host's. What it returns is the whole list, hidden ones and those of Virtual
	// included; it may share memory with tools, which nobody else has. Its order among
	// tools of one kind is kept: virtual ones are listed first, then those of servers,
	// then the host's. A name that a virtual tool takes from a server's is found out
	// afterwards: the server's tool is then listed under another one. reason is list
	// or lookup.
	ListTools(ctx context.Context, reason string, tools []flow.ListedTool) ([]flow.ListedTool, flow.Effects)

	// Call runs the call hooks. Without an Answer the call goes to the Tool of the
	// verdict, or to that which was called. A call of a virtual tool, of one that is
	// not listed any more too, without either is answered by an error.
	Call(ctx context.Context, c flow.SteeredCall) flow.CallVerdict

	// Wants reports whether any controller has this hook now, so that what only it
	// needs is not made.
	Wants(hook abi.Hook) bool

	// Logs reports whether any controller may send log messages now.
	Logs() bool

	// Result runs the result hooks of the controllers before the one that answered,
	// of all if a server did.
	Result(ctx context.Context, c flow.SteeredCall, v flow.CallVerdict, r flow.SteeredResult) flow.ResultVerdict

	// Close runs on_close in the background and drops what is kept. reason is
	// client, idle or shutdown.
	Close(reason string)
}
