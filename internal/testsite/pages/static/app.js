const state = document.getElementById('state');
const table = document.getElementById('rows');
let shown = 0;

async function show() {
  const ticket = ++shown;
  const view = location.pathname.split('/')[2] || 'overview';
  state.textContent = 'Loading…';
  const rows = await (await fetch('/api/app/' + view)).json();
  if (ticket !== shown) return; // another view was asked for meanwhile
  table.replaceChildren(...rows.map(cells => {
    const row = document.createElement('tr');
    row.append(...cells.map(text => Object.assign(document.createElement('td'), {textContent: text})));
    return row;
  }));
  state.textContent = rows.length + ' rows';
}

document.getElementById('views').onclick = event => {
  const link = event.target.closest('a');
  if (!link) return;
  event.preventDefault();
  history.pushState(null, '', link.href);
  const heading = document.querySelector('h1');
  document.title = document.title.replace(heading.textContent, link.textContent);
  heading.textContent = link.textContent;
  show();
};
onpopstate = show;
show();
