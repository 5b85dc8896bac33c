// Roles and accessible names, as far as `role=` and `label=` need them
// (HTML-AAM's implicit roles, Accessible Name and Description Computation 1.2).

const inputRoles = {
  button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio',
  range: 'slider', number: 'spinbutton', search: 'searchbox', email: 'textbox', tel: 'textbox', text: 'textbox', url: 'textbox', password: 'textbox',
};

const tagRoles = {
  article: 'article', aside: 'complementary', blockquote: 'blockquote', button: 'button', caption: 'caption', code: 'code', datalist: 'listbox', dd: 'definition',
  del: 'deletion', details: 'group', dfn: 'term', dialog: 'dialog', dt: 'term', em: 'emphasis', fieldset: 'group', figure: 'figure', form: 'form', h1: 'heading', h2: 'heading',
  h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', hr: 'separator', html: 'document', ins: 'insertion', li: 'listitem', main: 'main', math: 'math', menu: 'list',
  meter: 'meter', nav: 'navigation', ol: 'list', optgroup: 'group', option: 'option', output: 'status', p: 'paragraph', progress: 'progressbar', search: 'search',
  strong: 'strong', sub: 'subscript', sup: 'superscript', svg: 'img', table: 'table', tbody: 'rowgroup', textarea: 'textbox', tfoot: 'rowgroup', thead: 'rowgroup',
  time: 'time', tr: 'row', ul: 'list', td: 'cell',
};

function roleOf(el) {
  const explicit = (el.getAttribute('role') || '').trim().split(/\s+/)[0];
  if (explicit) return explicit.toLowerCase();
  switch (el.localName) {
    case 'a': case 'area': return el.hasAttribute('href') ? 'link' : 'generic';
    case 'input': {
      const type = (el.getAttribute('type') || 'text').toLowerCase();
      if (type === 'hidden' || type === 'file' || type === 'color') return '';
      const role = inputRoles[type] || 'textbox';
      return el.hasAttribute('list') && (role === 'textbox' || role === 'searchbox') ? 'combobox' : role;
    }
    case 'select': return el.multiple || el.size > 1 ? 'listbox' : 'combobox';
    case 'img': return el.getAttribute('alt') === '' ? 'presentation' : 'img';
    case 'th': return el.getAttribute('scope') === 'row' ? 'rowheader' : 'columnheader';
    case 'header': return el.closest('article,aside,main,nav,section') ? 'generic' : 'banner';
    case 'footer': return el.closest('article,aside,main,nav,section') ? 'generic' : 'contentinfo';
    case 'section': return el.hasAttribute('aria-label') || el.hasAttribute('aria-labelledby') ? 'region' : 'generic';
    default: return tagRoles[el.localName] || 'generic';
  }
}

const namedByContent = new Set(['button', 'cell', 'checkbox', 'columnheader', 'gridcell', 'heading', 'link', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'radio',
  'row', 'rowheader', 'switch', 'tab', 'tooltip', 'treeitem', 'listitem', 'term', 'definition']);

function idRefs(el, attribute) {
  const ids = (el.getAttribute(attribute) || '').trim().split(/\s+/).filter(Boolean);
  const root = el.getRootNode();
  return ids.map((id) => root.getElementById && root.getElementById(id)).filter(Boolean);
}

function nameFromContent(el, seen) {
  let text = '';
  for (const child of flatChildrenOf(el)) {
    if (child.nodeType === Node.TEXT_NODE) text += child.data;
    else if (child.nodeType === Node.ELEMENT_NODE && child.getAttribute('aria-hidden') !== 'true' && !isUnrendered(child)) {
      const inner = accessibleName(child, seen, true);
      const display = getComputedStyle(child).display;
      text += display.startsWith('inline') || display === 'contents' ? inner : ' ' + inner + ' ';
    }
  }
  return text;
}

/** The accessible name; `inside` is true while an ancestor's name is made of its content. */
function accessibleName(el, seen = new Set(), inside = false) {
  if (seen.has(el)) return '';
  seen.add(el);
  if (!inside) {
    const labelledby = idRefs(el, 'aria-labelledby');
    if (labelledby.length) return normalize(labelledby.map((ref) => accessibleName(ref, new Set(seen), true)).join(' '));
  }
  const label = el.getAttribute('aria-label');
  if (label && label.trim()) return normalize(label);
  const tag = el.localName;
  const type = tag === 'input' ? el.type : '';
  if (type === 'submit' || type === 'button' || type === 'reset') {
    if (el.value) return normalize(el.value);
    if (type !== 'button') return type === 'submit' ? 'Submit' : 'Reset';
  }
  const labels = inside ? [] : labelsOf(el);
  if (labels.length) {
    return normalize(labels.map((l) => accessibleName(l, new Set(seen), true)).join(' '));
  }
  if (tag === 'img' || tag === 'area' || type === 'image') {
    const alt = el.getAttribute('alt');
    if (alt !== null) return normalize(alt);
  }
  const titled = { fieldset: 'legend', figure: 'figcaption', table: 'caption', svg: 'title' }[tag];
  const child = titled && el.querySelector(':scope > ' + titled);
  if (child) return normalize(child.textContent);
  if (inside || namedByContent.has(roleOf(el)) || tag === 'label' || tag === 'legend' || tag === 'summary') {
    const text = normalize(nameFromContent(el, seen));
    if (text) return text;
  }
  const title = el.getAttribute('title');
  if (title && title.trim()) return normalize(title);
  return normalize(el.getAttribute('placeholder') || '');
}

/** What `label=` compares with: the texts of an element's labels. */
function labelTextsOf(el) {
  const texts = [];
  for (const l of labelsOf(el)) texts.push(normalize(renderedText(l) || l.textContent));
  const refs = idRefs(el, 'aria-labelledby');
  if (refs.length) texts.push(normalize(refs.map((r) => r.textContent).join(' ')));
  const label = el.getAttribute('aria-label');
  if (label) texts.push(normalize(label));
  return texts;
}

/** The states that `role=x[state]` can ask for, as strings; undefined where the element has no such state. */
function ariaState(el, name) {
  switch (name) {
    case 'checked':
      if (el.localName === 'input' && (el.type === 'checkbox' || el.type === 'radio')) return el.indeterminate ? 'mixed' : String(el.checked);
      return el.getAttribute('aria-checked') || 'false';
    case 'disabled': return String(isDisabled(el));
    case 'expanded':
      if (el.localName === 'details') return String(el.open);
      return el.getAttribute('aria-expanded') || 'false';
    case 'level': {
      const heading = /^h([1-6])$/.exec(el.localName);
      return el.getAttribute('aria-level') || (heading ? heading[1] : undefined);
    }
    case 'pressed': return el.getAttribute('aria-pressed') || 'false';
    case 'selected': return el.localName === 'option' ? String(el.selected) : el.getAttribute('aria-selected') || 'false';
    default: return undefined;
  }
}

/** Whether assistive technology, and so `role=`, passes over the element. */
function isHiddenForAria(el) {
  const select = el.localName === 'option' || el.localName === 'optgroup' ? el.closest('select') : null;
  if (select) return isHiddenForAria(select); // Its options have no boxes while it is closed.
  if (!el.checkVisibility({ visibilityProperty: true })) return getComputedStyle(el).display !== 'contents';
  for (let n = el; n; n = flatParentOf(n)) if (n.getAttribute && n.getAttribute('aria-hidden') === 'true') return true;
  return false;
}
