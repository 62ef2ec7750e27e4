package content

import (
	"container/list"
	"time"
)

// index contains the files of a Store and the quotas of their owners. It is guarded by
// Store.mu.
type index struct {
	files  map[string]*list.Element // of *file, by name
	quotas map[string]*quota        // by owner
	bytes  int64                    // of all files
}

// quotaOf returns the quota of an owner and creates it if necessary.
func (x *index) quotaOf(owner string) *quota {
	q := x.quotas[owner]
	if q == nil {
		q = &quota{used: list.New()}
		x.quotas[owner] = q
	}
	return q
}

// add adds a file to the accounts as the most recently used one of its owner.
func (x *index) add(f *file) {
	q := x.quotaOf(f.owner)
	x.files[f.name] = q.used.PushBack(f)
	q.bytes += f.size
	x.bytes += f.size
}

// drop removes a file from the accounts.
func (x *index) drop(el *list.Element) {
	f := el.Value.(*file)
	q := x.quotas[f.owner]
	q.used.Remove(el)
	q.bytes -= f.size
	x.bytes -= f.size
	if q.used.Len() == 0 {
		delete(x.quotas, f.owner)
	}
	delete(x.files, f.name)
}

// addOwner records that a project uses a file.
func (x *index) addOwner(name, project string) {
	el := x.files[name]
	if el == nil {
		return
	}
	f := el.Value.(*file)
	if owner := joinOwners(f.owner, project); owner != f.owner {
		x.drop(el)
		f.owner = owner
		x.add(f)
	}
}

// recordFile records a file that is going to be written.
func (x *index) recordFile(name string, size int64, now time.Time) {
	if el := x.files[name]; el != nil {
		f := el.Value.(*file)
		x.drop(el)
		f.size, f.at, f.stamped = size, now, now
		x.add(f)
		return
	}
	x.add(&file{name: name, size: size, at: now, stamped: now})
}

// fullestQuota returns the quota to evict from: files of unknown projects first, then the
// owner with the most bytes, or with the most files if only that limit is exceeded.
func (x *index) fullestQuota(maxBytes int64) *quota {
	if q := x.quotas[unknown]; q != nil {
		return q
	}
	share := func(q *quota) int64 {
		if x.bytes > maxBytes {
			return q.bytes
		}
		return int64(q.used.Len())
	}
	var most *quota
	for _, q := range x.quotas {
		if most == nil || share(q) > share(most) {
			most = q
		}
	}
	return most
}
