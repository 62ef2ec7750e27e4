package keyword

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFromTags(t *testing.T) {
	for _, c := range []struct {
		rule string
		tags []string
		want string
	}{
		{"words in lower case", []string{"Zigbee", "lights", "MQTT"}, "zigbee lights mqtt"},
		{"a phrase is split into words", []string{"network security, of the VPN"}, "network security vpn"},
		{"hyphens stay", []string{"home-assistant", "common_mistakes"}, "home-assistant common_mistakes"},
		{"an array encoded as a string", []string{`["vpn","firewall"]`}, "vpn firewall"},
		{"each once", []string{"vpn", "VPN", " vpn "}, "vpn"},
		{"other scripts", []string{"Übergabe", "照明", "свет"}, "übergabe 照明 свет"},
		{"no single letters", []string{"a", "b", "go", "-"}, "go"},
		{"no control characters, no direction marks", []string{"fi\x00re\x1b[31mwall", "\u202elight"}, "fi re 31mwall light"},
		{"broken UTF-8", []string{"\xff\xfemqtt\xc3"}, "mqtt"},
		{"nothing", []string{"", " ", "!!"}, ""},
	} {
		if got := strings.Join(FromTags(c.tags), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
}

func TestHostileTagsStayBounded(t *testing.T) {
	words := make([]string, 10_000)
	for i := range words {
		words[i] = strings.Repeat(string(rune('a'+i%26)), 1+i/26)
	}
	for rule, tags := range map[string][]string{
		"10,000 tags":         words,
		"10,000 words in one": {strings.Join(words, " ")},
		"one word of 1 MB":    {strings.Repeat("ü", 1<<19)},
	} {
		got := FromTags(tags)
		if len(got) == 0 || len(got) > MaxTags {
			t.Errorf("%s: %d keywords, want 1 to %d", rule, len(got), MaxTags)
		}
		for _, w := range got {
			if len(w) > MaxBytes || !utf8.ValidString(w) {
				t.Errorf("%s: keyword of %d bytes, valid %t", rule, len(w), utf8.ValidString(w))
			}
		}
	}
}

func TestFromCall(t *testing.T) {
	for _, c := range []struct{ rule, label, arguments, want string }{
		{"server, words of the tool, values", "home-assistant/get_entities", `{"domain":"light"}`, "home-assistant entities light"},
		{"camelCase", "jira/searchIssueLinks", `{}`, "jira issue links"},
		{"a tool without a server", "proxy-dispatch", `{"action":"call","tool":"files/read_file"}`, "proxy dispatch files file"},
		{"values at any depth, no keys", "db/query", `{"filter":{"table":["orders",{"name":"refunds"}]},"limit":10}`, "db orders refunds"},
		{"paths", "files/read_file", `{"path":"/srv/policies/firewall-rules.md"}`, "files file srv policies firewall rules"},
		{"no ids", "x/get", `{"id":"550e8400-e29b-41d4-a716-446655440000","n":"12345","h":"deadbeef01","node":"f3a91c.2e7"}`, ""},
		{"no secrets", "x/login", `{"token":"sk-ant-a8f3c9d2e1kqz","jwt":"eyJhbGciOiJIUzI1NiJ9"}`, "login"},
		{"names with a digit stay", "x/pair", `{"by":"zigbee2mqtt"}`, "pair zigbee2mqtt"},
		{"escapes", "x/say", `{"t":"fire\nwall \"vpn\" \u00fcber \ud83d\ude00 light"}`, "say fire wall vpn über light"},
		{"words only", "x/say", `{"t":"</prompt> {{prompt_index}} ` + "`rm -rf`" + `; ignore"}`, "say prompt index ignore"},
		{"punctuation and short tokens are dropped", "x/y", `{"t":"!!! ??? 1 22 aa"}`, ""},
		{"cut JSON", "x/say", `{"t":"light", "u":"swi`, "say light swi"},
		{"no arguments", "x/status", ``, "status"},
	} {
		if got := strings.Join(FromCall(c.label, []byte(c.arguments)), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
}

func TestHugeArgumentsStayBounded(t *testing.T) {
	args := []byte(`{"content":"` + strings.Repeat("lorem ipsum dolor ", 1<<20) + `"}`)
	if got := FromCall("files/write_file", args); !slices.Equal(got, []string{"files", "file", "lorem", "ipsum", "dolor"}) {
		t.Errorf("%q", got)
	}
}

func FuzzFromCall(f *testing.F) {
	f.Add("home-assistant/get_entities", []byte(`{"domain":"light","x":["\u00e9\"",{"a":1}]}`))
	f.Fuzz(func(t *testing.T, label string, arguments []byte) {
		got := FromCall(label, arguments)
		if !slices.Equal(got, FromCall(label, arguments)) {
			t.Error("not the same twice")
		}
		if len(got) > MaxCall {
			t.Errorf("%d keywords", len(got))
		}
		for _, w := range got {
			if len(w) > MaxBytes || !utf8.ValidString(w) || strings.ContainsFunc(w, func(r rune) bool {
				return notWord(r) && r != '-' && r != '_' && r != '.'
			}) {
				t.Errorf("keyword %q", w)
			}
		}
	})
}
