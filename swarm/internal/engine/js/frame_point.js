// Called on an iframe element in its page's own world: a point of the frame's viewport as one of the page's, scrolled
// into view; {cover} when something else is there for as long as `slice`.
async function (x, y, { slice, force }) {
  /** The linear part of what transforms the element and everything around it: scale, rotation, skew. */
  const linear = () => {
    let m = new DOMMatrix();
    for (let n = this; n; n = n.assignedSlot || n.parentElement || (n.parentNode && n.parentNode.host)) {
      const style = getComputedStyle(n);
      const own = new DOMMatrix();
      if (style.rotate !== 'none' && /^[^ ]+$/.test(style.rotate)) own.multiplySelf(new DOMMatrix(`rotate(${style.rotate})`));
      if (style.scale !== 'none') own.multiplySelf(new DOMMatrix(`scale(${style.scale.split(' ').slice(0, 2)})`));
      if (style.transform !== 'none') own.multiplySelf(new DOMMatrix(style.transform));
      m = own.multiply(m);
    }
    return m;
  };
  const place = () => {
    const box = this.getBoundingClientRect();
    const { a, b, c, d } = linear();
    const width = this.offsetWidth, height = this.offsetHeight;
    // The middle of the box stays the middle; whatever else makes it larger, zoom say, does so in both directions.
    const zoomX = box.width / (Math.abs(a) * width + Math.abs(c) * height) || 1, zoomY = box.height / (Math.abs(b) * width + Math.abs(d) * height) || 1;
    const style = getComputedStyle(this);
    const dx = this.clientLeft + parseFloat(style.paddingLeft) + x - width / 2, dy = this.clientTop + parseFloat(style.paddingTop) + y - height / 2;
    return { x: box.left + box.width / 2 + zoomX * (a * dx + c * dy), y: box.top + box.height / 2 + zoomY * (b * dx + d * dy) };
  };
  const inView = (p) => p.x >= 0 && p.y >= 0 && p.x < innerWidth && p.y < innerHeight;
  const look = () => {
    let at = place();
    if (!inView(at)) {
      this.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
      at = place();
    }
    if (!inView(at)) {
      scrollBy({ left: at.x - innerWidth / 2, top: at.y - innerHeight / 2, behavior: 'instant' });
      at = place();
    }
    let hit = document.elementFromPoint(at.x, at.y);
    while (hit && hit.shadowRoot && hit !== this) {
      const inner = hit.shadowRoot.elementFromPoint(at.x, at.y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    const root = this.getRootNode();
    const inClosedRoot = root instanceof ShadowRoot && root.mode === 'closed' && hit === root.host;
    if (force || hit === this || inClosedRoot) return at;
    const id = hit && hit.getAttribute('id');
    return { cover: hit ? hit.localName + (id ? '#' + id : '') : 'nothing' };
  };
  const end = performance.now() + slice;
  for (;;) {
    const at = look();
    if (!at.cover || performance.now() >= end) return at;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
