package team

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/secret"
)

// TraceHeader is the header of a call of a server with the id that the audit log of mcpd has
// for it.
const TraceHeader = "Mcpctl-Trace-Id"

// RequestIDHeader is the header of a call of a server with an id for which mcpd sends the call to
// the server at most once. OutcomeHeader is the header of an answer of mcpd to a call that may
// have been executed.
const (
	RequestIDHeader = "Mcpctl-Request-Id"
	OutcomeHeader   = "Mcpctl-Outcome"
)

// LinkedServer returns the address at which mcpd reads the resource of a link, and the token
// that a request needs. Requests must use Transport. prompt and project are those of the link.
func (c *Client) LinkedServer(name, project, prompt string) (address string, token secret.Value) {
	return c.base + "/api/v1/servers/" + url.PathEscape(name) + "/mcp?" + url.Values{"project": {project}, "link": {prompt}}.Encode(), c.token
}

// Server returns the address at which mcpd offers a server, for a project of mcpd or "", and
// the token that a request needs. Requests must use Transport.
func (c *Client) Server(name, project string) (address string, token secret.Value) {
	address = c.base + "/api/v1/servers/" + url.PathEscape(name) + "/mcp"
	if project != "" {
		address += "?" + url.Values{"project": {project}}.Encode()
	}
	return address, c.token
}

// Refusal returns a function that explains an answer to a call of a server, for a project of
// mcpd or "", whose status is not 2xx. For an answer without a text of mcpd whose status is not
// 401, 403 or 404, it returns nil.
func (c *Client) Refusal(name, project string) func(status int, body []byte) error {
	return func(status int, body []byte) error {
		answer := c.newStatusError(status, body)
		if isDenied := status == http.StatusForbidden || status == http.StatusNotFound && answer.Detail != ""; isDenied { // a 404 without a detail is of the server
			command := RunCommand(name, project)
			return &flow.ClientError{Why: "you have no right to run it on the team server: " + command, Err: answer}
		}
		return c.explain(answer)
	}
}

// RunCommand returns the command that shows whether the user may run a server, in a project of
// mcpd or "".
func RunCommand(name, project string) string {
	command := "mcpctl auth can-i run server " + name
	if project != "" {
		command += " --project " + project
	}
	return command
}

// LinkRefusal is like Refusal, for a request for the resource of a link. Its text is for
// operators.
func (c *Client) LinkRefusal(status int, body []byte) error {
	return c.explain(c.newStatusError(status, body))
}

// explain returns the error of an answer about the login, and the detail of any other one, nil
// if that has none.
func (c *Client) explain(answer *StatusError) error {
	switch answer.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		return LoginError(c.base, answer)
	}
	if answer.Detail == "" {
		return nil
	}
	return errors.New(answer.Detail)
}

// LoginError adds a text for clients to an error about a token: a *flow.ClientError with the
// command that helps. Other errors are unchanged.
func LoginError(address string, err error) error {
	if isStatus(err, http.StatusUnauthorized) || errors.Is(err, ErrNotLoggedIn) {
		return &flow.ClientError{Why: "log in to the team server again: mcpctl login " + address, Err: err}
	}
	return err
}

// IsForbidden reports whether mcpd answered that the user has no right.
func IsForbidden(err error) bool { return isStatus(err, http.StatusForbidden) }
