package testsite

// navigationFixtures are about documents that come and go.
func navigationFixtures() []fixture {
	return []fixture{
		{path: "/t/same-document", id: "B14", shows: "hash link #h, pushState #p, replaceState after 300 ms #r"},
		{path: "/t/same-document/{view}", shows: "where those lead, for a reload", serve: file("pages/t/same-document.html", htmlType), link: "/t/same-document/route"},
		{path: "/t/spa", shows: "routes home, list and detail by pushState; each draws #view after a fetch", serve: file("pages/t/spa.html", htmlType)},
		{path: "/t/spa/{view}", shows: "those routes, loaded from the server", serve: file("pages/t/spa.html", htmlType), link: "/t/spa/list"},
		{path: "/t/meta-refresh", shows: "meta refresh to /t/b (B91)"},
		{path: "/t/js-redirect", shows: "location.replace to /t/b while it loads (B91)"},
		{path: "/t/back", shows: "link #go to /t/b; window.restored counts the returns from the back/forward cache (B91)"},
		{path: "/t/hanging-image", id: "B27", shows: "ready to read, but an image never comes"},
		{path: "/t/idle", shows: "fetches every 100 ms for ?after=1000 ms, then says done; ?open=2 connections stay open; ?poll=1 polls for ever"},
		{path: "/t/popups", id: "B25", shows: "target=_blank #p, window.open #w, a download in a new tab #n"},
		{path: "/t/popup-all", shows: "every other way to open a window: rel=opener, features, named, written, form, two at once, at load of ?auto=1"},
	}
}

// dialogFixtures are about alert, confirm, prompt and beforeunload.
func dialogFixtures() []fixture {
	return []fixture{
		{path: "/t/dialog-click", id: "B01", shows: "#b opens a confirm; the title becomes Y or N"},
		{path: "/t/dialog-in-head", id: "B02", shows: "an alert before the body is parsed"},
		{path: "/t/dialog", shows: "#b opens ?type=alert, confirm or prompt; the answer is in #out and window.answer"},
		{path: "/t/dialogs-onload", shows: "alert, confirm and prompt one after the other in onload; window.answers"},
		{path: "/t/beforeunload", shows: "asks before it is left, once it has been touched"},
	}
}

// clickFixtures are about what can be clicked. A hit sets window.hit (or what
// is said below), a click elsewhere window.wrong.
func clickFixtures() []fixture {
	return []fixture{
		{path: "/t/covered", id: "B05", shows: "#b lies under #ov"},
		{path: "/t/covered/removed", shows: "the cover goes after ?ms=300"},
		{path: "/t/covered/shadow", shows: "the cover is in the shadow root of x-cover"},
		{path: "/t/covered/pointer-events", shows: "a cover with pointer-events none, which is none"},
		{path: "/t/moving/css", shows: "#b moves by a CSS animation for 1 s"},
		{path: "/t/moving/forever", shows: "#b is moved by script in every frame"},
		{path: "/t/moving/once", shows: "#b is moved by script once, after ?ms=300"},
		{path: "/t/late", shows: "#b appears disabled after ?ms=300 and is enabled after as long again"},
		{path: "/t/disabled", shows: "disabled by attribute, by fieldset and by ARIA; #enable frees them"},
		{path: "/t/hidden", shows: "hidden by display, visibility, size, opacity, a parent, and <details>"},
		{path: "/t/scroll", id: "B33", shows: "#b at the end of a scrolling pane, #far down the page"},
		{path: "/t/scroll/smooth", shows: "the same with smooth scrolling"},
		{path: "/t/sticky-header", id: "B35", shows: "#b comes in under a sticky header"},
		{path: "/t/odd-boxes", id: "B37", shows: "display contents, zero size, SVG, opacity 0, <area>, a box of ::before only"},
		{path: "/t/select", id: "B24", shows: "select #s (one option disabled), #multiple, #groups; window.c counts changes"},
		{path: "/t/zoom", id: "B47", shows: "a page zoomed by 1.5; ?root=0.8 zooms the root as well"},
		{path: "/t/selectors", id: "B61", shows: "few words that selectors are mistaken for"},
		{path: "/t/upload", id: "B87", shows: "a hidden file input behind a button, and one that is never attached"},
	}
}

// typingFixtures are about fields.
func typingFixtures() []fixture {
	return []fixture{
		{path: "/t/typing", id: "B06", shows: "an input #a and a textarea #t; window.events holds what came"},
		{path: "/t/react-like", id: "B22", shows: "an input #i and a select #c with setters of their own; window.state, window.choice"},
		{path: "/t/enter", id: "B62", shows: "a form that counts its submits in window.s; a textarea #t"},
		{path: "/t/limits", id: "B64", shows: "maxlength #m, a mask #k, a number field #n"},
		{path: "/t/mask", shows: "digits only, in groups of three"},
		{path: "/t/maxlength", shows: "five letters at most"},
		{path: "/t/readonly", shows: "readonly, disabled and plain"},
		{path: "/t/existing", id: "B65", shows: "fields with a value; one is cleared, one selected by focus; window.compositions"},
		{path: "/t/editable", shows: "contenteditable #plain, and #own that handles beforeinput itself"},
		{path: "/t/form", shows: "every type of input, labelled; posts to /t/echo"},
	}
}

// frameFixtures are about documents in documents. The other site is the same
// server by its other name unless ?other= says otherwise.
func frameFixtures() []fixture {
	return []fixture{
		{path: "/t/frame-cross-site", id: "B08", shows: "#f from the other site; a click inside sets window.got", serve: page(
			`<title>frame-cross-site</title><div style="height:100px"></div><iframe id=f src="{{.Other}}/t/inner-button" style="margin-left:60px;border:7px solid red;width:300px;height:200px"></iframe><script>onmessage=e=>window.got=e.data</script>`)},
		{path: "/t/inner-button", shows: "the inside of those frames: #b tells the parent, input #i", serve: page(
			`<title>inner-button</title><button id=b style="margin:40px" onclick="parent.postMessage('hit','*')">in</button><input id=i>`)},
		{path: "/t/frame-same-site", id: "B44", shows: "outer and inner, #p and title in both", serve: page(
			`<title>outer</title><p id=p>outer</p><iframe id=f src="/t/inner?name=inner"></iframe><button id=remove onclick="f.remove()">remove</button>`)},
		{path: "/t/frames-late", id: "B45", shows: "frames: slow, navigated after 300 ms, removed by #go, sandboxed, srcdoc, written"},
		{path: "/t/inner", shows: "a page to put into a frame: title and #p are ?name=inner, button #b sets window.hit, input #i", serve: page(
			`<title>{{or (.Get "name") "inner"}}</title><p id=p>{{or (.Get "name") "inner"}}</p><button id=b onclick="window.hit=(window.hit||0)+1">b</button><input id=i>`)},
		{path: "/t/frames", shows: "frames: #same, #cross, #nested, #srcdoc, #sandbox, #transformed, and one in the shadow root of x-frame", serve: page(framesText)},
		{path: "/t/frames/nested", shows: "a frame of the other site in a page", serve: page(
			`<title>nested</title><p id=p>nested</p><iframe id=deep src="{{.Other}}/t/inner?name=deep"></iframe>`)},
	}
}

const framesText = `<title>frames</title>
<p id=p>frames</p>
<iframe id=same src="/t/inner?name=same"></iframe>
<iframe id=cross src="{{.Other}}/t/inner?name=cross"></iframe>
<iframe id=nested src="/t/frames/nested?other={{.Other}}" style="width:400px;height:250px"></iframe>
<iframe id=srcdoc srcdoc="<!doctype html><title>srcdoc</title><p id=p>srcdoc</p><button id=b onclick='window.hit=(window.hit||0)+1'>b</button><input id=i>"></iframe>
<iframe id=sandbox sandbox src="/t/inner?name=sandbox"></iframe>
<iframe id=transformed src="/t/inner?name=transformed" style="transform:translate(40px,20px) rotate(10deg) scale(.8)"></iframe>
<x-frame></x-frame>
<script>
const frame = document.createElement('iframe');
frame.id = 'shadowed';
frame.src = '/t/inner?name=shadowed';
document.querySelector('x-frame').attachShadow({mode: 'open'}).append(frame);
</script>`

// shadowFixtures are about shadow roots.
func shadowFixtures() []fixture {
	return []fixture{
		{path: "/t/shadow-button", id: "B41", shows: "x-a >>> x-b >>> #b beside a slot; ?covered=1 lays x-c over it"},
		{path: "/t/shadow-content", id: "B42", shows: "nested, slotted and closed roots"},
	}
}

// paintFixtures are about what is seen.
func paintFixtures() []fixture {
	return []fixture{
		{path: "/t/tall", id: "B19", shows: "400 rows of 100 px"},
		{path: "/t/lazy", id: "B53", shows: "a lazy image 5000 px down, a fixed header, a fade-in, a 100vh section; window.resizes"},
		{path: "/t/colour/{hex}", shows: "B48: a page of one colour, title and #box too", link: "/t/colour/3f6b57", serve: serveColour},
		{path: "/t/background", id: "B49", shows: "an input #i that notes its focus in window.f, and n counts animation frames"},
		{path: "/t/raf", shows: "window.frames and the title count animation frames"},
	}
}

// scriptFixtures are about scripts.
func scriptFixtures() []fixture {
	const (
		selfOnly = "default-src 'self'; script-src 'self'; require-trusted-types-for 'script'"
		nothing  = "default-src 'none'; require-trusted-types-for 'script'"
	)
	return []fixture{
		{path: "/t/csp-self", id: "B59", shows: "own scripts only, trusted types; #b, input #i, #late after 300 ms",
			serve: withPolicy(selfOnly, file("pages/t/csp-self.html", htmlType))},
		{path: "/t/csp", shows: "no scripts at all, trusted types; #p, #b, input #i",
			serve: withPolicy(nothing, page(`<title>csp</title><p id=p>strict</p><button id=b>b</button><input id=i>`))},
		{path: "/t/console", shows: "a line of every kind in the console, and one more by #b"},
		{path: "/t/throws", shows: "uncaught errors at load, in a timer, in a promise and by #b"},
		{path: "/t/spin", shows: "a script that never ends: by #b, or ?load=1 at once (B04)"},
		{path: "/t/worker", shows: "a dedicated worker and a service worker; #dedicated and #service say ready"},
		{path: "/t/storage", shows: "key k in localStorage, sessionStorage and indexedDB in #out; buttons, and set(v) and read(), which return promises"},
	}
}
