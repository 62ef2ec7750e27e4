package clientconfig

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
)

// Note reports an entry that a revert keeps, because its content has changed.
type Note struct {
	Location
	Entry string
	Text  string // the reason
	IsNew bool   // the reverted change wrote it
}

func (n Note) String() string { return fmt.Sprintf("entry %q %s; it was kept", n.Entry, n.Text) }

// revert reverts the changes in the present text of f, newest first. Later changes of the client or
// the user are kept. The notes name the entries that revert kept because their content has changed.
func (f *File) revert(changes []Change) (notes []Note, err error) {
	for _, c := range slices.Backward(changes) {
		text, err := f.revertOne(c)
		if err != nil {
			return notes, err
		}
		if text != "" {
			notes = append(notes, Note{Location{f.Name, c.Path}, c.Name, text, c.New != nil})
		}
	}
	return notes, nil
}

func (f *File) revertOne(c Change) (note string, err error) {
	list, _, err := f.Syntax.Entries(f.After, c.Path)
	if err != nil {
		return "", err
	}
	at := indexOf(list, c.Name)
	switch {
	case at < 0 && c.Old == nil:
		return "", nil // already removed
	case at < 0:
		return "", f.restore(c)
	case c.Old != nil && list[at].Text == *c.Old:
		return "", nil // already restored
	case c.New == nil:
		return "is in the file again with other content", nil
	case !f.sameServer(list[at], *c.New, c):
		return "was changed since mcpctl wrote it", nil
	case c.Old == nil:
		text, err := f.Syntax.Remove(f.After, c.Path, c.Name, c.Depth)
		if err == nil {
			f.After = text
		}
		return "", err
	}
	return "", f.restore(c)
}

// restore writes an entry with the text that it had before the change.
func (f *File) restore(c Change) error {
	text, err := f.Syntax.Put(f.After, c.Path, c.Name, *c.Old, c.Previous)
	if err == nil {
		f.After, f.Exists = text, true
	}
	return err
}

// target lists the fields that determine the server that an entry runs. Clients may add other
// fields.
var target = []string{"command", "args", "url", "httpUrl", "serverUrl"}

// given lists the objects in which users write credentials.
var given = []string{"env", "headers", "http_headers", "env_http_headers"}

// sameServer reports whether an entry still runs the server that mcpctl wrote and has no user-added
// credentials.
func (f *File) sameServer(now Entry, written string, c Change) bool {
	if now.Text == written {
		return true
	}
	was, wasObject := f.fields(written, c)
	after, _ := decode(now.Raw)
	is, isObject := after.(map[string]any)
	return wasObject && isObject && !slices.ContainsFunc(target, func(key string) bool {
		return program(was[key]) != program(is[key])
	}) && !slices.ContainsFunc(given, func(key string) bool {
		return hasMore(was[key], is[key])
	})
}

// hasMore reports whether is has a member that is missing in was or has another value there.
func hasMore(was, is any) bool {
	before, _ := was.(map[string]any)
	after, isObject := is.(map[string]any)
	if !isObject {
		return is != nil
	}
	for key, value := range after {
		if old, ok := before[key]; !ok || fmt.Sprint(old) != fmt.Sprint(value) {
			return true
		}
	}
	return false
}

// RemovedEntry parses the entry that a change removed; ok is false if there is none.
func (f *File) RemovedEntry(c Change) (e Entry, ok bool) {
	if c.Old == nil {
		return Entry{}, false
	}
	return f.parseEntry(*c.Old, c)
}

// parseEntry parses the text of an entry.
func (f *File) parseEntry(entry string, c Change) (Entry, bool) {
	text, err := f.Syntax.Put(nil, c.Path, c.Name, entry, "")
	if err != nil {
		return Entry{}, false
	}
	list, _, err := f.Syntax.Entries(text, c.Path)
	if err != nil || len(list) != 1 {
		return Entry{}, false
	}
	return list[0], true
}

// fields returns the fields of an entry.
func (f *File) fields(entry string, c Change) (map[string]any, bool) {
	e, ok := f.parseEntry(entry, c)
	if !ok {
		return nil, false
	}
	value, _ := decode(e.Raw)
	object, ok := value.(map[string]any)
	return object, ok
}

// program returns a comparable form of a value. Absolute paths are reduced to their base name:
// entries
// that run the same program by different paths are equal.
func program(v any) string {
	if s, ok := v.(string); ok && filepath.IsAbs(s) {
		return filepath.Base(s)
	}
	return fmt.Sprint(v)
}

// isEmpty reports whether the file is empty or contains only an empty object.
func (f *File) isEmpty() bool {
	text := bytes.TrimSpace(f.After)
	return len(text) == 0 || string(text) == "{}"
}
