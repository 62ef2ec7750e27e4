// Package proxy is the MCP server that a client talks to. It makes the servers of one
// project look like one, and passes every result through the pipeline before the client
// gets it.
//
// Endpoint serves streamable HTTP at /projects/{project}/mcp; clients on stdio reach it
// through mcpctl mcp. One method of Session handles each kind of request and lists its
// steps; Session.CallTool is the one to read first. JSON that no step changes passes
// byte for byte. Values on which a decision depends are encoded again from the decoded
// form, so that the server cannot read them differently.
//
// Its surroundings are interfaces: the configuration of projects (Projects), their
// servers (Upstreams, Upstream), stored results (Reader), the record of requests
// (Events), controllers (Controllers, Steering) and the prompts of a project (Library).
// The packages below it declare those of the pipeline (view.Transformer) and of lists
// that outlive the process (catalog.Store).
//
// It does not know Wasm modules, files or the transports of servers. Sessions exist only
// here; lower packages see a flow.Scope.
package proxy
