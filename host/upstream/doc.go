// Package upstream is the client of one MCP server: a process that is connected by its
// stdin and stdout, or a streamable HTTP endpoint. Start returns a Client, which connects
// in the background and connects again when the connection is lost.
//
// Params, results and errors are forwarded as bytes. The Client handles the handshake,
// request ids, progress tokens, cancellation, deadlines and ping. After a lost connection
// it restores the log level and the subscriptions. Requests of the server (sampling,
// elicitation, roots) and its notifications go to a Peer: the Peer of the call that they
// belong to, otherwise the Peer of the Client.
//
// The package does not know sessions and keeps no list of tools. It repeats a call that
// may have run only if the caller declares it repeatable.
package upstream
