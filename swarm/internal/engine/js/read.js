// Reading: text as it is rendered, the document as text or HTML, boxes for pictures.

const blockDisplays = /^(block|flex|grid|list-item|flow-root|table|table-row|table-caption|table-(row|header|footer)-group)$/;

/**
 * The text of an element as a reader sees it. Without shadow roots below that is innerText; with them it is the
 * flat tree by the same rules, as far as a text is concerned: hidden parts are left out, blocks and <br> end a
 * line, cells are parted by tabs, white space is folded unless the style keeps it.
 */
function renderedText(el) {
  if (typeof el.innerText !== 'string') return el.textContent || '';
  if (!shadowRootsBelow(el).length && !el.querySelector('slot')) return el.innerText;
  let out = '';
  const breakLine = (node) => {
    out = out.replace(/[ \t]+$/, '');
    const lines = node.localName === 'p' ? 2 : 1; // As innerText has it.
    if (out) out += '\n'.repeat(Math.max(0, lines - /\n*$/.exec(out)[0].length));
  };
  const add = (node) => {
    if (node.nodeType === Node.TEXT_NODE) {
      const parent = flatParentOf(node);
      const style = parent && getComputedStyle(parent);
      if (style && style.visibility !== 'visible') return;
      if (style && /^(pre|break-spaces)/.test(style.whiteSpace)) out += node.data;
      else {
        const text = node.data.replace(/[ \t\r\n\f]+/g, ' ');
        out += /(^|[\s])$/.test(out) ? text.replace(/^ /, '') : text;
      }
      return;
    }
    if (node.nodeType !== Node.ELEMENT_NODE || isUnrendered(node)) return;
    if (node.localName === 'br') {
      out += '\n';
      return;
    }
    const display = getComputedStyle(node).display;
    if (display === 'none') return;
    const block = blockDisplays.test(display);
    if (block) breakLine(node);
    if (node.localName !== 'textarea' && node.localName !== 'select') for (const child of flatChildrenOf(node)) add(child);
    if (display === 'table-cell' && node.nextElementSibling) out += '\t';
    if (block) breakLine(node);
  };
  add(el);
  return out.trim();
}

const valueTags = new Set(['input', 'textarea', 'select']);

function textOfElement(el) {
  if (valueTags.has(el.localName) && el.namespaceURI === html) {
    return el.localName === 'select' ? [...el.selectedOptions].map((o) => o.label).join(', ') : el.value;
  }
  return renderedText(el);
}

/** The text of the picked match, waiting for one. */
function readText({ selector, slice }) {
  return until(slice, async () => {
    const matches = queryAll(selector);
    if (!matches.length) return { why: 'none' };
    return { ok: true, text: textOfElement(pick(matches)).toWellFormed() };
  });
}

/** How many elements match now. */
function count({ selector }) {
  return until(0, async () => ({ ok: true, count: queryAll(selector).length }));
}

/** The HTML of the flat tree below an element, shadow content in its place, without what is not rendered. */
function flatHTML(el) {
  const escape = (s) => s.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);
  const empty = new Set(['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'track', 'wbr']);
  const deepest = 400; // HTML parsers give up on what is nested deeper than 512; the tags down there are left out.
  const parts = [];
  const add = (node, depth) => {
    if (node.nodeType === Node.TEXT_NODE && getComputedStyle(flatParentOf(node)).visibility === 'visible') parts.push(escape(node.data));
    if (node.nodeType !== Node.ELEMENT_NODE || isUnrendered(node) || node.localName === 'iframe') return;
    if (getComputedStyle(node).display === 'none') return;
    if (depth < deepest) {
      parts.push('<' + node.localName);
      for (const a of node.attributes) if (!a.name.startsWith('on') && a.name !== 'style') parts.push(` ${a.name}="${escape(a.value)}"`);
      parts.push('>');
    }
    if (empty.has(node.localName)) return;
    for (const child of flatChildrenOf(node)) add(child, depth + 1);
    if (depth < deepest) parts.push(`</${node.localName}>`);
  };
  add(el, 0);
  return parts.join('');
}

/** The document, or the picked match in it, as text, html or the flat HTML that Markdown is made of. */
function content({ selector, type, slice }) {
  return until(slice, async () => {
    let root = null;
    if (selector) {
      const matches = queryAll(selector);
      if (!matches.length) return { why: 'none' };
      root = pick(matches);
    }
    let text;
    const viewer = !root && /^(text\/(?!html)|application\/(json|.*\+json|javascript))/.test(document.contentType) && document.querySelector('body > pre');
    if (viewer) {
      // The browser's own page around a plain document is nobody's content.
      text = viewer.textContent;
    } else if (type === 'html') {
      if (root) text = root.outerHTML;
      else text = [document.doctype, rootOf(document)].map((n) => (n ? n.outerHTML || new XMLSerializer().serializeToString(n) : '')).join('');
    } else {
      root ||= bodyOf(document) || rootOf(document);
      text = !root ? '' : type === 'markdown' ? flatHTML(root) : textOfElement(root);
    }
    return { ok: true, text: text.toWellFormed(), plain: !!viewer, url: document.baseURI };
  });
}

/** Where the document is, and whether it means to stay. */
function info() {
  const [navigation] = performance.getEntriesByType('navigation');
  const refresh = document.querySelector('meta[http-equiv="refresh" i]');
  return {
    url: location.href,
    title: titleOf(document).toWellFormed(),
    status: (navigation && navigation.responseStatus) || 0,
    refreshes: !!refresh && /^\s*0*(\.0*)?\s*([;,]|$)/.test(refresh.content) && !refresh.closest('noscript'),
  };
}

// A picture of more than the viewport resizes it and back again: a busy page may come to see it in between, an idle one
// gets the event of a change that is none. Both are kept from it.
const pictureTime = 3000;
let view = { size: sizeOfView(), held: 0 };

/** Notes that a picture is about to be taken. */
function holdView() {
  view = { size: sizeOfView(), held: now() + pictureTime };
}

function sizeOfView() {
  const { width, height, scale } = visualViewport || {};
  return [innerWidth, innerHeight, devicePixelRatio, width, height, scale].join();
}

function onResize(event) {
  if (!event.isTrusted) return;
  const size = sizeOfView();
  if (size === view.size || now() < view.held) return event.stopImmediatePropagation();
  // A task later, for the event of the other target, window or visualViewport, is still to come.
  setTimeout(() => { view = { size, held: 0 }; });
}

/** The size of the whole page, in CSS pixels. */
function pageBox() {
  const page = document.scrollingElement || rootOf(document);
  const width = page ? page.scrollWidth : 0, height = page ? page.scrollHeight : 0;
  holdView();
  return { ok: true, x: 0, y: 0, width: Math.max(width, innerWidth), height: Math.max(height, innerHeight), scale: devicePixelRatio };
}

/** The box of the picked match in page coordinates, scrolled into view. */
function elementBox({ selector, slice }) {
  return until(slice, async () => {
    const matches = queryAll(selector);
    if (!matches.length) return { why: 'none' };
    const el = pick(matches);
    const invisible = whyInvisible(el);
    if (invisible) return { why: invisible === 'zero-size' ? 'zero-size' : 'hidden', name: describe(el), seen: seen(matches), detail: invisible };
    el.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
    const boxes = boxesOf(el);
    const left = Math.min(...boxes.map((r) => r.left)), top = Math.min(...boxes.map((r) => r.top));
    const right = Math.max(...boxes.map((r) => r.right)), bottom = Math.max(...boxes.map((r) => r.bottom));
    holdView();
    return { ok: true, x: left + scrollX, y: top + scrollY, width: right - left, height: bottom - top, scale: devicePixelRatio };
  });
}

/** Whether the tab is alive as a page in front of somebody: visible, focused, painting. */
async function certify({ slice }) {
  const frames = await Promise.race([
    new Promise((resolve) => requestAnimationFrame(() => resolve(true))),
    new Promise((resolve) => setTimeout(() => resolve(false), slice)),
  ]);
  return { visible: document.visibilityState === 'visible', focused: document.hasFocus(), frames };
}
