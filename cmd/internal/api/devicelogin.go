package api

import "time"

// LoggedIn is the answer to Login. The token replaces the password in all later calls.
type LoggedIn struct {
	Token   Credential `json:"token"`
	User    string     `json:"user"`
	Expires time.Time  `json:"expires,omitzero"`
}

// DeviceLogin is the answer to POST /auth/device, which begins a login by the OpenID Connect
// issuer of mcpd: the user opens VerificationURI in any browser and enters UserCode, or opens
// VerificationURIComplete, if there is one.
type DeviceLogin struct {
	// Handle identifies the login to POST /auth/device/poll. Whoever has it receives the
	// login that the user confirms.
	Handle                  Credential `json:"handle"`
	UserCode                string     `json:"userCode"`
	VerificationURI         string     `json:"verificationUri"`
	VerificationURIComplete string     `json:"verificationUriComplete,omitempty"`
	Interval                int        `json:"interval"` // seconds between two polls
	Expires                 time.Time  `json:"expires"`
}

// DevicePoll is the body of POST /auth/device/poll.
type DevicePoll struct {
	Handle Credential `json:"handle"`
}

// The states of a DeviceResult.
const (
	DevicePending  = "pending"  // not confirmed yet
	DeviceSlowDown = "slowDown" // not confirmed yet; all later polls must be DeviceMore further apart
	DeviceDone     = "done"     // confirmed: the result has the LoggedIn
)

// DeviceMore is added to the interval of a login at each DeviceSlowDown.
const DeviceMore = 5 * time.Second

// DeviceResult is the answer to DevicePoll. A login that ended without a token is a
// problem: 403 if it was declined or the user may not log in, 409 if the name of a new user
// is in use, 410 if it has expired or was used.
type DeviceResult struct {
	State string `json:"state"`
	*LoggedIn
}

// TeamDeviceLogin is a login by the OpenID Connect issuer of a mcpd that has begun.
type TeamDeviceLogin struct {
	URL string `json:"url"` // of mcpd
	DeviceLogin
}

// TeamDeviceStart is the request to begin a login.
type TeamDeviceStart struct {
	URL string `json:"url"` // "" is the address in the settings
}

// TeamDevicePoll is the request for the state of a login that has begun.
type TeamDevicePoll struct {
	URL    string     `json:"url"`
	Handle Credential `json:"handle"`
}
