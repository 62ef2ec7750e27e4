// Package audit keeps the audit log of mcpd: who did what, and the decision. Each row has
// the hash of the row before it by the same writer, and the last hash of each writer is
// sealed with a key that is not in the database, so that a changed or removed row shows.
//
// It does not protect against somebody who has the keys, and only partly against one who can
// write the database: that one can put an earlier state of a writer back, rows and seal
// together. Anchors that an operator keeps elsewhere show this.
package audit

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/keyring"
)

// ConfigWriter is the writer of changes of configuration. Its rows are appended by
// transactions that hold the lock of the version, one after the other.
const ConfigWriter = "config"

// Decisions of an Entry.
const (
	Allowed = "allowed"
	Denied  = "denied"
)

// Entry is one row of the log. It contains no credential.
type Entry struct {
	Time     time.Time     `json:"time"`
	Actor    string        `json:"actor"`            // "user anna", "serviceaccount ci"
	Behalf   string        `json:"behalf,omitempty"` // of whom the actor acted
	Action   string        `json:"action"`           // apply, delete, login, call ...
	Kind     string        `json:"kind,omitempty"`
	Project  string        `json:"project,omitempty"`
	Name     string        `json:"name,omitempty"`
	Decision string        `json:"decision"`
	Result   string        `json:"result,omitempty"`
	Latency  time.Duration `json:"latencyNanos,omitempty"`
	Trace    string        `json:"trace,omitempty"`
	Detail   string        `json:"detail,omitempty"`
}

// Append adds rows of one writer in a transaction. The caller makes sure that no other
// transaction appends rows of this writer.
//
// The rows continue those that the seal of the writer names, also if somebody has removed
// some of them, so that the gap shows. A seal that is lost is recorded.
func Append(ctx context.Context, tx *database.Tx, keys *keyring.Ring, writer string, entries ...Entry) error {
	last, err := lastOf(ctx, tx, keys, writer)
	if errors.Is(err, errSeal) {
		entries = append([]Entry{{Time: entries[0].Time, Actor: "mcpd", Action: "seal lost", Decision: Allowed, Result: err.Error()}}, entries...)
	} else if err != nil {
		return err
	}
	for _, e := range entries {
		e.clean()
		row := query.AddAuditParams{
			Writer: writer, Seq: last.Seq + 1, At: e.Time.UnixMicro(), Actor: e.Actor, Behalf: e.Behalf, Action: e.Action,
			Kind: e.Kind, Project: e.Project, Name: e.Name, Decision: e.Decision, Result: e.Result,
			Micros: e.Latency.Microseconds(), Trace: e.Trace, Detail: e.Detail, PrevHash: last.Hash,
		}
		if row.PrevHash == nil {
			row.PrevHash = []byte{}
		}
		row.Hash = hashRow(query.Audit(row))
		err := tx.AddAudit(ctx, row)
		if database.IsDuplicate(err) {
			return fmt.Errorf("%w: audit log: row %d of %s exists, and mcpd has not written it", abi.ErrConflict, row.Seq, writer)
		}
		if err != nil {
			return err
		}
		last.Seq, last.Hash = row.Seq, row.Hash
	}
	return putSeal(ctx, tx, keys, writer, last)
}

// Limits of the texts of an Entry, in bytes.
const (
	maxText   = 1 << 10
	maxDetail = 8 << 10
)

// clean shortens the texts of an Entry, some of which clients choose, and replaces bytes that
// PostgreSQL refuses: one invalid row would be the end of its whole batch.
func (e *Entry) clean() {
	for _, s := range []*string{&e.Actor, &e.Behalf, &e.Action, &e.Kind, &e.Project, &e.Name, &e.Decision, &e.Result, &e.Trace} {
		*s = cleanText(*s, maxText)
	}
	e.Detail = cleanText(e.Detail, maxDetail)
}

func cleanText(s string, limit int) string {
	cut := len(s) > limit
	if cut {
		s = s[:limit-len("…")]
	}
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "?"), "\x00", "?")
	if cut {
		s += "…"
	}
	return s
}

// hashRow returns the hash of a row: each field with its length, so that no two rows have
// the same input.
func hashRow(r query.Audit) []byte {
	h := sha256.New()
	add := func(b []byte) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(b)))
		h.Write(n[:])
		h.Write(b)
	}
	add(r.PrevHash)
	for _, s := range []string{r.Writer, r.Actor, r.Behalf, r.Action, r.Kind, r.Project, r.Name, r.Decision, r.Result, r.Trace, r.Detail} {
		add([]byte(s))
	}
	for _, n := range []int64{r.Seq, r.At, r.Micros} {
		add(binary.BigEndian.AppendUint64(nil, uint64(n)))
	}
	return h.Sum(nil)
}
