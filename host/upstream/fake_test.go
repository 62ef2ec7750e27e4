package upstream

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// The fake is an MCP server whose tools misbehave on request. As a process it is
// this test binary, started again with fakeVar set.
const fakeVar = "UPSTREAM_TEST_FAKE"

func TestMain(m *testing.M) {
	if mode, ok := os.LookupEnv(fakeVar); ok {
		runFakeProcess(mode)
		os.Exit(0)
	}
	code := m.Run()
	if left := goroutinesLeft(); code == 0 && left != "" {
		fmt.Fprintf(os.Stderr, "goroutines of the package outlived their tests:\n%s\n", left)
		code = 1
	}
	os.Exit(code)
}

// goroutinesLeft returns the stacks of goroutines that were started by the
// package and do not end within half a minute.
func goroutinesLeft() string {
	var left string
	for range 1500 {
		left = ""
		buf := make([]byte, 1<<20)
		for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			if strings.Contains(stack, "created by") && strings.Contains(stack, "host/upstream.(") {
				left += stack + "\n\n"
			}
		}
		if left == "" {
			return ""
		}
		<-time.After(20 * time.Millisecond)
	}
	return left
}

// fake answers requests. send may be called from any goroutine.
type fake struct {
	mu        sync.Mutex
	asked     map[string]chan jsonrpc.Message // our requests to the client
	nextID    int
	calls     map[string]int // by tool
	cancelled []string       // ids
	seen      []string       // methods
	version   string         // of the protocol; "" is the client's own
	usesRoots bool           // asks for roots once the connection is open
	rooted    bool           // has got them
}

func newFake() *fake {
	return &fake{asked: make(map[string]chan jsonrpc.Message), calls: make(map[string]int)}
}

type sendFunc func(jsonrpc.Message)

func (f *fake) handle(m jsonrpc.Message, send sendFunc) {
	f.mu.Lock()
	f.seen = append(f.seen, strings.TrimSpace(m.Method+" "+text(m.Params, "/uri")+text(m.Params, "/level")))
	f.mu.Unlock()
	result := func(raw string) { send(jsonrpc.Message{ID: m.ID, Result: json.RawMessage(raw)}) }
	switch m.Method {
	case "":
		f.mu.Lock()
		waiting := f.asked[m.ID.String()]
		f.mu.Unlock()
		if waiting != nil {
			waiting <- m
		}
	case "initialize":
		version := f.version
		if version == "" {
			version = text(m.Params, "/protocolVersion")
		}
		result(`{"protocolVersion":"` + version + `","capabilities":{"tools":{"listChanged":true},"x":9007199254740993},` +
			`"serverInfo":{"name":"fake","version":"1"},"instructions":"be kind"}`)
	case "notifications/initialized":
		if f.usesRoots {
			f.askRoots(send)
		}
	case "notifications/cancelled":
		f.mu.Lock()
		f.cancelled = append(f.cancelled, string(member(m.Params, "/requestId")))
		f.mu.Unlock()
	case "tools/call":
		f.mu.Lock()
		f.calls[text(m.Params, "/name")]++
		f.mu.Unlock()
		f.tool(text(m.Params, "/name"), m, send)
	case "echo", "logging/setLevel", "resources/subscribe", "resources/unsubscribe":
		result(string(orNull(m.Params)))
	case "fail":
		send(jsonrpc.Message{ID: m.ID, Error: json.RawMessage(`{"code":-32042,"message":"no","data":{"n":9007199254740993},"extra":1}`)})
	default:
		if m.IsRequest() {
			send(jsonrpc.Message{ID: m.ID, Error: jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "no %s", m.Method).Raw()})
		}
	}
}

func orNull(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("null")
	}
	return raw
}

// tool is one behaviour; "arguments" is its parameter.
func (f *fake) tool(name string, m jsonrpc.Message, send sendFunc) {
	done := func(raw string) { send(jsonrpc.Message{ID: m.ID, Result: json.RawMessage(raw)}) }
	n, _ := strconv.Atoi(string(member(m.Params, "/arguments/n")))
	token := member(m.Params, "/_meta/progressToken")
	switch name {
	case "echo":
		done(string(m.Params))
	case "hang":
		send(jsonrpc.Message{Method: "notifications/message", Params: json.RawMessage(`{"data":"hanging"}`)})
	case "count":
		f.mu.Lock()
		all := fmt.Sprintf(`{"cancelled":[%s],"seen":%q}`, strings.Join(f.cancelled, ","), strings.Join(f.seen, "|"))
		f.mu.Unlock()
		done(all)
	case "rooted":
		f.mu.Lock()
		rooted := f.rooted
		f.mu.Unlock()
		done(strconv.FormatBool(rooted))
	case "big":
		done(`"` + strings.Repeat("x", n) + `"`)
	case "flood":
		for i := range n {
			send(jsonrpc.Message{Method: "notifications/message", Params: json.RawMessage(`{"data":` + strconv.Itoa(i) + `}`)})
		}
		done(`"flooded"`)
	case "progress":
		for i := range n {
			send(progressNote(token, i))
		}
		done(`"progressed"`)
	case "ask":
		send(jsonrpc.Message{Method: "notifications/message", Params: json.RawMessage(`{"data":"before"}`)})
		answer := f.ask(text(m.Params, "/arguments/method"), send)
		done(string(answer.Append(nil)))
	case "twice":
		done(`1`)
		done(`2`)
		send(jsonrpc.Message{ID: jsonrpc.NumberID(1 << 40), Result: json.RawMessage(`3`)})
		send(jsonrpc.Message{ID: jsonrpc.StringID("x"), Result: json.RawMessage(`4`)})
	default:
		send(jsonrpc.Message{ID: m.ID, Error: jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown tool %s", name).Raw()})
	}
}

func progressNote(token json.RawMessage, i int) jsonrpc.Message {
	params := fmt.Sprintf(`{ "progress":%d,"progressToken": %s,"x":1e2}`, i, orNull(token))
	return jsonrpc.Message{Method: "notifications/progress", Params: json.RawMessage(params)}
}

// askRoots asks for roots, and reads them a moment after they have come, as the
// filesystem server does.
func (f *fake) askRoots(send sendFunc) {
	answer := f.request("roots/list", send)
	go func() {
		m := <-answer
		<-time.After(5 * time.Millisecond)
		f.mu.Lock()
		f.rooted = m.Result != nil
		f.mu.Unlock()
	}()
}

// ask sends a request to the client and waits for the answer.
func (f *fake) ask(method string, send sendFunc) jsonrpc.Message { return <-f.request(method, send) }

func (f *fake) request(method string, send sendFunc) <-chan jsonrpc.Message {
	answer := make(chan jsonrpc.Message, 1)
	f.mu.Lock()
	f.nextID++
	id := jsonrpc.StringID("s" + strconv.Itoa(f.nextID))
	f.asked[id.String()] = answer
	f.mu.Unlock()
	send(jsonrpc.Message{ID: id, Method: method, Params: json.RawMessage(`{"q":9007199254740993}`)})
	return answer
}

// runFakeDaemon starts a server that starts a child process, prints the child's
// process id, and does not end.
func runFakeDaemon(file string) {
	mark, err := EndOrphans(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	exe, _ := os.Executable()
	c, err := Start(context.Background(), Config{Name: "fake", Command: []string{exe}, Env: map[string]Secret{fakeVar: NewSecret("")}, Mark: mark}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	reply, err := c.Call(context.Background(), "tools/call", toolParams("fork", ""), nil)
	fmt.Println(string(reply.Result), err)
	select {}
}

// runFakeProcess is the fake on stdin and stdout. mode is a list of behaviours
// that start before the first message.
func runFakeProcess(mode string) {
	modes := strings.Split(mode, ",")
	f, dies := newFake(), ""
	for _, mode := range modes {
		word, arg, _ := strings.Cut(mode, "=")
		switch word {
		case "sdk":
			runOracleProcess(arg)
			return
		case "daemon":
			runFakeDaemon(arg)
			return
		case "exit":
			os.Exit(3)
		case "slow":
			d, _ := time.ParseDuration(arg)
			<-time.After(d)
		case "version":
			f.version = arg
		case "roots":
			f.usesRoots = true
		case "dies":
			dies = arg
		case "stubborn":
			signal.Ignore(syscall.SIGTERM)
		case "once": // a file: the second start fails
			if _, err := os.Stat(arg); err == nil {
				os.Exit(4)
			}
			_ = os.WriteFile(arg, nil, 0o600)
		}
	}
	var mu sync.Mutex
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	write := func(raw string) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = out.WriteString(raw)
		_ = out.Flush()
	}
	send := func(m jsonrpc.Message) { write(string(append(m.Append(nil), '\n'))) }
	frames := jsonrpc.NewFrameReader(os.Stdin, 0)
	for {
		frame, err := frames.Next()
		if err != nil {
			if strings.Contains(mode, "stubborn") {
				select {}
			}
			return
		}
		m, err := jsonrpc.DecodeUpstream(frame, jsonrpc.Limits{})
		if err != nil {
			fmt.Fprintln(os.Stderr, "fake:", err)
			continue
		}
		if m.Method == dies && dies != "" {
			os.Exit(5)
		}
		if m.Method == "" {
			f.handle(m, send)
			continue
		}
		if m.Method == "tools/call" && processTool(text(m.Params, "/name"), m, send, write) {
			continue
		}
		if m.IsRequest() {
			go f.handle(m, send)
		} else {
			f.handle(m, send)
		}
	}
}

// processTool holds the behaviours that only a process has.
func processTool(name string, m jsonrpc.Message, send sendFunc, write func(string)) bool {
	result := func(raw string) { send(jsonrpc.Message{ID: m.ID, Result: json.RawMessage(raw)}) }
	switch name {
	case "crash":
		fmt.Fprintln(os.Stderr, "about to \x1b[31mcrash")
		os.Exit(3)
	case "expire":
		fmt.Fprintf(os.Stderr, "FATAL: licence key %s expired\nbye\n", os.Getenv("TOKEN"))
		os.Exit(17)
	case "kill":
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Kill()
		}
	case "pid":
		result(strconv.Itoa(os.Getpid()))
	case "env":
		all, _ := json.Marshal(os.Environ())
		result(string(all))
	case "garbage":
		write("npm warn deprecated\n\xff\xfe\n\x00\n\ufeff{\"jsonrpc\":\"2.0\"}\n[1]\n{\"jsonrpc\":\"2.0\",\"id\":\r\n\n")
		result(`"clean"`)
	case "badUTF8":
		write(`{"jsonrpc":"2.0","id":` + m.ID.String() + `,"result":"` + "\xff" + `"}` + "\n")
	case "loading": // what shows progress ends no line
		write(`Loading... {"jsonrpc":"2.0","id":` + m.ID.String() + `,"result":"loaded"}` + "\n")
	case "crlf":
		write(`{"jsonrpc":"2.0","id":` + m.ID.String() + `,"result":"crlf"}` + "\r\n")
	case "idLast":
		n, _ := strconv.Atoi(string(member(m.Params, "/arguments/n")))
		write(`{"result":"` + strings.Repeat("x", n) + `","jsonrpc":"2.0","id":` + m.ID.String() + "}\n")
	case "fork":
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), fakeVar+"=slow=1m")
		if err := child.Start(); err != nil {
			os.Exit(5)
		}
		result(strconv.Itoa(child.Process.Pid))
	case "closeOutput":
		_ = os.Stdout.Close()
	case "closeInput":
		_ = os.Stdin.Close()
		select {}
	case "endless": // never a newline, then the end
		part := strings.Repeat("x", 1<<20)
		for range 100 {
			write(part)
		}
		os.Exit(3)
	case "confess":
		fmt.Fprintln(os.Stderr, "my token is", os.Getenv("TOKEN"))
		result("1")
	default:
		return false
	}
	return true
}

// fakeConfig is a Config that starts the fake as a process.
func fakeConfig(t *testing.T, mode string) Config {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Config{Name: "fake", Command: []string{exe}, Env: map[string]Secret{fakeVar: NewSecret(mode)}}
}

// startFake starts a Client and closes it with the test.
func startFake(t *testing.T, cfg Config, peer Peer) *Client {
	t.Helper()
	c, err := Start(context.Background(), cfg, peer)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Close()
		if s := c.State(); t.Failed() {
			t.Logf("state %+v", s)
		}
	})
	return c
}

// callTool calls a tool of the fake, which must answer with a result.
func callTool(t *testing.T, c *Client, name, arguments string, peer Peer) string {
	t.Helper()
	reply, err := c.Call(t.Context(), "tools/call", toolParams(name, arguments), peer)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if reply.Error != nil {
		t.Fatalf("%s: %s", name, reply.Error)
	}
	return string(reply.Result)
}

func toolParams(name, arguments string) json.RawMessage {
	if arguments == "" {
		arguments = "{}"
	}
	return json.RawMessage(`{"name":"` + name + `","arguments":` + arguments + `}`)
}

// recorder is a Peer that remembers what it got.
type recorder struct {
	mu     sync.Mutex
	notes  []string
	reply  flow.Reply
	hold   chan struct{} // Request waits for it, or its ctx; nil: no wait
	called chan string   // gets the method of each Request and Notify; nil: none
}

func (r *recorder) Request(ctx context.Context, method string, params json.RawMessage) flow.Reply {
	r.tell("request " + method)
	if r.hold != nil {
		select {
		case <-r.hold:
		case <-ctx.Done():
			r.tell("ended " + method)
		}
	}
	if r.reply.Result == nil && r.reply.Error == nil {
		return flow.Reply{Result: append([]byte(nil), params...)}
	}
	return r.reply
}

func (r *recorder) Notify(method string, params json.RawMessage) {
	r.mu.Lock()
	r.notes = append(r.notes, method+" "+string(params))
	r.mu.Unlock()
	r.tell(method)
}

func (r *recorder) tell(what string) {
	if r.called != nil {
		r.called <- what
	}
}

func (r *recorder) got() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.notes...)
}
