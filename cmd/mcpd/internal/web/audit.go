package web

import (
	"strconv"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
)

var auditRoutes = []Route{
	{Method: "GET", Path: "/api/v1/audit", Rule: Admin, Summary: "List audit entries, oldest first", Query: []string{"since", "until", "limit"}, Out: []audit.Entry{}, answer: (*call).auditEntries},
	{Method: "POST", Path: "/api/v1/audit/verify", Rule: Admin, Summary: "Check the hash chains of the audit log", Out: audit.Verified{}, answer: (*call).verifyAudit},
}

// maxAudit is the number of entries of one answer.
const maxAudit = 1000

func (c *call) auditEntries() (any, error) {
	since, until, limit := time.Unix(0, 0), time.Now().Add(time.Hour), 100
	for key, at := range map[string]*time.Time{"since": &since, "until": &until} {
		if text := c.query(key); text != "" {
			t, err := time.Parse(time.RFC3339, text)
			if err != nil {
				return nil, problem.Usagef("%s is %q, want a time such as 2026-01-31T15:00:00Z", key, clip(text))
			}
			*at = t
		}
	}
	if text := c.query("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxAudit {
			return nil, problem.Usagef("limit is %q, want 1 to %d", clip(text), maxAudit)
		}
		limit = n
	}
	return audit.List(c.ctx(), c.DB, since, until, limit)
}

func (c *call) verifyAudit() (any, error) { return audit.Verify(c.ctx(), c.DB) }
