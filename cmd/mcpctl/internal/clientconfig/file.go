package clientconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
)

// maxFile is the maximum size of a client's file in bytes. Claude Code stores its history in
// ~/.claude.json, which can have several megabytes.
const maxFile = 64 << 20

// File is a client's file with its present and its new text.
type File struct {
	Name    string
	Syntax  Syntax
	Existed bool // before the change
	Exists  bool // after the change
	Before  []byte
	After   []byte
	Changes []Change
}

// Change is one entry before and after a change, as written in the file. A nil text
// means that the entry is absent.
type Change struct {
	Path     []string `json:"path"`
	Depth    int      `json:"depth"` // number of names of Path that existed before
	Name     string   `json:"name"`
	Previous string   `json:"previous,omitempty"` // the entry before it, empty for the first
	Old      *string  `json:"old,omitempty"`
	New      *string  `json:"new,omitempty"`
	Restored bool     `json:"restored,omitempty"` // New was removed by an earlier change
}

// Read opens a client's file for editing. A file that does not exist is treated as empty.
//
// Errors: those of ReadFile except fs.ErrNotExist.
func Read(name string, syntax Syntax) (*File, error) {
	f := &File{Name: name, Syntax: syntax}
	text, err := ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	f.Existed, f.Exists = true, true
	f.Before, f.After = text, text
	return f, err
}

// ReadFile reads a client's file. It follows symbolic links and never blocks: FIFOs and devices are
// rejected.
//
// Errors: abi.ErrConfig if the file is not regular, abi.ErrLimit if it exceeds 64 MiB, or an error
// of
// the operating system.
func ReadFile(name string) ([]byte, error) {
	file, err := os.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is not a regular file", abi.ErrConfig, name)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%w: %s has more than %d MiB", abi.ErrLimit, name, maxFile>>20)
	}
	return text, err
}

// Changed reports whether the file must be written.
func (f *File) Changed() bool {
	return f.Existed != f.Exists || !bytes.Equal(f.Before, f.After)
}

// Entries returns the servers below path in file order.
//
// Errors: abi.ErrConfig if the text is invalid.
func (f *File) Entries(path ...string) ([]Entry, error) {
	list, _, err := f.Syntax.Entries(f.After, path)
	return list, err
}

// Set writes the server called name. If it has this value already, its text stays unchanged.
//
// Errors: abi.ErrConfig if the text is invalid.
func (f *File) Set(name string, value json.RawMessage, path ...string) error {
	list, depth, err := f.Syntax.Entries(f.After, path)
	if err != nil {
		return err
	}
	at := indexOf(list, name)
	if at >= 0 && sameJSON(list[at].Raw, value) {
		return nil
	}
	text, err := f.Syntax.Render(f.After, path, name, value)
	if err != nil {
		return err
	}
	c := changeOf(list, at, depth, name, path)
	if at < 0 && len(list) > 0 {
		c.Previous = list[len(list)-1].Name
	}
	c.New = &text
	return f.put(c)
}

// Remove removes the server called name. It does nothing if the server does not exist.
//
// Errors: abi.ErrConfig if the text is invalid.
func (f *File) Remove(name string, path ...string) error {
	list, depth, err := f.Syntax.Entries(f.After, path)
	if err != nil {
		return err
	}
	at := indexOf(list, name)
	if at < 0 {
		return nil
	}
	text, err := f.Syntax.Remove(f.After, path, name, depth)
	if err != nil {
		return err
	}
	f.After = text
	f.Changes = append(f.Changes, changeOf(list, at, depth, name, path))
	return nil
}

// Restore inserts an entry that an earlier change removed. If an entry of this name with other
// content
// exists, Restore keeps it and returns false.
//
// Errors: abi.ErrConfig if the text is invalid.
func (f *File) Restore(removed Change) (restored bool, err error) {
	list, depth, err := f.Syntax.Entries(f.After, removed.Path)
	if err != nil {
		return false, err
	}
	if at := indexOf(list, removed.Name); at >= 0 {
		return f.isSameEntry(list[at], removed), nil
	}
	err = f.put(Change{Path: removed.Path, Depth: depth, Name: removed.Name, Previous: removed.Previous, New: removed.Old, Restored: true})
	return err == nil, err
}

// isSameEntry reports whether an entry equals the one that a change removed, regardless of
// formatting.
func (f *File) isSameEntry(now Entry, removed Change) bool {
	if now.Text == *removed.Old {
		return true
	}
	was, isObject := f.fields(*removed.Old, removed)
	is, err := decode(now.Raw)
	return err == nil && isObject && reflect.DeepEqual(is, any(was))
}

func (f *File) put(c Change) error {
	text, err := f.Syntax.Put(f.After, c.Path, c.Name, *c.New, c.Previous)
	if err != nil {
		return err
	}
	f.After, f.Exists = text, true
	f.Changes = append(f.Changes, c)
	return nil
}

func changeOf(list []Entry, at, depth int, name string, path []string) Change {
	c := Change{Path: path, Depth: depth, Name: name}
	if at > 0 {
		c.Previous = list[at-1].Name
	}
	if at >= 0 {
		c.Old = &list[at].Text
	}
	return c
}

func indexOf(list []Entry, name string) int {
	return slices.IndexFunc(list, func(e Entry) bool { return e.Name == name })
}

// sameJSON reports whether two texts represent the same JSON value.
func sameJSON(a, b json.RawMessage) bool {
	x, errX := decode(a)
	y, errY := decode(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

func decode(text json.RawMessage) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}
