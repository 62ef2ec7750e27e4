package problem

import (
	"context"
	"errors"
	"net/http"

	"github.com/mcpctl/mcpctl/abi"
)

// Exit statuses; `mcpctl help exit-codes` prints them.
const (
	ExitOK          = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitNotFound    = 3
	ExitDenied      = 4
	ExitConflict    = 5
	ExitUnreachable = 6
	ExitInvalid     = 7
)

// kind ties an error kind to its code, exit status and HTTP status, and to what
// `mcpctl explain` says about it.
type kind struct {
	err    error
	code   string
	exit   int
	status int
	title  string
	means  string
	help   string
}

var kinds = []kind{
	{abi.ErrNotFound, "E_NOT_FOUND", ExitNotFound, http.StatusNotFound, "no object, stage, section or file of that name",
		"An object, stage, section or file of that name does not exist.",
		"List what there is: mcpctl get servers, mcpctl get projects, mcpctl get proxymodels, mcpctl get stages."},
	{abi.ErrDenied, "E_DENIED", ExitDenied, http.StatusForbidden, "it exists and may not be done",
		"It exists and may not be done: a built-in cannot be deleted, a home or secrets file that others can reach is not used, a request had no token.",
		"The message names the file and its mode; chmod 700 for the home, chmod 600 for secrets.yaml, token and ref.key."},
	{abi.ErrConflict, "E_CONFLICT", ExitConflict, http.StatusConflict, "what is wanted is taken",
		"What is wanted is taken: the home by another daemon, the port by another program, a file that has changed since.",
		"mcpctl status shows the daemon of this home; mcpctl daemon start --listen 127.0.0.1:0 takes a free port."},
	{abi.ErrUnavailable, "E_UNREACHABLE", ExitUnreachable, http.StatusServiceUnavailable, "the daemon or a server does not answer",
		"The daemon or a server does not answer.",
		"mcpctl daemon start starts the daemon, mcpctl daemon logs shows what it said, mcpctl status the state of each server."},
	{abi.ErrConfig, "E_INVALID", ExitInvalid, http.StatusUnprocessableEntity, "what somebody wrote is wrong",
		"What somebody wrote is wrong: YAML, a config value, a name. Nothing of it was put in force.",
		"The message names file, line and column of every mistake; mcpctl apply --dry-run -f FILE tries without writing."},
	{abi.ErrLimit, "E_LIMIT", ExitFailed, http.StatusRequestEntityTooLarge, "a limit was reached",
		"A limit was reached; the message names it, the figure and, if it can be set, its key.",
		"mcpctl describe stage NAME shows the limits of a stage."},
	{abi.ErrGuest, "E_GUEST", ExitFailed, http.StatusBadGateway, "a module trapped or broke its contract",
		"A module trapped or answered against its contract. Through the daemon the content goes on unchanged, or is withheld if the module is a filter.",
		"mcpctl stage run NAME -o json < FILE shows its log; mcpctl stage inspect FILE.wasm what it imports."},
	{context.DeadlineExceeded, "E_TIMEOUT", ExitFailed, http.StatusGatewayTimeout, "it took longer than it may",
		"It took longer than it may.",
		"mcpctl status shows which server is slow; spec.timeout of a server sets how long a call may take."},
	{ErrUsage, "E_USAGE", ExitUsage, http.StatusBadRequest, "the command line itself is wrong",
		"The command line itself is wrong; nothing was done.",
		"mcpctl COMMAND --help shows arguments, flags and two examples."},
	failed,
}

// failed is the kind of everything else.
var failed = kind{nil, "E_FAILED", ExitFailed, http.StatusInternalServerError, "none of the other codes",
	"It failed for a reason that is none of the other codes.",
	"The message says why; mcpctl daemon logs has more if the daemon was asked."}

func kindOf(err error) kind {
	for _, k := range kinds {
		if k.err != nil && errors.Is(err, k.err) {
			return k
		}
	}
	return failed
}

func (p *Problem) kind() kind {
	k, _ := byCode(p.Code)
	return k
}

func byCode(code string) (kind, bool) {
	for _, k := range kinds {
		if k.code == code {
			return k, true
		}
	}
	return failed, false
}

// Exit is the exit status of a command that ended with err.
func Exit(err error) int {
	if err == nil {
		return ExitOK
	}
	return From(err).kind().exit
}

// HTTPStatus is the status of a management answer that says p.
func (p *Problem) HTTPStatus() int { return p.kind().status }

// Page is what is said about a code.
type Page struct {
	Code  string `json:"code"`
	Exit  int    `json:"exitStatus"`
	Title string `json:"title"`
	Means string `json:"means"`
	Help  string `json:"help"`

	Languages []LanguageAdvice `json:"languages,omitempty"` // of E_GUEST
}

// Pages are the pages of all codes.
func Pages() []Page {
	list := make([]Page, len(kinds))
	for i, k := range kinds {
		list[i] = Page{Code: k.code, Exit: k.exit, Title: k.title, Means: k.means, Help: k.help}
		if errors.Is(k.err, abi.ErrGuest) {
			list[i].Languages = guestLanguages
		}
	}
	return list
}
