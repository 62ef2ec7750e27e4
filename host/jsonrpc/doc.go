// Package jsonrpc decodes and encodes JSON-RPC 2.0 messages. Params, results and errors
// keep the bytes that were received.
//
// It has two decoders, because clients and servers are trusted differently. Decode is for
// messages of a client. The proxy decides on them, so other readers must not see different
// values: keys are exact and unique, and the depth is limited. DecodeUpstream is for
// messages of a server: the envelope is as strict, but values only have to be well-formed
// JSON. A Message is always encoded from its decoded parts (Append); the bytes of its
// envelope are never forwarded.
//
// DecodeParams and DecodeObject return the members of an object in order, including
// unknown ones, so that params can be changed in one member and forwarded. FrameReader and
// FrameWriter read and write newline frames (stdio) with a limit.
//
// The package does not know the methods of MCP and does not support batches.
package jsonrpc
