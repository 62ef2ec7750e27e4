// Package audit keeps the audit log of mcpd: who did what, and the decision. Each row has
// the hash of the row before it by the same writer, so that a changed or removed row shows.
package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
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
func Append(ctx context.Context, tx *database.Tx, writer string, entries ...Entry) error {
	last, err := tx.GetLastAudit(ctx, writer)
	if err != nil && !database.IsNoRow(err) {
		return err
	}
	for _, e := range entries {
		e = e.storable()
		row := query.AddAuditParams{
			Writer: writer, Seq: last.Seq + 1, At: e.Time.UnixMicro(), Actor: e.Actor, Behalf: e.Behalf, Action: e.Action,
			Kind: e.Kind, Project: e.Project, Name: e.Name, Decision: e.Decision, Result: e.Result,
			Micros: e.Latency.Microseconds(), Trace: e.Trace, Detail: e.Detail, PrevHash: last.Hash,
		}
		if row.PrevHash == nil {
			row.PrevHash = []byte{}
		}
		row.Hash = hashRow(query.Audit(row))
		if err := tx.AddAudit(ctx, row); err != nil {
			return err
		}
		last.Seq, last.Hash = row.Seq, row.Hash
	}
	return nil
}

// maxText is the size limit of each text of an Entry.
const maxText = 4 << 10

// storable returns an Entry whose texts both engines store: names in requests can have bytes
// that PostgreSQL refuses, and an entry that it refuses would be lost with its batch. Texts
// over maxText are cut.
func (e Entry) storable() Entry {
	for _, s := range []*string{&e.Actor, &e.Behalf, &e.Action, &e.Kind, &e.Project, &e.Name, &e.Result, &e.Trace, &e.Detail} {
		if len(*s) > maxText {
			*s = strings.ToValidUTF8((*s)[:maxText], "") + "…"
		}
		*s = strings.ReplaceAll(strings.ToValidUTF8(*s, "?"), "\x00", "?")
	}
	return e
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

// page is the number of rows that are read at once.
const page = 1000

// Verified is the result of Verify.
type Verified struct {
	Writers int   `json:"writers"`
	Rows    int64 `json:"rows"`
}

// Verify reads all rows and checks the chain of each writer.
//
// It returns abi.ErrConfig with the first row that was changed, or is missing.
func Verify(ctx context.Context, db *database.DB) (v Verified, err error) {
	err = db.Read(ctx, func(tx *database.Tx) error {
		v = Verified{}
		writers, err := tx.ListAuditWriters(ctx)
		if err != nil {
			return err
		}
		for _, w := range writers {
			n, err := verifyWriter(ctx, tx, w)
			if err != nil {
				return err
			}
			v.Writers++
			v.Rows += n
		}
		return nil
	})
	return v, err
}

func verifyWriter(ctx context.Context, tx *database.Tx, writer string) (int64, error) {
	var seq int64
	prev := []byte{}
	for {
		rows, err := tx.ListAuditOfWriter(ctx, query.ListAuditOfWriterParams{Writer: writer, Seq: seq, Limit: page})
		if err != nil || len(rows) == 0 {
			return seq, err
		}
		for _, r := range rows {
			switch {
			case r.Seq != seq+1:
				return 0, fmt.Errorf("%w: audit log: row %d of %s is missing", abi.ErrConfig, seq+1, writer)
			case !bytes.Equal(r.PrevHash, prev), !bytes.Equal(r.Hash, hashRow(r)):
				return 0, fmt.Errorf("%w: audit log: row %d of %s was changed", abi.ErrConfig, r.Seq, writer)
			}
			seq, prev = r.Seq, r.Hash
		}
	}
}

// List returns the newest entries of a time, at most limit, oldest first.
func List(ctx context.Context, db *database.DB, since, until time.Time, limit int) (list []Entry, err error) {
	err = db.Read(ctx, func(tx *database.Tx) error {
		rows, err := tx.ListAudit(ctx, query.ListAuditParams{At: since.UnixMicro(), At_2: until.UnixMicro(), Limit: int32(limit)})
		list = []Entry{}
		for _, r := range slices.Backward(rows) {
			list = append(list, Entry{Time: time.UnixMicro(r.At).UTC(), Actor: r.Actor, Behalf: r.Behalf, Action: r.Action, Kind: r.Kind, Project: r.Project,
				Name: r.Name, Decision: r.Decision, Result: r.Result, Latency: time.Duration(r.Micros) * time.Microsecond, Trace: r.Trace, Detail: r.Detail})
		}
		return err
	})
	return list, err
}
