package cache

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// fakeTeam implements the calls of the commands about the cache of the team.
type fakeTeam struct {
	api.Service
	checks []api.TeamCacheCheck
	called string
}

func (f *fakeTeam) Team() api.Team { return teamOf{fake: f} }

type teamOf struct {
	api.Team
	fake *fakeTeam
}

func (f teamOf) VerifyCache(context.Context, string, int) ([]api.TeamCacheCheck, error) {
	return f.fake.checks, nil
}

func (f teamOf) Call(_ context.Context, method, path string, query url.Values, _, out any) error {
	f.fake.called = method + " " + path + "?" + query.Encode()
	out.(*api.TeamCachePurged).Removed = 2
	return nil
}

func TestVerify(t *testing.T) {
	check := func(producer, result string) api.TeamCacheCheck {
		return api.TeamCacheCheck{Project: "web", Role: "s", Producer: producer, Key: "ab", Result: result}
	}
	for name, tt := range map[string]struct {
		checks          []api.TeamCacheCheck
		out, fails, fix string
	}{
		"none":         {out: "the team has no results"},
		"equal":        {checks: []api.TeamCacheCheck{check("user anna", api.TeamCacheEqual), check("user anna", api.TeamCacheUnverifiable)}, out: "user anna  unverifiable"},
		"different":    {checks: []api.TeamCacheCheck{check("user eve", api.TeamCacheDifferent), check("serviceaccount ci", api.TeamCacheDifferent)}, out: "user eve", fails: "1 result of serviceaccount ci", fix: "mcpctl cache purge --producer serviceaccount/ci"},
		"hostile name": {checks: []api.TeamCacheCheck{check("user x; reboot", api.TeamCacheDifferent)}, out: "different", fails: "user x; reboot"},
	} {
		t.Run(name, func(t *testing.T) {
			streams, _, out, errOut := iostreams.Test()
			err := verify(t.Context(), &Options{F: &factory.Factory{IO: streams}, Output: "table"}, &fakeTeam{checks: tt.checks})
			if text := out.String() + errOut.String(); !strings.Contains(text, tt.out) {
				t.Errorf("printed %q", text)
			}
			if (err != nil) != (tt.fails != "") {
				t.Fatal(err)
			}
			if err == nil {
				return
			}
			if p := problem.From(err); !strings.Contains(p.Message, tt.fails) || p.Hint != tt.fix {
				t.Errorf("%q, hint %q", p.Message, p.Hint)
			}
		})
	}
}

func TestPurge(t *testing.T) {
	for producer, want := range map[string]string{
		"serviceaccount/ci": "DELETE /cache?producer=serviceaccount+ci",
		"user/eve":          "DELETE /cache?producer=user+eve",
		"eve":               "",
		"group/web":         "",
		"user/":             "",
		"":                  "",
	} {
		streams, _, out, _ := iostreams.Test()
		s := new(fakeTeam)
		err := purge(t.Context(), &Options{F: &factory.Factory{IO: streams}, Producer: producer}, s)
		if (err == nil) != (want != "") || s.called != want {
			t.Errorf("%q: called %q, %v", producer, s.called, err)
		}
		if err == nil && out.String() != "2 shared results of "+producer+" removed\n" {
			t.Errorf("printed %q", out.String())
		}
	}
}
