// Package cache keeps values by a 32-byte key in one bbolt file, and a bounded
// part of them in memory.
//
// It holds only what can be made again: results of stages ([Cache.Get],
// [Cache.Put]) and what guests keep for themselves ([Cache.KV]). So nothing in
// it is worth an error on the path of a request. A value that cannot be read is
// a miss; a file that cannot be trusted is set aside and a new one is made; a
// disk that cannot be written leaves the memory part, one warning, and a try
// again later. What is served is right: every value carries a checksum over its
// key, its producer and its bytes.
//
// It has three parts: the index in memory lists the entries ([Cache], index.go); one
// goroutine performs all writes (writer.go); the file may be damaged at any time without
// an error for a caller (file.go, verify.go).
//
// The package does not compute keys; docs/abi.md lists the fields of a key.
package cache
