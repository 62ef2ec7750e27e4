// Package worker runs the guests of a module in a process of their own.
//
// The parent starts a Process for a module, sends it calls and answers what guests ask of
// the host: values, the LLM and the session of a controller. In the process, Serve runs the
// calls. Both sides exchange frames over pipes, see conn, and large contents in shared memory,
// see area.
//
// A guest that exploits a bug of the engine controls the process. So the parent does not
// trust it: it serves only the functions that the role of the call may use, takes project and
// module from the call instead of the request, and checks all results.
package worker
