// Package jsonrpc decodes and encodes JSON-RPC 2.0 messages. Params, results and errors
// keep the bytes that were received; FrameWriter only replaces line breaks between
// tokens by blanks.
//
// It has two decoders, because clients and servers are trusted differently. Decode is
// for messages of a client. The proxy decides on them, so other readers must not see
// different values: keys of the envelope and of params are exact and unique, and the
// depth of params, results and errors is limited. DecodeUpstream is for messages of a
// server: the envelope is as strict, but values only have to be well-formed JSON. A
// Message is always encoded from its decoded parts (Append); the bytes of its envelope
// are never forwarded.
//
// DecodeParams and DecodeObject return the members of an object in order, including
// unknown ones, so that one member can be changed and the rest forwarded as received.
// FrameReader reads frames that end with a newline (stdio), up to a limit; FrameWriter
// writes them.
//
// The package does not route methods of MCP; it knows only the names of their params,
// the params of notifications/cancelled, and the keys of results that Marks records. It
// does not support batches.
package jsonrpc
