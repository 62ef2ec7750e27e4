package export

import (
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
)

// The types of HAR 1.2. All fields without omitempty are required by its specification, and
// -1 means that a figure is not known.
type (
	har struct {
		Log harLog `json:"log"`
	}
	harLog struct {
		Version string     `json:"version"`
		Creator harCreator `json:"creator"`
		Pages   []struct{} `json:"pages"`
		Entries []harEntry `json:"entries"`
		Comment string     `json:"comment,omitempty"`
	}
	harCreator struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	harEntry struct {
		Started  time.Time       `json:"startedDateTime"`
		Time     float64         `json:"time"` // ms, the sum of Timings
		Request  harRequest      `json:"request"`
		Response harResponse     `json:"response"`
		Cache    struct{}        `json:"cache"`
		Timings  harTimings      `json:"timings"`
		Comment  string          `json:"comment,omitempty"`
		Event    json.RawMessage `json:"_event"`
	}
	harRequest struct {
		Method      string      `json:"method"`
		URL         string      `json:"url"`
		HTTPVersion string      `json:"httpVersion"`
		Cookies     []harPair   `json:"cookies"`
		Headers     []harPair   `json:"headers"`
		QueryString []harPair   `json:"queryString"`
		PostData    harPostData `json:"postData"`
		HeadersSize int         `json:"headersSize"`
		BodySize    int         `json:"bodySize"`
	}
	harPostData struct {
		MIMEType string `json:"mimeType"`
		Text     string `json:"text"`
		Comment  string `json:"comment,omitempty"`
	}
	harResponse struct {
		Status      int        `json:"status"`
		StatusText  string     `json:"statusText"`
		HTTPVersion string     `json:"httpVersion"`
		Cookies     []harPair  `json:"cookies"`
		Headers     []harPair  `json:"headers"`
		Content     harContent `json:"content"`
		RedirectURL string     `json:"redirectURL"`
		HeadersSize int        `json:"headersSize"`
		BodySize    int        `json:"bodySize"`
	}
	harContent struct {
		Size     int    `json:"size"`
		MIMEType string `json:"mimeType"`
		Text     string `json:"text,omitempty"`
		Comment  string `json:"comment,omitempty"`
	}
	harPair struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	harTimings struct {
		Blocked float64 `json:"blocked"` // held
		DNS     float64 `json:"dns"`
		Connect float64 `json:"connect"`
		Send    float64 `json:"send"`
		Wait    float64 `json:"wait"`    // for the server
		Receive float64 `json:"receive"` // controllers, stages and the rest of the proxy
		SSL     float64 `json:"ssl"`
	}
)

// newHAR returns the requests of a File as HAR. HAR describes HTTP, so each entry is shown
// as the POST of a JSON-RPC request to the endpoint of its project.
func newHAR(file *File, listening string) har {
	log := harLog{Version: "1.2", Creator: harCreator{"mcpctl", file.Version}, Pages: []struct{}{}, Entries: []harEntry{}, Comment: strings.Join(file.Omitted, "; ")}
	for i, e := range file.events {
		if isRequest(e) {
			log.Entries = append(log.Entries, newHAREntry(file, e, file.Events[i], listening))
		}
	}
	return har{log}
}

func newHAREntry(file *File, e api.Event, raw json.RawMessage, listening string) harEntry {
	request := jsonText(map[string]any{"jsonrpc": "2.0", "id": e.Request, "method": e.Method, "params": paramsOf(e)})
	timings := timingsOf(e)
	entry := harEntry{
		Started: e.Time.UTC(), Time: max(0, timings.Blocked) + timings.Wait + timings.Receive, Timings: timings, Event: raw,
		Request: harRequest{Method: "POST", URL: listening + "/projects/" + url.PathEscape(e.Project) + "/mcp", HTTPVersion: "HTTP/1.1",
			Cookies: []harPair{}, Headers: []harPair{{"Content-Type", "application/json"}}, QueryString: []harPair{},
			PostData: harPostData{"application/json", request, "arguments are not recorded; id is the request in events, name is server/tool"}, HeadersSize: -1, BodySize: -1},
		Response: harResponse{Status: 200, StatusText: "OK", HTTPVersion: "HTTP/1.1", Cookies: []harPair{}, Headers: []harPair{{"Content-Type", "application/json"}},
			Content: contentOf(file, e), HeadersSize: -1, BodySize: -1},
	}
	if e.IsError {
		entry.Comment = "error"
	}
	return entry
}

// paramsOf returns the recorded parameters of a request.
func paramsOf(e api.Event) map[string]any {
	switch {
	case e.Source == "":
		return map[string]any{}
	case e.Method == "resources/read":
		return map[string]any{"uri": e.Source}
	case e.Type == "section_read":
		return map[string]any{"name": e.Source, "arguments": map[string]any{"section": e.Section}}
	}
	return map[string]any{"name": e.Source}
}

// contentOf returns the answer that the client received, without a text if it is not stored.
func contentOf(file *File, e api.Event) harContent {
	c := harContent{Size: e.OutBytes, MIMEType: "application/json"}
	if e.Code != 0 { // the masked text of the event
		c.Text = jsonText(map[string]any{"jsonrpc": "2.0", "id": e.Request, "error": map[string]any{"code": e.Code, "message": maskText(e.Error)}})
		c.Size = len(c.Text)
		return c
	}
	content := file.Contents[e.ID]
	if content == nil || content.Shown == nil {
		c.Comment = "the content is not in this file"
		return c
	}
	var texts []string
	for _, p := range content.Shown.Parts {
		texts = append(texts, file.Texts[p.Text])
	}
	c.Text = jsonText(map[string]any{"jsonrpc": "2.0", "id": e.Request, "result": resultOf(e, texts)})
	c.Size = len(c.Text)
	return c
}

func resultOf(e api.Event, texts []string) map[string]any {
	blocks := []map[string]any{}
	for _, t := range texts {
		switch e.Method {
		case "resources/read":
			blocks = append(blocks, map[string]any{"uri": e.Source, "text": t})
		case "prompts/get":
			blocks = append(blocks, map[string]any{"role": "user", "content": map[string]any{"type": "text", "text": t}})
		default:
			blocks = append(blocks, map[string]any{"type": "text", "text": t})
		}
	}
	switch e.Method {
	case "resources/read":
		return map[string]any{"contents": blocks}
	case "prompts/get":
		return map[string]any{"messages": blocks}
	}
	return map[string]any{"content": blocks, "isError": e.IsError}
}

func timingsOf(e api.Event) harTimings {
	const ms = 1000
	t := harTimings{Blocked: -1, DNS: -1, Connect: -1, SSL: -1, Wait: float64(e.Upstream) / ms}
	held := int64(0)
	if e.Hold != nil {
		held = e.Hold.Micros
		t.Blocked = float64(held) / ms
	}
	t.Receive = float64(max(0, e.Micros-e.Upstream-held)) / ms
	return t
}

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of strings and numbers
	}
	return string(b)
}
