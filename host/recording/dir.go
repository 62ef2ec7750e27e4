package recording

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// Extension is the end of the names of recordings.
const Extension = ".jsonl"

// Dir is the directory of the recordings of a home, with a subdirectory for each project.
type Dir string

// File is a recording on disk.
type File struct {
	Name    string    `json:"name"` // without directory and extension
	Project string    `json:"project"`
	Path    string    `json:"path"`
	Bytes   int64     `json:"bytes"`
	Started time.Time `json:"started"`
	Written time.Time `json:"written"` // last
}

// List returns the recordings of a project, or of all projects with "", oldest first.
func (d Dir) List(project string) ([]File, error) {
	projects, err := os.ReadDir(string(d))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []File
	for _, p := range projects {
		if !p.IsDir() || project != "" && p.Name() != project {
			continue
		}
		files, err := os.ReadDir(filepath.Join(string(d), p.Name()))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if file, ok := d.file(p.Name(), f); ok {
				list = append(list, file)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b File) int { return a.Started.Compare(b.Started) })
	return list, nil
}

func (d Dir) file(project string, e fs.DirEntry) (File, bool) {
	name, ok := strings.CutSuffix(e.Name(), Extension)
	info, err := e.Info()
	if !ok || err != nil || !info.Mode().IsRegular() { // removed meanwhile, or not a recording
		return File{}, false
	}
	f := File{Name: name, Project: project, Path: filepath.Join(string(d), project, e.Name()), Bytes: info.Size(), Written: info.ModTime().UTC()}
	stamp, _, _ := strings.Cut(name, "-")
	if f.Started, err = time.Parse(stampLayout, stamp); err != nil {
		f.Started = f.Written
	}
	return f, true
}

// Find returns the recording with a name.
//
// Errors: abi.ErrNotFound.
func (d Dir) Find(name string) (File, error) {
	list, err := d.List("")
	if err != nil {
		return File{}, err
	}
	for _, f := range list {
		if f.Name == name {
			return f, nil
		}
	}
	return File{}, fmt.Errorf("%w: recording %.80q", abi.ErrNotFound, name)
}

// Remove deletes a recording.
//
// Errors: abi.ErrNotFound.
func (d Dir) Remove(name string) error {
	f, err := d.Find(name)
	if err == nil {
		err = os.Remove(f.Path)
	}
	return err
}

// trim deletes the oldest recordings until at most n files of limit bytes are left. Files
// that keep selects stay; it reports whether the limits are met.
func (d Dir) trim(limit int64, n int, keep func(path string) bool) (bool, error) {
	list, err := d.List("")
	if err != nil {
		return false, err
	}
	var total int64
	for _, f := range list {
		total += f.Bytes
	}
	count := len(list)
	for _, f := range list {
		if total <= limit && count <= n {
			break
		}
		if keep(f.Path) {
			continue
		}
		if err := os.Remove(f.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		total, count = total-f.Bytes, count-1
	}
	return total <= limit && count <= n, nil
}
