package main

import (
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/host/team/teamtest"
)

// fakes contains the fake of mcpd of each script.
var fakes sync.Map

// fakeMcpd is a command of scripts:
//
//	mcpd start NAME      starts a fake of mcpd with the user anna, and sets NAME to its address
//	mcpd put FILE...     creates the object of each JSON file
//	mcpd revoke          revokes all tokens of anna
//	mcpd expire          makes all tokens of anna expire
//	mcpd server-calls STATUS  answers all calls of servers with a status, until STATUS is 0
//	mcpd answer STATUS   answers all calls with a status, until STATUS is 0
//	mcpd page STATUS     answers all calls with a status and a page of HTML, as another server does
//	mcpd logins STATE... gives it an issuer and sets the answers to polls; see teamtest.SetLogins
//	mcpd stop            ends it
//	mcpd deny TEXT       denies calls whose path or query contains a text, until TEXT is ''
//	mcpd reply CALL FILE answers a call, such as "GET /backup", with a file
//	mcpd cut CALL FILE   is like reply, and ends the connection after the file
//	mcpd got CALL TEXT   fails unless the last such call has TEXT in its query, its body or an age identity
func fakeMcpd(ts *testscript.TestScript, _ bool, args []string) {
	if args[0] == "start" {
		m := teamtest.Start()
		m.AddUser("anna", "correct horse")
		fakes.Store(ts, m)
		ts.Defer(func() { m.Close(); fakes.Delete(ts) })
		ts.Setenv(args[1], m.URL)
		return
	}
	found, ok := fakes.Load(ts)
	if !ok {
		ts.Fatalf("no mcpd was started")
	}
	m := found.(*teamtest.Mcpd)
	switch args[0] {
	case "put":
		for _, file := range args[1:] {
			m.Put(ts.ReadFile(file))
		}
	case "revoke":
		m.RevokeAll()
	case "page":
		status, err := strconv.Atoi(args[1])
		ts.Check(err)
		m.SetFaults(teamtest.Faults{Status: status, Body: "<html><title>welcome</title></html>"})
		m.Cut()
	case "server-calls":
		status, err := strconv.Atoi(args[1])
		ts.Check(err)
		m.SetFaults(teamtest.Faults{ServerCalls: status})
	case "expire":
		m.ExpireAll()
	case "logins":
		m.SetLogins(args[1:]...)
	case "stop":
		m.Close()
	case "answer":
		status, err := strconv.Atoi(args[1])
		ts.Check(err)
		m.SetFaults(teamtest.Faults{Status: status})
		m.Cut()
	case "deny":
		m.SetFaults(teamtest.Faults{Denied: args[1]})
	case "reply", "cut":
		m.SetReply(args[1], teamtest.Reply{Body: []byte(ts.ReadFile(args[2])), Cut: args[0] == "cut"})
	case "got":
		_, path, _ := strings.Cut(args[1], " ")
		list := m.Requests(path)
		if len(list) == 0 {
			ts.Fatalf("mcpd got no %s", args[1])
		}
		last := list[len(list)-1]
		if text := last.Path + "\n" + last.Body + "\n" + strings.Join(last.Header.Values(api.HeaderAgeIdentity), "\n"); !strings.Contains(text, args[2]) {
			ts.Fatalf("mcpd got %s, without %q", text, args[2])
		}
	default:
		ts.Fatalf("mcpd %s is unknown", args[0])
	}
}
