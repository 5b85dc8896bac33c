document.getElementById('b').onclick = () => { window.hit = 1 };
setTimeout(() => {
  const late = document.createElement('p');
  late.id = 'late';
  late.textContent = 'late';
  document.body.append(late);
}, 300);
