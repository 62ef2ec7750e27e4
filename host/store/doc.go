// Package store keeps Objects as files in the home, one file per Object.
//
// Store loads the files into a Snapshot, an immutable view of all Objects, and applies
// and deletes single Objects. A broken file is a Problem; the Object that was loaded from
// it before stays active.
//
// The package does not watch files and does not know the fields of Objects.
package store
