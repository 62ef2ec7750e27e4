package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// formatName identifies the form of File.
const formatName = "mcpctl-session/1"

// maxText is the size limit of all texts of a File.
const maxText = 16 << 20

// File is the exported data. The page reads the same form.
type File struct {
	Format   string              `json:"format"`
	Version  string              `json:"version"` // of the daemon
	Exported time.Time           `json:"exported"`
	Query    string              `json:"query,omitempty"`
	Omitted  []string            `json:"omitted,omitempty"` // parts that are missing, one line each
	Sessions []api.Session       `json:"sessions"`
	Events   []json.RawMessage   `json:"events"`
	Contents map[uint64]*Content `json:"contents"` // by event id
	Texts    []string            `json:"texts"`    // each distinct text once

	events []api.Event // as Events
}

// Content is the content of an event. Fields that are not stored are nil.
type Content struct {
	Original *Body         `json:"original,omitempty"`
	Shown    *Body         `json:"shown,omitempty"`
	Sections *api.Coverage `json:"sections,omitempty"`
}

// Body is an api.Body whose texts are numbers of File.Texts.
type Body struct {
	Parts []Part `json:"parts"`
}

// Part is one text of a Body.
type Part struct {
	Ref         string          `json:"ref,omitempty"`
	ContentType abi.ContentType `json:"contentType,omitempty"`
	Source      string          `json:"source,omitempty"`
	MIME        string          `json:"mime,omitempty"`
	Text        int             `json:"text"`
}

// source is the part of api.Service that collect needs.
type source interface {
	Events(ctx context.Context, q api.EventQuery) ([]api.Event, error)
	Studio() api.Studio
}

// collector builds a File.
type collector struct {
	from  source
	opts  *Options
	file  *File
	known map[string]int // number of each masked text
	bytes int            // of all texts

	aliases map[string]string // of the sessions, by id

	gone, large int // events whose content is no longer stored, or did not fit
}

// collect returns the events that opts selects, with their content. Credentials are masked.
func collect(ctx context.Context, from source, opts *Options, now time.Time) (*File, error) {
	c := &collector{from: from, opts: opts, known: map[string]int{}, aliases: map[string]string{}, file: &File{
		Format: formatName, Exported: now.UTC().Truncate(time.Second), Query: opts.Query,
		Sessions: []api.Session{}, Events: []json.RawMessage{}, Contents: map[uint64]*Content{}, Texts: []string{},
	}}
	if err := c.addEvents(ctx); err != nil {
		return nil, err
	}
	if err := c.addSessions(ctx); err != nil {
		return nil, err
	}
	for _, e := range slices.Backward(c.file.events) { // the newest content matters most
		if err := c.addContent(ctx, e); err != nil {
			return nil, err
		}
	}
	c.addOmissions()
	return c.file, nil
}

func (c *collector) addEvents(ctx context.Context) error {
	list, err := c.from.Events(ctx, api.EventQuery{Project: c.opts.Project, Query: c.opts.Query})
	if err != nil {
		return err
	}
	if c.opts.Session != "" {
		list = slices.DeleteFunc(list, func(e api.Event) bool { return e.Session != c.opts.Session })
		if len(list) == 0 {
			return problem.New(abi.ErrNotFound, "no stored event of session %q", c.opts.Session).WithHint("mcpctl export -o - --format json --bodies none")
		}
	}
	if over := len(list) - c.opts.Limit; over > 0 {
		c.omit("%s, the oldest (--limit %d)", printer.Plural(over, "event"), c.opts.Limit)
		list = list[over:]
	}
	for _, e := range list {
		masked, err := maskJSON(e.Raw, map[string]string{"session": c.alias(e.Session)})
		if err != nil {
			return fmt.Errorf("event %d: %w", e.ID, err)
		}
		if err := json.Unmarshal(masked, &e); err != nil {
			return fmt.Errorf("event %d: %w", e.ID, err)
		}
		c.file.Events, c.file.events = append(c.file.Events, masked), append(c.file.events, e)
	}
	return nil
}

// alias returns a name for a session, whose id gives access to its originals while it is open.
func (c *collector) alias(session string) string {
	if session == "" {
		return ""
	}
	if _, ok := c.aliases[session]; !ok {
		c.aliases[session] = fmt.Sprintf("session-%d", len(c.aliases)+1)
	}
	return c.aliases[session]
}

// addSessions adds the sessions of the events.
func (c *collector) addSessions(ctx context.Context) error {
	list, err := c.from.Studio().Sessions(ctx, c.opts.Project)
	if err != nil {
		return err
	}
	for _, s := range list {
		if alias, ok := c.aliases[s.ID]; ok {
			s.ID, s.Client = alias, maskText(s.Client)
			c.file.Sessions = append(c.file.Sessions, s)
		}
	}
	return nil
}

// hasContent reports whether the content of an event is exported. Events about content
// repeat that of the request.
func hasContent(e api.Event) bool {
	return isRequest(e) && e.Type != "request" && len(e.Refs)+len(e.Shown) > 0
}

func (c *collector) addContent(ctx context.Context, e api.Event) error {
	if c.opts.Bodies == "none" || !hasContent(e) {
		return nil
	}
	if c.bytes >= maxText {
		c.large++
		return nil
	}
	content := &Content{}
	var err error
	if content.Shown, err = c.body(ctx, e.ID, api.BodyShown); err != nil {
		return err
	}
	if c.opts.Bodies == "all" {
		if content.Original, err = c.body(ctx, e.ID, api.BodyOriginal); err != nil {
			return err
		}
		if content.Sections, err = c.sections(ctx, e.ID); err != nil {
			return err
		}
	}
	if *content == (Content{}) {
		c.gone++
		return nil
	}
	c.file.Contents[e.ID] = content
	return nil
}

// body returns the texts of an event, nil if they are no longer stored.
func (c *collector) body(ctx context.Context, id uint64, kind api.BodyKind) (*Body, error) {
	b, err := c.from.Studio().Body(ctx, id, kind)
	if errors.Is(err, abi.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out := &Body{Parts: []Part{}}
	for _, p := range b.Parts {
		out.Parts = append(out.Parts, Part{Ref: p.Ref, ContentType: p.ContentType, Source: maskText(p.Source), MIME: p.MIME, Text: c.text(p.Text)})
	}
	return out, nil
}

// text returns the number of a text, which it masks.
func (c *collector) text(s string) int {
	n, ok := c.known[s]
	if !ok {
		n = len(c.file.Texts)
		c.known[s] = n
		c.bytes += len(s)
		c.file.Texts = append(c.file.Texts, maskText(s))
	}
	return n
}

func (c *collector) sections(ctx context.Context, id uint64) (*api.Coverage, error) {
	v, err := c.from.Studio().Coverage(ctx, id)
	if errors.Is(err, abi.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for i := range v.Parts {
		maskSections(v.Parts[i].Sections)
	}
	return &v, nil
}

func maskSections(list []api.CoverageSection) {
	for i := range list {
		list[i].ID, list[i].Title = maskText(list[i].ID), maskText(list[i].Title)
		maskSections(list[i].Children)
	}
}

func (c *collector) addOmissions() {
	if c.large > 0 {
		c.omit("the content of %s, the oldest (limit %d MiB)", printer.Plural(c.large, "event"), maxText>>20)
	}
	if c.gone > 0 {
		c.omit("the content of %s, which is no longer stored", printer.Plural(c.gone, "event"))
	}
	switch c.opts.Bodies {
	case "none":
		c.omit("all content (--bodies none)")
	case "shown":
		c.omit("originals and their sections (--bodies shown)")
	}
}

func (c *collector) omit(format string, args ...any) {
	c.file.Omitted = append(c.file.Omitted, strings.TrimSpace(fmt.Sprintf(format, args...)))
}

// isRequest reports whether an event is one request of a client.
func isRequest(e api.Event) bool {
	return slices.Contains([]string{"tool_call", "resource_read", "prompt_get", "section_read", "request"}, e.Type)
}
