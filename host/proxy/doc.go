// Package proxy is the MCP server that a client talks to: it makes the servers
// of one project look like one, and hands every result to the pipeline before
// the client reads it.
//
// Endpoint answers streamable HTTP at /projects/{project}/mcp; clients on stdio
// reach it through mcpctl mcp, which carries frames. A request goes through one function
// that lists its steps; Session.CallTool is the one to read first. JSON is
// carried as it came: what no step changes reaches the other side byte for byte,
// and what is decided on is encoded anew from what was decided.
//
// Everything around it is an interface declared here: the project as configured
// (Projects), its servers (Upstreams, Upstream), the pipeline (Transformer),
// drill-down (Reader), the record of what happened (Events), what controllers
// decide (Controllers, Steering) and the prompts of a project (Library).
//
// It does not know a Wasm module, a file or a server's transport. It is the only
// package that knows what a session is: below it there is an flow.Scope.
package proxy
