package e2e_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/internal/testsite"
)

// browserVariable selects the browser, as in the tests of package swarm.
const browserVariable = "SWARM_TEST_BROWSER"

var (
	binary string
	site   *testsite.Site
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "swarm-e2e-")
	if err == nil {
		defer os.RemoveAll(dir)
		binary = filepath.Join(dir, "swarm-mcp")
		build := exec.Command("go", "build", "-o", binary, "..")
		build.Stdout, build.Stderr = os.Stderr, os.Stderr
		if err = build.Run(); err == nil {
			site, err = testsite.Start()
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "prepare the end-to-end tests:", err)
		return 1
	}
	defer site.Close()
	return m.Run()
}

// server is a running binary and its client.
type server struct {
	t       *testing.T
	command *exec.Cmd
	temp    string // its TMPDIR
	stdin   io.WriteCloser
	log     *strings.Builder
	exited  chan struct{}
	groups  map[int]bool // process groups of its browsers, as they were seen

	mu      sync.Mutex
	lastID  int
	waiting map[string]chan message
	stray   []message // with no id that is waited for
	foreign []string  // lines of stdout that are no JSON-RPC
}

// message is a JSON-RPC message.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// start starts the binary; it is stopped at the end of the test, and must then
// have left nothing behind.
func start(t *testing.T, args ...string) *server {
	t.Helper()
	if browser := os.Getenv(browserVariable); browser != "" {
		args = append([]string{"--browser", browser}, args...)
	}
	// Not t.TempDir, whose path is too long for a socket in it.
	temp, err := os.MkdirTemp("", "e2e-")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(temp)) })
	s := &server{t: t, temp: temp}
	require.NoError(t, s.launch(args...))
	t.Cleanup(func() {
		s.processes() // Remembers the process groups that must be gone.
		_ = s.stdin.Close()
		s.awaitExit(10 * time.Second)
		assert.Empty(t, s.foreign, "everything on stdout is JSON-RPC")
		s.assertNothingLeft()
		if t.Failed() {
			t.Log("the server's log:\n" + s.log.String())
		}
	})
	return s
}

// launch starts the binary with its pipes.
func (s *server) launch(args ...string) error {
	s.log, s.exited = &strings.Builder{}, make(chan struct{})
	s.groups, s.waiting = map[int]bool{}, map[string]chan message{}
	s.command = exec.Command(binary, args...)
	s.command.Env = append(os.Environ(), "TMPDIR="+s.temp)
	s.command.Stderr = s.log
	stdout, err := s.command.StdoutPipe()
	if err != nil {
		return err
	}
	if s.stdin, err = s.command.StdinPipe(); err != nil {
		return err
	}
	if err := s.command.Start(); err != nil {
		return err
	}
	go s.read(stdout)
	return nil
}

// ready starts the binary and initializes the session.
func ready(t *testing.T, args ...string) *server {
	t.Helper()
	s := start(t, args...)
	s.initialize()
	return s
}

func (s *server) initialize() {
	s.t.Helper()
	m := s.request("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "e2e", "version": "1"}})
	require.Nil(s.t, m.Error)
	s.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func (s *server) read(stdout io.Reader) {
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadString('\n')
		if strings.TrimSpace(line) != "" {
			s.deliver(line)
		}
		if err != nil {
			break
		}
	}
	_ = s.command.Wait() // The state tells.
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, c := range s.waiting {
		close(c)
		delete(s.waiting, id)
	}
	close(s.exited)
}

func (s *server) deliver(line string) {
	var m message
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := json.Unmarshal([]byte(line), &m); err != nil || m.JSONRPC != "2.0" {
		s.foreign = append(s.foreign, line)
		return
	}
	if c := s.waiting[string(m.ID)]; c != nil {
		delete(s.waiting, string(m.ID))
		c <- m
		return
	}
	s.stray = append(s.stray, m)
}

// write sends a line as it is.
func (s *server) write(line string) {
	_, _ = io.WriteString(s.stdin, line+"\n") // A server that is gone is seen by who waits.
}

// send sends a request and returns its id and where its answer will come; the
// channel is closed when the server exits first.
func (s *server) send(method string, params any) (string, <-chan message) {
	s.mu.Lock()
	s.lastID++
	id := fmt.Sprint(s.lastID)
	c := make(chan message, 1)
	s.waiting[id] = c
	s.mu.Unlock()
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": method, "params": params})
	require.NoError(s.t, err)
	s.write(string(line))
	return id, c
}

// await waits for an answer.
func (s *server) await(c <-chan message, what string) message {
	s.t.Helper()
	select {
	case m, ok := <-c:
		require.True(s.t, ok, "the server exited without answering %s", what)
		return m
	case <-time.After(90 * time.Second):
		require.FailNow(s.t, "no answer to "+what)
		return message{}
	}
}

func (s *server) request(method string, params any) message {
	s.t.Helper()
	_, c := s.send(method, params)
	return s.await(c, method)
}

// args are the arguments of a tool.
type args map[string]any

// result is the result of a tool.
type result struct {
	IsError bool
	// Object is the structured content, Text the text block.
	Object map[string]any
	Text   string
	// Picture is an image block's data and type.
	Picture, PictureType string
	order                []string
}

func (s *server) sendCall(tool string, a args) <-chan message {
	_, c := s.send("tools/call", map[string]any{"name": tool, "arguments": a})
	return c
}

// call calls a tool and checks the form that all results have.
func (s *server) call(tool string, a args) result {
	s.t.Helper()
	return s.parse(tool, s.await(s.sendCall(tool, a), tool))
}

func (s *server) parse(tool string, m message) result {
	s.t.Helper()
	require.Nil(s.t, m.Error, "%s answered with a protocol error: %+v", tool, m.Error)
	var raw struct {
		IsError           bool           `json:"isError"`
		StructuredContent map[string]any `json:"structuredContent"`
		Content           []struct {
			Type, Text, Data string
			MimeType         string `json:"mimeType"`
		} `json:"content"`
	}
	require.NoError(s.t, json.Unmarshal(m.Result, &raw))
	r := result{IsError: raw.IsError, Object: raw.StructuredContent}
	for _, c := range raw.Content {
		r.order = append(r.order, c.Type)
		switch c.Type {
		case "text":
			r.Text = c.Text
		case "image":
			r.Picture, r.PictureType = c.Data, c.MimeType
		}
	}
	var text map[string]any
	require.NoError(s.t, json.Unmarshal([]byte(r.Text), &text), "the text block of %s is one JSON object", tool)
	require.Equal(s.t, text, r.Object, "the text block of %s is the structured content", tool)
	if r.IsError {
		require.Equal(s.t, "error", r.Object["status"])
		require.NotEmpty(s.t, r.Object["error_type"])
		require.NotEmpty(s.t, r.Object["message"])
		for _, raw := range []string{"-32000", "context deadline", "context canceled", "Cannot find context"} {
			require.NotContains(s.t, r.Text, raw, "no raw text of lower layers")
		}
	}
	return r
}

// ok calls a tool that must succeed.
func (s *server) ok(tool string, a args) map[string]any {
	s.t.Helper()
	r := s.call(tool, a)
	require.False(s.t, r.IsError, "%s %v: %s", tool, a, r.Text)
	return r.Object
}

// fails calls a tool that must fail so.
func (s *server) fails(errorType, tool string, a args) map[string]any {
	s.t.Helper()
	r := s.call(tool, a)
	require.True(s.t, r.IsError, "%s %v should have failed: %.300s", tool, a, r.Text)
	require.Equal(s.t, errorType, r.Object["error_type"], "%s", r.Text)
	return r.Object
}

// open navigates a new tab to a page of the site and returns its id.
func (s *server) open(path string) string {
	s.t.Helper()
	return s.ok("navigate", args{"url": site.URL + path})["tabId"].(string)
}

// eval is the result of a script.
func (s *server) eval(tab, script string) any {
	s.t.Helper()
	return s.ok("evaluate", args{"tabId": tab, "script": script})["result"]
}

// status is total, idle, busy.
func (s *server) status() [3]int {
	s.t.Helper()
	o := s.ok("get_pool_status", nil)
	return [3]int{int(o["total"].(float64)), int(o["idle"].(float64)), int(o["busy"].(float64))}
}

func (s *server) awaitExit(limit time.Duration) int {
	s.t.Helper()
	select {
	case <-s.exited:
	case <-time.After(limit):
		assert.Fail(s.t, "the server did not exit", "within %v; its log:\n%s", limit, s.log)
		_ = s.command.Process.Kill()
		<-s.exited
	}
	return s.command.ProcessState.ExitCode()
}

// browser is the process id of the server's browser.
func (s *server) browser() int { return s.childWith("--remote-debugging-pipe", "--type=") }

// childWith finds a process of the server's browser by its command line.
func (s *server) childWith(has, hasNot string) int {
	s.t.Helper()
	var pid int
	require.Eventually(s.t, func() bool {
		for _, p := range s.processes() {
			if strings.Contains(p.line, has) && (hasNot == "" || !strings.Contains(p.line, hasNot)) {
				pid = p.pid
				return true
			}
		}
		return false
	}, 20*time.Second, 10*time.Millisecond, "a process with %s", has)
	return pid
}

type osProcess struct {
	pid, group int
	line       string
}

// processes are those of the server's browsers: the ones with its TMPDIR in
// their command line, and those of their process groups, for a renderer shows
// neither arguments nor environment of its own. Zombies have no command line.
func (s *server) processes() (found []osProcess) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	var all []osProcess
	for _, f := range files {
		line, _ := os.ReadFile(f)
		stat, _ := os.ReadFile(filepath.Join(filepath.Dir(f), "stat"))
		p := osProcess{line: strings.ReplaceAll(string(line), "\x00", " ")}
		_, _ = fmt.Sscan(filepath.Base(filepath.Dir(f)), &p.pid)
		if _, rest, ok := strings.Cut(string(stat), ") "); ok { // state, parent, group
			var state string
			var parent int
			_, _ = fmt.Sscan(rest, &state, &parent, &p.group)
		}
		if len(line) == 0 || p.pid == s.command.Process.Pid {
			continue
		}
		all = append(all, p)
		if strings.Contains(p.line, s.temp) && p.group == p.pid {
			s.groups[p.group] = true
		}
	}
	for _, p := range all {
		if s.groups[p.group] || strings.Contains(p.line, s.temp) {
			found = append(found, p)
		}
	}
	return found
}

// profiles are the run directories that are there.
func (s *server) profiles() []string {
	dirs, _ := filepath.Glob(filepath.Join(s.temp, "swarm-mcp-*"))
	return dirs
}

func (s *server) assertNothingLeft() {
	s.t.Helper()
	if runtime.GOOS != "linux" {
		return
	}
	assert.Eventually(s.t, func() bool { return len(s.processes()) == 0 && len(s.profiles()) == 0 }, 5*time.Second, 20*time.Millisecond,
		"left behind: %v %v", s.processes(), s.profiles())
}

func kill(t *testing.T, pid int, signal syscall.Signal) {
	t.Helper()
	require.NoError(t, syscall.Kill(pid, signal))
}

// runIn runs a subcommand with a TMPDIR and returns what it wrote.
func runIn(t *testing.T, temp string, arguments ...string) string {
	t.Helper()
	command := exec.Command(binary, arguments...)
	command.Env = append(os.Environ(), "TMPDIR="+temp)
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// findBrowser is the path of the browser that the server would use.
func findBrowser(t *testing.T) string {
	t.Helper()
	var found struct {
		Browser string `json:"browser"`
	}
	out := runIn(t, t.TempDir(), "doctor", "--json")
	require.NoError(t, json.Unmarshal([]byte(out), &found), out)
	require.NotEmpty(t, found.Browser)
	return found.Browser
}
