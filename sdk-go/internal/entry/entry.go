// Package entry joins the packages of the SDK where they must not show it: a test
// calls what the host calls, package controller uses what package stage keeps to
// itself.
package entry

// Stage is the entry of every stage and filter role; package stage sets it.
var Stage func() int32

// Hook is the entry of a hook of every controller role, by the name that the
// context has for it; package controller sets it.
var Hook func(hook string) int32

// What package stage lends to package controller.
var (
	Serve  func(f func(base any) error) int32                // one call: f is given a *stage.Base
	Handle func(base any, result int32) (buf any, err error) // a stage.Buf of an import's result
	ID     func(buf any) int32                               // what imports know a stage.Buf by
	Check  func(result int32) error                          // the error of a result, nil if it is none
	Take   func(handle int32) string                         // the text of a handle, which is freed
)
