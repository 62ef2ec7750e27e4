package object

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// Action is what Apply does with one Object.
type Action string

// The actions.
const (
	Created    Action = "created"
	Configured Action = "configured"
	Unchanged  Action = "unchanged"
)

// Change is what became of one applied Object.
type Change struct {
	Key    Key
	Action Action
	File   string // relative to the home
	Before []byte // canonical YAML, masked; nil if it was created
	After  []byte
}

// ApplyOptions are options of Store.Apply.
type ApplyOptions struct {
	DryRun bool // change nothing, only report

	// Base is the Snapshot.FileRevision that the Objects were edited from. If a file
	// has another one, nothing is written. "" checks nothing.
	Base string
}

// Apply writes Objects to their files, each by a rename, and loads all files. All
// Objects are checked before the first is written.
//
// A document that came as YAML is kept as it was written, comments included;
// anything else is printed canonically.
//
// Errors: Errors for what may not be changed; that of the disk if a file cannot
// be written, together with the Changes made until then; abi.ErrConflict for a
// file that is not ApplyOptions.Base any more.
func (s *Store) Apply(objects []Object, opt ApplyOptions) ([]Change, error) {
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
				return done, diskError(step.File, err)
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

func planApply(snap *Snapshot, objects []Object, broken map[string]bool) ([]applyStep, Errors) {
	var plan []applyStep
	var errs Errors
	seen := make(map[Key]bool)
	for _, o := range objects {
		if seen[o.Key()] {
			errs = append(errs, o.Errorf(o.head().at, "", "is given twice"))
			continue
		}
		seen[o.Key()] = true
		step, mistakes := planOne(snap, o, broken)
		plan, errs = append(plan, step), append(errs, mistakes...)
	}
	return plan, errs
}

func planOne(snap *Snapshot, o Object, broken map[string]bool) (applyStep, Errors) {
	key := o.Key()
	old, exists := snap.objects[key]
	step := applyStep{Change: Change{Key: key, Action: Created}}
	step.File = fileName(key, extension(key.Kind))
	if exists {
		step.File, step.Action, step.Before = old.File(), Configured, encodeYAML(old)
	} else if file, found := brokenFile(key, broken); found {
		step.File, step.Action = file, Configured
	}
	o, errs := unmask(o, old)
	if link := changedLink(o, old); link != nil {
		errs = append(errs, link)
	}
	if exists && len(errs) == 0 && sameContent(o, old) && !broken[step.File] {
		step.Action = Unchanged
	}
	if built, ok := snap.Get(key); ok && !exists && built.BuiltIn() && len(errs) == 0 && sameContent(o, built) {
		step.Action = Unchanged // a copy would hide the next version's
	}
	step.After = encodeYAML(o)
	step.content = fileContent(o, path.Ext(step.File))
	return step, errs
}

// brokenFile finds the file of an Object that no Snapshot holds.
func brokenFile(key Key, broken map[string]bool) (string, bool) {
	for _, ext := range fileExtensions {
		if file := fileName(key, ext); broken[file] {
			return file, true
		}
	}
	return "", false
}

// extension is the one of a new file: prompts are texts, the rest is YAML.
func extension(kind Kind) string {
	if kind.Scoped() {
		return ".md"
	}
	return ".yaml"
}

func sameContent(a, b Object) bool {
	x, errX := toValue(a, asWritten).MarshalJSON()
	y, errY := toValue(b, asWritten).MarshalJSON()
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func fileContent(o Object, ext string) []byte {
	if ext == ".md" {
		return encodePromptFile(o)
	}
	if text := o.head().text; text != nil && strings.TrimSpace(*text)[0] != '{' {
		return []byte(strings.TrimSpace(*text) + "\n")
	}
	return appendYAML(nil, toValue(o, asWritten))
}

// changedLink refuses another target for a Prompt that is a link: a link
// carries a grant of its own.
func changedLink(o, old Object) *FieldError {
	now, _ := o.(*Prompt)
	before, _ := old.(*Prompt)
	if now == nil || before == nil || before.Spec.LinkTarget == now.Spec.LinkTarget {
		return nil
	}
	e := o.Errorf(o.head().at, "linkTarget", "cannot be changed, delete the prompt and create it again")
	e.Hint = fmt.Sprintf("mcpctl delete prompt %s --project %s", now.key.Name, now.key.Project)
	return e
}

// unmask puts the stored text in place of each *** that a Server got back from
// get -o yaml; one with nothing stored behind it is a mistake.
func unmask(o, old Object) (Object, Errors) {
	s, ok := o.(*Server)
	if !ok || !s.holdsMask() {
		return o, nil
	}
	var errs Errors
	stored, _ := old.(*Server)
	if stored == nil {
		stored = &Server{}
	}
	restored := *s
	restored.text = nil
	restored.Spec.URL = s.unmaskOne("url", s.Spec.URL, stored.Spec.URL, masked.url, &errs)
	restored.Spec.Command = s.unmaskArgs(stored.Spec.Command, &errs)
	restored.Spec.Cwd = s.unmaskOne("cwd", s.Spec.Cwd, stored.Spec.Cwd, masked.argument, &errs)
	restored.Spec.Env = s.unmaskMap("env", s.Spec.Env, stored.Spec.Env, &errs)
	restored.Spec.Headers = s.unmaskMap("headers", s.Spec.Headers, stored.Spec.Headers, &errs)
	return &restored, errs
}

func (s *Server) holdsMask() bool {
	if strings.Contains(s.Spec.URL.source(), mask) || strings.Contains(s.Spec.Cwd.source(), mask) {
		return true
	}
	if slices.ContainsFunc(s.Spec.Command, func(t Template) bool { return strings.Contains(t.source(), mask) }) {
		return true
	}
	for _, m := range []map[string]Template{s.Spec.Env, s.Spec.Headers} {
		for _, t := range m {
			if strings.Contains(t.source(), mask) {
				return true
			}
		}
	}
	return false
}

func (s *Server) unmaskMap(path string, now, before map[string]Template, errs *Errors) map[string]Template {
	out := maps.Clone(now)
	for _, name := range slices.Sorted(maps.Keys(now)) {
		out[name] = s.unmaskOne(path+"."+name, now[name], before[name], masked.one, errs)
	}
	return out
}

// unmaskArgs finds what each argument stands for: the stored one that is shown like
// it behind the same argument. Position alone would give one flag another's value.
func (s *Server) unmaskArgs(before []Template, errs *Errors) []Template {
	out := slices.Clone(s.Spec.Command)
	now, shown := writtenArgs(out), maskedArgs(before)
	used := make([]bool, len(before))
	for i, arg := range now {
		if !strings.Contains(arg, mask) {
			continue
		}
		at := 0
		for at < len(shown) && (used[at] || shown[at] != arg || (i == 0) != (at == 0) || i > 0 && now[i-1] != shown[at-1]) {
			at++
		}
		if at == len(shown) {
			*errs = append(*errs, s.onlyStands(out[i].At, fmt.Sprintf("command[%d]", i)))
			continue
		}
		out[i], used[at] = before[at], true
	}
	return out
}

func (s *Server) unmaskOne(path string, now, before Template, print func(Template) string, errs *Errors) Template {
	if !strings.Contains(now.source(), mask) {
		return now
	}
	if print(before) != now.source() {
		*errs = append(*errs, s.onlyStands(now.At, path))
	}
	return before
}

// onlyStands is the mistake of a *** with nothing stored behind it.
func (s *Server) onlyStands(at Position, path string) *FieldError {
	return s.Errorf(at, path, "is %s, which only stands for a stored value; write the value or ${VAR}", mask)
}

// write puts a file in place in one step.
func (s *Store) write(file string, content []byte) error {
	dir, base := path.Split(file)
	if err := s.root.MkdirAll(path.Clean(dir), privateDir); err != nil {
		return err
	}
	tmp := dir + "." + base + "." + rand.Text()
	f, err := s.root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, privateFile)
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
