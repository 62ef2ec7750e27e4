// Package hosttest holds fakes of the services around the host: small real
// implementations that fail on demand. They are for tests and the bundled demonstration,
// never for a user's content.
package hosttest
