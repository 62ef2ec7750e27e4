package web

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/host/object"
)

// A call with the header api.HeaderRequestID is sent to its server at most once, by all
// processes together: its id is claimed in the database before it is sent. A client whose
// connection broke repeats the call with the same id. If the first try was not sent, the
// repetition is; otherwise it is answered that the outcome is unknown, because a server that
// mcpd does not run cannot be asked about it. Answers are not stored.
const (
	claimedFor   = time.Hour // a client does not repeat a call after that
	maxRequestID = 200
)

// claim claims the id of a call, if it has one. release gives the id back: the call was not
// sent.
//
// It returns errUnknownOutcome if the call was sent before.
func (c *relay) claim(server object.Name) (release func(), err error) {
	id := c.r.Header.Get(api.HeaderRequestID)
	if id == "" || c.r.Method != http.MethodPost {
		return func() {}, nil
	}
	if len(id) > maxRequestID {
		return nil, problem.Usagef("the header %s has %d bytes, want at most %d", api.HeaderRequestID, len(id), maxRequestID)
	}
	hash := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%s", c.caller.Kind, c.caller.Name, server, id))
	now := time.Now()
	claimed := int64(0)
	err = c.DB.WriteOne(func(q *query.Queries) error {
		if c.claims.isDue(now) {
			if err := q.DeleteOldRequests(c.ctx(), now.UnixMicro()); err != nil {
				return err
			}
		}
		claimed, err = q.ClaimRequest(c.ctx(), query.ClaimRequestParams{Hash: hash[:], Until: now.Add(claimedFor).UnixMicro()})
		return err
	})
	if err != nil {
		return nil, err
	}
	if claimed == 0 {
		return nil, errUnknownOutcome
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx()), 5*time.Second)
		defer cancel()
		if err := c.DB.WriteOne(func(q *query.Queries) error { return q.ReleaseRequest(ctx, hash[:]) }); err != nil {
			c.Log.Warn("the id of a call that was not sent stays claimed", "server", string(server), "cause", err)
		}
	}, nil
}

// errUnknownOutcome is the error of a call that may have been executed.
var errUnknownOutcome = errors.New("the call was sent before")

// failUnknown answers a call that may have been executed, with the reason. The header tells
// programs so.
func (c *relay) failUnknown(status int, reason *problem.Problem) {
	c.w.Header().Set(api.HeaderOutcome, api.OutcomeUnknown)
	api.WriteProblem(c.w, status, reason)
}
