// Package jsonrpc reads and writes JSON-RPC 2.0 messages without touching what
// they carry: params, results and errors stay the bytes that came.
//
// Two decoders, because two sides are trusted differently. Decode is for a
// client: what the proxy decides on must be all there is to see, so keys are
// exact, unique and not deep. DecodeUpstream is for a server: the envelope is as
// strict, the values inside are checked for well-formed JSON and carried.
// A Message is always encoded anew from what was decoded (Append); the bytes of
// a decided message are never forwarded.
//
// DecodeParams and DecodeObject give the members of an object in order, with
// unknown ones kept, so that params can be changed in one place and sent on.
// FrameReader and FrameWriter are newline frames (stdio) with a limit.
//
// It knows no method of MCP and does not batch.
package jsonrpc
