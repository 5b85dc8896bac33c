package mcpadapter

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

type innerArgs struct {
	Keys []swarm.Modifier `json:"keys,omitempty" jsonschema:"Keys, held down,enum=Alt,enum=Shift"`
}

type decodeArgs struct {
	URL string `json:"url" jsonschema:"Where to,minLength=1"`
	innerArgs
	Wait  swarm.WaitUntil `json:"waitUntil,omitempty" jsonschema:"When,enum=load,enum=networkidle0,default=load"`
	Time  int             `json:"timeout,omitempty" jsonschema:"Milliseconds,default=30000,minimum=1,maximum=600000"`
	From  int             `json:"offset,omitempty" jsonschema:"Where,minimum=0"`
	Force bool            `json:"force,omitempty"`
	Tags  []string        `json:"tags,omitempty"`
}

func TestInputSchema(t *testing.T) {
	text, err := compactJSON(inputSchema(reflect.TypeFor[decodeArgs]()))
	require.NoError(t, err)
	assert.Equal(t, `{"type":"object","properties":{`+
		`"url":{"type":"string","description":"Where to","minLength":1},`+
		`"keys":{"type":"array","description":"Keys, held down","items":{"type":"string","enum":["Alt","Shift"]}},`+
		`"waitUntil":{"type":"string","description":"When","enum":["load","networkidle0"],"default":"load"},`+
		`"timeout":{"type":"integer","description":"Milliseconds","default":30000,"minimum":1,"maximum":600000},`+
		`"offset":{"type":"integer","description":"Where","minimum":0},`+
		`"force":{"type":"boolean"},`+
		`"tags":{"type":"array","items":{"type":"string"}}`+
		`},"required":["url"],"additionalProperties":false}`, string(text))
}

func TestDecode(t *testing.T) {
	ps := inputSchema(reflect.TypeFor[decodeArgs]()).Properties
	long := strings.Repeat("x", 300_000)
	for raw, want := range map[string]decodeArgs{
		`{"url":"u"}`: {URL: "u", Wait: "load", Time: 30000},
		` {"url":"u","keys":["Shift","Alt"],"waitUntil":"networkidle0","timeout":3e4,"offset":0,"force":true,"tags":[]} `: {
			URL: "u", innerArgs: innerArgs{Keys: []swarm.Modifier{"Shift", "Alt"}}, Wait: "networkidle0", Time: 30000, Force: true, Tags: []string{}},
		`{"url":"` + long + `","timeout":600000.0}`:  {URL: long, Wait: "load", Time: 600000},
		`{"url":"\ud83d\ude00 \ud800","timeout":1}`:  {URL: "😀 �", Wait: "load", Time: 1},
		`{"url":"first","url":"last","timeout":500}`: {URL: "last", Wait: "load", Time: 500},
	} {
		var got decodeArgs
		assert.NoError(t, decode("tool", ps, json.RawMessage(raw), &got), clip(raw, 100))
		assert.Equal(t, want, got)
	}
}

func TestDecodeRefuses(t *testing.T) {
	ps := inputSchema(reflect.TypeFor[decodeArgs]()).Properties
	const missing = `"url" is missing; it must be a string that is not empty`
	all := ps.names()
	for _, test := range []struct {
		raw, message string
		candidates   []string
	}{
		{``, missing, nil},
		{`null`, missing, nil},
		{`{}`, missing, nil},
		{`[]`, `the arguments of tool are an array; they must be an object`, nil},
		{`"url"`, `the arguments of tool are the string "url"; they must be an object`, nil},
		{`{"url":""}`, `"url" is empty; it must be a string that is not empty`, nil},
		{`{"url":null}`, `"url" is null; it must be a string that is not empty`, nil},
		{`{"url":5}`, `"url" is the number 5; it must be a string that is not empty`, nil},
		{`{"url":{"a":1}}`, `"url" is an object; it must be a string that is not empty`, nil},
		{`{"url":"u","waitUntil":"loaded"}`, `"waitUntil" is the string "loaded"; it must be one of "load", "networkidle0"; did you mean "load"?`, []string{"load", "networkidle0"}},
		{`{"url":"u","waitUntil":null}`, `"waitUntil" is null; it must be one of "load", "networkidle0"`, []string{"load", "networkidle0"}},
		{`{"url":"u","timeout":"500"}`, `"timeout" is the string "500"; it must be an integer from 1 to 600000`, nil},
		{`{"url":"u","timeout":0}`, `"timeout" is the number 0; it must be an integer from 1 to 600000`, nil},
		{`{"url":"u","timeout":1.5}`, `"timeout" is the number 1.5; it must be an integer from 1 to 600000`, nil},
		{`{"url":"u","timeout":1e999}`, `"timeout" is the number 1e999; it must be an integer from 1 to 600000`, nil},
		{`{"url":"u","timeout":-9223372036854775809}`, `"timeout" is the number -9223372036854775809; it must be an integer from 1 to 600000`, nil},
		{`{"url":"u","offset":-1}`, `"offset" is the number -1; it must be an integer of at least 0`, nil},
		{`{"url":"u","offset":1e300}`, `"offset" is the number 1e300; it must be an integer of at least 0`, nil},
		{`{"url":"u","force":"true"}`, `"force" is the string "true"; it must be true or false`, nil},
		{`{"url":"u","force":1}`, `"force" is the number 1; it must be true or false`, nil},
		{`{"url":"u","tags":"a"}`, `"tags" is the string "a"; it must be an array of strings`, nil},
		{`{"url":"u","tags":["a",true]}`, `"tags" has at 1 what is the boolean true; it must be a string`, nil},
		{`{"url":"u","keys":["Ctrl"]}`, `"keys" has at 0 what is the string "Ctrl"; it must be one of "Alt", "Shift"`, []string{"Alt", "Shift"}},
		{`{"url":"u","waituntil":"load"}`, `"waituntil" is not an argument of tool; did you mean "waitUntil"? It takes url, keys, waitUntil, timeout, offset, force, tags`, all},
		{`{"url":"u","wait_until":"load"}`, `"wait_until" is not an argument of tool; did you mean "waitUntil"? It takes url, keys, waitUntil, timeout, offset, force, tags`, all},
		{`{"url":"u","x":1}`, `"x" is not an argument of tool; it takes url, keys, waitUntil, timeout, offset, force, tags`, all},
		{`{"uri":"u","timeout":true}`, missing + `. "timeout" is the boolean true; it must be an integer from 1 to 600000. "uri" is not an argument of tool; did you mean "url"? It takes url, keys, waitUntil, timeout, offset, force, tags`, all},
	} {
		var got decodeArgs
		err := decode("tool", ps, json.RawMessage(test.raw), &got)
		var e *swarm.Error
		require.True(t, errors.As(err, &e), test.raw)
		assert.Equal(t, swarm.InvalidArgument, e.Type)
		assert.Equal(t, test.message, e.Message, test.raw)
		assert.Equal(t, test.candidates, e.Candidates, test.raw)
	}
}

func TestDecodeOfNoArguments(t *testing.T) {
	ps := inputSchema(reflect.TypeFor[struct{}]()).Properties
	assert.NoError(t, decode("tool", ps, nil, &struct{}{}))
	err := decode("tool", ps, json.RawMessage(`{"a":1}`), &struct{}{})
	assert.ErrorContains(t, err, `"a" is not an argument of tool, which takes none`)
}

// Whatever comes, it is decoded or refused by INVALID_ARGUMENT.
func FuzzDecode(f *testing.F) {
	f.Add(`{"url":"u","keys":["Alt"],"timeout":5,"force":false,"tags":["a"]}`)
	f.Add(`{"url":null,"keys":[[]],"timeout":-0,"x":{}}`)
	ps := inputSchema(reflect.TypeFor[decodeArgs]()).Properties
	f.Fuzz(func(t *testing.T, raw string) {
		if !json.Valid([]byte(raw)) {
			t.Skip("not JSON: never reaches decode")
		}
		var got decodeArgs
		if err := decode("tool", ps, json.RawMessage(raw), &got); err != nil {
			assert.ErrorIs(t, err, swarm.ErrInvalidArgument)
		}
	})
}
