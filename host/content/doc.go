// Package content stores Originals: answers of Upstreams after the filters and before
// the first stage. All bytes of an answer can be read later, whatever the stages do.
//
// An Original is a file named by its SHA-256. A Ref is the name of a file that
// identifies an Original for one project and subject and contains its View, the
// result of the stages. Clients receive only Refs.
//
// Files are written in the background: Put returns when the write is queued, SetView
// waits until it is done. An answer that contains a Ref is therefore sent only after
// its Original is written. Small and large writes have queues of their own, in which
// sessions take turns, and no lock is held while the disk is used. Files are not
// synced: a power failure may lose or damage the newest files; checksums detect damage.
//
// The package does not interpret contents and knows sessions only as owners of queued
// writes.
package content
