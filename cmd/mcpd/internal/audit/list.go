package audit

import (
	"context"
	"encoding/hex"
	"time"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
)

// Row is a stored Entry.
type Row struct {
	Writer string `json:"writer"`
	Seq    int64  `json:"seq"`
	Entry
	PrevHash string `json:"prevHash"` // hexadecimal, like Hash
	Hash     string `json:"hash"`
}

func rowOf(r query.Audit) Row {
	return Row{Writer: r.Writer, Seq: r.Seq, PrevHash: hex.EncodeToString(r.PrevHash), Hash: hex.EncodeToString(r.Hash),
		Entry: Entry{Time: time.UnixMicro(r.At).UTC(), Actor: r.Actor, Behalf: r.Behalf, Action: r.Action, Kind: r.Kind, Project: r.Project,
			Name: r.Name, Decision: r.Decision, Result: r.Result, Latency: time.Duration(r.Micros) * time.Microsecond, Trace: r.Trace, Detail: r.Detail}}
}

// Position is where a page ends: the time of a row in microseconds, its writer and number.
type Position struct {
	At     int64
	Writer string
	Seq    int64
}

// PositionOf returns the Position of a row.
func PositionOf(r Row) Position { return Position{r.Time.UnixMicro(), r.Writer, r.Seq} }

// Filter selects rows of all writers. Empty texts match all.
type Filter struct {
	Since, Until                                 time.Time
	Actor, Action, Kind, Project, Name, Decision string

	Before *Position // the last row of the page before; nil for the first page
	Limit  int
}

// List returns the newest rows that match a Filter, newest first.
func List(ctx context.Context, db *database.DB, f Filter) (list []Row, err error) {
	p := query.ListAuditParams{Since: f.Since.UnixMicro(), Until: f.Until.UnixMicro(), BeforeAt: 1<<63 - 1, Most: int32(f.Limit),
		Actor: f.Actor, Action: f.Action, Kind: f.Kind, Project: f.Project, Name: f.Name, Decision: f.Decision}
	if f.Before != nil {
		p.BeforeAt, p.BeforeWriter, p.BeforeSeq = f.Before.At, f.Before.Writer, f.Before.Seq
	}
	err = db.Read(ctx, func(tx *database.Tx) error {
		rows, err := tx.ListAudit(ctx, p)
		list = []Row{}
		for _, r := range rows {
			list = append(list, rowOf(r))
		}
		return err
	})
	return list, err
}

// Export calls yield for all rows, writer by writer, in the order of their chains. It holds
// no transaction while yield runs.
func Export(ctx context.Context, db *database.DB, yield func(Row) error) error {
	var writers []string
	err := db.Read(ctx, func(tx *database.Tx) (err error) {
		writers, err = tx.ListAuditWriters(ctx)
		return err
	})
	if err != nil {
		return err
	}
	for _, w := range writers {
		for seq := int64(0); ; {
			var rows []query.Audit
			err := db.Read(ctx, func(tx *database.Tx) (err error) {
				rows, err = tx.ListAuditOfWriter(ctx, query.ListAuditOfWriterParams{Writer: w, Seq: seq, Limit: page})
				return err
			})
			if err != nil {
				return err
			}
			if len(rows) == 0 {
				break
			}
			for _, r := range rows {
				if err := yield(rowOf(r)); err != nil {
					return err
				}
			}
			seq = rows[len(rows)-1].Seq
		}
	}
	return nil
}
