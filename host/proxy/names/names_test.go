package names

import (
	"strings"
	"testing"
)

func TestWireNames(t *testing.T) {
	long := strings.Repeat("x", 80)
	for _, tc := range []struct {
		rule string
		bare bool
		in   []Target
		want []string
	}{
		{"server and tool, two underscores between", false,
			[]Target{{"slack", "send_message"}, {"jira", "create_issue"}}, []string{"slack__send_message", "jira__create_issue"}},
		{"characters that clients replace", false,
			[]Target{{"a.b", "x/y z"}, {"a", "größe"}}, []string{"a_b__x_y_z", "a__gr__e"}},
		{"two names that clients show alike", false,
			[]Target{{"s", "a/b"}, {"s", "a_b"}}, []string{"s__a_b", "s__a_b_e5b6af1d"}},
		{"two servers that clients show alike", false,
			[]Target{{"a.b", "t"}, {"a+b", "t"}}, []string{"a_b__t", "a_b__t_c9f4ad3c"}},
		{"too long with the client's prefix", false,
			[]Target{{"s", long}}, []string{"s__" + strings.Repeat("x", 38) + "_b610ccc2"}},
		{"bare names are unchanged", true,
			[]Target{{"s", "a/b"}, {"s", "größe"}}, []string{"a/b", "größe"}},
		{"bare names that clients show alike", true,
			[]Target{{"s", "a/b"}, {"s", "a_b"}}, []string{"a/b", "a_b_e5b6af1d"}},
		{"bare names that are reserved", true,
			[]Target{{"s", "read_section"}, {"s", "begin_session"}, {"s", "read_prompts"}, {"s", "propose_prompt"}, {"s", "read/section"}},
			[]string{"s__read_section", "s__begin_session", "s__read_prompts", "s__propose_prompt", "s__read_section_7b03b3f5"}},
		{"the same tool twice", false,
			[]Target{{"s", "t"}, {"s", "t"}}, []string{"s__t", "s__t"}},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			names := NewTable(Naming{"project", tc.bare, Reserved}, nil)
			for i, in := range tc.in {
				got := names.Add(in)
				if got != tc.want[i] {
					t.Errorf("%v: got %q, want %q", in, got, tc.want[i])
				}
				if to, ok := names.Find(got); !ok || to != in {
					t.Errorf("%q refers to %v, want %v", got, to, in)
				}
			}
		})
	}
}

func TestWireNamesSurviveListChange(t *testing.T) {
	n := Naming{"p", false, nil}
	first := NewTable(n, nil)
	first.Add(Target{"s", "a/b"}) // s__a_b
	hashed := first.Add(Target{"s", "a_b"})
	second := NewTable(n, first)
	if got := second.Add(Target{"s", "a_b"}); got != hashed {
		t.Errorf("a_b was %q and is now %q", hashed, got)
	}
	if got := second.Add(Target{"s", "a/b"}); got != "s__a_b" {
		t.Errorf("a/b was s__a_b and is now %q", got)
	}
	third := NewTable(n, first)
	if got := third.Add(Target{"s", "a b"}); got == "s__a_b" {
		t.Error("a new tool got the name of a removed one")
	}
}

// For any names of tools, each tool can be called, no two are shown alike, and each
// name fits the client's limit.
func FuzzWireNames(f *testing.F) {
	f.Add("a", "x\ny\nx/y", false, "home")
	f.Add("a.b", strings.Repeat("z", 200)+"\n\n\x00", true, strings.Repeat("p", 63))
	f.Add("s", "read_section\nread section\ns__read_section", true, "p")
	f.Fuzz(func(t *testing.T, server, tools string, bare bool, project string) {
		names := NewTable(Naming{project, bare, Reserved}, nil)
		seen := make(map[string]Target)
		for tool := range strings.SplitSeq(tools, "\n") {
			to := Target{server, tool}
			wire := names.Add(to)
			if was, taken := seen[Clean(wire)]; taken && was != to {
				t.Fatalf("%v and %v are both shown as %q", was, to, Clean(wire))
			}
			seen[Clean(wire)] = to
			if got, _ := names.Find(wire); got != to {
				t.Fatalf("%q refers to %v, want %v", wire, got, to)
			}
			if room := max(64-len("mcp__"+project+"__"), shortestNames); len(wire) > room {
				t.Fatalf("%q has %d bytes, limit %d", wire, len(wire), room)
			}
		}
	})
}
