const context = document.getElementById('canvas').getContext('2d');
for (let i = 0; i < 12; i++) {
  context.beginPath();
  context.arc(160 + 60 * Math.cos(i), 100 + 40 * Math.sin(i), 10 + 5 * i, 0, 2 * Math.PI);
  context.strokeStyle = `hsl(${140 + 8 * i} 40% 45%)`;
  context.lineWidth = 2;
  context.stroke();
}
