package chrome

import (
	"fmt"
	"slices"
	"strings"
)

// Note says why a flag was decided as it was.
type Note struct {
	Flag   string
	Reason string
	// Refused is true for an argument of the user that is not used.
	Refused bool
}

// baseFlags are given to every browser: nothing that asks, phones home, slows
// down what is not in front, or differs from run to run.
func baseFlags() []string {
	return []string{
		// No first-run pages, questions, bubbles or services.
		"--no-first-run",
		"--no-default-browser-check",
		"--no-service-autorun",
		"--no-startup-window",
		"--disable-default-apps",
		"--disable-extensions",
		"--disable-component-extensions-with-background-pages",
		"--disable-search-engine-choice-screen",
		"--disable-prompt-on-repost",
		"--password-store=basic",
		"--use-mock-keychain",

		// No traffic of the browser's own.
		"--disable-background-networking",
		"--disable-component-update",
		"--disable-sync",
		"--disable-quic",
		"--disable-client-side-phishing-detection",
		"--disable-field-trial-config",
		"--disable-breakpad",
		"--disable-crash-reporter",
		"--metrics-recording-only",

		// A tab works at full speed whether or not it is in front.
		"--disable-background-timer-throttling",
		"--disable-backgrounding-occluded-windows",
		"--disable-renderer-backgrounding",
		"--disable-ipc-flooding-protection",
		"--disable-hang-monitor",

		// Pages behave the same everywhere; popups open, input right after a
		// navigation is not dropped.
		"--disable-popup-blocking",
		"--disable-back-forward-cache",
		"--allow-pre-commit-input",
		"--force-color-profile=srgb",
		"--export-tagged-pdf",
		"--mute-audio",
		"--disable-features=" + strings.Join([]string{
			"Translate", "OptimizationHints", "MediaRouter", "DialMediaRouteProvider",
			"GlobalMediaControls", "HttpsUpgrades", "LensOverlay", "PaintHolding",
			"AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose",
			"AutoDeElevate", "RenderDocument", "InterestFeedContentSuggestions",
			// It holds back what a page put off by setTimeout(0) until the frame after
			// a click: 10 ms in which nobody can tell what the click has done.
			"DeferRendererTasksAfterInput",
		}, ","),
	}
}

// Flags is the browser's command line for the options in the environment,
// without the program's name and without what belongs to the run (profile and
// pipe). The notes explain every flag that the environment decided and every
// argument of the user that was not taken. Of two flags with one name the
// user's stands, in the place of ours; lists of features are joined.
func Flags(opts Options, env Environment) ([]string, []Note) {
	flags := baseFlags()
	var notes []Note
	decide := func(flag, reason string) {
		flags = append(flags, flag)
		notes = append(notes, Note{Flag: flag, Reason: reason})
	}

	if !opts.Headed {
		headless := "--headless=new"
		if opts.Browser.HeadlessShell {
			headless = "--headless"
		}
		flags = append(flags, headless, "--hide-scrollbars", "--disable-gpu")
	}
	if opts.Browser.Product == Edge {
		flags = append(flags, "--edge-skip-compat-layer-relaunch") // the relaunched one would have no pipe
	}
	if env.GOOS == "linux" {
		if env.Root {
			decide("--no-sandbox", "running as root, for whom the browser refuses its sandbox")
		} else if env.NoSandbox != "" {
			decide("--no-sandbox", env.NoSandbox)
		}
		if env.DevShm < minDevShm {
			decide("--disable-dev-shm-usage", fmt.Sprintf("/dev/shm has %d MB, less than %d", env.DevShm>>20, minDevShm>>20))
		}
	}
	if opts.WindowWidth > 0 && opts.WindowHeight > 0 {
		flags = append(flags, fmt.Sprintf("--window-size=%d,%d", opts.WindowWidth, opts.WindowHeight))
	}
	if opts.Proxy != "" {
		flags = append(flags, "--proxy-server="+opts.Proxy)
	}
	if opts.UserAgent != "" {
		flags = append(flags, "--user-agent="+opts.UserAgent)
	}
	if opts.IgnoreHTTPSErrors {
		flags = append(flags, "--ignore-certificate-errors")
	}
	flags, refused := mergeArgs(flags, opts.Args)
	return flags, append(notes, refused...)
}

// mergeArgs adds the user's arguments to our flags.
func mergeArgs(flags, args []string) ([]string, []Note) {
	var refused []Note
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		if reason := reserved(name); reason != "" {
			refused = append(refused, Note{Flag: arg, Reason: reason, Refused: true})
			continue
		}
		at := -1
		if strings.HasPrefix(name, "-") {
			at = slices.IndexFunc(flags, func(f string) bool { n, _, _ := strings.Cut(f, "="); return n == name })
		}
		switch {
		case at < 0:
			flags = append(flags, arg)
		case isFeatureList(name):
			flags[at] += "," + value
		default:
			flags[at] = arg
		}
		if name == "--enable-features" {
			flags = enableFeatures(flags, value)
		}
	}
	return flags, refused
}

// enableFeatures takes the features that the user wants off the list of those
// that we disable: Chrome lets the disabled list win.
func enableFeatures(flags []string, features string) []string {
	wanted := strings.Split(features, ",")
	for i, flag := range flags {
		name, list, _ := strings.Cut(flag, "=")
		if name != "--disable-features" {
			continue
		}
		kept := slices.DeleteFunc(strings.Split(list, ","), func(f string) bool { return slices.Contains(wanted, f) })
		flags[i] = name + "=" + strings.Join(kept, ",")
	}
	return flags
}

func isFeatureList(name string) bool {
	switch name {
	case "--disable-features", "--enable-features", "--disable-blink-features", "--enable-blink-features":
		return true
	}
	return false
}

// reserved says why a flag cannot be the user's, empty if it can.
func reserved(name string) string {
	switch name {
	case "--user-data-dir":
		return "every browser has a private profile that is removed with it"
	case "--remote-debugging-pipe", "--remote-debugging-io-pipes", "--remote-debugging-port", "--remote-debugging-address":
		return "the protocol goes through a private pipe"
	}
	return ""
}
