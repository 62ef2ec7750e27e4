// Package host opens everything below it and wires it together: the objects of
// a home, the modules, the cache, the originals, the servers, the endpoint.
//
// Open returns a Host. Endpoint serves clients. Transform runs the pipeline on a
// Content on its way to a client, and Read returns a section of a stored one. The
// other methods report or change the state.
package host
