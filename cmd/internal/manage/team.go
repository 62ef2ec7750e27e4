package manage

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/config"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host"
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
	token := in.Token
	if token == "" {
		if token, err = passwordLogin(ctx, settings, in); err != nil {
			return api.TeamSession{}, err
		}
	}
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

// settingsFor returns the settings for a login to an address, "" for the one in the settings.
func (t teamService) settingsFor(address string) (team.Settings, error) {
	settings, err := TeamSettings(string(t.h.Home()))()
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

// passwordLogin returns a new token for a user.
func passwordLogin(ctx context.Context, s team.Settings, in api.TeamLogin) (api.Credential, error) {
	c, err := team.NewClient(s)
	if err != nil {
		return "", teamError(err, s.URL)
	}
	defer c.Close()
	var out api.LoggedIn
	err = c.Call(ctx, http.MethodPost, "/auth/login", nil, api.Login{User: in.User, Password: in.Password}, &out)
	var refused *team.StatusError
	if errors.As(err, &refused) && refused.Status == http.StatusUnauthorized {
		p := problem.New(abi.ErrDenied, "mcpd %s does not accept this user and password", s.URL)
		p.Cause = refused.Detail
		return "", p
	}
	if err != nil {
		return "", teamError(err, s.URL)
	}
	return out.Token, nil
}

// whoami returns the owner of the token of settings.
func whoami(ctx context.Context, s team.Settings) (api.Whoami, error) {
	c, err := team.NewClient(s)
	if err != nil {
		return api.Whoami{}, teamError(err, s.URL)
	}
	defer c.Close()
	var who api.Whoami
	if err := c.Call(ctx, http.MethodGet, "/auth/whoami", nil, nil, &who); err != nil {
		return api.Whoami{}, teamError(err, s.URL)
	}
	return who, nil
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
	c, err := host.Team(t.h).Client()
	if err == nil {
		err = c.Call(ctx, method, path, query, in, out)
	}
	return teamError(err, host.Team(t.h).Settings().URL)
}

// teamError returns the problem of a call of mcpd, with the command that helps. It returns
// nil for nil.
func teamError(err error, address string) error {
	var answered *team.StatusError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, team.ErrNotConfigured):
		return problem.New(abi.ErrUnavailable, "no team server is configured").WithHint("mcpctl login https://HOST:3100")
	case errors.Is(err, team.ErrPlain):
		p := problem.New(abi.ErrDenied, "%s is plain HTTP, which would send the token in clear text over the network", address)
		p.Cause = "use https://; only in a network that nobody else can read: mcpctl config set mcpd-insecure true"
		return p
	case errors.Is(err, team.ErrNotLoggedIn):
		return problem.New(abi.ErrDenied, "not logged in to the team server").WithHint("mcpctl login %s", address)
	case errors.As(err, &answered) && answered.Status == http.StatusUnauthorized:
		p := problem.New(abi.ErrDenied, "mcpd %s does not accept the token", address)
		p.Cause = answered.Detail
		return p.WithHint("mcpctl login %s", address)
	case answered != nil:
		return answeredProblem(answered)
	case strings.Contains(err.Error(), "certificate signed by unknown authority"):
		p := problem.From(err)
		p.Cause = "its certificate is not signed by an authority that this system trusts"
		return p.WithHint("mcpctl config set mcpd-ca FILE")
	}
	return err
}

// answeredProblem returns the problem in an answer of mcpd, or one with its detail. Texts of
// mcpd are not trusted: control characters are replaced, and a hint is kept only if it is a
// simple command of mcpctl.
func answeredProblem(answered *team.StatusError) error {
	var p problem.Problem
	if err := json.Unmarshal(answered.Problem, &p); err != nil || p.Message == "" {
		return answered
	}
	return cleanProblem(&p, answered, 1)
}

// simpleCommand matches a hint without characters that a shell interprets.
var simpleCommand = regexp.MustCompile(`^mcpctl [A-Za-z0-9 ._/:=+-]+$`)

func cleanProblem(p *problem.Problem, answered *team.StatusError, depth int) *problem.Problem {
	out := problem.New(errors.Unwrap(answered), "%s", cleanText(p.Message))
	if p.Code != "" && regexp.MustCompile(`^E_[A-Z_]{1,30}$`).MatchString(p.Code) {
		out.Code = p.Code
	}
	out.Cause, out.At, out.Snippet = cleanText(p.Cause), cleanText(p.At), cleanText(p.Snippet)
	if simpleCommand.MatchString(p.Hint) {
		out.Hint = p.Hint
	}
	for i, m := range p.Errors {
		if depth > 0 && i < 100 && m != nil {
			out.Errors = append(out.Errors, cleanProblem(m, answered, depth-1))
		}
	}
	return out
}

// cleanText returns a bounded text without control characters but line breaks.
func cleanText(text string) string {
	const limit = 2000
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if r != '\n' && !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
