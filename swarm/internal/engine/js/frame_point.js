// Called on an iframe element in its page's own world: a point of the frame's viewport as one of the page's, scrolled
// into view; {cover} when something else is there.
function (x, y) {
  const place = () => {
    const box = this.getBoundingClientRect();
    const scaleX = this.offsetWidth ? box.width / this.offsetWidth : 1, scaleY = this.offsetHeight ? box.height / this.offsetHeight : 1;
    const style = getComputedStyle(this);
    const left = this.clientLeft + parseFloat(style.paddingLeft), top = this.clientTop + parseFloat(style.paddingTop);
    return { x: box.left + (left + x) * scaleX, y: box.top + (top + y) * scaleY };
  };
  const inView = (p) => p.x >= 0 && p.y >= 0 && p.x < innerWidth && p.y < innerHeight;
  let at = place();
  if (!inView(at)) {
    this.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
    at = place();
    if (!inView(at)) {
      scrollBy({ left: at.x - innerWidth / 2, top: at.y - innerHeight / 2, behavior: 'instant' });
      at = place();
    }
  }
  let hit = document.elementFromPoint(at.x, at.y);
  while (hit && hit.shadowRoot && hit !== this) {
    const inner = hit.shadowRoot.elementFromPoint(at.x, at.y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  const root = this.getRootNode();
  const inClosedRoot = root instanceof ShadowRoot && root.mode === 'closed' && hit === root.host;
  if (hit !== this && !inClosedRoot) return { cover: hit ? hit.localName + (hit.id ? '#' + hit.id : '') : 'nothing' };
  return at;
}
