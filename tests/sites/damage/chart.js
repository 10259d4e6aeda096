const canvas = document.querySelector('#chart').appendChild(document.createElement('canvas'));
canvas.width = 600;
canvas.height = 240;
const brush = canvas.getContext('2d');
for (let bar = 0; bar < 20; bar += 1) {
  brush.fillStyle = bar % 2 ? '#357' : '#c80';
  const height = 40 + ((bar * 67) % 180);
  brush.fillRect(bar * 30, 240 - height, 24, height);
}
