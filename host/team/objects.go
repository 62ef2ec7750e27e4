package team

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/object"
)

// Set is the objects of mcpd at one moment. It is immutable.
type Set struct {
	Objects  []object.Object
	URL      string // of mcpd
	Revision string // equal for equal objects of equal logins
	Login    string // identifies the login, "" without one; connections of another login must end
	Problems []error
	versions map[object.Key]string
}

// ObjectRevision returns the revision of an object in mcpd, or "".
func (s Set) ObjectRevision(key object.Key) string { return s.versions[key] }

// maxProblems is the number of Problems that are kept.
const maxProblems = 20

// objects holds the objects of mcpd as they were received. It is not safe for concurrent use.
type objects struct {
	version  uint64
	known    bool // version is that of a snapshot
	entries  map[object.Key]entry
	problems map[string]error // by kind, project and name
	bytes    int
}

// entry is one object that is valid.
type entry struct {
	wire   wireObject
	object object.Object
}

func newObjects() objects {
	return objects{entries: make(map[object.Key]entry), problems: make(map[string]error)}
}

// replace replaces all objects by those of a snapshot. Objects that have not changed keep
// their pointers.
//
// It returns an error, and changes nothing, if the snapshot has no valid version or is
// larger than the limits.
func (o *objects) replace(s wireSnapshot) error {
	version, err := parseVersion(s.Version)
	if err != nil {
		return err
	}
	if len(s.Objects) > maxObjects {
		return fmt.Errorf("%w: mcpd has %d objects, limit %d", abi.ErrLimit, len(s.Objects), maxObjects)
	}
	next := newObjects()
	next.version, next.known = version, true
	for _, w := range s.Objects {
		key, ok, err := keyOf(w.Kind, w.Project, w.Name)
		if ok && err == nil {
			if old, had := o.entries[key]; had {
				next.entries[key] = old // what put keeps if the new one is invalid
				next.bytes += len(old.wire.Manifest)
			}
		}
		if ok {
			next.put(key, err, w)
		}
	}
	*o = next
	return nil
}

// put adds or replaces an object. If it is invalid, the previous one is kept and the error
// is a problem.
func (o *objects) put(key object.Key, keyErr error, w wireObject) {
	id := w.Kind + "/" + w.Project + "/" + w.Name
	old, had := o.entries[key]
	size := o.bytes - len(old.wire.Manifest) + len(w.Manifest)
	err := keyErr
	switch {
	case err != nil:
	case had && string(old.wire.Manifest) == string(w.Manifest):
		o.entries[key] = entry{w, old.object}
	case !had && len(o.entries) >= maxObjects, size > maxSnapshot:
		err = fmt.Errorf("%w: mcpd has more than %d objects or %d MiB", abi.ErrLimit, maxObjects, maxSnapshot>>20)
	default:
		var decoded object.Object
		if decoded, err = decodeObject(key, w.Manifest); err == nil {
			w.Manifest = slices.Clone(w.Manifest) // do not keep the whole snapshot
			o.entries[key] = entry{w, decoded}
		}
	}
	if err == nil {
		o.bytes = size
		delete(o.problems, id)
		return
	}
	if _, known := o.problems[id]; !known && len(o.problems) >= maxProblems {
		return
	}
	o.problems[id] = newObjectProblem(key, err, had)
}

// newObjectProblem returns the error about an object that is not used.
func newObjectProblem(key object.Key, err error, had bool) error {
	effect := "it is not used"
	if had {
		effect = "the previous version stays in use"
	}
	text := strings.TrimPrefix(oneLine(err.Error()), abi.ErrConfig.Error()+": ")
	if key.Name != "" {
		return fmt.Errorf("%w: mcpd sent an invalid %s, %s: %s", abi.ErrConfig, key, effect, text)
	}
	return fmt.Errorf("%w: mcpd sent an invalid object, %s: %s", abi.ErrConfig, effect, text)
}

// apply applies a change. It reports false for one that was applied before. A change of the
// present version is applied again: mcpd sends the servers that a project has begun or ceased to
// use with the version before that of the project.
//
// It returns an error for a change that no mcpd would send; the objects are unchanged then.
func (o *objects) apply(c wireChange) (applied bool, err error) {
	version, err := parseVersion(c.Version)
	if err != nil {
		return false, err
	}
	if version < o.version {
		return false, nil
	}
	key, ok, keyErr := keyOf(c.Kind, c.Project, c.Name)
	switch {
	case c.Op == opDelete && ok && keyErr == nil:
		o.bytes -= len(o.entries[key].wire.Manifest)
		delete(o.entries, key)
		delete(o.problems, c.Kind+"/"+c.Project+"/"+c.Name)
	case c.Op == opPut && c.Object == nil:
		return false, fmt.Errorf("%w: a change has no object", abi.ErrConfig)
	case c.Op == opPut && ok:
		w := *c.Object
		w.Kind, w.Project, w.Name = c.Kind, c.Project, c.Name // decodeObject compares them with the manifest
		o.put(key, keyErr, w)
	case c.Op != opPut && c.Op != opDelete:
		return false, fmt.Errorf("%w: the operation %.40q of a change is unknown", abi.ErrConfig, c.Op)
	}
	o.version = version
	return true, nil
}

// sync sets the version up to which all changes were received. It reports whether it changed.
func (o *objects) sync(text string) (bool, error) {
	version, err := parseVersion(text)
	if err != nil || version <= o.version {
		return false, err
	}
	o.version = version
	return true, nil
}

// set returns the present objects.
func (o *objects) set(login string) Set {
	s := Set{Login: login, versions: make(map[object.Key]string, len(o.entries))}
	h := sha256.New()
	fmt.Fprintf(h, "%q", login)
	for _, key := range slices.SortedFunc(maps.Keys(o.entries), compareKeys) {
		e := o.entries[key]
		s.Objects, s.versions[key] = append(s.Objects, e.object), e.wire.Revision
		fmt.Fprintf(h, "%v%d:%s", key, len(e.wire.Manifest), e.wire.Manifest)
	}
	s.Revision = hex.EncodeToString(h.Sum(nil)[:16])
	for _, id := range slices.Sorted(maps.Keys(o.problems)) {
		s.Problems = append(s.Problems, o.problems[id])
	}
	return s
}

// wire returns the present objects as a snapshot.
func (o *objects) wire() wireSnapshot {
	s := wireSnapshot{Version: strconv.FormatUint(o.version, 10)}
	for _, key := range slices.SortedFunc(maps.Keys(o.entries), compareKeys) {
		s.Objects = append(s.Objects, o.entries[key].wire)
	}
	return s
}

func compareKeys(a, b object.Key) int {
	order := func(k object.Key) string {
		return string(k.Kind) + "\x00" + string(k.Project) + "\x00" + string(k.Name)
	}
	return strings.Compare(order(a), order(b))
}
