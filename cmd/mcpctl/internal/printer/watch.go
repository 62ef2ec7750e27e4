package printer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
)

// Types of changes, as in a Kubernetes watch.
const (
	added    = "ADDED"
	modified = "MODIFIED"
	deleted  = "DELETED"
)

// change is one line of -o json or one document of -o yaml.
type change struct {
	Type   string          `json:"type"`
	Object json.RawMessage `json:"object"`
}

// Watch prints a listing and then its changes: as table rows, as {type, object} in json and yaml,
// or as
// names.
type Watch struct {
	w      io.Writer
	width  int // of the output
	format string
	rows   *iostreams.Stream // nil until the first row is printed
	seen   map[string]item
}

// item is the last known state of an item.
type item struct {
	name  string
	row   []string
	value json.RawMessage
}

// NewWatch creates a Watch.
func NewWatch(to *iostreams.Streams, format string) *Watch {
	return &Watch{w: to.Out, width: to.OutWidth, format: format, seen: make(map[string]item)}
}

// Show prints the differences from the previous listing; all items of the first listing are new.
// The
// listing's Value must be a list.
func (w *Watch) Show(l Listing) error {
	table := l.Table(w.format == "wide")
	if w.format == "table" {
		table.Fit(w.width)
	}
	now, order, err := items(l, table)
	if err != nil {
		return err
	}
	for _, key := range order {
		old, known := w.seen[key]
		if known && w.same(old, now[key]) {
			continue
		}
		kind := added
		if known {
			kind = modified
		}
		if err := w.print(kind, now[key], table); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(w.seen)) {
		if _, there := now[key]; there {
			continue
		}
		if err := w.print(deleted, w.seen[key], table); err != nil {
			return err
		}
	}
	w.seen = now
	return nil
}

func items(l Listing, table *iostreams.Table) (byKey map[string]item, order []string, err error) {
	var text bytes.Buffer
	if err := JSON(&text, l.Value); err != nil {
		return nil, nil, err
	}
	var values []json.RawMessage
	if err := json.Unmarshal(text.Bytes(), &values); err != nil {
		return nil, nil, err
	}
	order = l.Keys
	if order == nil {
		order = l.Names
	}
	byKey = make(map[string]item, len(order))
	for i, row := range table.Rows() {
		byKey[order[i]] = item{l.Names[i], row, values[i]}
	}
	return byKey, order, nil
}

// same compares the printed columns in table formats, otherwise the whole value.
func (w *Watch) same(a, b item) bool {
	if w.format == "table" || w.format == "wide" {
		return slices.Equal(a.row, b.row)
	}
	return string(a.value) == string(b.value)
}

func (w *Watch) print(kind string, i item, table *iostreams.Table) (err error) {
	switch w.format {
	case "json":
		return JSONLine(w.w, change{kind, i.value})
	case "yaml":
		if _, err := io.WriteString(w.w, "---\n"); err != nil {
			return err
		}
		return YAML(w.w, change{kind, i.value})
	case "name":
		if kind == deleted {
			i.name += " deleted"
		}
		_, err = fmt.Fprintln(w.w, iostreams.Line(i.name))
		return err
	}
	if w.rows == nil {
		if w.rows, err = table.Stream(w.w); err != nil {
			return err
		}
	}
	if kind == deleted {
		_, name, _ := strings.Cut(i.name, "/")
		return w.rows.Row(name, "(deleted)")
	}
	return w.rows.Row(slices.Clone(i.row)...)
}
