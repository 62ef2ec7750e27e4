package host

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// serveFake runs an MCP server with the tools of the tests.
func serveFake(r io.Reader, w io.Writer) {
	s := &fakeServer{w: bufio.NewWriterSize(w, 1<<20)}
	in := bufio.NewReaderSize(r, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m fakeMessage
		if json.Unmarshal(line, &m) == nil && m.ID != nil && m.Method != "" {
			s.handle(m)
		}
	}
}

// fakeMessage contains the fields of a message that the server uses.
type fakeMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string `json:"name"`
		URI       string `json:"uri"` // of a resource: file://PATH
		Version   string `json:"protocolVersion"`
		Arguments struct {
			File string `json:"file"` // get, structured: file with the answer
			Text string `json:"text"` // echo, fail, refuse, embed: text of the answer
			Size int    `json:"n"`    // big: bytes
		} `json:"arguments"`
	} `json:"params"`
}

type fakeServer struct {
	mu    sync.Mutex
	w     *bufio.Writer
	calls int
}

func (s *fakeServer) write(parts ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range parts {
		s.w.WriteString(p)
	}
	s.w.Flush()
}

// result sends a result. The parts are written one by one, so that an answer of 100
// MB is never completely in memory.
func (s *fakeServer) result(id json.RawMessage, parts ...string) {
	s.write(append(append([]string{`{"jsonrpc":"2.0","id":`, string(id), `,"result":`}, parts...), "}\n")...)
}

// fakeTools is the list of tools.
var fakeTools = []string{"get", "structured", "echo", "fail", "refuse", "embed", "big", "crash", "hang", "garbage", "count", "pid"}

func (s *fakeServer) handle(m fakeMessage) {
	switch m.Method {
	case "initialize":
		s.result(m.ID, `{"protocolVersion":"`+m.Params.Version+`","capabilities":{"tools":{}},"serverInfo":{"name":"fake","version":"1"}}`)
	case "tools/list":
		var list []string
		for _, name := range fakeTools {
			list = append(list, `{"name":"`+name+`","inputSchema":{"type":"object"}}`)
		}
		s.result(m.ID, `{"tools":[`+strings.Join(list, ",")+`]}`)
	case "tools/call":
		s.calls++
		s.tool(m)
	case "resources/read":
		b, err := os.ReadFile(strings.TrimPrefix(m.Params.URI, "file://"))
		if err != nil {
			s.write(`{"jsonrpc":"2.0","id":`, string(m.ID), `,"error":{"code":-32002,"message":`, strconv.Quote(err.Error()), "}}\n")
			return
		}
		q, _ := json.Marshal(string(b))
		s.result(m.ID, `{"contents":[{"uri":`, strconv.Quote(m.Params.URI), `,"text":`, string(q), `}]}`)
	default:
		s.write(`{"jsonrpc":"2.0","id":`, string(m.ID), `,"error":{"code":-32601,"message":"no `, m.Method, `"}}`, "\n")
	}
}

func (s *fakeServer) tool(m fakeMessage) {
	text := func(t string) {
		q, _ := json.Marshal(t)
		s.result(m.ID, `{"content":[{"type":"text","text":`, string(q), `}]}`)
	}
	a := m.Params.Arguments
	switch m.Params.Name {
	case "get":
		b, err := os.ReadFile(a.File)
		if err != nil {
			b = []byte(err.Error())
		}
		text(string(b))
	case "structured":
		b, _ := os.ReadFile(a.File)
		q, _ := json.Marshal(string(b))
		s.result(m.ID, `{"content":[{"type":"text","text":`, string(q), `}],"structuredContent":`, strings.TrimSpace(string(b)), `}`)
	case "echo":
		text(a.Text)
	case "big":
		parts := []string{`{"content":[{"type":"text","text":"`}
		chunk := strings.Repeat("0123456789abcdef", 4096)
		for n := a.Size; n > 0; n -= len(chunk) {
			parts = append(parts, chunk[:min(n, len(chunk))])
		}
		s.result(m.ID, append(parts, `"}]}`)...)
	case "fail":
		q, _ := json.Marshal(a.Text)
		s.result(m.ID, `{"content":[{"type":"text","text":`, string(q), `}],"isError":true}`)
	case "refuse":
		q, _ := json.Marshal(a.Text)
		s.write(`{"jsonrpc":"2.0","id":`, string(m.ID), `,"error":{"code":-31999,"message":`, string(q), `,"data":{"why":`, string(q), "}}}\n")
	case "embed":
		q, _ := json.Marshal(a.Text)
		s.result(m.ID, `{"content":[{"type":"resource","resource":{"uri":"x:1","text":`, string(q), `}}]}`)
	case "crash":
		os.Exit(3)
	case "hang": // no answer
	case "garbage":
		s.write("npm warn deprecated\n\xff\xfe\n\x00\n[1]\n{\"jsonrpc\":\"2.0\",\"id\":\n")
		text("after the garbage")
	case "count":
		text(strconv.Itoa(s.calls))
	case "pid":
		text(strconv.Itoa(os.Getpid()))
	}
}

// startWebServer starts the server over HTTP in another process and returns its
// URL.
func startWebServer(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), webServerVar+"=1")
	cmd.Stderr = t.Output()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close(); _ = cmd.Wait() })
	url, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal("the server prints no URL: ", err)
	}
	return strings.TrimSpace(url)
}

// serveWeb serves until stdin ends and returns the exit status.
func serveWeb() int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("http://" + l.Addr().String())
	go func() { _ = http.Serve(l, http.HandlerFunc(answerWeb)) }()
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

func answerWeb(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	msg, err := jsonrpc.Decode(body, jsonrpc.Limits{})
	switch {
	case err != nil:
		w.WriteHeader(http.StatusBadRequest) // and so the call fails
	case !msg.IsRequest():
		w.WriteHeader(http.StatusAccepted)
	default:
		w.Header().Set("Content-Type", "application/json")
		serveFake(strings.NewReader(string(body)+"\n"), w)
	}
}
