package mcpadapter

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

// client speaks to a Server over pipes. The tests run in synctest bubbles, so
// time is free and a goroutine left behind fails the test.
type client struct {
	t     *testing.T
	in    *io.PipeWriter
	out   *io.PipeReader
	lines chan string
	ended chan error
}

func connect(ctx context.Context, t *testing.T, s *Server) *client {
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	c := &client{t: t, in: inWrite, out: outRead, lines: make(chan string, 1000), ended: make(chan error, 1)}
	go func() {
		c.ended <- s.ServeStdio(ctx, inRead, outWrite)
		inRead.Close()
		outWrite.Close()
	}()
	go func() {
		defer close(c.lines)
		r := bufio.NewReader(outRead)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			c.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	return c
}

// initialized is a client after its handshake.
func initialized(t *testing.T, s *Server) *client {
	c := connect(t.Context(), t, s)
	c.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	require.Contains(t, c.next(), `"serverInfo"`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *client) send(line string) {
	_, err := io.WriteString(c.in, line+"\n")
	require.NoError(c.t, err)
}

func (c *client) call(id int, tool, args string) {
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args))
}

// next is the next line that the server wrote.
func (c *client) next() string {
	line, ok := <-c.lines
	require.True(c.t, ok, "the server closed its output")
	return line
}

// silent asserts that the server has nothing to say.
func (c *client) silent() {
	c.t.Helper()
	synctest.Wait()
	select {
	case line, ok := <-c.lines:
		if ok {
			assert.Fail(c.t, "unexpected line", line)
		}
	default:
	}
}

// end closes the input and returns what ServeStdio did.
func (c *client) end() error {
	c.in.Close()
	return <-c.ended
}

type sleepArgs struct {
	Seconds int  `json:"seconds,omitempty"`
	Deaf    bool `json:"deaf,omitempty"`
}

type echoArgs struct {
	Text string `json:"text,omitempty"`
}

// fixture is a server of tools that need no browser.
func fixture(cfg Config) *Server {
	if cfg.Workers == 0 {
		cfg.Workers = 10
	}
	return newServer(cfg, []tool{
		declare(info{name: "sleep", doc: "Sleeps."}, func(ctx context.Context, _ *call, in sleepArgs) (done, error) {
			if in.Deaf {
				time.Sleep(time.Duration(in.Seconds) * time.Second)
				return done{}, nil
			}
			select {
			case <-time.After(time.Duration(in.Seconds) * time.Second):
				return done{Success: true}, nil
			case <-ctx.Done():
				return done{}, ctx.Err()
			}
		}),
		declare(info{name: "echo", doc: "Says text."}, func(_ context.Context, _ *call, in echoArgs) (echoArgs, error) {
			return echoArgs(in), nil
		}),
		declare(info{name: "panic", doc: "Panics."}, func(context.Context, *call, struct{}) (done, error) {
			panic("secret cdp text -32000")
		}),
	})
}

func TestHandshakeAndList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, err := swarm.New(swarm.Config{TabCount: 3})
		require.NoError(t, err)
		defer m.Close()
		s := New(m, Config{Version: "1.2.3"})
		assert.Equal(t, 14, s.workers)
		c := connect(t.Context(), t, s)
		c.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		hello, list := c.next(), c.next()
		assert.Contains(t, hello, `"protocolVersion":"2025-06-18"`)
		assert.Contains(t, hello, `"version":"1.2.3"`)
		assert.Contains(t, hello, "A >>> B")
		assert.Contains(t, list, `"name":"get_pool_status"`)
		assert.Contains(t, list, "A >>> B")
		c.call(2, "get_pool_status", `{}`)
		assert.Equal(t, `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"total\":3,\"idle\":3,\"busy\":0}"}],"structuredContent":{"total":3,"idle":3,"busy":0}}}`, c.next())
		c.call(3, "release_tab", `{"tabId":"tab-77"}`)
		assert.Contains(t, c.next(), `"error_type":"PAGE_NOT_FOUND"`)
		assert.NoError(t, c.end())
	})
}

func TestBeforeInitialize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t.Context(), t, fixture(Config{}))
		c.call(1, "echo", `{"text":"a"}`)
		assert.Equal(t, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"not initialized: send initialize first"}}`, c.next())
		c.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		assert.Equal(t, `{"jsonrpc":"2.0","id":2,"result":{}}`, c.next())
		// Since 2026-07-28 there is no handshake: the request says all.
		meta := `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
		c.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"},"_meta":` + meta + `}}`)
		assert.Contains(t, c.next(), `"structuredContent":{"text":"a"}`)
		c.send(`{"jsonrpc":"2.0","id":4,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":` + meta + `}}`)
		assert.Contains(t, c.next(), `"method":"notifications/subscriptions/acknowledged"`)
		assert.Contains(t, c.next(), `"id":4,"result"`, "nothing to subscribe to: the stream ends at once")
		assert.NoError(t, c.end())
	})
}

func TestMalformed(t *testing.T) {
	for name, test := range map[string]struct{ line, want string }{
		"not JSON":         {`{"jsonrpc"`, `"id":null,"error":{"code":-32700`},
		"binary":           {"\x00\xff", `"id":null,"error":{"code":-32700`},
		"batch":            {`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `"id":null,"error":{"code":-32600`},
		"number":           {`5`, `"id":null,"error":{"code":-32600`},
		"null":             {`null`, `"id":null,"error":{"code":-32600`},
		"no method":        {`{"jsonrpc":"2.0","id":1}`, `"id":null,"error":{"code":-32600`},
		"wrong method":     {`{"jsonrpc":"2.0","id":1,"method":{}}`, `"id":null,"error":{"code":-32600`},
		"null id":          {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, `"id":null,"error":{"code":-32600`},
		"object id":        {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, `"id":null,"error":{"code":-32600`},
		"wrong version":    {`{"jsonrpc":"1.0","id":1,"method":"ping"}`, `"id":1,"error":{"code":-32600`},
		"params array":     {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}`, `"id":1,"error":{"code":-32602`},
		"unknown method":   {`{"jsonrpc":"2.0","id":1,"method":"tools/cal"}`, `"id":1,"error":{"code":-32601`},
		"unknown tool":     {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nope"}}`, `"id":1,"error":{"code":-32602`},
		"no tool":          {`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, `"id":1,"error":{"code":-32602`},
		"arguments array":  {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":[1]}}`, `"error_type":"INVALID_ARGUMENT"`},
		"params null":      {`{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`, `"id":1,"result":{}`},
		"arguments null":   {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":null}}`, `"structuredContent":{}`},
		"unknown argument": {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"txt":"a"}}}`, `did you mean \"text\"?`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := initialized(t, fixture(Config{}))
				c.send(test.line)
				assert.Contains(t, c.next(), test.want)
				c.send("")
				c.send(`{"jsonrpc":"2.0","id":9,"result":{}}`)
				c.send(`{"jsonrpc":"2.0","method":"notifications/nonsense"}`)
				c.silent()
				c.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
				assert.Equal(t, `{"jsonrpc":"2.0","id":2,"result":{}}`, c.next(), "alive")
				assert.NoError(t, c.end())
			})
		})
	}
}

func TestLongLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fixture(Config{})
		s.maxLine = 4 << 20
		c := initialized(t, s)
		long := strings.Repeat("ąč你👨‍👩‍👧", 120_000)
		c.call(1, "echo", `{"text":"`+long+`"}`)
		var answer struct {
			Result struct {
				StructuredContent struct{ Text string }
				Content           []struct{ Text string }
			}
		}
		require.NoError(t, json.Unmarshal([]byte(c.next()), &answer))
		assert.True(t, long == answer.Result.StructuredContent.Text, "3 MB arrive as sent")
		assert.True(t, `{"text":"`+long+`"}` == answer.Result.Content[0].Text)

		go func() {
			_, err := io.Copy(c.in, io.LimitReader(zeros{}, 5<<20))
			assert.NoError(t, err)
			c.send("")
		}()
		assert.Contains(t, c.next(), `"id":null,"error":{"code":-32600,"message":"the message is longer than 4194304 bytes"`)
		c.call(2, "echo", `{}`)
		assert.Contains(t, c.next(), `"id":2`)
		c.in.Write([]byte(`{"jsonrpc":"2.0","id":3,"method":"ping"}`))
		c.in.Close()
		assert.Contains(t, c.next(), `"id":3`, "a last line without a newline counts")
		assert.NoError(t, <-c.ended)
	})
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = '0'
	}
	return len(b), nil
}

func TestWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := initialized(t, fixture(Config{}))
		c.call(1, "echo", `{"text":"a >>> b & <i>\u2028 \ud83d\ude00 \ud800 \\u003e"}`)
		line := c.next()
		assert.Contains(t, line, `"structuredContent":{"text":"a >>> b & <i>\u2028 😀 � \\u003e"}`)
		assert.Contains(t, line, `"text":"{\"text\":\"a >>> b & <i>\\u2028 😀 � \\\\u003e\"}"`)
		for _, id := range []string{`9007199254740993`, `"ab\"c"`, `-1.5`, `"ü"`} {
			c.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)
			assert.Equal(t, `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`, c.next())
		}
		assert.NoError(t, c.end())
	})
}

func TestPanicIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		c := initialized(t, fixture(Config{Logger: slog.New(slog.NewTextHandler(&log, nil))}))
		c.call(1, "panic", `{}`)
		line := c.next()
		assert.Contains(t, line, `"error_type":"UNEXPECTED_ERROR"`)
		assert.Contains(t, line, `"isError":true`)
		assert.NotContains(t, line, "secret")
		c.call(2, "echo", `{}`)
		assert.Contains(t, c.next(), `"id":2`)
		require.NoError(t, c.end())
		assert.Contains(t, log.String(), "secret")
		assert.Contains(t, log.String(), "stdio_test.go")
	})
}

func TestLogHasNoArguments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		c := initialized(t, fixture(Config{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}))
		c.call(1, "echo", `{"text":"pass1234"}`)
		c.next()
		c.call(2, "echo", `{"txt":"pass1234"}`)
		c.next()
		require.NoError(t, c.end())
		assert.Contains(t, log.String(), "level=DEBUG msg=call tool=echo took=0s outcome=ok")
		assert.Contains(t, log.String(), "level=WARN msg=call tool=echo took=0s outcome=INVALID_ARGUMENT")
		assert.NotContains(t, log.String(), "pass1234")
	})
}

// A call that waits must hold up neither other calls nor what is no call, and
// what waits for a slot can be cancelled.
func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := initialized(t, fixture(Config{Workers: 2}))
		c.call(1, "sleep", `{"seconds":3600}`)
		c.call(2, "sleep", `{"seconds":3600}`)
		synctest.Wait()
		c.call(3, "echo", `{}`)
		c.call(4, "echo", `{}`)
		c.silent()
		c.send(`{"jsonrpc":"2.0","id":5,"method":"ping"}`)
		assert.Contains(t, c.next(), `"id":5`)
		c.send(`{"jsonrpc":"2.0","id":6,"method":"tools/list"}`)
		assert.Contains(t, c.next(), `"id":6`)

		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`) // queued
		c.silent()
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`) // running
		assert.Contains(t, c.next(), `"id":4`, "the slot went to the next")
		c.silent()
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}}`)
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`)
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled"}`)
		c.silent()
		c.call(1, "echo", `{}`)
		assert.Contains(t, c.next(), `"id":1`, "the id is free again")
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		c.silent()
		assert.NoError(t, c.end())
	})
}

func TestDuplicateID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := initialized(t, fixture(Config{}))
		c.call(1, "sleep", `{"seconds":1}`)
		c.call(1, "echo", `{}`)
		assert.Equal(t, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"a request with this id is still being served"}}`, c.next())
		assert.Contains(t, c.next(), `"success":true`)
		c.send(`{"jsonrpc":"2.0","id":"1","method":"ping"}`)
		assert.Contains(t, c.next(), `"id":"1"`)
		assert.NoError(t, c.end())
	})
}

func TestEndOfInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fixture(Config{})
		var released []string
		s.release = func(owner string) int { released = append(released, owner); return 0 }
		c := initialized(t, s)
		began := time.Now()
		c.call(1, "sleep", `{"seconds":1}`)
		c.call(2, "sleep", `{"seconds":3600}`)
		assert.NoError(t, c.end())
		assert.Contains(t, c.next(), `"success":true`)
		line := c.next()
		assert.Contains(t, line, `"id":2`)
		assert.Contains(t, line, `"error_type":"CANCELLED"`)
		assert.Equal(t, endGrace, time.Since(began))
		require.Len(t, released, 1)
		assert.Contains(t, released[0], "stdio-")
	})
}

func TestEndOfInputWithADeafCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := initialized(t, fixture(Config{}))
		began := time.Now()
		c.call(1, "sleep", `{"seconds":60,"deaf":true}`)
		synctest.Wait()
		assert.NoError(t, c.end())
		assert.Equal(t, endGrace+endPatience, time.Since(began))
		time.Sleep(time.Minute)
	})
}

func TestEndOfInputWithAQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := initialized(t, fixture(Config{Workers: 1}))
		c.call(1, "sleep", `{"seconds":3600}`)
		c.call(2, "sleep", `{"seconds":3600}`)
		assert.NoError(t, c.end())
		for range 2 {
			assert.Contains(t, c.next(), `"error_type":"CANCELLED"`)
		}
	})
}

func TestEndOfContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c := connect(ctx, t, fixture(Config{}))
		c.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`)
		c.next()
		c.call(1, "sleep", `{"seconds":3600}`)
		synctest.Wait()
		began := time.Now()
		cancel()
		assert.NoError(t, <-c.ended)
		assert.Contains(t, c.next(), `"error_type":"CANCELLED"`)
		assert.Zero(t, time.Since(began), "no grace")
	})
}

func TestOutputClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := initialized(t, fixture(Config{}))
		c.call(1, "sleep", `{"seconds":3600}`)
		synctest.Wait()
		c.out.Close()
		c.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		assert.NoError(t, <-c.ended, "the client just went away")
	})
}

func TestOutputBroken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := initialized(t, fixture(Config{}))
		c.out.CloseWithError(errors.New("disk full"))
		c.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		assert.EqualError(t, <-c.ended, "write the answer: disk full")
	})
}

// A client that does not read holds up its answers, not the end.
func TestOutputStuck(t *testing.T) {
	for name, line := range map[string]string{
		"initialize": `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`,
		"refusal":    `nonsense`,
		"ping":       `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in, inWrite := io.Pipe()
				out, outWrite := io.Pipe()
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- fixture(Config{}).ServeStdio(ctx, in, outWrite) }()
				_, err := io.WriteString(inWrite, line+"\n")
				require.NoError(t, err)
				synctest.Wait()
				began := time.Now()
				cancel()
				assert.NoError(t, <-ended)
				assert.Equal(t, endPatience, time.Since(began))
				out.Close()
				in.Close()
			})
		})
	}
}

func TestInputBroken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := initialized(t, fixture(Config{}))
		c.in.CloseWithError(errors.New("bad sector"))
		assert.EqualError(t, <-c.ended, "read the input: bad sector")
	})
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := initialized(t, fixture(Config{}))
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sleep","arguments":{"seconds":25},"_meta":{"progressToken":"p1"}}}`)
		assert.Equal(t, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p1","progress":10,"message":"still running after 10s"}}`, c.next())
		assert.Contains(t, c.next(), `"progress":20`)
		assert.Contains(t, c.next(), `"success":true`)
		c.call(2, "sleep", `{"seconds":25}`)
		assert.Contains(t, c.next(), `"success":true`, "no progress without a token")
		assert.NoError(t, c.end())
	})
}

// What mcp-go has for the client must not come after the answer it belongs to.
func TestNotificationsComeFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fixture(Config{})
		c := initialized(t, s)
		s.mcp.SendNotificationToAllClients("notifications/tools/list_changed", nil)
		c.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		assert.Contains(t, c.next(), `"method":"notifications/tools/list_changed"`)
		assert.Contains(t, c.next(), `"id":1`)
		assert.NoError(t, c.end())
	})
}

func TestManyCallsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := initialized(t, fixture(Config{Workers: 20}))
		began := time.Now()
		for id := range 100 {
			c.call(id, "sleep", `{"seconds":1}`)
		}
		seen := map[string]bool{}
		for range 100 {
			var answer struct{ ID json.RawMessage }
			line := c.next()
			require.NoError(t, json.Unmarshal([]byte(line), &answer), line)
			assert.Contains(t, line, `"success":true`)
			seen[string(answer.ID)] = true
		}
		assert.Len(t, seen, 100)
		assert.Equal(t, 5*time.Second, time.Since(began), "100 calls of a second, 20 at once")
		assert.NoError(t, c.end())
	})
}
