package frames

import (
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
)

// Frame is what the registry knew of one frame at one moment.
type Frame struct {
	ID     cdp.FrameID
	Parent cdp.FrameID // "" for the main frame

	// Session hosts the frame: its commands go there. It differs from the parent's session for a cross-site iframe, and changes when the frame
	// navigates between sites. While it changes back, and until frameDetached when the process has ended, it is the parent's.
	Session target.SessionID

	URL  string // with its fragment
	Name string // the name attribute of the iframe element, at the last commit

	// UnreachableURL is what could not be loaded, when the document is an error page (whose URL is chrome-error://chromewebdata/).
	UnreachableURL string

	// Loader identifies the document. Same-document navigations keep it.
	Loader cdp.LoaderID

	// Pending identifies the document on its way, as Page.navigate returns it; "" when no navigation to a new document is under way.
	Pending cdp.LoaderID

	// Navigations counts commits since the registry learned of the frame: new documents, restored ones, and same-document navigations.
	Navigations int

	// SameDocument says that the last of them was a fragment or history API navigation.
	SameDocument bool

	// Requested says that a script, link or form asked for a navigation that has not started. It can come to nothing without a word: treat it as a
	// hint.
	Requested bool

	// Started says that a navigation has begun and has neither committed nor been given up (no content, a download, stopped).
	Started bool

	// Loading says that the throbber would turn: from the start of a navigation until the document and its subresources have loaded.
	Loading bool

	// Marks holds the lifecycle events of Loader.
	Marks Marks

	// MainContext and WorldContext are the unique ids of the execution contexts of the page's own world and of the isolated world named at New;
	// "" while there is none. They belong to Session.
	MainContext, WorldContext string
}

// Mark is the name of a lifecycle event, as Page.lifecycleEvent spells it.
type Mark string

// The marks a [Marks] can hold. Paint metrics are not kept.
const (
	Init              Mark = "init"
	Commit            Mark = "commit" // set by Page.frameNavigated too: the event itself comes only for documents older than the session
	DOMContentLoaded  Mark = "DOMContentLoaded"
	Load              Mark = "load"
	NetworkAlmostIdle Mark = "networkAlmostIdle" // at most two requests for 500 ms
	NetworkIdle       Mark = "networkIdle"       // none for 500 ms
)

// kept are the marks Chrome does not repeat for a document that was opened again with document.open; restored is what a document had reached before
// it could go to the back/forward cache.
const (
	kept     Marks = 1<<1 | 1<<4 | 1<<5
	restored Marks = 1<<6 - 1
)

// Marks is a set of lifecycle marks, comparable and copied by assignment.
type Marks uint8

// Has reports whether the document has reached name.
func (m Marks) Has(name Mark) bool { return m&name.bit() != 0 }

// bit is 0 for a name that is not kept.
func (k Mark) bit() Marks {
	switch k {
	case Init:
		return 1 << 0
	case Commit:
		return 1 << 1
	case DOMContentLoaded:
		return 1 << 2
	case Load:
		return 1 << 3
	case NetworkAlmostIdle:
		return 1 << 4
	case NetworkIdle:
		return 1 << 5
	}
	return 0
}
