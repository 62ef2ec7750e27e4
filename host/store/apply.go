package store

import (
	"crypto/rand"
	"fmt"
	"os"
	"path"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// Action is the effect of Apply on one Object.
type Action string

// The actions.
const (
	Created    Action = "created"
	Configured Action = "configured"
	Unchanged  Action = "unchanged"
)

// Change is the result of Apply for one Object.
type Change struct {
	Key    object.Key
	Action Action
	File   string // relative to the home
	Before []byte // canonical YAML, masked; nil if the Object was created
	After  []byte
}

// ApplyOptions are options of Store.Apply.
type ApplyOptions struct {
	DryRun bool // change nothing, only report

	// Base is the Snapshot.FileRevision that the Objects were edited from. If the revision
	// of a file differs, nothing is written. "" disables the check.
	Base string
}

// Apply writes Objects to their files, each by a rename, and loads all files. All
// Objects are checked before the first one is written.
//
// A YAML document is written unchanged, with its comments. Any other Object is printed
// canonically.
//
// It returns strictyaml.Errors for changes that are not allowed, and abi.ErrConflict if a
// file differs from ApplyOptions.Base. If a file cannot be written, it returns the error
// of the disk and the Changes up to then.
func (s *Store) Apply(objects []object.Object, opt ApplyOptions) ([]Change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	snap, _, broken := s.load()
	plan, errs := planApply(snap, objects, broken)
	if len(errs) > 0 {
		return nil, errs
	}
	if err := checkBase(snap, plan, opt.Base); err != nil {
		return nil, err
	}
	var done []Change
	written := false
	for _, step := range plan {
		if step.Action != Unchanged && !opt.DryRun {
			if err := s.write(step.File, step.content); err != nil {
				s.load()
				return done, homedir.DiskError(step.File, err)
			}
			written = true
		}
		done = append(done, step.Change)
	}
	if written {
		s.load()
	}
	return done, nil
}

// checkBase returns an error if a file was changed since the caller read it.
func checkBase(snap *Snapshot, plan []applyStep, base string) error {
	for _, step := range plan {
		if base != "" && snap.FileRevision(step.File) != base {
			return fmt.Errorf("%w: %s was changed since it was read, nothing was written", abi.ErrConflict, step.File)
		}
	}
	return nil
}

// applyStep is one planned write.
type applyStep struct {
	Change
	content []byte
}

func planApply(snap *Snapshot, objects []object.Object, broken map[string]bool) ([]applyStep, strictyaml.Errors) {
	var plan []applyStep
	var errs strictyaml.Errors
	seen := make(map[object.Key]bool)
	for _, o := range objects {
		if seen[o.Key()] {
			errs = append(errs, o.Errorf(o.At(), "", "is given twice"))
			continue
		}
		seen[o.Key()] = true
		step, stepErrs := planStep(snap, o, broken)
		plan, errs = append(plan, step), append(errs, stepErrs...)
	}
	return plan, errs
}

func planStep(snap *Snapshot, o object.Object, broken map[string]bool) (applyStep, strictyaml.Errors) {
	key := o.Key()
	old, exists := snap.objects[key]
	step := applyStep{Change: Change{Key: key, Action: Created}}
	step.File = key.FileName(newExtension(key.Kind))
	if exists {
		step.File, step.Action, step.Before = old.File(), Configured, object.EncodeYAML(old)
	} else if file, found := findBrokenFile(key, broken); found {
		step.File, step.Action = file, Configured
	}
	if err := object.CheckStoredInFile(o); err != nil {
		return step, strictyaml.Errors{err}
	}
	o, errs := object.Unmask(o, old)
	if err := object.CheckChange(o, old); err != nil {
		errs = append(errs, err)
	}
	if exists && len(errs) == 0 && object.HasSameContent(o, old) && !broken[step.File] {
		step.Action = Unchanged
	}
	if builtIn, ok := object.BuiltIns()[key]; ok && !exists && len(errs) == 0 && object.HasSameContent(o, builtIn) {
		step.Action = Unchanged // a copy would hide the built-in of the next version
	}
	step.After = object.EncodeYAML(o)
	step.content = object.EncodeFile(o, path.Ext(step.File))
	return step, errs
}

// findBrokenFile returns the broken file of an Object that is in no Snapshot.
func findBrokenFile(key object.Key, broken map[string]bool) (string, bool) {
	for _, ext := range fileExtensions {
		if file := key.FileName(ext); broken[file] {
			return file, true
		}
	}
	return "", false
}

// newExtension returns the extension of a new file: prompts are Markdown, all other
// Kinds are YAML.
func newExtension(kind object.Kind) string {
	if kind.IsScoped() {
		return ".md"
	}
	return ".yaml"
}

// write replaces a file atomically.
func (s *Store) write(file string, content []byte) error {
	dir, base := path.Split(file)
	if err := s.root.MkdirAll(path.Clean(dir), homedir.DirMode); err != nil {
		return err
	}
	tmp := dir + "." + base + "." + rand.Text()
	f, err := s.root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, homedir.FileMode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = s.root.Rename(tmp, file)
	}
	if err != nil {
		_ = s.root.Remove(tmp)
	}
	return err
}
