// Getting an element ready to be acted on. Nothing here acts: the press and the keys are real input, sent by Go.
// "Not yet" is a value, {why, …}; the caller's slice of time bounds every wait.

const now = () => performance.now();

/** The next animation frame, or 50 ms where frames are not made. */
function frame() {
  return new Promise((resolve) => {
    requestAnimationFrame(resolve);
    setTimeout(resolve, 50);
  });
}

/** Repeats an attempt until it is settled ({ok} or {error}) or the slice is over; the last outcome is the result. */
async function until(slice, attempt) {
  const end = now() + slice;
  for (let n = 0; ; n++) {
    let outcome;
    try {
      outcome = await attempt(n);
    } catch (e) {
      if (e instanceof SelectorError) return { error: 'selector', message: e.message };
      throw e;
    }
    if (outcome.ok || outcome.error || now() >= end) return outcome;
    await frame();
  }
}

// The element of the action under way, by the action's id, so that a later step means the same element.
let held = { id: 0, el: null };

function hold(id, el) {
  held = { id, el };
}

function heldBy(id) {
  return held.id === id ? held.el : null;
}

// The guard of a click: while it is set, a press that does not land on its element is swallowed before the page sees it.
// In the documents around the element's frame it has no element: a press that is seen there has missed the frame.
let guard = null;

function disarm() {
  guard = null;
}

function arm(id, el, presses) {
  guard = { id, el, left: presses, landed: 0, cover: '' };
  listen(); // Again, for document.open takes all listeners away.
}

/** Guards the document around the frame that is pressed in. */
function armAround({ id, count }) {
  arm(id, null, count);
}

function onPress(event) {
  if (!guard || !event.isTrusted) return;
  if (event.type === 'pointerdown' && !guard.cover) {
    const hit = event.composedPath()[0];
    if (guard.el && isHit(guard.el, hit)) guard.landed++;
    else guard.cover = describe(hit);
  }
  if (guard.cover) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
  if (event.type === 'pointerup' && --guard.left === 0) report(guard);
}

/**
 * Reports what a guard saw, two tasks later: by then the click event is over, and so is what the page put off by
 * setTimeout(0), a dialog say. A timer of our own would do too, but Chrome lets it wait for its next frame.
 */
function report({ id, cover, landed }) {
  const hops = new MessageChannel(); // A new one: a window that is used again for a new document loses its channels.
  let left = 2;
  hops.port1.onmessage = () => {
    if (--left) return hops.port2.postMessage(0);
    if (guard && guard.id === id) guard = null;
    swarmVerdict(JSON.stringify({ id, cover, landed }));
  };
  hops.port2.postMessage(0);
}

let listening = null; // the document

/** Sets the guard's listeners, at document start and so ahead of the page's own. */
function listen() {
  // A window that is used again, for a popup's first page, keeps its listeners, but the new document does not know that
  // there are any for pointer events and sends none.
  const anew = listening !== document;
  listening = document;
  for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu']) {
    if (anew) removeEventListener(type, onPress, { capture: true });
    addEventListener(type, onPress, { capture: true });
  }
  addEventListener('resize', onResize, { capture: true });
  if (visualViewport) visualViewport.addEventListener('resize', onResize, { capture: true });
}

listen();

const alignments = [null, 'center', 'end', 'start', 'nearest'];

/** Readies a click: {ok, x, y, name} in the frame's viewport, with the guard set; or why not. */
function prepareClick({ selector, id, slice, force, count }) {
  let lastBox = null;
  return until(slice, async (n) => {
    disarm();
    const matches = queryAll(selector);
    if (!matches.length) return { why: 'none' };
    const el = pick(matches);
    const outcome = (why, more) => ({ why, name: describe(el), seen: seen(matches), ...more });
    const invisible = whyInvisible(el);
    if (invisible) return outcome(invisible === 'zero-size' ? 'zero-size' : invisible === 'detached' ? 'detached' : 'hidden', { detail: invisible });
    if (!force && isDisabled(el)) return outcome('disabled');
    const align = alignments[n % alignments.length];
    let point = pressPoint(el);
    if (point.x === undefined) {
      el.scrollIntoView({ block: align || 'center', inline: align || 'center', behavior: 'instant' });
      point = pressPoint(el);
    }
    const box = el.getBoundingClientRect();
    const moved = lastBox && (box.x !== lastBox.x || box.y !== lastBox.y || box.width !== lastBox.width || box.height !== lastBox.height);
    lastBox = box;
    if (!force && (moved || mayMove(el))) {
      await frame();
      await frame();
      const later = el.getBoundingClientRect();
      lastBox = later;
      if (later.x !== box.x || later.y !== box.y || later.width !== box.width || later.height !== box.height) return outcome('moving');
      point = pressPoint(el);
    }
    if (point.x === undefined) {
      const first = force && pointsOf(boxesOf(el)).next().value;
      if (!first) return outcome(point.cover ? 'covered' : 'outside', { by: describe(point.cover) });
      point = { x: first[0], y: first[1] };
    }
    hold(id, el);
    if (!force) arm(id, el, count);
    return { ok: true, x: point.x, y: point.y, name: describe(el), seen: seen(matches) };
  });
}

/** What the guard of a press that was not heard of saw; lost if it saw none, so that the press went elsewhere. */
function pressLost({ id }) {
  if (!guard || guard.id !== id) return {};
  const { landed, cover } = guard;
  disarm();
  return { landed, cover, lost: !landed && !cover };
}

const byValue = new Set(['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range']);
const untypable = new Set(['button', 'submit', 'reset', 'image', 'checkbox', 'radio', 'file', 'hidden']);

function kindOf(el) {
  if (el.localName === 'textarea') return 'textarea';
  if (el.localName === 'input' && el.namespaceURI === html) return untypable.has(el.type) ? '' : byValue.has(el.type) ? 'value' : 'input';
  return el.isContentEditable ? 'editable' : '';
}

function valueOf(el) {
  return kindOf(el) === 'editable' ? renderedText(el) : el.value;
}

function activeElementDeep() {
  let el = document.activeElement;
  while (el && el.shadowRoot && el.shadowRoot.activeElement) el = el.shadowRoot.activeElement;
  return el;
}

/** Sets an input that takes no keys in a useful way (date, color, range, …) as its user interface would. */
function setByValue(el, text) {
  const before = el.value;
  el.value = text;
  // What is not valid becomes "", the nearest number or black; the rest may be written in another way, as #ff0000 for red.
  const became = el.value;
  const taken = el.type === 'range' ? Number(became) === Number(text) : el.type === 'color' ? became !== '#000000' || text === became : became !== '' || !text;
  if (!taken) {
    el.value = before;
    return { why: 'refused', value: before, detail: became && 'it would be ' + became };
  }
  el.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  el.dispatchEvent(new Event('change', { bubbles: true }));
  return { ok: true, kind: 'value', value: el.value };
}

/** The element that takes the focus, and so the keys, for a field. */
function focusableOf(el, kind) {
  while (kind === 'editable' && el.parentElement && el.parentElement.isContentEditable) el = el.parentElement;
  return el;
}

/** Puts the caret where typing begins: over all content to replace it, else behind what is there. */
function placeCaret(el, kind, all) {
  if (kind === 'editable') {
    const selection = getSelection();
    selection.selectAllChildren(el);
    if (!all) selection.collapseToEnd();
    return true;
  }
  el.select();
  if (all) return true;
  try {
    el.setSelectionRange(el.value.length, el.value.length);
    return true;
  } catch (e) {
    return false; // email and number have no caret to set; the End key moves it.
  }
}

/** Readies typing: focuses the field and sets the caret. {ok, kind, before, caret}; or why not. */
function prepareType({ selector, id, slice, clear, text }) {
  return until(slice, async () => {
    const matches = queryAll(selector);
    if (!matches.length) return { why: 'none' };
    let el = pick(matches);
    if (el.localName === 'label' && el.control) el = el.control;
    const outcome = (why, more) => ({ why, name: describe(el), seen: seen(matches), ...more });
    const invisible = whyInvisible(el);
    if (invisible) return outcome(invisible === 'zero-size' ? 'zero-size' : invisible === 'detached' ? 'detached' : 'hidden', { detail: invisible });
    const kind = kindOf(el);
    if (!kind) return { ...outcome('not-editable', { detail: el.localName === 'input' ? `input type=${el.type}` : el.localName }), error: 'state' };
    if (isDisabled(el)) return outcome('disabled');
    if (el.readOnly || el.getAttribute('aria-readonly') === 'true') return outcome('readonly');
    hold(id, el);
    if (kind === 'value') {
      const set = setByValue(el, text);
      return set.ok ? { ...set, name: describe(el) } : { ...outcome('refused', set), error: 'state' };
    }
    el.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
    const host = focusableOf(el, kind);
    host.focus({ preventScroll: true });
    const active = activeElementDeep();
    if (active !== host && document.designMode !== 'on') return outcome('not-focusable', { by: describe(active) });
    const before = valueOf(el);
    const caret = placeCaret(el, kind, clear);
    return { ok: true, kind, before, caret, name: describe(el) };
  });
}

/** The value of the field that is being typed into; {gone} when the page took it away. */
function typedValue({ id }) {
  const el = heldBy(id);
  if (!el || !el.isConnected) return { gone: true };
  return { value: valueOf(el).toWellFormed() };
}

/** Waits until a state of the selector's elements is reached. */
function waitFor({ selector, state, slice }) {
  return until(slice, async () => {
    const matches = queryAll(selector);
    const visible = matches.find(isVisible);
    const reached = { attached: matches.length > 0, detached: !matches.length, visible: !!visible, hidden: !visible }[state];
    if (reached) return { ok: true };
    if (!matches.length) return { why: 'none' };
    const el = pick(matches);
    return { why: 'not-' + state, name: describe(el), seen: seen(matches), detail: whyInvisible(el) };
  });
}
