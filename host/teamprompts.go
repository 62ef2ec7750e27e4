package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/pool"
	"github.com/mcpctl/mcpctl/host/prompt"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/team"
)

// readLink reads the resource that a prompt of the team server links to. The server and its
// project need not be visible to the user.
//
// It returns prompt.ErrNotGranted if the team server has no grant for the link.
func (t *TeamLink) readLink(ctx context.Context, p *pool.Pool, key object.Key, server, uri string) ([]byte, error) {
	client, err := t.Client()
	if err != nil {
		return nil, err
	}
	address, token := client.LinkedServer(server, string(key.Project), string(key.Name))
	text, err := p.ReadLinked(ctx, server, pool.Target{
		Endpoint: object.Endpoint{URL: secret.New(address), Headers: map[string]secret.Value{
			"Authorization": secret.New("Bearer " + token.Reveal())}},
		Relay: &pool.Relay{Transport: client.Transport(), Refusal: client.LinkRefusal},
	}, uri)
	if team.IsForbidden(err) {
		return nil, fmt.Errorf("%w: %w", prompt.ErrNotGranted, err)
	}
	return text, err
}

// proposeLimit is how long the team server may take for a proposal. A hook has 10 s.
const proposeLimit = 5 * time.Second

// propose stores a proposal on the team server. It implements prompt.Home.ProposeToTeam.
func (t *TeamLink) propose(ctx context.Context, project string, p prompt.Proposal) error {
	body := map[string]any{"name": p.Name, "project": project, "content": p.Content}
	if p.Priority != 0 {
		body["priority"] = p.Priority
	}
	var isSent atomic.Bool // an attempt had a connection; a POST is only attempted again if nothing of it was written
	client, err := t.Client()
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, proposeLimit)
		defer cancel()
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			GetConn: func(string) { isSent.Store(false) },
			GotConn: func(httptrace.GotConnInfo) { isSent.Store(true) },
		})
		err = client.Call(ctx, http.MethodPost, "/promptrequests", nil, body, nil)
	}
	if err == nil {
		return nil
	}
	return &flow.ClientError{Why: explainProposal(err, isSent.Load(), t.Settings().URL, project), Err: err}
}

// explainProposal returns why a proposal is not stored, and what the user can do. isSent is false if
// mcpd cannot have received the proposal.
func explainProposal(err error, isSent bool, address, project string) string {
	const keep = "; nothing was stored, so keep the text and propose it again"
	answer := (*team.StatusError)(nil)
	isAnswer := errors.As(err, &answer)
	switch {
	case errors.Is(err, abi.ErrConflict):
		return "one of this name waits for review on the team server already, choose another name"
	case errors.Is(err, abi.ErrLimit):
		return "too many proposals wait for review on the team server, a person has to go through them first"
	case isAnswer && errors.Is(err, abi.ErrConfig):
		return "the team server does not accept its name or its text"
	case errors.Is(err, team.ErrNotLoggedIn), isAnswer && answer.Status == http.StatusUnauthorized:
		return "the team server does not accept the login of the user: mcpctl login " + address + keep
	case errors.Is(err, abi.ErrDenied):
		return "the user may not propose prompts in this project of the team server, an administrator can add the right: " +
			"mcpctl auth can-i create promptrequest --project " + project + keep
	case errors.Is(err, abi.ErrNotFound):
		return "the user sees no project " + project + " on the team server (mcpctl get projects)" + keep
	case !isSent:
		return "the team server does not answer (mcpctl status)" + keep
	}
	return "the team server does not answer: mcpctl status; the proposal is probably not stored, so keep the text and propose it again"
}
