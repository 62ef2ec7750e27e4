package controllertest

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/internal/testhost"
)

// Prompt is a visible prompt of the project.
type Prompt struct {
	Name       string
	Project    string // empty means the project of the session
	Priority   int    // 0 means 5
	Summary    string
	Chapters   []string
	Body       string // as a client reads it
	Stored     string // as stored; empty means that it equals Body
	Link       string // project/server:uri
	LinkStatus string // empty means alive if there is a Link
}

func (p Prompt) stored() string {
	if p.Stored == "" {
		return p.Body
	}
	return p.Stored
}

func (h *host) Prompts() int32 { return h.Handle(testhost.Text(h.s.promptsJSON())) }

// PromptRecords returns the list of prompts as records.
func (h *host) PromptRecords() int32 { return h.Handle(testhost.Text(recordsOf(h.s.entries()))) }

// promptEntry is a prompt in the list for a controller.
type promptEntry struct {
	Name       string   `json:"name"`
	Project    string   `json:"project"`
	Priority   int      `json:"priority"`
	Summary    string   `json:"summary"`
	Chapters   []string `json:"chapters"`
	Bytes      int      `json:"bytes"`
	Hash       string   `json:"hash"`
	Link       string   `json:"link"`
	LinkStatus string   `json:"linkStatus"`
	Ref        string   `json:"ref"`
}

// promptsJSON returns the result of the import prompts.
func (s *Session) promptsJSON() []byte { return marshal(s.entries()) }

// entries returns all prompts by descending priority.
func (s *Session) entries() []promptEntry {
	list := []promptEntry{}
	for _, p := range s.Prompts {
		sum := sha256.Sum256([]byte(p.stored()))
		e := promptEntry{p.Name, p.Project, p.Priority, p.Summary, p.Chapters, len(p.stored()), hex.EncodeToString(sum[:]), p.Link, p.LinkStatus, ""}
		testhost.SetDefault(&e.Project, s.project())
		testhost.SetDefault(&e.Priority, 5)
		if e.Link != "" {
			testhost.SetDefault(&e.LinkStatus, "alive")
		}
		if e.Chapters == nil {
			e.Chapters = []string{}
		}
		if s.read[p.Name] {
			e.Ref = Ref(p.Body)
		}
		list = append(list, e)
	}
	slices.SortStableFunc(list, func(a, b promptEntry) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.Name, b.Name))
	})
	return list
}

func (h *host) PromptBody(name string, flags int32) int32 {
	if flags&^raw.PromptStored != 0 {
		return h.Bad("flags " + strconv.Itoa(int(flags)))
	}
	if text, ok := h.s.System[name]; ok {
		return h.Handle(testhost.Text([]byte(text)))
	}
	i := slices.IndexFunc(h.s.Prompts, func(p Prompt) bool { return p.Name == name })
	switch {
	case i < 0:
		return h.Refuse(raw.CodeNotFound, "no prompt "+name)
	case h.s.Prompts[i].LinkStatus == "dead":
		return h.Refuse(raw.CodeUnavailable, "link of prompt "+name+" is dead")
	}
	p := h.s.Prompts[i]
	if flags&raw.PromptStored != 0 {
		return h.Handle(testhost.Text([]byte(p.stored())))
	}
	h.s.readPrompt(p)
	return h.Handle(testhost.Text([]byte(p.Body)))
}

// readPrompt stores the body. The prompt has a ref afterwards.
func (s *Session) readPrompt(p Prompt) {
	if s.read == nil {
		s.read = map[string]bool{}
	}
	if s.read[p.Name] {
		return
	}
	s.read[p.Name] = true
	s.Contents = append(s.Contents, Content{Text: p.Body, Source: p.Name, ContentType: "prompt"})
}

// PromptPropose takes effect at once, even if the hook fails.
func (h *host) PromptPropose(proposal string) int32 {
	if len(proposal) > raw.LimitProposalBytes {
		return h.Refuse(raw.CodeLimit, "proposal of "+testhost.Commas(len(proposal))+" bytes, limit "+testhost.Commas(raw.LimitProposalBytes))
	}
	var p struct {
		Name, Content *string
		Priority      int
	}
	why := checkObject(proposal)
	if why == "" {
		if err := json.Unmarshal([]byte(proposal), &p); err != nil {
			why = err.Error()
		}
	}
	switch {
	case why != "":
		return h.Bad("proposal: " + why)
	case p.Name == nil || *p.Name == "" || p.Content == nil || *p.Content == "":
		return h.Bad("proposal: name or content missing")
	case p.Priority < 0 || p.Priority > 10:
		return h.Bad("proposal: priority " + strconv.Itoa(p.Priority) + " not in 1..10")
	case slices.ContainsFunc(h.s.Proposals, func(o Proposal) bool { return o.Name == *p.Name }):
		return h.Refuse(raw.CodeConflict, "prompt "+*p.Name+" is proposed already")
	}
	id := "request-" + strconv.Itoa(len(h.s.Proposals)+1)
	h.s.Proposals = append(h.s.Proposals, Proposal{id, *p.Name, *p.Content, p.Priority})
	return h.Handle(testhost.Text([]byte(id)))
}
