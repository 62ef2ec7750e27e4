package manage

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/config"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/team"
)

// TeamSettings returns a function that reads the address of the team server, and how it is
// reached, from the settings of a home.
func TeamSettings(home string) func() (team.Settings, error) {
	return func() (team.Settings, error) {
		s, _, err := config.Load(home, os.Getenv)
		if err != nil {
			return team.Settings{}, err
		}
		return team.Settings{URL: s.Get("mcpd-url"), CA: s.Get("mcpd-ca"), Insecure: s.Get("mcpd-insecure") == "true", Cache: s.Get("mcpd-cache")}, nil
	}
}

// teamService implements api.Team with a Host.
type teamService struct{ h *host.Host }

// Team implements api.Service.
func (s *Service) Team() api.Team { return teamService{s.h} }

// reconnectLimit is how long Login waits until the objects of mcpd are in use.
const reconnectLimit = 5 * time.Second

// Login implements api.Team.
func (t teamService) Login(ctx context.Context, in api.TeamLogin) (api.TeamSession, error) {
	settings, err := t.settingsFor(in.URL)
	if err != nil {
		return api.TeamSession{}, err
	}
	if err := checkIsMcpd(ctx, settings); err != nil {
		return api.TeamSession{}, err
	}
	token := in.Token
	if token == "" {
		if token, err = passwordLogin(ctx, settings, in); err != nil {
			return api.TeamSession{}, err
		}
	}
	return t.accept(ctx, settings, token)
}

// accept stores a token after mcpd has accepted it, and follows mcpd from then on.
func (t teamService) accept(ctx context.Context, settings team.Settings, token api.Credential) (api.TeamSession, error) {
	settings.Login = team.Login{URL: settings.URL, Token: secret.New(string(token))}
	if why := team.TokenFault(settings.Login.Token); why != "" {
		return api.TeamSession{}, problem.Usagef("the token %s", why)
	}
	who, err := whoami(ctx, settings)
	if err != nil {
		return api.TeamSession{}, err
	}
	settings.Login.User = who.Name
	if err := team.SaveLogin(string(t.h.Home()), settings.Login); err != nil {
		return api.TeamSession{}, err
	}
	if err := t.saveURL(settings.URL); err != nil {
		return api.TeamSession{}, err
	}
	wait, cancel := context.WithTimeout(ctx, reconnectLimit)
	defer cancel()
	state := host.Team(t.h).Reconnect(wait)
	return api.TeamSession{URL: settings.URL, Whoami: who, State: state.String()}, nil
}

// CheckTeam returns an error unless mcpd answers at an address, "" for the one in the settings of
// the home. It sends no credential, so that a command can check the address before it asks for one.
//
// Errors: abi.ErrConfig for an invalid address, abi.ErrDenied for one to which a token would be
// sent in clear text; abi.ErrUnavailable.
func CheckTeam(ctx context.Context, home, address string) error {
	settings, err := settingsFor(home, address)
	if err != nil {
		return err
	}
	return checkIsMcpd(ctx, settings)
}

// settingsFor returns the settings for a login to an address, "" for the one in the settings.
func (t teamService) settingsFor(address string) (team.Settings, error) {
	return settingsFor(string(t.h.Home()), address)
}

func settingsFor(home, address string) (team.Settings, error) {
	settings, err := TeamSettings(home)()
	if err != nil {
		return team.Settings{}, err
	}
	configured := settings.URL
	if address != "" {
		settings.URL = address
	}
	if settings.URL == "" {
		return team.Settings{}, teamError(team.ErrNotConfigured, "")
	}
	if settings.URL, err = team.ParseURL(settings.URL); err != nil {
		return team.Settings{}, problem.From(err).WithHint("mcpctl login https://HOST:3100")
	}
	if now := os.Getenv("MCPCTL_MCPD_URL"); now != "" && now == configured && configured != settings.URL {
		return team.Settings{}, problem.New(abi.ErrConflict, "the environment variable MCPCTL_MCPD_URL selects %s", now)
	}
	return settings, nil
}

// saveURL writes the address to the settings if it is not there.
func (t teamService) saveURL(address string) error {
	home := string(t.h.Home())
	s, _, err := config.Load(home, os.Getenv)
	if err != nil {
		return err
	}
	if now, err := team.ParseURL(s.Get("mcpd-url")); err == nil && now == address {
		return nil
	}
	key, err := config.Find("mcpd-url")
	if err != nil {
		return err
	}
	return config.Set(home, key, address)
}

// checkIsMcpd returns an error unless mcpd answers: a wrong address must not receive the
// password or the token. A call without a token is refused by mcpd with a problem.
func checkIsMcpd(ctx context.Context, s team.Settings) error {
	err := call(ctx, s, http.MethodGet, "/auth/whoami", nil, nil)
	var refused *team.StatusError
	switch {
	case err == nil:
		err = team.ErrNotMcpd
	case errors.As(err, &refused) && refused.Status == http.StatusUnauthorized:
		var p problem.Problem
		if json.Unmarshal(refused.Problem, &p) == nil && errors.Is(&p, abi.ErrDenied) {
			return nil
		}
		err = foreignProblem(refused, s.URL)
	}
	return loginError(err, s.URL)
}

// passwordLogin returns a new token for a user.
func passwordLogin(ctx context.Context, s team.Settings, in api.TeamLogin) (api.Credential, error) {
	var out api.LoggedIn
	err := call(ctx, s, http.MethodPost, "/auth/login", api.Login{User: in.User, Password: in.Password}, &out)
	var refused *team.StatusError
	if errors.As(err, &refused) && errors.Is(err, abi.ErrDenied) {
		p := problem.New(abi.ErrDenied, "mcpd %s does not accept this user and password", s.URL)
		p.Cause = refused.Detail
		return "", p.WithHint("mcpctl login %s --user %s", problem.Arg(s.URL), problem.Arg(in.User))
	}
	if err == nil && out.Token == "" {
		err = team.ErrNotMcpd
	}
	return out.Token, loginError(err, s.URL)
}

// whoami returns the owner of the token of settings.
func whoami(ctx context.Context, s team.Settings) (api.Whoami, error) {
	var who api.Whoami
	err := call(ctx, s, http.MethodGet, "/auth/whoami", nil, &who)
	if err == nil {
		err = checkWhoami(who)
	}
	return who, loginError(err, s.URL)
}

// checkWhoami returns team.ErrNotMcpd for an owner of a token that mcpd does not send.
func checkWhoami(who api.Whoami) error {
	isKind := who.Kind == string(object.KindUser) || who.Kind == string(object.KindServiceAccount)
	if !isKind || who.Name == "" {
		return team.ErrNotMcpd
	}
	return nil
}

// Logout implements api.Team. The login is removed even if mcpd cannot be told.
func (t teamService) Logout(ctx context.Context) (api.TeamLogout, error) {
	settings := host.Team(t.h).Settings()
	if settings.Login.IsZero() {
		return api.TeamLogout{}, teamError(team.ErrNotLoggedIn, settings.URL)
	}
	out := api.TeamLogout{URL: settings.Login.URL, User: settings.Login.User}
	settings.URL = settings.Login.URL
	err := call(ctx, settings, http.MethodPost, "/auth/logout", nil, nil)
	var refused *team.StatusError
	if errors.As(err, &refused) && refused.Status == http.StatusUnauthorized {
		err = nil // it is not valid any more
	}
	if err != nil {
		out.Warning = "the token could not be revoked and is valid until it expires: " + problem.From(err).Error()
	}
	if err := team.RemoveLogin(string(t.h.Home())); err != nil {
		return api.TeamLogout{}, err
	}
	host.Team(t.h).Reconnect(ctx)
	return out, nil
}

// call makes one call with settings.
func call(ctx context.Context, s team.Settings, method, path string, in, out any) error {
	c, err := team.NewClient(s)
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Call(ctx, method, path, nil, in, out)
}

// Whoami implements api.Team.
func (t teamService) Whoami(ctx context.Context) (api.TeamSession, error) {
	out := api.TeamSession{URL: host.Team(t.h).Settings().URL}
	err := t.call(ctx, http.MethodGet, "/auth/whoami", nil, nil, &out.Whoami)
	if err == nil {
		err = teamError(checkWhoami(out.Whoami), out.URL)
	}
	out.State = host.Team(t.h).State().String()
	return out, err
}

// CanI implements api.Team.
func (t teamService) CanI(ctx context.Context, q api.CanI) (out api.CanIAnswer, err error) {
	return out, t.call(ctx, http.MethodPost, "/auth/can-i", nil, q, &out)
}

// Call implements api.Team.
func (t teamService) Call(ctx context.Context, method, path string, query url.Values, in, out any) error {
	return t.call(ctx, method, path, query, in, out)
}

// maxVerified limits the originals of one VerifyCache.
const maxVerified = 1000

// VerifyCache implements api.Team.
func (t teamService) VerifyCache(ctx context.Context, project string, sample int) ([]api.TeamCacheCheck, error) {
	if sample < 1 || sample > maxVerified {
		return nil, problem.Usagef("the sample is %d, want 1 to %d", sample, maxVerified)
	}
	checks, err := t.h.Storage().VerifyShared(ctx, project, sample)
	if err != nil {
		return nil, teamError(err, host.Team(t.h).Settings().URL)
	}
	list := []api.TeamCacheCheck{}
	for _, c := range checks {
		list = append(list, api.TeamCacheCheck(c))
	}
	return list, nil
}

// call makes one call with the present login.
func (t teamService) call(ctx context.Context, method, path string, query url.Values, in, out any) error {
	if err := api.CheckPath(path); err != nil {
		return err
	}
	c, err := host.Team(t.h).Client()
	if err == nil {
		err = c.Call(ctx, method, path, query, in, out)
	}
	return teamError(err, host.Team(t.h).Settings().URL)
}
