package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// mcpClient is a client of a server that runs as our child.
type mcpClient struct{ *client.Client }

// startServer starts this program as a server with args and shakes hands.
func startServer(ctx context.Context, args []string, log io.Writer) (*mcpClient, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find our own program: %w", err)
	}
	child := transport.NewStdioWithOptions(self, nil, append([]string{"serve"}, args...), transport.WithCommandStderrWriter(log))
	c := &mcpClient{client.NewClient(child)}
	// The end of ctx must not kill the child: closing its input lets it
	// close its browser.
	if err := c.Start(context.WithoutCancel(ctx)); err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	var hello mcp.InitializeRequest
	hello.Params.ClientInfo = mcp.Implementation{Name: "swarm-mcp demo", Version: readVersion().Version}
	if _, err := c.Initialize(ctx, hello); err != nil {
		return nil, errors.Join(fmt.Errorf("initialize the server: %w", err), c.close())
	}
	return c, nil
}

// close ends the server and waits for it.
func (c *mcpClient) close() error { return c.Client.Close() }

// toolError is a tool's own account of its failure.
type toolError struct {
	Type    string `json:"error_type"`
	Message string `json:"message"`
	TabID   string `json:"tabId"`
	URL     string `json:"url"`
}

// Error is the type and the message.
func (e *toolError) Error() string { return e.Type + ": " + e.Message }

// call calls a tool and decodes its result into out. It returns the picture
// if the result has one. A failure of the tool is a *toolError; any other
// error means that the server is lost.
func (c *mcpClient) call(ctx context.Context, tool string, args map[string]any, out any) (picture []byte, err error) {
	var request mcp.CallToolRequest
	request.Params.Name = tool
	request.Params.Arguments = args
	result, err := c.CallTool(ctx, request)
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", tool, err)
	}
	var text string
	for _, block := range result.Content {
		switch block := block.(type) {
		case mcp.TextContent:
			text = block.Text
		case mcp.ImageContent:
			if picture, err = base64.StdEncoding.DecodeString(block.Data); err != nil {
				return nil, fmt.Errorf("decode the picture of %s: %w", tool, err)
			}
		}
	}
	if result.IsError {
		failure := &toolError{}
		if err := json.Unmarshal([]byte(text), failure); err != nil {
			return nil, fmt.Errorf("decode the error of %s, %q: %w", tool, text, err)
		}
		return nil, failure
	}
	if err := json.Unmarshal([]byte(text), out); err != nil {
		return nil, fmt.Errorf("decode the result of %s: %w", tool, err)
	}
	return picture, nil
}
