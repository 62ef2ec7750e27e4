package content

import "strings"

// index contains the files of a Store and the quotas of their owners. It is guarded by
// Store.mu.
type index struct {
	files  map[string]*file  // by name
	quotas map[string]*quota // by owner
	bytes  int64             // of all files
	refs   int               // number of files that are Refs
}

// quotaOf returns the quota of an owner and creates it if necessary.
func (x *index) quotaOf(owner string) *quota {
	q := x.quotas[owner]
	if q == nil {
		owner = strings.Clone(owner) // it may be part of a large string
		q = &quota{owner: owner}
		x.quotas[owner] = q
	}
	return q
}

// add adds a file to the accounts as the most recently used one of its owner.
func (x *index) add(f *file, owner string) {
	x.quotaOf(owner).push(f)
	x.files[f.name] = f
	x.bytes += f.size
	if isRef(f.name) {
		x.refs++
	}
}

// drop removes a file from the accounts.
func (x *index) drop(f *file) {
	f.quota.remove(f)
	if f.quota.files == 0 {
		delete(x.quotas, f.quota.owner)
	}
	delete(x.files, f.name)
	x.bytes -= f.size
	if isRef(f.name) {
		x.refs--
	}
}

// addOwner records that a project uses a file.
func (x *index) addOwner(name, project string) {
	f := x.files[name]
	if f == nil {
		return
	}
	if owner := joinOwners(f.quota.owner, project); owner != f.quota.owner {
		x.drop(f)
		x.add(f, owner)
	}
}

// recordFile records a file that is going to be written.
func (x *index) recordFile(name string, size int64, now instant) {
	f, owner := x.files[name], unknown
	if f != nil {
		owner = f.quota.owner
		x.drop(f)
	} else {
		f = &file{name: name}
	}
	f.size, f.at, f.stamped = size, now, now
	x.add(f, owner)
}

// entryOf returns the entry of a Ref that this process has read or written, otherwise nil.
func (x *index) entryOf(ref string) *entry {
	if f := x.files[ref]; f != nil {
		return f.entry
	}
	return nil
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
		return int64(q.files)
	}
	var most *quota
	for _, q := range x.quotas {
		if most == nil || share(q) > share(most) {
			most = q
		}
	}
	return most
}
