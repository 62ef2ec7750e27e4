// Package cache stores values under 32-byte keys in one bbolt file, and some of them
// in memory.
//
// It contains only values that can be computed again: results of stages
// ([Cache.Get], [Cache.Put]) and private values of guests ([Cache.KV]). A fault of
// the cache is therefore never an error for a request. A value that cannot be read
// is a miss. An invalid file is renamed and replaced. If the disk cannot be written,
// the cache uses memory only, logs one warning and retries later. Every value has a
// checksum of its key, producer and bytes, so wrong values are not served.
//
// It has three parts: the index in memory lists the entries (index.go); one goroutine
// performs all writes (writer.go); the file may be damaged at any time (file.go,
// verify.go).
//
// The package does not compute keys; docs/abi.md lists the fields of a key.
package cache
