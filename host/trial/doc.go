// Package trial runs the roles of one module as their author tests them: in the
// host's own runtime, with an LLM that answers by a script, a cache that holds what
// a script says and the config that the manifest makes of a few keys.
//
// A Trial loads Modules; Module.Run runs a stage or filter once, Module.Session
// plays the hooks of a controller, Module.Laws holds a stage against what every
// stage must keep. Nothing of a home is read or written but compiled code, and
// files of fixtures are none of its business.
package trial
