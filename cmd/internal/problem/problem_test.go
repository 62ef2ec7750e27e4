package problem

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/object"
)

func TestExitStatusFollowsTheKind(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  error
		want int
	}{
		{"no error", nil, 0},
		{"unknown error", errors.New("boom"), 1},
		{"usage", Usagef("unknown flag --x"), 2},
		{"not found, wrapped", fmt.Errorf("project %q: %w", "x", abi.ErrNotFound), 3},
		{"denied", abi.ErrDenied, 4},
		{"conflict", abi.ErrConflict, 5},
		{"unreachable", abi.ErrUnavailable, 6},
		{"invalid", abi.ErrConfig, 7},
		{"limit", abi.ErrLimit, 1},
		{"deadline", context.DeadlineExceeded, 1},
		{"a problem from the daemon", &Problem{Code: "E_CONFLICT", Message: "taken"}, 5},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Exit(tc.err); got != tc.want {
				t.Errorf("Exit(%v) = %d, want %d", tc.err, got, tc.want)
			}
		})
	}
}

func TestKindSurvivesTheSocket(t *testing.T) {
	p := From(fmt.Errorf("server %q: %w", "files", abi.ErrNotFound))
	if !errors.Is(error(p), abi.ErrNotFound) || errors.Is(error(p), abi.ErrDenied) {
		t.Errorf("a problem with code %s has not the kind of the original error", p.Code)
	}
}

func TestPrintShowsThreeParts(t *testing.T) {
	p := &Problem{Code: "E_INVALID", Message: `proxymodel "smart": stage 2 "bullet" not found`,
		Cause: "looked in stages (3 modules) and 4 built-ins", At: "smart.yaml:7:13", Hint: "mcpctl get stages"}
	var text, js bytes.Buffer
	Print(&text, p, false)
	Print(&js, p, true)
	want := `error: proxymodel "smart": stage 2 "bullet" not found
  looked in stages (3 modules) and 4 built-ins   (smart.yaml:7:13)
hint: mcpctl get stages
`
	if text.String() != want {
		t.Errorf("got\n%s\nwant\n%s", text.String(), want)
	}
	wantJSON := `{"error":{"code":"E_INVALID","message":"proxymodel \"smart\": stage 2 \"bullet\" not found","cause":"looked in stages (3 modules) and 4 built-ins","at":"smart.yaml:7:13","hint":"mcpctl get stages"}}` + "\n"
	if js.String() != wantJSON {
		t.Errorf("got %s want %s", js.String(), wantJSON)
	}
}

func TestHintOfAnErrorThatPrintsAllParts(t *testing.T) {
	p := From(errors.New("stage \"x\" not found\n  looked in 4 built-ins   (a.yaml:7:1)\nhint: mcpctl get stages\nhint: other"))
	if p.Hint != "mcpctl get stages" || p.Message != "stage \"x\" not found\n  looked in 4 built-ins   (a.yaml:7:1)" {
		t.Errorf("got %+v", p)
	}
}

func TestMessageDoesNotRepeatTheCode(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"not found: server \"x\"", "server \"x\" not found"},
		{"not found: stage \"x\", did you mean \"y\"?", "stage \"x\" not found, did you mean \"y\"?"},
		{"not found: role \"x\" is in no module", "role \"x\" is in no module"},
		{"server \"x\": not found", "server \"x\": not found"},
	} {
		err := fmt.Errorf("%s%w", "", wrapped{tc.in, abi.ErrNotFound})
		if got := From(err).Message; got != tc.want {
			t.Errorf("message of %q is %q, want %q", tc.in, got, tc.want)
		}
	}
}

type wrapped struct {
	text string
	kind error
}

func (w wrapped) Error() string { return w.text }
func (w wrapped) Unwrap() error { return w.kind }

// All errors of a file are reported together, each with its position, also after
// they were sent over the socket.
func TestErrorsOfAFileKeepTheirPositions(t *testing.T) {
	_, _, err := object.Decode("a.yaml", []byte("kind: Project\nmetadata: {name: A}\nspec: {proxyMdoel: x}\n"))
	b, merr := json.Marshal(From(err))
	if merr != nil {
		t.Fatal(merr)
	}
	var far Problem
	if err := json.Unmarshal(b, &far); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	Print(&text, &far, false)
	want := `error: a.yaml: 2 errors
  metadata.name "A" starts with 'A', want a letter a-z or a digit
    (a.yaml:2:18)
      2 | metadata: {name: A}
        |                  ^
  proxyMdoel is not a field here, did you mean "proxyModel"?
    (a.yaml:3:8)
      3 | spec: {proxyMdoel: x}
        |        ^
hint: mcpctl explain E_INVALID
`
	if text.String() != want {
		t.Errorf("got\n%s\nwant\n%s", text.String(), want)
	}
}

func TestEveryCodeHasAPage(t *testing.T) {
	for _, p := range Pages() {
		if p.Means == "" || p.Help == "" {
			t.Errorf("%s has no explanation", p.Code)
		}
		if k, ok := byCode(p.Code); !ok || k.exit != p.Exit {
			t.Errorf("%s: exit status %d, want %d", p.Code, k.exit, p.Exit)
		}
	}
}
