// Package upstream is our client to one MCP server: a process that speaks on
// its stdin and stdout, or streamable HTTP. Start gives a Client that connects
// in the background, makes the connection anew when it is lost, and Calls.
//
// Params, results and errors are carried as the bytes they are. What the client
// does itself: the handshake, request ids, progress tokens, cancellation,
// deadlines, ping, and after a lost connection the log level and subscriptions.
// What the server asks in return (sampling, elicitation, roots) and tells goes
// to a Peer: that of the call it belongs to, else the Client's.
//
// It does not know which session it serves, holds no list of tools, and never
// repeats a call that may have run, unless it is told that this does no harm.
package upstream
