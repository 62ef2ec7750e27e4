package store

import (
	"context"
	"iter"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/host/object"
)

// Reading is a read transaction. All that it returns is of one moment.
type Reading struct {
	*database.Tx
	store *Store
}

// Read runs f in a read transaction. It lasts as long as f, and the database keeps the old
// rows for it.
func (s *Store) Read(ctx context.Context, f func(*Reading) error) error {
	return s.db.Read(ctx, func(tx *database.Tx) error { return f(&Reading{tx, s}) })
}

// pageRows is the number of objects that are read at once. The query leaves out large texts,
// which are read one by one, so that the rows of a page need little memory.
const pageRows = 200

// Objects yields all objects, sorted by kind, project and name. It holds a few of them in
// memory.
func (r *Reading) Objects(ctx context.Context) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		next := query.ListObjectsFromParams{Most: pageRows}
		for {
			rows, err := r.ListObjectsFrom(ctx, next)
			if err != nil {
				yield(Record{}, err)
				return
			}
			for _, row := range rows {
				record, err := r.recordOf(ctx, row)
				if !yield(record, err) || err != nil {
					return
				}
			}
			if len(rows) < pageRows {
				return
			}
			last := rows[len(rows)-1].Object
			next.Kind, next.Project, next.Name = last.Kind, last.Project, last.Name
		}
	}
}

func (r *Reading) recordOf(ctx context.Context, row query.ListObjectsFromRow) (Record, error) {
	if row.Object.Body != nil && len(row.Text) == 0 {
		var err error
		if row.Text, err = r.GetBlob(ctx, row.Object.Body); err != nil {
			return Record{}, err
		}
	}
	return recordOf(row.Object, row.Text)
}

// Reveal returns the object of a Record with its credentials.
//
// It returns the errors of keyring.Ring.Open.
func (r *Reading) Reveal(ctx context.Context, record Record) (object.Object, error) {
	return r.store.reveal(ctx, r.Tx, record)
}
