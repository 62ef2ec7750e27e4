package clients

import "testing"

func TestReadHook(t *testing.T) {
	e := Env{Home: "/home/u"}
	for _, tc := range []struct{ command, project, home string }{
		{"mcpctl hook --project home", "home", "/home/u/.mcpctl"},
		{"/usr/bin/mcpctl hook -p home", "home", "/home/u/.mcpctl"},
		{"MCPCTL_HOME='/a b/h' '/opt/a b/mcpctl' hook --project=my.home", "my.home", "/a b/h"},
		{"MCPCTL_HOME=/h/ mcpctl hook --project home", "home", "/h"},
		{"mcpctl hook --project home; rm -rf /", "", ""},
		{"audit && mcpctl hook --project home", "", ""},
		{"mcpctl hook", "", ""},
		{"notmine hook --project home", "", ""},
	} {
		h, ok := ReadHook(tc.command)
		if ok != (tc.project != "") || h.Project != tc.project || ok && h.Home(e, "/current") != tc.home {
			t.Errorf("%s: %+v, home %s, want project %q, home %q", tc.command, h, h.Home(e, "/current"), tc.project, tc.home)
		}
	}
	h, _ := ReadHook("mcpctl hook --project home")
	h.Place.Scope = Project
	if h.Home(e, "/current") != "/current" {
		t.Error("the hook in a shared file does not use the home of its user")
	}
}
