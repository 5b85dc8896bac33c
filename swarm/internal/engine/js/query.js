// Finding elements by a parsed selector. The syntax tree is internal/selector's.

/** An error in the selector itself, which no waiting mends. */
class SelectorError extends Error {}

function cssAll(scope, css) {
  try {
    return [...scope.querySelectorAll(css)];
  } catch (e) {
    throw new SelectorError(`"${css}" is not a valid CSS selector`);
  }
}

function xpathAll(scope, xpath) {
  const all = [];
  try {
    const context = scope instanceof ShadowRoot ? [...scope.children] : [scope];
    for (const node of context) {
      const found = document.evaluate(xpath, node, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
      for (let i = 0; i < found.snapshotLength; i++) if (found.snapshotItem(i).nodeType === Node.ELEMENT_NODE) all.push(found.snapshotItem(i));
    }
  } catch (e) {
    throw new SelectorError(`"${xpath}" is not a valid XPath expression that selects elements`);
  }
  return all;
}

/** Tests of a string against a selector's text: {test}, and {may}, which is true of every text with such a part. */
function textTest(match) {
  if (match.regexp) {
    let re;
    try {
      re = new RegExp(match.regexp, (match.flags || '').replace(/[gy]/g, ''));
    } catch (e) {
      throw new SelectorError(`/${match.regexp}/${match.flags || ''} is not a valid regular expression`);
    }
    return { test: (s) => re.test(s), may: () => true };
  }
  const fold = match.ignoreCase ? (s) => s.toLowerCase() : (s) => s;
  const text = fold(normalize(match.text || ''));
  const may = (s) => fold(s).includes(text);
  return { test: match.exact ? (s) => fold(s) === text : may, may };
}

/** The innermost elements whose text passes, so that `text=Save` is the button and not the page. */
function textAll(scope, match) {
  const { test, may } = textTest(match);
  const all = [];
  const textOf = (el) => {
    if (el.localName === 'input' && /^(button|submit|reset)$/.test(el.type)) return el.value;
    let text = '';
    for (const child of flatChildrenOf(el)) {
      if (child.nodeType === Node.TEXT_NODE) text += child.data;
      else if (child.nodeType === Node.ELEMENT_NODE && !isUnrendered(child)) text += textOf(child);
    }
    return text;
  };
  const search = (el) => {
    const text = isUnrendered(el) ? '' : normalize(textOf(el));
    if (!text || !may(text)) return false;
    let found = false;
    for (const child of flatChildrenOf(el)) if (child.nodeType === Node.ELEMENT_NODE && search(child)) found = true;
    if (!found && test(text)) found = all.push(el);
    return !!found;
  };
  if (scope.shadowRoot) search(scope);
  else for (let child = scope.firstElementChild; child; child = child.nextElementSibling) search(child);
  return all;
}

function roleAll(scope, step) {
  const name = step.match && textTest(step.match).test;
  const all = [];
  walkDeep(scope, (el) => {
    if (roleOf(el) !== step.role) return;
    if (!step.includeHidden && isHiddenForAria(el)) return;
    for (const [state, wanted] of Object.entries(step.states || {})) if (ariaState(el, state) !== wanted) return;
    if (name && !name(accessibleName(el))) return;
    all.push(el);
  });
  return all;
}

function labelAll(scope, match) {
  const { test } = textTest(match);
  const all = [];
  walkDeep(scope, (el) => {
    if (labelTextsOf(el).some(test)) all.push(el);
  });
  return all;
}

/** The matches of one step below the given scopes; more than one scope may hold the same element. */
function stepAll(scopes, step) {
  const found = new Set();
  const collect = (els) => els.forEach((el) => found.add(el));
  for (const scope of scopes) {
    switch (step.engine) {
      case 'css': collect(cssAll(scope, step.body)); break;
      case 'xpath': collect(xpathAll(scope, step.body)); break;
      case 'text': collect(textAll(scope, step.match)); break;
      case 'role': collect(roleAll(scope, step)); break;
      case 'label': collect(labelAll(scope, step.match)); break;
      case 'ref': break; // Named by snapshots alone; a reference that no snapshot made finds nothing.
      default: throw new SelectorError(`unknown selector engine "${step.engine}"`);
    }
  }
  return found;
}

function chainAll(chain) {
  let scopes = [document];
  let found = new Set();
  for (const step of chain) {
    if (step.combinator === '>>>') scopes = scopes.flatMap((s) => [s, ...shadowRootsBelow(s)]);
    else if (step.combinator === '>>>>') scopes = scopes.flatMap((s) => (s.shadowRoot ? [s.shadowRoot] : [s]));
    found = stepAll(scopes, step);
    scopes = [...found];
  }
  return found;
}

/** All matches of a selector in composed document order, each once. */
function queryAll(selector) {
  const chains = selector.alternatives;
  if (chains.length === 1 && chains[0].length === 1 && !chains[0][0].combinator) return [...chainAll(chains[0])];
  const found = new Set();
  for (const chain of chains) for (const el of chainAll(chain)) found.add(el);
  if (found.size < 2) return [...found];
  const ordered = [];
  walkDeep(document, (el) => {
    if (found.has(el)) ordered.push(el);
  });
  return ordered;
}

/** The match that reading and acting take: the first that is visible, else the first. */
function pick(matches) {
  return (matches.length > 1 && matches.find(isVisible)) || matches[0];
}

/** What was found when the picked match does not serve, as "2 matches, the first is …". */
function seen(matches) {
  return matches.length === 1 ? '1 match' : matches.length + ' matches';
}
