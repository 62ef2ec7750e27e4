package content

import "container/list"

// Owners other than projects: shared for Originals stored by several projects, unknown
// for files of record version 1, which do not contain a project.
const (
	shared  = "*" // not the name of a project
	unknown = ""
)

// quota counts the bytes and files that one owner has stored.
type quota struct {
	used  *list.List // of *file, least recently used first
	bytes int64
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
	for el := q.used.Front(); el != nil; el = el.Next() {
		if f := el.Value.(*file); s.pending[f.name] == nil {
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
	owners := make(map[string]string)
	for _, f := range found {
		if !isRef(f.name) {
			continue
		}
		head, err := d.head(f.name, headBytes)
		if err != nil {
			continue
		}
		r, err := decodeHead(head)
		if err != nil || r.project == unknown {
			continue
		}
		owners[f.name] = r.project
		owners[r.hash.name()] = joinOwners(owners[r.hash.name()], r.project)
	}
	return owners
}
