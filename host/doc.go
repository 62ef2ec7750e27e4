// Package host opens everything below it and wires it together: the objects of
// a home, the modules, the cache, the originals, the servers, the endpoint.
//
// Open gives a Host. Endpoint is what clients talk to; Transform and Read are
// the two straight lines behind it: a Content on its way to the client, and a
// section read back. Everything else tells or changes state.
package host
