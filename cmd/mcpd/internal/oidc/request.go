package oidc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/credential"
)

// refusal is an answer with an error, as OAuth 2.0 defines it in RFC 6749, section 5.2.
type refusal struct {
	status int
	code   string // of the answer, or "" if it has none
	text   string
}

// Error implements error.
func (r *refusal) Error() string { return r.text }

// post sends a form to an endpoint of the issuer and decodes the answer.
//
// It returns a *refusal, abi.ErrUnavailable or the error of ctx. golang.org/x/oauth2 is not
// used for this: its request for a device ignores the context and the secret, its request
// for a token waits until the login ends.
func (p *Provider) post(ctx context.Context, endpoint string, form url.Values, answer any) error {
	form.Set("client_id", p.cfg.ClientID)
	if p.secretIn == secretInBody {
		form.Set("client_secret", p.cfg.ClientSecret.Reveal())
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	if p.secretIn == secretInHeader {
		req.SetBasicAuth(url.QueryEscape(p.cfg.ClientID), url.QueryEscape(p.cfg.ClientSecret.Reveal()))
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	resp, err := p.client.Do(req)
	if err != nil {
		return p.unavailable(ctx, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return p.unavailable(ctx, err)
	}
	var failed struct {
		Code        string `json:"error"`
		Description string `json:"error_description"`
	}
	err = json.Unmarshal(body, &failed)
	if resp.StatusCode != http.StatusOK || err == nil && failed.Code != "" { // some issuers fail with 200
		text := printable(p.mask(strings.TrimSpace(failed.Code+" "+failed.Description), form))
		return &refusal{resp.StatusCode, failed.Code, strings.TrimSpace(resp.Status + " " + text)}
	}
	if err == nil {
		err = json.Unmarshal(body, answer)
	}
	if err != nil {
		return fmt.Errorf("%w: the answer of the issuer %s is not the expected JSON", abi.ErrUnavailable, p.cfg.Issuer)
	}
	return nil
}

// unavailable returns the error of a request without an answer.
func (p *Provider) unavailable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("%w: the issuer %s does not answer: %s", abi.ErrUnavailable, p.cfg.Issuer, printable(err.Error()))
}

// mask removes the secrets of a request from a text of the issuer.
func (p *Provider) mask(text string, form url.Values) string {
	for _, s := range []string{p.cfg.ClientSecret.Reveal(), form.Get("device_code")} {
		if s != "" {
			text = strings.ReplaceAll(text, s, credential.Mask)
		}
	}
	return text
}

// maxText is the maximum length of a text of the issuer in an error, in bytes.
const maxText = 200

// printable returns a text of the issuer as it may be in an error: short, on one line and
// without control characters.
func printable(text string) string {
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "…" // the last character may be cut
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}
