package mcpadapter

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

var update = flag.Bool("update", false, "rewrite the golden files and the generated docs")

// fresh holds a file against what it should be, or rewrites it.
func fresh(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(want), 0o666))
		return
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err, "to mend: go test ./mcpadapter -run '%s' -update", t.Name())
	assert.Equal(t, want, string(got), "%s is stale; to mend: go test ./mcpadapter -run '%s' -update", path, t.Name())
}

// toolsList is what a client gets, a tool at a time.
func toolsList(t *testing.T) []json.RawMessage {
	s := newServer(Config{Workers: 1}, declared())
	answer, err := compactJSON(s.mcp.HandleMessage(t.Context(), json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)))
	require.NoError(t, err)
	var list struct {
		Result struct{ Tools []json.RawMessage }
	}
	require.NoError(t, json.Unmarshal(answer, &list))
	require.Len(t, list.Result.Tools, len(declared()))
	return list.Result.Tools
}

func TestToolsListGolden(t *testing.T) {
	tools := toolsList(t)
	text, err := compactJSON(tools)
	require.NoError(t, err)
	var golden bytes.Buffer
	require.NoError(t, json.Indent(&golden, text, "", "  "))
	fresh(t, "testdata/tools_list.json", golden.String()+"\n")
	// All of this is in the context of every agent, all the time.
	assert.Less(t, len(text), 1400*len(tools), "bytes of tools/list")
	t.Logf("tools/list: %d tools, %d bytes", len(tools), len(text))
}

// Clients choke on unions, references and type lists.
func TestSchemasArePlain(t *testing.T) {
	for _, text := range toolsList(t) {
		assert.NotRegexp(t, regexp.MustCompile(`"(anyOf|oneOf|allOf|not|\$ref|\$defs|\$schema|definitions|patternProperties)":`), string(text))
		assert.NotRegexp(t, regexp.MustCompile(`"type":\[`), string(text))
		var tool struct {
			InputSchema, OutputSchema struct {
				Type       string
				Properties map[string]map[string]any
			}
		}
		require.NoError(t, json.Unmarshal(text, &tool))
		assert.Equal(t, "object", tool.InputSchema.Type)
		assert.Equal(t, "object", tool.OutputSchema.Type)
		for name, p := range tool.InputSchema.Properties {
			assert.NotEmpty(t, p["description"], "argument %s of %s", name, text)
			assert.NotEmpty(t, p["type"], "argument %s of %s", name, text)
		}
	}
}

func TestDeclarations(t *testing.T) {
	seen := map[string]bool{}
	for _, tool := range declared() {
		t.Run(tool.name, func(t *testing.T) {
			assert.Regexp(t, `^[a-z][a-z_]{1,40}$`, tool.name)
			assert.False(t, seen[tool.name])
			seen[tool.name] = true
			assert.NotEmpty(t, tool.title)
			assert.NotEmpty(t, tool.group)
			assert.True(t, strings.HasSuffix(tool.doc, "."))
			assertExample(t, tool.exampleArgs, tool.input)
			assertExample(t, tool.exampleResult, tool.output)
		})
	}
}

// assertExample holds an example against a schema, as far as examples go.
func assertExample(t *testing.T, example string, s schema) {
	t.Helper()
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(example), &members))
	for name, value := range members {
		p, ok := s.Properties.find(name)
		if assert.True(t, ok, "%s in %s", name, example) && p.schema.Type != "" {
			assert.Equal(t, p.schema.Type, typeOf(value), "%s in %s", name, example)
		}
	}
	for _, p := range s.Properties {
		assert.True(t, !p.required || members[p.name] != nil, "%s is not in %s", p.name, example)
	}
}

func typeOf(value json.RawMessage) string {
	return map[byte]string{'"': "string", '{': "object", '[': "array", 't': "boolean", 'f': "boolean"}[value[0]] +
		map[bool]string{true: "integer"}[value[0] >= '0' && value[0] <= '9']
}

// Clients may hold an error object against the outputSchema of the tool.
func TestErrorsFitEveryOutputSchema(t *testing.T) {
	failures := schemaOf(reflect.TypeFor[failure]()).Properties
	for _, tool := range declared() {
		assert.Nil(t, tool.output.Required, tool.name)
		assert.Nil(t, tool.output.AdditionalProperties, tool.name)
		for _, p := range tool.output.Properties {
			if f, ok := failures.find(p.name); ok {
				assert.Equal(t, f.schema.Type, p.schema.Type, "%s of %s", p.name, tool.name)
				assert.Empty(t, p.schema.Enum, "%s of %s", p.name, tool.name)
			}
		}
	}
}

// Every method of the library is behind a tool, or there is a reason why not.
func TestEveryMethodIsCovered(t *testing.T) {
	const (
		byTool   = "tool "
		byReason = ""
	)
	covered := map[string]string{
		"BrowserManager.Lease":        byTool + "navigate",
		"BrowserManager.Tab":          byTool + "get_content",
		"BrowserManager.Status":       byTool + "get_pool_status",
		"BrowserManager.Start":        byReason + "the command starts the browser in the background; Lease starts it too",
		"BrowserManager.Close":        byReason + "the command's, at its end",
		"BrowserManager.ReleaseOwner": byReason + "the adapter's, at the end of a session",
		"Tab.Goto":                    byTool + "navigate",
		"Tab.Content":                 byTool + "get_content",
		"Tab.Screenshot":              byTool + "screenshot",
		"Tab.Release":                 byTool + "release_tab",
		"Tab.Evaluate":                byTool + "evaluate",
		"Tab.TakeDialogs":             byReason + "in the result of every tool that works on a tab",
		"Tab.Title":                   byReason + "in the result of navigate",
		"Tab.URL":                     byReason + "in the result of navigate",
		"Tab.ID":                      byReason + "in the result of navigate",
		"Tab.Owner":                   byReason + "checked with every tabId",
		"Tab.Locator":                 byTool + "click",
		"Tab.MainFrame":               byTool + "evaluate",
		"Tab.Frame":                   byTool + "evaluate",
		"Tab.Frames":                  byReason + "for the page tools, which name frames",
		"Tab.Opener":                  byReason + "the result of click names what it opened",
		"Tab.CDP":                     byReason + "raw protocol is for Go callers",
		"Frame.Evaluate":              byTool + "evaluate",
		"Frame.Locator":               byTool + "click",
		"Frame.Name":                  byReason + "for the page tools, which name frames",
		"Frame.Parent":                byReason + "for the page tools, which name frames",
		"Frame.Tab":                   byReason + "the call named the tab",
		"Frame.ID":                    byReason + "for the page tools, which name frames",
		"Frame.URL":                   byReason + "for the page tools, which name frames",
		"Locator.Click":               byTool + "click",
		"Locator.Type":                byTool + "type",
		"Locator.WaitFor":             byTool + "wait_for_selector",
		"Locator.Text":                byReason + "read_text of the page tools; get_content has a selector",
		"Locator.String":              byReason + "for logs",
		"Locator.Count":               byReason + "list_elements of the page tools",
	}
	var names []string
	for _, tool := range declared() {
		names = append(names, tool.name)
	}
	for method, by := range covered {
		if name, ok := strings.CutPrefix(by, byTool); ok {
			assert.Contains(t, names, name, method)
		}
	}
	var methods []string
	for _, of := range []reflect.Type{reflect.TypeFor[*swarm.BrowserManager](), reflect.TypeFor[*swarm.Tab](), reflect.TypeFor[*swarm.Frame](), reflect.TypeFor[swarm.Locator]()} {
		for m := range of.Methods() {
			typeName := of.String()[strings.LastIndex(of.String(), ".")+1:]
			methods = append(methods, typeName+"."+m.Name)
			assert.NotEmpty(t, covered[typeName+"."+m.Name], "%s.%s needs a tool, or a reason here why it has none", typeName, m.Name)
		}
	}
	for method := range covered {
		assert.True(t, slices.Contains(methods, method), "%s is gone", method)
	}
}

func TestWithoutTab(t *testing.T) {
	late := &swarm.Error{Type: swarm.TimeoutError, TabID: "tab-1", URL: "http://x/"}
	assert.True(t, documentArrived(late))
	assert.False(t, documentArrived(&swarm.Error{Type: swarm.TimeoutError, TabID: "tab-1"}))
	assert.False(t, documentArrived(&swarm.Error{Type: swarm.NavigationFailed, URL: "http://x/"}))
	assert.Empty(t, failureOf("navigate", withoutTab(late)).TabID)
	assert.Equal(t, "tab-1", late.TabID, "the library's error is left alone")
}
