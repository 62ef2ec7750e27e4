package manage

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/team"
)

// teamError returns the problem of a call of mcpd, with the command that helps. It returns
// nil for nil.
func teamError(err error, address string) error {
	var answered *team.StatusError
	errors.As(err, &answered)
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
	case errors.Is(err, team.ErrNotMcpd):
		return foreignProblem(answered, address)
	case answered != nil && answered.Status == http.StatusUnauthorized:
		p := problem.New(abi.ErrDenied, "mcpd %s does not accept the token", address)
		p.Cause = answered.Detail
		return p.WithHint("mcpctl login %s", address)
	case answered != nil && answered.Problem != nil:
		return answeredProblem(answered)
	case strings.Contains(err.Error(), "certificate signed by unknown authority"):
		p := problem.From(err)
		p.Cause = "its certificate is not signed by an authority that this system trusts"
		return p.WithHint("mcpctl config set mcpd-ca FILE")
	case errors.Is(err, abi.ErrUnavailable):
		p := problem.New(abi.ErrUnavailable, "mcpd %s does not answer", address)
		p.Cause = strings.TrimPrefix(problem.From(err).Error(), "mcpd "+address+": ")
		return p.WithHint("mcpctl status")
	}
	return err
}

// foreignProblem returns the problem of an answer that mcpd does not send. answered is nil for
// one with status 200.
func foreignProblem(answered *team.StatusError, address string) error {
	p := problem.New(abi.ErrUnavailable, "%s does not answer like mcpd", address)
	p.Cause = "another program, such as a web server, answers there"
	if answered != nil {
		p.Cause += fmt.Sprintf(", with status %d %s", answered.Status, http.StatusText(answered.Status))
	}
	return p.WithHint("mcpctl login https://HOST:3100")
}

// loginError is teamError for a call with an address that may be wrong.
func loginError(err error, address string) error {
	err = teamError(err, address)
	if errors.Is(err, abi.ErrUnavailable) && problem.From(err).Hint == "mcpctl status" {
		return problem.From(err).WithHint("mcpctl login https://HOST:3100")
	}
	return err
}

// answeredProblem returns the problem in an answer of mcpd, or one with its detail. Texts of
// mcpd are not trusted: control characters are replaced, and a hint is kept only if it is a
// command that changes nothing.
func answeredProblem(answered *team.StatusError) error {
	var p problem.Problem
	if err := json.Unmarshal(answered.Problem, &p); err != nil || p.Message == "" {
		return answered
	}
	out := cleanProblem(&p, answered, 1)
	if out.Hint == "" && answered.Status == http.StatusForbidden {
		out.Hint = listRights
	}
	return out
}

// listRights is the hint of a call that mcpd has denied.
const listRights = "mcpctl auth can-i --list"

// readOnly matches the hints of mcpd that are kept: commands that change nothing and send no
// credential to another address, without characters that a shell interprets.
var readOnly = regexp.MustCompile(`^mcpctl (?:status|doctor|whoami|restore FILE --merge --dry-run|` +
	`(?:get|describe|explain|auth can-i|audit list)(?: [A-Za-z0-9._/:=+-]+)+)$`)

func cleanProblem(p *problem.Problem, answered *team.StatusError, depth int) *problem.Problem {
	out := problem.New(errors.Unwrap(answered), "%s", cleanText(p.Message))
	if p.Code != "" && regexp.MustCompile(`^E_[A-Z_]{1,30}$`).MatchString(p.Code) {
		out.Code = p.Code
	}
	out.Cause, out.At, out.Snippet = cleanText(p.Cause), cleanText(p.At), cleanText(p.Snippet)
	if readOnly.MatchString(p.Hint) {
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
