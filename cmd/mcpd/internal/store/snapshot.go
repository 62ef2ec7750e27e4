package store

import (
	"context"
	"fmt"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/host/object"
)

// Selection is which objects a Snapshot has. Its zero value selects all.
type Selection struct {
	// Choose returns a function that reports whether an object of a version is selected. Texts of
	// other objects are not read. It must not write to the database.
	Choose func(ctx context.Context, version int64) (func(object.Key) bool, error)

	// Accept returns an error if the selected objects, which have size bytes, must not be read.
	Accept func(size int64) error
}

// Snapshot returns the selected objects of one moment, and its version.
//
// It returns the errors of Selection.
func (s *Store) Snapshot(ctx context.Context, sel Selection) (records []Record, version int64, err error) {
	err = s.db.Read(ctx, func(tx *database.Tx) error {
		if version, err = tx.GetCounter(ctx, "version"); err != nil {
			return err
		}
		isSelected := func(object.Key) bool { return true }
		if sel.Choose != nil {
			if isSelected, err = sel.Choose(ctx, version); err != nil {
				return err
			}
		}
		rows, err := tx.ListAllObjects(ctx)
		if err != nil {
			return err
		}
		selected, whole := selectRows(rows, isSelected)
		if sel.Accept != nil {
			var size int64
			for _, row := range selected {
				size += int64(len(row.Manifest)) + row.BodyBytes
			}
			if err := sel.Accept(size); err != nil {
				return err
			}
		}
		texts := textReader{tx: tx, whole: whole}
		for _, row := range selected {
			text, err := texts.read(ctx, row)
			if err != nil {
				return err
			}
			record, err := recordOf(row, text)
			if err != nil {
				return err
			}
			records = append(records, record)
		}
		return nil
	})
	return records, version, err
}

// collection is the objects of a kind in a project.
type collection struct{ kind, project string }

func collectionOf(row query.Object) collection { return collection{row.Kind, row.Project} }

// selectRows returns the selected rows, and the collections of which all rows are selected.
func selectRows(rows []query.Object, isSelected func(object.Key) bool) (selected []query.Object, whole map[collection]bool) {
	whole = make(map[collection]bool)
	for _, row := range rows {
		of := collectionOf(row)
		if _, known := whole[of]; !known {
			whole[of] = true
		}
		if isSelected(object.Key{Kind: object.Kind(row.Kind), Project: object.Name(row.Project), Name: object.Name(row.Name)}) {
			selected = append(selected, row)
		} else {
			whole[of] = false
		}
	}
	return selected, whole
}

// textReader reads the texts of rows, which are sorted by kind and project: all texts of a
// collection with one query if all of its rows are selected, otherwise one by one.
type textReader struct {
	tx    *database.Tx
	whole map[collection]bool
	of    collection
	texts map[string][]byte // of the collection, by their hash
}

// read returns the text of a row, nil if it has none.
func (r *textReader) read(ctx context.Context, row query.Object) ([]byte, error) {
	if row.Body == nil {
		return nil, nil
	}
	of := collectionOf(row)
	if !r.whole[of] {
		return r.tx.GetBlob(ctx, row.Body)
	}
	if r.texts == nil || r.of != of {
		blobs, err := r.tx.ListBlobs(ctx, query.ListBlobsParams{Kind: row.Kind, Project: row.Project})
		if err != nil {
			return nil, err
		}
		r.of, r.texts = of, make(map[string][]byte, len(blobs))
		for _, b := range blobs {
			r.texts[string(b.Hash)] = b.Bytes
		}
	}
	text, ok := r.texts[string(row.Body)]
	if !ok {
		return nil, fmt.Errorf("store: the text of %s %q is missing", row.Kind, row.Name)
	}
	return text, nil
}
