package swarm_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/internal/testsite"
	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

func ExampleBrowserManager() {
	shop, err := testsite.Start()
	if err != nil {
		log.Fatal(err)
	}
	defer shop.Close()
	address := shop.URL + "/search"
	ctx := context.Background()

	// readme:begin
	m, err := swarm.New(swarm.Config{TabCount: 2})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()

	tab, err := m.Lease(ctx, nil) // waits for a free tab, first come, first served
	if err != nil {
		log.Fatal(err)
	}
	defer tab.Release()

	if _, err := tab.Goto(ctx, address, nil); err != nil {
		log.Fatal(err)
	}
	if _, err := tab.Locator("label=Look for").Type(ctx, "tea", &swarm.TypeOptions{Submit: true}); err != nil {
		log.Fatal(err)
	}
	found, err := tab.Locator("#found").Text(ctx) // waits for the element, on the new page
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found)

	soon, cancel := context.WithTimeout(ctx, 2*time.Second) // instead of Config.ActionTimeout
	defer cancel()
	_, err = tab.Locator("#no-such-button").Click(soon, nil)
	var failure *swarm.Error
	if errors.As(err, &failure) {
		fmt.Println(failure.Type) // and failure.Message says what to do next
	}
	// readme:end

	// Output:
	// 6 products and 5 articles for “tea”.
	// SELECTOR_NOT_FOUND
}

// TestREADMEShowsTheExample keeps the README's snippet equal to the example.
func TestREADMEShowsTheExample(t *testing.T) {
	source, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	_, snippet, ok := strings.Cut(string(source), "\t// readme:begin\n")
	require.True(t, ok)
	snippet, _, ok = strings.Cut(snippet, "\t// readme:end\n")
	require.True(t, ok)
	var lines []string
	for line := range strings.Lines(snippet) {
		lines = append(lines, strings.TrimPrefix(line, "\t"))
	}
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	assert.Contains(t, string(readme), strings.Join(lines, ""), "copy the example between readme:begin and readme:end into README.md")
}
