// Package content keeps Originals: what an Upstream answered, after the filters
// and before the first stage, so that every byte of it stays readable whatever
// stages do. Originals are files by SHA-256; a Ref, which is what a client
// holds, is a file that names one for one project and subject, with what stages
// made of it.
//
// Files are written behind: Put returns once the write has begun, SetView waits
// for it, so an answer that names a Ref never outruns its Original, also if the
// process is killed. Nothing is synced: a power cut may cost the newest, which
// their checksums tell.
//
// It does not look into content and knows no session.
package content
