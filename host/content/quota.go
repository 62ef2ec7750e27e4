package content

import "container/list"

// Owners other than projects: shared of Originals that several projects have stored,
// unknown of files that an earlier version wrote without their project.
const (
	shared  = "*" // not the name of a project
	unknown = ""
)

// quota counts the bytes and files that one owner has stored.
type quota struct {
	used  *list.List // of *file, the longest unused first
	bytes int64
}

// quotaOf returns the quota of an owner; it creates it if needed.
func (s *Store) quotaOf(owner string) *quota {
	q := s.quotas[owner]
	if q == nil {
		q = &quota{used: list.New()}
		s.quotas[owner] = q
	}
	return q
}

// add accounts a file that was used last.
func (s *Store) add(f *file) {
	q := s.quotaOf(f.owner)
	s.files[f.name] = q.used.PushBack(f)
	q.bytes += f.size
	s.bytes += f.size
}

// drop takes a file out of the accounts.
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

// own notes that a project uses a file.
func (s *Store) own(name, project string) {
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

// joinOwners returns the owner of a file of one owner that a project uses as well.
func joinOwners(owner, project string) string {
	if owner == unknown || owner == project {
		return project
	}
	return shared
}

// evict removes the longest unused file of the owner that has stored most, so
// that a project which stays below its fair share loses nothing. It reports false
// if all files of that owner are being written.
func (s *Store) evict() bool {
	q := s.fullest()
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

// fullest returns the quota to evict from: files of unknown projects first, then
// the owner that has the most bytes, or the most files if that is the limit exceeded.
func (s *Store) fullest() *quota {
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

// readOwners returns the owners of the files that an earlier process stored, as
// the heads of the records name them.
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
