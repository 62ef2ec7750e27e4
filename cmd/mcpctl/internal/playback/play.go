package playback

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/twin"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/recording"
	"github.com/mcpctl/mcpctl/host/replay"
)

// Options of Play. F, Recording and Model are required.
type Options struct {
	F         *factory.Factory
	Recording *recording.Recording
	Model     string
	Again     bool // make the calls a second time, to measure them
}

// Play plays a recording through one proxymodel.
//
// The servers of the recording are not needed. LLMs are those of the home.
func Play(ctx context.Context, opts Options) (res Result, err error) {
	r := opts.Recording
	res = Result{Model: opts.Model, IsRecorder: opts.Model == r.Header.ProxyModel, Sections: []Section{}}
	object, servers, err := manifest(r.Header, opts.Model)
	if err != nil {
		return res, err
	}
	p := &player{rec: r, res: &res, servers: replay.New(r, servers), refs: make(map[string]string), first: make(map[string]first)}
	t, err := twin.Open(ctx, twin.Options{F: opts.F, SameRef: true, Adjust: func(o *host.Options) { o.Upstreams = p.servers }})
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	if _, err := t.Service.Object(ctx, "proxymodel", "", opts.Model); err != nil {
		return res, err
	}
	if _, err := t.Apply(ctx, "recording", object); err != nil { // its warnings are about servers, which are not started
		return res, err
	}
	if err := t.Serve(); err != nil {
		return res, err
	}
	p.twin, p.client = t, &client{http: t.Client(), url: twin.Endpoint(r.Header.Project)}
	now, err := t.Host.Storage().Recordings().Describe(ctx, r.Header.Project)
	if err != nil {
		return res, err
	}
	if p.maxRange, err = strconv.Atoi(now.Settings["maxWholeBytes"]); err != nil {
		return res, err
	}
	if res.IsRecorder {
		res.Identity = &Identity{Changed: changes(r.Header, now)}
	}
	if err := p.play(ctx); err != nil {
		return res, err
	}
	if opts.Again {
		err = p.again(ctx)
	}
	res.finish()
	return res, err
}

// manifest returns the recorded project with another proxymodel, and a definition without
// a real program for each of its servers: a replay starts no server.
func manifest(h recording.Header, model string) (objects []byte, servers []string, err error) {
	spec := make(map[string]json.RawMessage)
	if err := json.Unmarshal(h.Spec, &spec); err != nil {
		return nil, nil, fmt.Errorf("spec of the recorded project: %w", err)
	}
	if raw, ok := spec["servers"]; ok {
		if err := json.Unmarshal(raw, &servers); err != nil {
			return nil, nil, fmt.Errorf("servers of the recorded project: %w", err)
		}
	}
	spec["proxyMode"] = json.RawMessage(`"proxy"`)
	delete(spec, "recording")
	if model != h.ProxyModel {
		spec["proxyModel"], _ = json.Marshal(model) // never fails for a string
		delete(spec, "proxyModelOverrides")         // nothing chooses another one
	}
	type metadata struct {
		Name string `json:"name"`
	}
	type object struct {
		Kind     string   `json:"kind"`
		Metadata metadata `json:"metadata"`
		Spec     any      `json:"spec"`
	}
	all := []object{}
	for _, name := range servers {
		all = append(all, object{"Server", metadata{name}, map[string][]string{"command": {"mcpctl", "version"}}})
	}
	for _, o := range append(all, object{"Project", metadata{h.Project}, spec}) {
		text, err := json.Marshal(o)
		if err != nil {
			return nil, nil, err
		}
		objects = append(append(append(objects, "---\n"...), text...), '\n')
	}
	return objects, servers, nil
}

// changes returns what has changed since a recording that its answers depend on.
func changes(then, now recording.Header) (list []string) {
	compare := func(kind string, a, b map[string]string) {
		names := slices.Collect(maps.Keys(a))
		for name := range b {
			if _, ok := a[name]; !ok {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			if a[name] != b[name] {
				list = append(list, kind+" "+name)
			}
		}
	}
	compare("proxymodel", then.Models, now.Models)
	compare("module", then.Modules, now.Modules)
	compare("setting", then.Settings, now.Settings)
	if then.Version != now.Version {
		list = append(list, fmt.Sprintf("mcpctl, from %s to %s", then.Version, now.Version))
	}
	return list
}

// player plays one recording.
type player struct {
	rec     *recording.Recording
	res     *Result
	twin    *twin.Twin
	servers *replay.Player
	client  *client

	wires map[string]string // label of a tool: the client's name
	refs  map[string]string // recorded ref: the one in this replay
	first map[string]first  // by recorded ref
	event uint64            // the newest event that was read
	calls []call            // that were played

	maxRange int // bytes that read_section answers in one piece
}

// first is the answer to the call that stored an original.
type first struct {
	tool   string
	text   []byte
	tokens int
}

// call is a request that was played.
type call struct {
	index  int
	method string
	params any
}

// play plays all exchanges in the order in which they ended.
func (p *player) play(ctx context.Context) error {
	if err := p.client.open(ctx, p.rec.Header.Client); err != nil {
		return err
	}
	if _, err := p.client.request(ctx, "tools/list", struct{}{}); err != nil { // every client does
		return err
	}
	p.wires = make(map[string]string)
	for _, n := range p.twin.Host.Tools(p.rec.Header.Project).Tools {
		p.wires[n.Label] = n.Wire
	}
	for i := range p.rec.Exchanges {
		l := &p.rec.Exchanges[i]
		p.servers.Play(i)
		var err error
		switch {
		case l.Section != nil && l.Upstream.Result != nil:
			err = p.callForSection(ctx, i, l)
		case l.Section != nil && l.Section.Ref != "":
			err = p.readSection(ctx, l)
		case l.Method == "tools/call", l.Method == "prompts/get", l.Method == "resources/read":
			err = p.call(ctx, i, l)
		}
		if err != nil {
			return fmt.Errorf("request %d, %s %s: %w", l.Request, l.Method, l.Label, err)
		}
	}
	return nil
}

// call plays a request that is not about a section.
func (p *player) call(ctx context.Context, index int, l *recording.Line) error {
	params := p.params(l)
	reply, err := p.request(ctx, l.Method, params)
	if err != nil {
		return err
	}
	if l.Called != "" && reply.Error != nil && l.Reply.Error == nil { // no controller sends the call on here
		params = map[string]any{"name": p.wire(l.Label), "arguments": arguments(l.RoutedArgs)}
		if reply, err = p.request(ctx, l.Method, params); err != nil {
			return err
		}
	}
	now, recorded := read(reply), read(l.Reply)
	if now.isError && !recorded.isError {
		p.res.Refused++
		p.compare(l, reply)
		return p.readEvents(ctx, l)
	}
	tokens := abi.EstimateTokens(now.text)
	p.res.Calls++
	p.res.Sent += tokens
	p.res.Bytes += len(now.text)
	if l.Upstream.Result != nil {
		p.res.Original += abi.EstimateTokens(read(l.Upstream).text)
	} else {
		p.res.Original += abi.EstimateTokens(recorded.text) // written by mcpctl
	}
	p.calls = append(p.calls, call{index, l.Method, params})
	for _, ref := range l.Refs {
		p.first[ref] = first{tool: l.Label, text: now.text, tokens: tokens}
	}
	if err := p.readEvents(ctx, l); err != nil {
		return err
	}
	p.compare(l, reply)
	return nil
}

// params returns the params of a request of the client.
func (p *player) params(l *recording.Line) any {
	switch l.Method {
	case "resources/read":
		return map[string]any{"uri": l.Label}
	case "prompts/get":
		return map[string]any{"name": p.promptName(l.Label), "arguments": arguments(l.Arguments)}
	}
	label := l.Label
	if l.Called != "" {
		label = l.Called
	}
	return map[string]any{"name": p.wire(label), "arguments": arguments(l.Arguments)}
}

// arguments returns recorded arguments, or an empty object.
func arguments(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage(`{}`)
	}
	return raw
}

// wire returns the client's name of a tool.
func (p *player) wire(label string) string {
	if name, ok := p.wires[label]; ok {
		return name
	}
	return strings.Replace(label, "/", "__", 1)
}

// promptName returns the client's name of a prompt. Prompts keep their names in a project
// with bare names only.
func (p *player) promptName(label string) string { return strings.Replace(label, "/", "__", 1) }

// request sends a request and measures it.
func (p *player) request(ctx context.Context, method string, params any) (flow.Reply, error) {
	begin := time.Now()
	reply, err := p.client.request(ctx, method, params)
	p.res.Time += time.Since(begin)
	return reply, err
}

// again makes the calls a second time.
func (p *player) again(ctx context.Context) error {
	for _, c := range p.calls {
		p.servers.Play(c.index)
		begin := time.Now()
		if _, err := p.client.request(ctx, c.method, c.params); err != nil {
			return err
		}
		p.res.Again += time.Since(begin)
	}
	return nil
}

// readEvents reads the events of the last request: the refs of its originals, and the
// requests to LLMs.
func (p *player) readEvents(ctx context.Context, l *recording.Line) error {
	events, err := p.twin.Service.Events(ctx, api.EventQuery{Project: p.rec.Header.Project, After: p.event})
	if err != nil {
		return err
	}
	for _, e := range events {
		p.event = max(p.event, e.ID)
		if e.Method != l.Method || strings.HasPrefix(e.Type, "content_") {
			continue
		}
		if len(e.Refs) == len(l.Refs) {
			for i, ref := range l.Refs {
				p.refs[ref] = e.Refs[i]
				if p.res.Identity != nil && ref != e.Refs[i] {
					p.res.Identity.Refs = true
				}
			}
		}
		p.res.LLMCalls += llmCalls(e)
	}
	return nil
}

// llmCalls returns the number of requests to LLMs in an event.
func llmCalls(e api.Event) (n int) {
	var v struct {
		Runs []struct {
			Stages []struct{ LLMRequests int }
		}
		Hooks []struct{ LLMRequests int }
	}
	_ = json.Unmarshal(e.Raw, &v) // an event of this process
	for _, r := range v.Runs {
		for _, s := range r.Stages {
			n += s.LLMRequests
		}
	}
	for _, h := range v.Hooks {
		n += h.LLMRequests
	}
	return n
}

// compare compares an answer of the recorder's proxymodel with the recorded one. Answers
// that a person changed, and results that are not in the recording, are not compared.
func (p *player) compare(l *recording.Line, reply flow.Reply) {
	id := p.res.Identity
	if id == nil || l.Withheld || l.Hold == "edited" || l.Hold == "dropped" || l.Hold == "cancelled" {
		return
	}
	id.Compared++
	if bytes.Equal(p.replaceRefs(l.Reply.Result), reply.Result) && bytes.Equal(p.replaceRefs(l.Reply.Error), reply.Error) {
		id.Identical++
		return
	}
	id.Different = append(id.Different, l.Request)
}

// replaceRefs replaces the refs of another home by the ones of this replay.
func (p *player) replaceRefs(recorded []byte) []byte {
	if recorded == nil || !p.res.Identity.Refs {
		return recorded
	}
	for then, now := range p.refs {
		recorded = bytes.ReplaceAll(recorded, []byte(then), []byte(now))
	}
	return recorded
}
