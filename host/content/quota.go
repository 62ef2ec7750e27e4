package content

import "strings"

// Owners other than projects: shared for Originals stored by several projects, unknown
// for files of record version 1, which do not contain a project.
const (
	shared  = "*" // not the name of a project
	unknown = ""
)

// quota counts the bytes and files that one owner has stored.
type quota struct {
	owner          string // a project, shared or unknown
	oldest, newest *file  // by last use; see file.prev
	files          int
	bytes          int64
}

// push adds a file as the most recently used one.
func (q *quota) push(f *file) {
	f.quota, f.prev, f.next = q, q.newest, nil
	if q.newest != nil {
		q.newest.next = f
	} else {
		q.oldest = f
	}
	q.newest = f
	q.files++
	q.bytes += f.size
}

// remove removes one of its files.
func (q *quota) remove(f *file) {
	if f.prev != nil {
		f.prev.next = f.next
	} else {
		q.oldest = f.next
	}
	if f.next != nil {
		f.next.prev = f.prev
	} else {
		q.newest = f.prev
	}
	q.files--
	q.bytes -= f.size
}

// joinOwners returns the new owner of a file that a further project uses.
func joinOwners(owner, project string) string {
	if owner == unknown || owner == project {
		return project
	}
	return shared
}

// evict removes the least recently used file of the owner with the largest share, so
// that a project below its fair share loses nothing. It reports false if all files of
// that owner are being written.
func (s *Store) evict() bool {
	q := s.fullestQuota(s.opt.MaxBytes)
	if q == nil {
		return false
	}
	for f := q.oldest; f != nil; f = f.next {
		if s.pending[f.name] == nil {
			s.stats.Evicted++
			s.forget(f.name)
			return true
		}
	}
	return false
}

// readOwners returns the owners of the files of earlier processes, from the heads of
// their records.
func readOwners(d disk, found []stat) map[string]string {
	owners, names := make(map[string]string), make(map[string]string)
	for _, f := range found {
		if !isRef(f.name) {
			continue
		}
		head, err := d.head(f.name, headBytes)
		if err != nil {
			continue
		}
		r, err := decodeHead(f.name, head)
		if err != nil || r.project == unknown {
			continue
		}
		project, known := names[r.project]
		if !known {
			project = strings.Clone(r.project) // without the head that it is part of
			names[project] = project
		}
		owners[f.name] = project
		owners[r.hash.name()] = joinOwners(owners[r.hash.name()], project)
	}
	return owners
}
