// Package controller runs the controllers of a session: which hook is asked when,
// what each sees of the others, and what of their effects comes into force.
//
// Chains is opened once; it makes a Session for each session of a client. A
// Session reads the Chain of its project anew at every request, so controllers
// come, go and change under it, while what it keeps for them stays: values by
// role, and which role owns which virtual tool. Hooks of one controller take turns
// in a session, in order of arrival. What a hook wants is returned by its Runner,
// and comes into force as a whole or not at all.
//
// It runs no module itself (Runner, Source), reads no stored content or prompt
// (Contents, Prompts) and sends nothing to anyone: answers, blocks, notifications
// and reports are returned.
package controller
