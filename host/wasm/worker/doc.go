// Package worker runs the guests of a module in a process of their own.
//
// The parent starts a Process for a module, sends it calls and answers what guests ask of
// the host: values, the LLM and the session of a controller. In the process, Serve runs the
// calls. Both sides exchange frames over pipes; see conn.
//
// The process may be under the control of a guest that found a fault of the engine. So the
// parent grants a call only what its role may use, decides itself whose values and budget
// are used, and checks what it receives.
package worker
