package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// LibraryPrefix begins the URI of a prompt of the project. While a session is
// steered no resource of a server is listed under one.
const LibraryPrefix = "mcpctl://prompts/"

// promptMIME is the type of a prompt's text.
const promptMIME = "text/markdown"

// Library is the prompts of projects. A session that controllers steer, or whose
// project has prompts, has them all as resources, so that a client can list what the
// instructions have no room for: after the servers' resources, in the order of List.
//
// Package host/prompt implements it. Implementations are safe for concurrent use.
type Library interface {
	// List returns one object of resources/list for each prompt that is visible
	// in the scope's project, system prompts not among them:
	// {"uri":"mcpctl://prompts/NAME","name":"NAME","description":SUMMARY,"mimeType":"text/markdown"}.
	// It returns at once.
	List(scope flow.Scope) []json.RawMessage

	// Read returns the name of the prompt with this URI and its text: links
	// resolved, as it is before the project's filters and stages, which the session
	// runs over it as over a prompt of that name.
	//
	// Errors: abi.ErrNotFound; abi.ErrUnavailable with a text that is fit for a
	// client.
	Read(ctx context.Context, scope flow.Scope, uri string) (name string, text []byte, err error)

	// Rules returns the names of the prompts that every session of the scope's project
	// must have and that no gate sends: they belong into the instructions. It returns
	// at once.
	Rules(scope flow.Scope) []string
}

// library returns the prompts of the project, nil if the session has none.
func (s *Session) library() Library {
	if s.e.Library == nil || !s.steered() && len(s.e.Library.List(s.scope)) == 0 {
		return nil
	}
	return s.e.Library
}

// moreRules is the room that the list of rules without room takes, in characters.
const moreRules = 400

// rules returns the prompts that the instructions have to hold, as far as a client
// shows them. Filters run over each. Those without room, and links of which there is no
// copy, are named by URI.
func (s *Session) rules(ctx context.Context, req *request) string {
	lib := s.library()
	if lib == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, waitGreeting)
	defer cancel()
	var texts, unread []string
	room := s.profile.InstructionsChars - moreRules
	for _, name := range lib.Rules(s.scope) {
		_, text, err := lib.Read(ctx, s.scope, LibraryPrefix+name)
		if err == nil && len(text) <= utf8.UTFMax*room {
			left := strings.TrimSpace(string(s.filtered(ctx, req, source{kind: abi.Prompt, name: name}, [][]byte{text})[0]))
			if n := characters(left) + len("\n\n"); n <= room {
				texts, room = append(texts, left), room-n
				continue
			}
		}
		unread = append(unread, LibraryPrefix+name)
	}
	if len(unread) > 0 {
		list := "Rules to read as resources before you act: " + strings.Join(unread, ", ")
		texts = append(texts, cutLines(list, moreRules-len("\n\n")))
	}
	return strings.Join(texts, "\n\n")
}

// libraryList returns the objects that the session lists after the servers', and
// which URIs are not for servers.
func (s *Session) libraryList(k listKind) (reserved func(uri string) bool, ours [][]byte) {
	lib := s.library()
	if lib == nil {
		return func(string) bool { return false }, nil
	}
	if k == resources {
		for _, raw := range lib.List(s.scope) {
			ours = append(ours, raw)
		}
	}
	return inLibrary, ours
}

// ours reports whether a URI is for prompts of the project, whoever knows it: no
// server is asked for one, so that none can pose as the project. A scheme is the same
// in small and in large letters.
func (s *Session) ours(uri string) bool { return s.library() != nil && inLibrary(uri) }

func inLibrary(uri string) bool {
	return len(uri) >= len(LibraryPrefix) && strings.EqualFold(uri[:len(LibraryPrefix)], LibraryPrefix)
}

// readLibrary answers resources/read for a prompt of the project; ok is false if
// the URI is for none.
func (s *Session) readLibrary(ctx context.Context, req *request, uri string) (reply flow.Reply, ok bool, err error) {
	if !s.ours(uri) {
		return flow.Reply{}, false, nil
	}
	name, text, err := s.e.Library.Read(ctx, s.scope, uri)
	switch {
	case errors.Is(err, abi.ErrNotFound):
		return flow.Reply{}, true, noResource(uri)
	case err != nil:
		return flow.Reply{}, true, err
	}
	block := jsonedit.Object(jsonedit.String("uri", uri), jsonedit.String("mimeType", promptMIME), jsonedit.String("text", string(text)))
	reply.Result = jsonedit.Object(jsonedit.Raw("contents", append(append([]byte{'['}, block...), ']')))
	reply, err = s.showOther(ctx, req, source{kind: abi.Prompt, name: name, hint: uri}, reply, resourceLayout)
	return reply, true, err
}
