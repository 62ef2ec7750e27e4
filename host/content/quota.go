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

// quotaOf returns the quota of an owner and creates it if necessary.
func (s *Store) quotaOf(owner string) *quota {
	q := s.quotas[owner]
	if q == nil {
		q = &quota{used: list.New()}
		s.quotas[owner] = q
	}
	return q
}

// add adds a file to the accounts as the most recently used one of its owner.
func (s *Store) add(f *file) {
	q := s.quotaOf(f.owner)
	s.files[f.name] = q.used.PushBack(f)
	q.bytes += f.size
	s.bytes += f.size
}

// drop removes a file from the accounts.
func (s *Store) drop(el *list.Element) {
	f := el.Value.(*file)
	q := s.quotas[f.owner]
	q.used.Remove(el)
	q.bytes -= f.size
	s.bytes -= f.size
	if q.used.Len() == 0 {
		delete(s.quotas, f.owner)
	}
	delete(s.files, f.name)
}

// addOwner records that a project uses a file.
func (s *Store) addOwner(name, project string) {
	el := s.files[name]
	if el == nil {
		return
	}
	f := el.Value.(*file)
	if owner := joinOwners(f.owner, project); owner != f.owner {
		s.drop(el)
		f.owner = owner
		s.add(f)
	}
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
	q := s.fullestQuota()
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

// fullestQuota returns the quota to evict from: files of unknown projects first, then the
// owner with the most bytes, or with the most files if only that limit is exceeded.
func (s *Store) fullestQuota() *quota {
	if q := s.quotas[unknown]; q != nil {
		return q
	}
	var most *quota
	for _, q := range s.quotas {
		if most == nil || s.size(q) > s.size(most) {
			most = q
		}
	}
	return most
}

func (s *Store) size(q *quota) int64 {
	if s.bytes > s.opt.MaxBytes {
		return q.bytes
	}
	return int64(q.used.Len())
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
