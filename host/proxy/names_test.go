package proxy

import (
	"strings"
	"testing"
)

// covers A-022, d-6, CLIENTS acceptance 10
func TestWireNames(t *testing.T) {
	long := strings.Repeat("x", 80)
	for _, tc := range []struct {
		rule string
		bare bool
		in   []target
		want []string
	}{
		{"server and tool, two underscores between", false,
			[]target{{"slack", "send_message"}, {"jira", "create_issue"}}, []string{"slack__send_message", "jira__create_issue"}},
		{"characters that clients replace are replaced here", false,
			[]target{{"a.b", "x/y z"}, {"a", "größe"}}, []string{"a_b__x_y_z", "a__gr__e"}},
		{"the second of two names that clients show alike ends in a hash", false,
			[]target{{"s", "a/b"}, {"s", "a_b"}}, []string{"s__a_b", "s__a_b_e5b6af1d"}},
		{"servers whose names map alike", false,
			[]target{{"a.b", "t"}, {"a+b", "t"}}, []string{"a_b__t", "a_b__t_c9f4ad3c"}},
		{"too long with the client's prefix: cut, hash", false,
			[]target{{"s", long}}, []string{"s__" + strings.Repeat("x", 38) + "_b610ccc2"}},
		{"bare keeps names as they are", true,
			[]target{{"s", "a/b"}, {"s", "größe"}}, []string{"a/b", "größe"}},
		{"bare: shown alike", true,
			[]target{{"s", "a/b"}, {"s", "a_b"}}, []string{"a/b", "a_b_e5b6af1d"}},
		{"bare: names of the host's are taken", true,
			[]target{{"s", "read_section"}, {"s", "begin_session"}, {"s", "read_prompts"}, {"s", "propose_prompt"}, {"s", "read/section"}},
			[]string{"s__read_section", "s__begin_session", "s__read_prompts", "s__propose_prompt", "s__read_section_7b03b3f5"}},
		{"a tool listed twice is one tool", false,
			[]target{{"s", "t"}, {"s", "t"}}, []string{"s__t", "s__t"}},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			names := newNameTable(naming{"project", tc.bare, reservedNames}, nil)
			for i, in := range tc.in {
				got := names.add(in)
				if got != tc.want[i] {
					t.Errorf("%v: got %q, want %q", in, got, tc.want[i])
				}
				if to, ok := names.find(got); !ok || to != in {
					t.Errorf("%q leads to %v, want %v", got, to, in)
				}
			}
		})
	}
}

func TestWireNameKeepsItsMeaningWhenTheListChanges(t *testing.T) {
	n := naming{"p", false, nil}
	first := newNameTable(n, nil)
	first.add(target{"s", "a/b"}) // s__a_b
	hashed := first.add(target{"s", "a_b"})
	second := newNameTable(n, first)
	if got := second.add(target{"s", "a_b"}); got != hashed {
		t.Errorf("a_b was %q and is now %q", hashed, got)
	}
	if got := second.add(target{"s", "a/b"}); got != "s__a_b" {
		t.Errorf("a/b was s__a_b and is now %q", got)
	}
	third := newNameTable(n, first)
	if got := third.add(target{"s", "a b"}); got == "s__a_b" {
		t.Error("a new tool took the name of one that has just gone")
	}
}

// Whatever servers call their tools: every tool can be called, no two are shown
// alike, and every name has room within the client's limit.
func FuzzWireNames(f *testing.F) {
	f.Add("a", "x\ny\nx/y", false, "home")
	f.Add("a.b", strings.Repeat("z", 200)+"\n\n\x00", true, strings.Repeat("p", 63))
	f.Add("s", "read_section\nread section\ns__read_section", true, "p")
	f.Fuzz(func(t *testing.T, server, tools string, bare bool, project string) {
		names := newNameTable(naming{project, bare, reservedNames}, nil)
		seen := make(map[string]target)
		for tool := range strings.SplitSeq(tools, "\n") {
			to := target{server, tool}
			wire := names.add(to)
			if was, taken := seen[shown(wire)]; taken && was != to {
				t.Fatalf("%v and %v are both shown as %q", was, to, shown(wire))
			}
			seen[shown(wire)] = to
			if got, _ := names.find(wire); got != to {
				t.Fatalf("%q leads to %v, want %v", wire, got, to)
			}
			if room := max(64-len("mcp__"+project+"__"), shortestNames); len(wire) > room {
				t.Fatalf("%q has %d bytes, room for %d", wire, len(wire), room)
			}
		}
	})
}
