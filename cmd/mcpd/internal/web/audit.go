package web

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
)

var auditRoutes = []Route{
	{Method: "GET", Path: "/api/v1/audit", Rule: Admin, Summary: "List audit entries of all writers, newest first", Query: []string{"since", "until", "actor", "action", "kind", "project", "name", "decision", "limit", "cursor"}, Out: []audit.Row{}, answer: (*call).auditEntries},
	{Method: "GET", Path: "/api/v1/audit/export", Rule: Admin, Summary: "Stream all audit entries as lines of JSON, writer by writer in the order of the hash chains", serve: (*call).exportAudit},
	{Method: "POST", Path: "/api/v1/audit/verify", Rule: Admin, Summary: "Check the hash chains of the audit log, and that the rows of earlier anchors exist", In: auditAnchors{}, Out: audit.Verified{}, answer: (*call).verifyAudit},
}

// auditAnchors is the body of POST /audit/verify: the anchors of earlier answers.
type auditAnchors struct {
	Anchors []audit.Anchor `json:"anchors,omitempty"`
}

// maxAudit is the number of entries of one answer.
const maxAudit = 1000

func (c *call) auditEntries() (any, error) {
	f := audit.Filter{Since: time.Unix(0, 0), Until: time.Now().Add(time.Hour), Limit: 100,
		Actor: c.query("actor"), Action: c.query("action"), Kind: c.query("kind"), Project: c.query("project"), Name: c.query("name"), Decision: c.query("decision")}
	for key, at := range map[string]*time.Time{"since": &f.Since, "until": &f.Until} {
		if text := c.query(key); text != "" {
			t, err := time.Parse(time.RFC3339, text)
			if err != nil {
				return nil, problem.Usagef("%s is %q, want a time such as 2026-01-31T15:00:00Z", key, clip(text))
			}
			*at = t
		}
	}
	if d := f.Decision; d != "" && d != audit.Allowed && d != audit.Denied {
		return nil, problem.Usagef("decision is %q, want %s or %s", clip(d), audit.Allowed, audit.Denied)
	}
	for _, s := range []string{f.Actor, f.Action, f.Kind, f.Project, f.Name} {
		if s != clip(s) {
			return nil, problem.Usagef("%q is no text of an audit entry", clip(s))
		}
	}
	if text := c.query("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxAudit {
			return nil, problem.Usagef("limit is %q, want 1 to %d", clip(text), maxAudit)
		}
		f.Limit = n
	}
	if text := c.query("cursor"); text != "" {
		f.Before = new(audit.Position)
		b, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil || json.Unmarshal(b, f.Before) != nil || f.Before.Writer != clip(f.Before.Writer) {
			return nil, problem.Usagef("the cursor is not valid; take it from the header Link of the page before")
		}
	}
	rows, err := audit.List(c.ctx(), c.DB, f)
	if err == nil && len(rows) == f.Limit {
		err = c.linkOlder(rows[len(rows)-1])
	}
	return rows, err
}

// linkOlder adds the address of the next page.
func (c *call) linkOlder(last audit.Row) error {
	cursor, err := json.Marshal(audit.PositionOf(last))
	q, _ := url.ParseQuery(c.r.URL.RawQuery) // was parsed before
	q.Set("cursor", base64.RawURLEncoding.EncodeToString(cursor))
	c.w.Header().Set("Link", "<"+c.r.URL.Path+"?"+q.Encode()+`>; rel="next"`)
	return err
}

// exported is the last line of an export. An export without it is not complete.
type exported struct {
	End  bool  `json:"end"`
	Rows int64 `json:"rows"`
}

func (c *call) exportAudit() {
	c.w.Header().Set("Content-Type", "application/x-ndjson")
	out := json.NewEncoder(c.w)
	done := exported{End: true}
	err := audit.Export(c.ctx(), c.DB, func(r audit.Row) error {
		done.Rows++
		return out.Encode(r)
	})
	if err == nil {
		err = out.Encode(done)
	}
	switch {
	case err == nil:
	case done.Rows == 0:
		c.refuse(err)
	default:
		c.Log.Error("an export of the audit log ended early", "rows", done.Rows, "cause", err)
		panic(http.ErrAbortHandler) // the client must not take it for a complete one
	}
}

func (c *call) verifyAudit() (any, error) {
	var req auditAnchors
	if c.r.ContentLength != 0 {
		if err := c.decode(&req); err != nil {
			return nil, err
		}
	}
	v, err := audit.Verify(c.ctx(), c.DB, c.Keys, req.Anchors)
	if lost, ok := errors.AsType[*audit.LostKeysError](err); ok {
		args := make([]string, len(lost.Keys))
		for i, key := range lost.Keys {
			args[i] = problem.Arg(key)
		}
		p := *problem.From(err) // without a hint: the commands are for the machine of mcpd, and clients do not show hints of servers
		p.Cause = "the file keys of mcpd lacks it; an operator stops mcpd and adds the old file with mcpd keys add OLDFILE, or accepts once that it is lost for good, with mcpd keys reseal " + strings.Join(args, " ")
		err = &p
	}
	return v, err
}
