package swarm

// Option structs are what tools take too: their json tags name the tool's
// arguments and their jsonschema tags describe them. A nil pointer means all
// defaults. Timeouts are not options: they live in the context, and a default
// from Config applies only when the context has no deadline.

// WaitUntil is the moment at which a navigation counts as done.
type WaitUntil string

const (
	// WaitLoad is the document's load event. The default.
	WaitLoad WaitUntil = "load"
	// WaitDOMContentLoaded is the document's DOMContentLoaded event.
	WaitDOMContentLoaded WaitUntil = "domcontentloaded"
	// WaitNetworkIdle0 is 500 ms without any network connection.
	WaitNetworkIdle0 WaitUntil = "networkidle0"
	// WaitNetworkIdle2 is 500 ms with at most two network connections.
	WaitNetworkIdle2 WaitUntil = "networkidle2"
)

// GotoOptions are the options of Tab.Goto.
type GotoOptions struct {
	WaitUntil WaitUntil `json:"waitUntil,omitempty" jsonschema:"When the navigation counts as done. networkidle0/2: 500 ms with at most 0 or 2 connections,enum=load,enum=domcontentloaded,enum=networkidle0,enum=networkidle2,default=load"`
}

// Navigation is the outcome of Tab.Goto.
type Navigation struct {
	// URL and Title are those of the page after the navigation.
	URL, Title string
	// HTTPStatus is the status of the document's response; 0 if it had none
	// (about:, data:, a move within the document).
	HTTPStatus int
	// SameDocument is true when only the fragment changed.
	SameDocument bool
	// Download is set when the address turned out to be a file; the page is
	// still the one before.
	Download *Download
}

// Download is a file that the browser was offered instead of a page.
type Download struct {
	URL      string `json:"url"`
	Filename string `json:"filename"`
}

// Dialog is a JavaScript dialog that was answered.
type Dialog struct {
	// Type is "alert", "confirm", "prompt" or "beforeunload".
	Type    string `json:"type"`
	Message string `json:"message"`
	// Accepted says how it was answered.
	Accepted bool `json:"accepted"`
}

// ContentType is a form in which Tab.Content returns a page.
type ContentType string

const (
	// ContentText is the rendered text, as innerText gives it. The default.
	ContentText ContentType = "text"
	// ContentHTML is the serialized document.
	ContentHTML ContentType = "html"
	// ContentMarkdown is the content as Markdown, links kept.
	ContentMarkdown ContentType = "markdown"
)

// ContentOptions are the options of Tab.Content.
type ContentOptions struct {
	Type     ContentType `json:"type,omitempty" jsonschema:"Form of the content,enum=text,enum=html,enum=markdown,default=text"`
	Selector string      `json:"selector,omitempty" jsonschema:"Only this element's content; the whole page when absent"`
}

// ImageFormat is an image encoding.
type ImageFormat string

// The image formats of Tab.Screenshot.
const (
	PNG  ImageFormat = "png"
	JPEG ImageFormat = "jpeg"
	WebP ImageFormat = "webp"
)

// ScreenshotOptions are the options of Tab.Screenshot.
type ScreenshotOptions struct {
	FullPage bool        `json:"fullPage,omitempty" jsonschema:"The whole page instead of the viewport,default=false"`
	Selector string      `json:"selector,omitempty" jsonschema:"Only this element"`
	Format   ImageFormat `json:"format,omitempty" jsonschema:"Image format,enum=png,enum=jpeg,enum=webp,default=png"`
	Quality  int         `json:"quality,omitempty" jsonschema:"Quality of jpeg and webp (default 80),minimum=1,maximum=100"`
}

// Image is a picture.
type Image struct {
	// Data is the encoded picture.
	Data []byte
	// MIMEType is "image/png", "image/jpeg" or "image/webp".
	MIMEType string
	// Width and Height are the picture's size in pixels.
	Width, Height int
	// Scale is picture pixels for each CSS pixel, below 1 when the picture
	// was made smaller to stay within MaxImageSide.
	Scale float64
}

// MaxImageSide is the longest side, in pixels, of a picture that
// Tab.Screenshot makes; what is larger is scaled down.
const MaxImageSide = 8000

// MouseButton is a button of the mouse.
type MouseButton string

// The mouse buttons.
const (
	Left   MouseButton = "left"
	Middle MouseButton = "middle"
	Right  MouseButton = "right"
)

// Modifier is a modifier key held during a click.
type Modifier string

// The modifier keys.
const (
	Alt     Modifier = "Alt"
	Control Modifier = "Control"
	Meta    Modifier = "Meta"
	Shift   Modifier = "Shift"
)

// ClickOptions are the options of Locator.Click.
type ClickOptions struct {
	Button     MouseButton `json:"button,omitempty" jsonschema:"Mouse button,enum=left,enum=middle,enum=right,default=left"`
	ClickCount int         `json:"click_count,omitempty" jsonschema:"2 for a double click (default 1),minimum=1,maximum=3"`
	Modifiers  []Modifier  `json:"modifiers,omitempty" jsonschema:"Keys held during the click,enum=Alt,enum=Control,enum=Meta,enum=Shift"`
	Force      bool        `json:"force,omitempty" jsonschema:"Click the element's place even if it is covered or disabled,default=false"`
}

// ClickResult is what a click set off, as far as it was seen before the click
// returned.
type ClickResult struct {
	// Opened are the ids of tabs that it opened, leased to the same owner.
	Opened []string
	// Dialogs are the dialogs that it raised, already answered.
	Dialogs []Dialog
}

// TypeOptions are the options of Locator.Type.
type TypeOptions struct {
	Clear  bool `json:"clear,omitempty" jsonschema:"Empty the field first,default=false"`
	Submit bool `json:"submit,omitempty" jsonschema:"Press Enter afterwards,default=false"`
}

// TypeResult is what the field made of the text.
type TypeResult struct {
	// Value is the field's value, or an editable element's text, after
	// typing and before Submit.
	Value string
	// AsAsked is false when Value is not what the text should have made of
	// the field: the page masked, cut or changed it.
	AsAsked bool
}

// State is a state of an element that Locator.WaitFor can wait for.
type State string

const (
	// Attached is being in the document. The default.
	Attached State = "attached"
	// Visible is having a box that is not empty and not hidden.
	Visible State = "visible"
	// Hidden is not being visible, or not there at all.
	Hidden State = "hidden"
	// Detached is not being in the document.
	Detached State = "detached"
)

// WaitForOptions are the options of Locator.WaitFor.
type WaitForOptions struct {
	State State `json:"state,omitempty" jsonschema:"State to wait for,enum=attached,enum=visible,enum=hidden,enum=detached,default=attached"`
}

// LeaseOptions are the options of BrowserManager.Lease.
type LeaseOptions struct {
	// Owner is who leases: a client session. ReleaseOwner ends all leases
	// of an owner.
	Owner string
}
