// Package replay answers the requests to MCP servers from a recording, so that recorded
// sessions can be played again without the servers.
//
// Player implements proxy.Upstreams, in place of the connections to the servers. All other
// steps of a request are those of live traffic. The package sends no requests itself.
package replay
