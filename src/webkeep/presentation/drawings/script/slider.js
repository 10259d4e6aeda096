/* Pictures with a slider: moved by its own handle, by keys, and by dragging or pointing within the pictures; scrolled to
   the largest difference. */
for (const figure of document.querySelectorAll('figure.slider')) {
  const range = figure.querySelector('input[type=range]');
  const pictures = figure.querySelector('.pictures');
  const box = figure.querySelector('input[type=checkbox]');
  const show = () => {
    pictures.style.setProperty('--at', `${range.value}%`);
    range.setAttribute('aria-valuetext', `${range.value}%`);
  };
  const follow = (event) => {
    const frame = pictures.getBoundingClientRect();
    range.value = String(Math.round((100 * (event.clientX - frame.left)) / Math.max(frame.width, 1)));
    show();
  };
  figure.classList.add('ready');
  range.addEventListener('input', show);
  pictures.addEventListener('pointerdown', (event) => {
    if (event.pointerType === 'mouse' && event.button !== 0) return;
    pictures.setPointerCapture(event.pointerId);
    follow(event);
  });
  pictures.addEventListener('pointermove', (event) => {
    if (pictures.hasPointerCapture(event.pointerId)) follow(event);
  });
  pictures.addEventListener('dragstart', (event) => event.preventDefault());
  if (box) box.addEventListener('change', () => pictures.classList.toggle('plain', !box.checked));
  show();
  /* What differs may lie far down a long page. */
  const mark = figure.querySelector('.mark');
  const reveal = () => { figure.querySelector('.window').scrollTop = Math.max(mark.offsetTop - 60, 0); };
  if (mark) {
    reveal();
    figure.closest('details')?.addEventListener('toggle', reveal, { once: true });
  }
}
