// The value of a script as JSON, in the page's own world: what JSON cannot hold is written as DevTools would print it.
(value) => {
  let budget = 2e6; // Values visited: an object graph without end must not hang the page.
  const quote = JSON.stringify;
  const path = new Set();
  const text = (s) => quote(s.toWellFormed ? s.toWellFormed() : s);
  const nodeName = (n) => {
    if (n.nodeType !== 1) return '<' + n.nodeName + '>';
    const id = n.getAttribute('id'); // n.id may be a form's field.
    const classes = id ? [] : (n.getAttribute('class') || '').split(/\s+/).filter(Boolean);
    return '<' + n.localName + (id ? '#' + id : '') + classes.map((c) => '.' + c).join('') + '>';
  };
  const each = (items) => {
    const out = [];
    for (const item of items) {
      if (budget < 0) break;
      const v = write(item);
      out.push(v === undefined ? 'null' : v);
    }
    return out;
  };
  const write = (v, key) => {
    budget--;
    switch (typeof v) {
      case 'string': return text(v);
      case 'boolean': return String(v);
      case 'number': return Number.isFinite(v) ? (Object.is(v, -0) ? '0' : String(v)) : text(String(v));
      case 'bigint': return text(v + 'n');
      case 'undefined': return undefined;
      case 'symbol': return text(String(v));
      case 'function': return text((/^\s*class\b/.test(Function.prototype.toString.call(v)) ? 'class ' : 'ƒ ') + (v.name || '(anonymous)'));
    }
    if (v === null) return 'null';
    if (budget < 0) return text('[…]');
    if (path.has(v)) return text('[Circular]');
    if (path.size >= 200) return text('[…]'); // Deeper than parsers of JSON like it.
    path.add(v);
    try {
      return object(v, key);
    } catch (e) {
      return text('[Threw: ' + (e && e.message ? e.message : String(e)) + ']');
    } finally {
      path.delete(v);
    }
  };
  const object = (v, key) => {
    const tag = Object.prototype.toString.call(v).slice(8, -1);
    // By tag where there is one: what comes from another frame is no instance of this one's classes.
    if (v === globalThis || tag === 'Window') return text('[Window]');
    if (typeof v.nodeType === 'number' && typeof v.nodeName === 'string' && 'ownerDocument' in v) return text(nodeName(v));
    if (tag === 'Date') return text(isNaN(v) ? 'Invalid Date' : v.toISOString());
    if (tag === 'RegExp') return text(String(v));
    if (v instanceof Error || tag === 'Error' || tag === 'DOMException') return text(v.name + ': ' + v.message);
    if (tag === 'Promise') return text('[Promise]');
    if (tag === 'WeakMap' || tag === 'WeakSet' || tag === 'WeakRef') return text('[' + tag + ']');
    if (tag === 'Map') return '[' + each(v.entries()).join(',') + ']';
    if (tag === 'Set') return '[' + each(v.values()).join(',') + ']';
    if (tag === 'ArrayBuffer') return '[' + each(new Uint8Array(v)).join(',') + ']';
    if (typeof v.toJSON === 'function') {
      const w = v.toJSON(key === undefined ? '' : key);
      return w === v ? plain(v) : write(w, key);
    }
    if (Array.isArray(v) || (ArrayBuffer.isView(v) && typeof v.length === 'number')) return '[' + each(v).join(',') + ']';
    if (typeof v.length === 'number' && typeof v.item === 'function' && /(List|Collection|Map)$/.test(tag)) return '[' + each(Array.from(v)).join(',') + ']';
    if (v instanceof Number || v instanceof String || v instanceof Boolean || tag === 'BigInt' || tag === 'Symbol') return write(v.valueOf());
    return plain(v);
  };
  const plain = (v) => {
    const out = [];
    for (const k of Object.keys(v)) {
      if (budget < 0) break;
      let w;
      try {
        w = write(v[k], k);
      } catch (e) {
        w = text('[Threw: ' + (e && e.message ? e.message : String(e)) + ']');
      }
      if (w !== undefined) out.push(text(k) + ':' + w);
    }
    return '{' + out.join(',') + '}';
  };
  const json = write(value);
  return json === undefined ? 'null' : json;
}
