package team

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/secret"
)

// Server returns the address at which mcpd offers a server, for a project of mcpd or "", and
// the token that a request needs. Requests must use Transport.
func (c *Client) Server(name, project string) (address string, token secret.Value) {
	address = c.base + "/api/v1/servers/" + url.PathEscape(name) + "/mcp"
	if project != "" {
		address += "?" + url.Values{"project": {project}}.Encode()
	}
	return address, c.token
}

// Refusal explains an answer with status 401 or 403 to a call of a server.
func (c *Client) Refusal(status int, body []byte) error {
	return LoginError(c.base, c.newStatusError(status, body))
}

// LoginError adds a text for clients to an error about a token or a right: a
// *flow.ClientError with the command that helps. Other errors are unchanged.
func LoginError(address string, err error) error {
	switch {
	case isStatus(err, http.StatusForbidden):
		return &flow.ClientError{Why: "the team server does not allow you to call it", Err: err}
	case isStatus(err, http.StatusUnauthorized), errors.Is(err, ErrNotLoggedIn):
		return &flow.ClientError{Why: "log in to the team server again: mcpctl login " + address, Err: err}
	}
	return err
}
