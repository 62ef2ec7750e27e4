// Package entry lets a test call what the host calls.
package entry

// Stage is the entry of every stage and filter role; package stage sets it.
var Stage func() int32
