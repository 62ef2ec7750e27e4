// Package hosttest holds fakes of what stands outside the host: small real
// implementations that misbehave on demand. They serve tests and the bundled
// demonstration, never a user's content.
package hosttest
