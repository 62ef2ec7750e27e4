package flow

// ClientError is the reason why a server cannot be used, for clients: it contains no file, no
// credential and no text of a server, and says what the user can do.
type ClientError struct {
	Why string
	Err error // with all details, for the log and for status
}

// Error returns the reason and the details.
func (e *ClientError) Error() string { return e.Why + ": " + e.Err.Error() }

// Unwrap returns the details.
func (e *ClientError) Unwrap() error { return e.Err }
