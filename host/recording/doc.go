// Package recording writes the requests and answers of sessions to disk, and reads them
// again: one file a session, JSON lines.
//
// The first line is the Header. Further lines are Exchanges, the tools of the servers, and
// notes about what is missing. Recorder writes, Parse reads, and Dir lists and removes
// files.
//
// The package does not know how requests are answered and does not play them again.
// Arguments are masked with package credential; results are stored as they are after the
// filters of their project, because a replay needs their bytes.
package recording
