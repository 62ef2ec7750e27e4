package manage

import (
	"context"
	"errors"
	"io"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/team"
)

// Transfer implements api.Team.
func (t teamService) Transfer(ctx context.Context, in api.TeamTransfer) (io.ReadCloser, error) {
	if err := api.CheckTransfer(in); err != nil {
		return nil, err
	}
	address := host.Team(t.h).Settings().URL
	c, err := host.Team(t.h).Client()
	if err != nil {
		return nil, teamError(err, address)
	}
	body, err := c.Transfer(ctx, team.Transfer{Method: in.Method, Path: in.Path, Query: in.Query, Header: in.Header(), Body: in.Body})
	if err != nil {
		return nil, teamError(err, address)
	}
	return teamBody{body, address}, nil
}

// teamBody is the body of an answer of mcpd, with errors for users.
type teamBody struct {
	io.ReadCloser
	address string
}

// Read implements io.Reader.
func (b teamBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		return n, io.EOF
	}
	return n, teamError(err, b.address)
}
