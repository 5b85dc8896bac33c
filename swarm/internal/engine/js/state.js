// What an element is: visible, enabled, editable; where it is, and what is in front of it.

const unrendered = new Set(['script', 'style', 'noscript', 'template', 'head', 'title', 'meta', 'link']);

function isUnrendered(el) {
  return unrendered.has(el.localName);
}

/** The boxes of an element, in viewport coordinates; those of its content under display:contents. */
function boxesOf(el) {
  let rects = [...el.getClientRects()];
  if (!rects.length && getComputedStyle(el).display === 'contents') {
    const range = document.createRange();
    range.selectNodeContents(el);
    rects = [...range.getClientRects()];
    for (let child = el.firstElementChild; child; child = child.nextElementSibling) rects.push(...child.getClientRects());
  }
  if (!rects.length && el.localName === 'area') rects = areaBoxes(el);
  return rects.filter((r) => r.width > 0 && r.height > 0);
}

/** An image map's area, as the bounding box of its shape in its image. */
function areaBoxes(area) {
  const map = area.closest('map');
  const image = map && [...document.querySelectorAll('img[usemap]')].find((i) => i.useMap.slice(1) === map.name);
  if (!image) return [];
  const at = image.getBoundingClientRect();
  const n = area.coords.split(',').map(Number);
  if (area.shape === 'circle') return [new DOMRect(at.x + n[0] - n[2], at.y + n[1] - n[2], 2 * n[2], 2 * n[2])];
  const xs = n.filter((_, i) => i % 2 === 0);
  const ys = n.filter((_, i) => i % 2 === 1);
  if (!xs.length) return [at];
  const left = Math.min(...xs), top = Math.min(...ys);
  return [new DOMRect(at.x + left, at.y + top, Math.max(...xs) - left, Math.max(...ys) - top)];
}

/** Why an element cannot be seen; '' when it can. Opacity does not count: what is transparent can still be hit. */
function whyInvisible(el) {
  if (!el.isConnected) return 'detached';
  if (el.localName === 'option' || el.localName === 'optgroup') {
    const select = el.closest('select');
    if (select) return whyInvisible(select);
  }
  const style = getComputedStyle(el);
  if (style.visibility !== 'visible') return 'visibility:' + style.visibility;
  if (boxesOf(el).length) {
    // A box that is skipped: in a closed <details>, or under content-visibility:hidden.
    return style.display === 'contents' || el.localName === 'area' || el.checkVisibility() ? '' : 'content-visibility:hidden';
  }
  if (style.display === 'none') return 'display:none';
  for (let n = flatParentOf(el); n; n = flatParentOf(n)) {
    if (getComputedStyle(n).display === 'none') return 'inside ' + describe(n) + ', which is display:none';
  }
  return 'zero-size';
}

function isVisible(el) {
  return whyInvisible(el) === '';
}

/** Whether a control, or the control that the element is a part of, is disabled; what is inert is too. */
function isDisabled(el) {
  if (el.matches(':disabled')) return true;
  for (let n = el; n; n = flatParentOf(n)) {
    if (!n.getAttribute) continue;
    if (n.hasAttribute('inert') || n.matches('button:disabled,select:disabled,optgroup:disabled')) return true;
    const aria = n.getAttribute('aria-disabled');
    if (aria === 'true') return true;
    if (aria === 'false') return false;
  }
  return false;
}

/** The topmost element at a point of the viewport, through open shadow roots. */
function elementAt(x, y) {
  let el = document.elementFromPoint(x, y);
  while (el && el.shadowRoot) {
    const inner = el.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === el) break;
    el = inner;
  }
  return el;
}

/** Whether a press that lands on `hit` is a press of `el`: on it, inside it, or on a label of it. */
function isHit(el, hit) {
  if (!hit) return false;
  if (containsDeep(el, hit)) return true;
  for (const label of labelsOf(el)) if (containsDeep(label, hit)) return true;
  return el.localName === 'area' && hit.localName === 'img' && hit.useMap.slice(1) === (el.closest('map') || {}).name;
}

const grid = [0.5, 0.2, 0.8, 0.05, 0.95];

/** The points at which to try an element: the middle of each box that is in view, then a grid over them. */
function* pointsOf(boxes) {
  const views = [];
  for (const b of boxes) {
    const left = Math.max(b.left, 0), right = Math.min(b.right, innerWidth);
    const top = Math.max(b.top, 0), bottom = Math.min(b.bottom, innerHeight);
    if (right - left > 0 && bottom - top > 0) views.push({ left, top, width: right - left, height: bottom - top });
  }
  views.sort((a, b) => b.width * b.height - a.width * a.height);
  for (const v of views) yield [v.left + v.width / 2, v.top + v.height / 2];
  for (const v of views.slice(0, 4)) {
    for (const fy of grid) for (const fx of grid) if (fx !== 0.5 || fy !== 0.5) yield [v.left + v.width * fx, v.top + v.height * fy];
  }
}

/** Where to press an element, or what is in the way: {x, y} or {cover}. */
function pressPoint(el) {
  let cover = null;
  for (const [x, y] of pointsOf(boxesOf(el))) {
    const hit = elementAt(x, y);
    if (isHit(el, hit)) return { x, y };
    cover ||= hit;
  }
  return { cover };
}

/** Whether something that is under way may move the element: an animation or transition on it or above it. */
function mayMove(el) {
  for (let n = el; n; n = flatParentOf(n)) {
    for (const a of n.getAnimations ? n.getAnimations() : []) if (a.playState === 'running' || a.pending) return true;
  }
  return false;
}
