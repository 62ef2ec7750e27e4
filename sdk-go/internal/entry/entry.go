// Package entry connects the packages of the SDK without exported API: tests call the
// entries of the host, and package controller uses unexported parts of package stage.
package entry

// Stage is the entry of stage and filter roles. Package stage sets it.
var Stage func() int32

// Hook is the entry of a hook of controller roles, by the name of the hook in the
// context. Package controller sets it.
var Hook func(hook string) int32

// Parts of package stage for package controller.
var (
	Serve  func(f func(base any) error) int32                // runs a call: base is a *stage.Base
	Handle func(base any, result int32) (buf any, err error) // returns the stage.Buf of an import's result
	ID     func(buf any) int32                               // returns the number of a stage.Buf in the ABI
	Check  func(result int32) error                          // returns the error of a result, or nil
	Take   func(handle int32) string                         // returns the text of a handle and frees it
)
