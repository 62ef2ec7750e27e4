// Package team follows mcpd, the team server, so that its objects can be used beside those
// of the files of a home.
//
// A Follower takes a snapshot of the objects that the user may view, and then a stream of
// changes. It keeps the last good snapshot on disk, for times when mcpd is not reachable. A
// Client sends single calls with the token of a Login.
//
// mcpd is not trusted: all sizes are limited, objects are decoded as strictly as files, and
// a token is sent only to the address that it was created for. The package does not decide
// how objects of mcpd and of files are combined; see host/live.
package team
