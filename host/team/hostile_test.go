package team

import (
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/host/team/teamtest"
)

// Answers and events that no mcpd sends leave the objects as they are.
func TestHostileMcpd(t *testing.T) {
	big := strings.Repeat("x", 4<<20)
	for name, fault := range map[string]teamtest.Faults{
		"snapshot that is no JSON":       {Body: "<html>"},
		"snapshot without version":       {Body: `{"objects":[]}`},
		"snapshot with negative version": {Body: `{"version":"-1","objects":[]}`},
		"snapshot that is too deep":      {Body: `{"version":"900","objects":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`},
		"too many objects":               {Body: `{"version":"900","objects":[` + strings.Repeat(`{},`, maxObjects) + `{}]}`},
		"snapshot that is cut":           {Body: `{"version":"900","objects":[{"kind":"ser`},
		"answer of a proxy":              {Status: 200, Body: "hello"},
		"redirect":                       {Status: 302, Body: "-"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.mcpd.Put(server("a"))
			r.logIn()
			r.await(Following, "a")
			r.goAway("a")
			r.mcpd.Put(server("b"))
			r.mcpd.Compact() // so that a snapshot is needed
			before := len(r.mcpd.Requests(""))
			r.mcpd.SetFaults(fault)
			for len(r.mcpd.Requests("")) < before+5 {
				time.Sleep(5 * time.Millisecond)
			}
			if s := r.await(Stale, "a"); s.Err == nil || strings.Contains(s.Err.Error(), "503") {
				t.Errorf("reason %v", s.Err)
			}
			r.mcpd.SetFaults(teamtest.Faults{})
			r.await(Following, "a", "b")
		})
	}
	for name, raw := range map[string]string{
		"event that is no JSON":    "event: change\ndata: {\n\n",
		"unknown operation":        "event: change\ndata: {\"version\":\"9000\",\"op\":\"drop\",\"kind\":\"server\",\"name\":\"a\"}\n\n",
		"put without object":       "event: change\ndata: {\"version\":\"9000\",\"op\":\"put\",\"kind\":\"server\",\"name\":\"a\"}\n\n",
		"change without a version": "event: change\ndata: {\"op\":\"delete\",\"kind\":\"server\",\"name\":\"a\"}\n\n",
		"oversized line":           "event: change\ndata: " + big + "\n\n",
		"oversized event":          "event: change\n" + strings.Repeat("data: "+big[:1<<20]+"\n", 4) + "\n",
		"line without end":         big,
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.mcpd.Put(server("a"))
			r.mcpd.SetFaults(teamtest.Faults{Raw: raw, Silent: true})
			r.logIn()
			s := r.await(Stale, "a")
			if s.Err == nil {
				t.Error("no reason")
			}
			r.mcpd.SetFaults(teamtest.Faults{})
			r.await(Following, "a")
		})
	}
}
