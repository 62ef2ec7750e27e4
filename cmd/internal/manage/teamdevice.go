package manage

import (
	"context"
	"errors"
	"net/http"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/team"
)

// StartDevice implements api.Team. Nothing is stored: the caller keeps the handle.
func (t teamService) StartDevice(ctx context.Context, in api.TeamDeviceStart) (api.TeamDeviceLogin, error) {
	settings, err := t.settingsFor(in.URL)
	if err != nil {
		return api.TeamDeviceLogin{}, err
	}
	out := api.TeamDeviceLogin{URL: settings.URL}
	err = call(ctx, settings, http.MethodPost, "/auth/device", nil, &out.DeviceLogin)
	if errors.Is(err, abi.ErrNotFound) {
		p := problem.New(abi.ErrNotFound, "mcpd %s has no OpenID Connect issuer", settings.URL)
		p.Cause = "its users log in with a password or an API token"
		return api.TeamDeviceLogin{}, p.WithHint("mcpctl login %s", settings.URL)
	}
	if err == nil && (out.Handle == "" || out.UserCode == "" || out.VerificationURI == "") {
		err = team.ErrNotMcpd
	}
	return out, loginError(err, settings.URL)
}

// PollDevice implements api.Team.
func (t teamService) PollDevice(ctx context.Context, in api.TeamDevicePoll) (api.TeamDeviceResult, error) {
	settings, err := t.settingsFor(in.URL)
	if err != nil {
		return api.TeamDeviceResult{}, err
	}
	var got api.DeviceResult
	if err := call(ctx, settings, http.MethodPost, "/auth/device/poll", api.DevicePoll{Handle: in.Handle}, &got); err != nil {
		return api.TeamDeviceResult{}, pollError(err, settings.URL)
	}
	switch got.State {
	case api.DevicePending, api.DeviceSlowDown:
		return api.TeamDeviceResult{State: got.State}, nil
	case api.DeviceDone:
		if got.LoggedIn == nil {
			break
		}
		session, err := t.accept(ctx, settings, got.Token)
		return api.TeamDeviceResult{State: got.State, Session: &session}, err
	}
	return api.TeamDeviceResult{}, loginError(team.ErrNotMcpd, settings.URL)
}

// pollError returns the problem of a login that has ended without a token.
func pollError(err error, address string) error {
	err = loginError(err, address)
	switch {
	case errors.Is(err, abi.ErrDenied), errors.Is(err, abi.ErrNotFound):
		return problem.From(err).WithHint("mcpctl login %s --oidc", address)
	case errors.Is(err, abi.ErrConflict): // the message describes what an administrator can do
		return problem.From(err).WithHint("mcpctl identity bind --help")
	}
	return err
}
