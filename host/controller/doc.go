// Package controller runs the hooks of controllers in a session and applies their
// effects.
//
// Chains is opened once and creates a Session for each session of a client. A
// Session reads the Chain of its project at every request, so controllers can be
// added, removed and changed during the session. The Session keeps their state by
// role, and the owner of each virtual tool. Hooks of one controller run one at a
// time in a session, in order of arrival. A Runner returns the effects of a hook;
// they are applied completely or not at all.
//
// The package does not run modules itself (Runner, Source), does not read stored
// contents or prompts (Contents, Prompts) and does not send anything: it returns
// answers, blocks, notifications and reports.
package controller
