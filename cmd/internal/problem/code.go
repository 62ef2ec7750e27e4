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

// kind maps an error kind to its code, exit status, HTTP status and the texts of
// `mcpctl explain`.
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
	{abi.ErrNotFound, "E_NOT_FOUND", ExitNotFound, http.StatusNotFound, "no object, stage, section or file has this name",
		"No object, stage, section or file has this name.",
		"List the existing names: mcpctl get servers, mcpctl get projects, mcpctl get proxymodels, mcpctl get stages."},
	{abi.ErrDenied, "E_DENIED", ExitDenied, http.StatusForbidden, "the operation is not permitted",
		"The operation is not permitted: a built-in cannot be deleted, a home or secrets file that other users can access is not used, or a request had no token. The team server also denies what no binding allows.",
		"The message contains the file and its mode; use chmod 700 for the home, and chmod 600 for secrets.yaml, token and ref.key. For the team server, mcpctl auth can-i --list shows your rights, which an administrator of it can extend."},
	{abi.ErrConflict, "E_CONFLICT", ExitConflict, http.StatusConflict, "a name, home, port or file is in use or has changed",
		"A resource is in use or has changed: another daemon uses the home, another program the port, or a file has changed in the meantime.",
		"mcpctl status shows the daemon of this home; mcpctl daemon start --listen 127.0.0.1:0 selects a free port."},
	{abi.ErrUnavailable, "E_UNREACHABLE", ExitUnreachable, http.StatusServiceUnavailable, "the daemon or a server does not answer",
		"The daemon or a server does not answer.",
		"mcpctl daemon start starts the daemon, mcpctl daemon logs shows its log, mcpctl status shows the state of each server."},
	{abi.ErrConfig, "E_INVALID", ExitInvalid, http.StatusUnprocessableEntity, "a file or value is invalid",
		"A file or value is invalid: YAML, a config value or a name. No part of it was applied.",
		"The message contains file, line and column of every error; mcpctl apply --dry-run -f FILE checks a file without applying it."},
	{abi.ErrLimit, "E_LIMIT", ExitFailed, http.StatusRequestEntityTooLarge, "a limit was reached",
		"A limit was reached; the message contains the limit, its value and, if it can be set, its key.",
		"mcpctl describe stage NAME shows the limits of a stage."},
	{abi.ErrGuest, "E_GUEST", ExitFailed, http.StatusBadGateway, "a module trapped or violated the ABI",
		"A module trapped or violated the ABI. In the daemon the content passes through unchanged, or is withheld if the module is a filter.",
		"mcpctl stage run NAME -o json < FILE shows its log; mcpctl stage inspect FILE.wasm shows its imports."},
	{context.DeadlineExceeded, "E_TIMEOUT", ExitFailed, http.StatusGatewayTimeout, "a time limit was exceeded",
		"A time limit was exceeded.",
		"mcpctl status shows which server is slow; spec.timeout of a server sets the time limit of its calls."},
	{ErrUsage, "E_USAGE", ExitUsage, http.StatusBadRequest, "the command line is invalid",
		"The command line is invalid; the command was not run.",
		"mcpctl COMMAND --help shows arguments, flags and two examples."},
	failed,
}

// failed is the kind of all other errors.
var failed = kind{nil, "E_FAILED", ExitFailed, http.StatusInternalServerError, "any other error",
	"The command failed for a reason that has no code of its own.",
	"The message contains the reason; if the daemon was involved, mcpctl daemon logs shows details."}

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

// Exit returns the exit status of a command that ended with err.
func Exit(err error) int {
	if err == nil {
		return ExitOK
	}
	return From(err).kind().exit
}

// HTTPStatus returns the HTTP status of a management response with p.
func (p *Problem) HTTPStatus() int { return p.kind().status }

// Page explains a code.
type Page struct {
	Code  string `json:"code"`
	Exit  int    `json:"exitStatus"`
	Title string `json:"title"`
	Means string `json:"means"`
	Help  string `json:"help"`

	Languages []LanguageAdvice `json:"languages,omitempty"` // of E_GUEST
}

// Pages returns the pages of all codes.
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
