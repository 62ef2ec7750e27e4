package gate

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/controllertest"
)

// runbook has three prompts: a short one, a long one, and one without headings.
func runbook() *controllertest.Session {
	s := home()
	long := "# Runbook\n\nBefore.\n\n## Deploy\n\n" + strings.Repeat("Deploy it.\n", 300) + "\n### Rollback\n\nUndo.\n\n## Database\n\n" +
		strings.Repeat("Back it up.\n", 800) + "\n### Rollback\n\nRestore.\n\n## Deployment notes\n\nNone.\n"
	s.Prompts = append(s.Prompts,
		controllertest.Prompt{Name: "keys", Priority: 5, Summary: "Rules of keys", Chapters: []string{"Keys", "Key rotation"},
			Body: "# Keys\n\nSecret.\n\n## Key rotation\n\nEvery 90 days.\n\n```\n## Fenced\n```\n"},
		controllertest.Prompt{Name: "runbook", Priority: 9, Summary: "Rules of operation", Chapters: []string{"Runbook", "Deploy"}, Body: long},
	)
	s.Section = func(_, section string) string {
		switch {
		case section == "runbook/intro" || section == "" || strings.ContainsAny(section, "?~") || section == "!":
			return "host " + section
		}
		return `no section "` + section + `"`
	}
	return s
}

func TestReadPromptsByHeading(t *testing.T) {
	s := runbook()
	done(t, s.Call("begin_session", `{"tags":["nothing"]}`))
	for _, c := range []struct{ rule, arguments, want string }{
		{"title", `{"tags":["keys"],"section":"Key rotation"}`, "## Key rotation\n\nEvery 90 days.\n\n```\n## Fenced\n```\n"},
		{"argument names", `{"names":["keys"],"section":"key rotation"}`, "## Key rotation\n\nEvery 90 days.\n\n```\n## Fenced\n```\n"},
		{"argument name", `{"name":"keys","section":"key-rot"}`, "## Key rotation\n\nEvery 90 days.\n\n```\n## Fenced\n```\n"},
		{"chapter of another match", `{"tags":["rules"],"section":"Key rotation"}`, "From keys, which matches best:\n## Key rotation\n\nEvery 90 days.\n\n```\n## Fenced\n```\n"},
		{"path", `{"tags":["runbook"],"section":"Database/Rollback"}`, "### Rollback\n\nRestore.\n\n"},
		{"path of beginnings", `{"tags":["runbook"],"section":"data/roll"}`, "### Rollback\n\nRestore.\n\n"},
		{"title before other beginnings", `{"tags":["runbook"],"section":"Deploy!"}`, "## Deploy\n\n" + strings.Repeat("Deploy it.\n", 300) + "\n### Rollback\n\nUndo.\n\n"},
		{"id of the host", `{"tags":["runbook"],"section":"runbook/intro"}`, "host runbook/intro"},
		{"id of the host that no heading has", `{"tags":["runbook"],"section":"~L1-2"}`, "host ~L1-2"},
		{"search", `{"tags":["runbook"],"section":"?rollback"}`, "host ?rollback"},
		{"search below a heading", `{"tags":["keys"],"section":"Key rotation?days"}`, "host ~B17-68?days"},
		{"search below a shortened heading", `{"tags":["keys"],"section":"key rot?days"}`, "host ~B17-68?days"},
		{"search below several headings", `{"tags":["runbook"],"section":"rollback?undo"}`, "2 headings of runbook match \"rollback\":\n[runbook/deploy/rollback] Rollback (21B)\n[runbook/database/rollback] Rollback (24B)\n"},
		{"all of a heading that is too long", `{"tags":["runbook"],"section":"Database!"}`, "## Database\n\n" + strings.Repeat("Back it up.\n", 800) + "\n### Rollback\n\nRestore.\n\n"},
		{"several headings", `{"tags":["runbook"],"section":"rollback"}`, "2 headings of runbook match \"rollback\":\n[runbook/deploy/rollback] Rollback (21B)\n[runbook/database/rollback] Rollback (24B)\n"},
		{"several beginnings", `{"tags":["runbook"],"section":"depl"}`, "2 headings of runbook match \"depl\":\n[runbook/deploy] Deploy (3.3K)\n[runbook/deployment-notes] Deployment notes (27B)\n"},
		{"index of a heading that is too long", `{"tags":["runbook"],"section":"Runbook"}`, "# Runbook\n\nBefore.\n\n3 headings below \"Runbook\", \"runbook!\" is all of it:\n" +
			"[runbook/deploy] Deploy (3.3K)\n[runbook/database] Database (9.6K)\n[runbook/deployment-notes] Deployment notes (27B)\n"},
	} {
		if got := done(t, s.Call("read_prompts", c.arguments)); got != c.want {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
	for _, c := range []struct{ rule, arguments, want string }{
		{"no such heading", `{"tags":["keys"],"section":"rotate keys"}`, "no heading \"rotate keys\" in keys, which has:\n[keys] Keys (68B)\n[keys/key-rotation] Key rotation (51B)"},
		{"heading in fenced code", `{"tags":["keys"],"section":"Fenced"}`, "no heading \"Fenced\" in keys, which has:\n[keys]"},
		{"prompt without headings", `{"tags":["naming"],"section":"Rooms"}`, "no section \"Rooms\"\nnaming has no headings"},
	} {
		e := s.Call("read_prompts", c.arguments)
		if refused(t, e); !strings.HasPrefix(e.Answer, c.want) {
			t.Errorf("%s: %q, want %q", c.rule, e.Answer, c.want)
		}
	}
}

// TestManyHeadingsAreBounded checks that lists of headings are short.
func TestManyHeadingsAreBounded(t *testing.T) {
	s := runbook()
	s.Prompts[0].Name, s.Prompts[0].Body = "many", "# All\n\n"+strings.Repeat("## A rather long heading that is repeated\n\ntext\n\n", 5000)
	s.State = map[string]string{stateGated: "0"}
	for section, isError := range map[string]bool{"A rather long heading that is repeated": false, "a rather": false, "All": false, "short": true} {
		e := s.Call("read_prompts", `{"tags":["many"],"section":"`+section+`"}`)
		if len(e.Answer) > 3<<10 || !isError && !strings.Contains(e.Answer, " more\n") {
			t.Errorf("%q: %d bytes: %.200s", section, len(e.Answer), e.Answer)
		}
	}
}
