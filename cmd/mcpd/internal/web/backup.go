package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/backup"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
)

var backupRoutes = []Route{
	{Method: "GET", Path: "/api/v1/backup", Rule: Admin, Summary: "Return a backup (tar, zstd), with credentials encrypted to recipients of age", Query: []string{"recipient", "audit"}, serve: (*call).backup},
	{Method: "POST", Path: "/api/v1/restore", Rule: Admin, Summary: "Restore a backup, all or nothing; the header " + api.HeaderAgeIdentity + " decrypts credentials", Query: []string{"merge", "dryRun", "withoutCredentials"}, Out: backup.Report{}, limit: maxArchive, answer: (*call).restore},
}

// maxArchive is the size limit of a backup in a request.
const maxArchive = 8 << 30

// backup streams a backup. The audit log knows of it before the first byte is sent.
func (c *call) backup() {
	o := backup.Options{Program: c.Server.Version, Recipients: c.r.URL.Query()["recipient"], Audit: c.query("audit") == "true"}
	entry := audit.Entry{Time: time.Now(), Actor: c.actor(), Action: "backup", Decision: audit.Allowed, Result: "started", Detail: fmt.Sprintf("recipients %q, audit %v", o.Recipients, o.Audit)}
	if err := c.Audit.RecordStrict(c.ctx(), entry); err != nil {
		c.refuse(err)
		return
	}
	out := &download{w: newTimedWriter(c.w)}
	if _, err := backup.Write(c.ctx(), c.DB, c.Store, out, o); err != nil {
		if !out.began {
			c.refuse(err)
			return
		}
		c.Log.Error("a backup was not completed", "cause", err)
		panic(http.ErrAbortHandler) // the client must see that it is incomplete
	}
}

// download writes a backup.
type download struct {
	w     *timedWriter
	began bool
}

// Write implements io.Writer.
func (d *download) Write(p []byte) (int, error) {
	if !d.began {
		d.began = true
		d.w.w.Header().Set("Content-Type", "application/zstd")
		d.w.w.Header().Set("Content-Disposition", `attachment; filename="mcpd-backup.tar.zst"`)
	}
	return d.w.Write(p)
}

// restore restores a backup. The request is read into a file first, so that a slow client does
// not hold the transaction.
func (c *call) restore() (any, error) {
	file, err := os.CreateTemp("", "mcpd-restore-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if _, err := io.Copy(file, c.r.Body); err != nil {
		return nil, problem.New(abi.ErrLimit, "the backup cannot be read, or is over %d GiB", int64(maxArchive)>>30)
	}
	o := backup.RestoreOptions{Actor: c.actor(), Identity: strings.Join(c.r.Header.Values(api.HeaderAgeIdentity), "\n"), Merge: c.query("merge") == "true",
		DryRun: c.query("dryRun") == "true", WithoutCredentials: c.query("withoutCredentials") == "true",
		Check: func(ctx context.Context, tx *database.Tx) error { return c.Access.KeepsAdminIn(ctx, tx, c.caller) }}
	report, err := backup.Restore(c.ctx(), c.Store, file, o)
	switch {
	case errors.Is(err, store.ErrNotEmpty):
		return nil, problem.From(err).WithHint("mcpctl restore FILE --merge --dry-run")
	case errors.Is(err, backup.ErrNoIdentity):
		return nil, problem.From(err).WithHint("mcpctl restore FILE --identity KEYFILE --merge")
	case err != nil:
		return nil, err
	}
	c.sync()
	return report, nil
}
