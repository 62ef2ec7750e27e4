package api

import (
	"context"
	"net/http"
)

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

// TeamDeviceResult is the state of a login. It does not contain the token.
type TeamDeviceResult struct {
	State   string       `json:"state"`             // as DeviceResult.State
	Session *TeamSession `json:"session,omitempty"` // of DeviceDone
}

func (h teamHandler) startDevice(w http.ResponseWriter, r *http.Request) {
	var in TeamDeviceStart
	var v TeamDeviceLogin
	err := decode(w, r, &in)
	if err == nil {
		v, err = h.s.Team().StartDevice(r.Context(), in)
	}
	writeAnswer(w, v, err)
}

func (h teamHandler) pollDevice(w http.ResponseWriter, r *http.Request) {
	var in TeamDevicePoll
	var v TeamDeviceResult
	err := decode(w, r, &in)
	if err == nil {
		v, err = h.s.Team().PollDevice(r.Context(), in)
	}
	writeAnswer(w, v, err)
}

// StartDevice implements Team.
func (t teamClient) StartDevice(ctx context.Context, in TeamDeviceStart) (v TeamDeviceLogin, err error) {
	return v, t.c.call(ctx, http.MethodPost, "/team/device", nil, in, &v)
}

// PollDevice implements Team.
func (t teamClient) PollDevice(ctx context.Context, in TeamDevicePoll) (v TeamDeviceResult, err error) {
	return v, t.c.call(ctx, http.MethodPost, "/team/device/poll", nil, in, &v)
}
