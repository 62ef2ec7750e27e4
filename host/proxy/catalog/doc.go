// Package catalog remembers the declarations and the lists of servers, and reads the
// lists.
//
// A Catalog answers for servers that are starting or down: a new session is served
// before its servers are ready, and a server that is down keeps its place in the lists.
// It holds a Listing for each server and Kind of list. Lists of one subject are never
// shown to another.
//
// It does not join the lists of servers: package lists does.
package catalog
