package flow

// ClientError is the reason why a server cannot be used, for clients: it contains no file, no
// credential and no text of a server, and says what the user can do.
type ClientError struct {
	Why string
	Err error // with all details, for the log and for status
}

// Error returns the details and the reason, which may end with a command.
func (e *ClientError) Error() string { return e.Err.Error() + "; " + e.Why }

// Unwrap returns the details.
func (e *ClientError) Unwrap() error { return e.Err }
