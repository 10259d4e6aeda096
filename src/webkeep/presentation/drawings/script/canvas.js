'use strict';
/* Drawings too large for SVG: a tree that can be moved and zoomed, and points in a cube that can be turned. Each takes its
   values out of the element of JSON beside it and its colours from the style of the page. */
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim() || '#888';
const palette = (names) => names.map((name) => style(name));
const valuesOf = (figure) => JSON.parse(figure.querySelector('script[type="application/json"]').textContent);

const fit = (canvas) => {
  const scale = window.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const brush = canvas.getContext('2d');
  brush.setTransform(scale, 0, 0, scale, 0, 0);
  return { brush, width, height };
};

/* Calls `draw` before the next picture of the screen, once however often it was asked for; keeps how long it took. */
const repaint = (canvas, draw) => {
  let waiting = false;
  canvas.frames = [];
  const ask = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      const began = performance.now();
      draw();
      canvas.frames.push(performance.now() - began);
      if (canvas.frames.length > 500) canvas.frames.shift();
      canvas.dataset.drawn = 'yes';
    });
  };
  new ResizeObserver(ask).observe(canvas);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', ask);
  /* Paper has another width and its own colours; both are there once the style for print is. */
  addEventListener('beforeprint', draw);
  addEventListener('afterprint', ask);
  matchMedia('print').addEventListener('change', draw);
  ask();
  return ask;
};

/* Rings, one for each step from where the capture began; a leaf gets as much of its ring as it is wide. */
const layTree = ({ parents }, radii) => {
  const count = parents.length;
  const children = Array.from({ length: count }, () => []);
  const roots = [];
  parents.forEach((parent, node) => (parent < 0 ? roots : children[parent]).push(node));
  const depth = new Int32Array(count);
  const order = [];
  const waiting = [...roots].reverse();
  while (waiting.length) {
    const node = waiting.pop();
    order.push(node);
    for (let at = children[node].length - 1; at >= 0; at -= 1) {
      depth[children[node][at]] = depth[node] + 1;
      waiting.push(children[node][at]);
    }
  }
  const angle = new Float64Array(count);
  let taken = 0;
  for (const node of order) {
    if (children[node].length) continue;
    angle[node] = taken + radii[node] + 1.5;
    taken += 2 * radii[node] + 3;
  }
  for (let at = order.length - 1; at >= 0; at -= 1) {
    const node = order[at];
    const below = children[node];
    if (below.length) angle[node] = (angle[below[0]] + angle[below[below.length - 1]]) / 2;
  }
  const inner = roots.length > 1 ? 1 : 0;
  const deepest = order.reduce((most, node) => Math.max(most, depth[node]), 1);
  const widest = radii.reduce((most, each) => Math.max(most, each), 0);
  const ring = Math.max(26, widest + 16, taken / (2 * Math.PI) / deepest);
  const x = new Float32Array(count);
  const y = new Float32Array(count);
  for (const node of order) {
    const turn = (angle[node] / Math.max(taken, 1)) * 2 * Math.PI;
    const radius = (depth[node] + inner) * ring;
    x[node] = radius * Math.cos(turn);
    y[node] = radius * Math.sin(turn);
  }
  return { x, y };
};

const drawTree = (figure) => {
  const canvas = figure.querySelector('canvas');
  const told = figure.querySelector('output');
  const values = valuesOf(figure);
  const { parents, colours, sizes, names } = values;
  const radii = Float32Array.from(sizes, (size) => 2.2 * Math.sqrt(size));
  const { x, y } = layTree(values, radii);
  let moved = null;  /* where a person moved it to; until then all of it is shown, whatever the size */
  const reach = (values, side) => values.reduce((most, each, node) => Math.max(most, side * each + radii[node]), -Infinity);
  const [left, right, up, down] = [reach(x, -1), reach(x, 1), reach(y, -1), reach(y, 1)];
  const whole = (width, height) => {
    const zoom = Math.min((width - 24) / Math.max(left + right, 40), (height - 24) / Math.max(up + down, 40));
    return { zoom, x: (width - (right - left) * zoom) / 2, y: (height - (down - up) * zoom) / 2 };
  };
  const shown = () => moved ?? whole(canvas.clientWidth, canvas.clientHeight);

  const draw = () => {
    const { brush, width, height } = fit(canvas);
    const view = shown();
    const paints = palette(['--good', '--yellow', '--bad', '--ink', '--series1']);
    const { zoom } = view;
    const isSeen = (node) => {
      const px = x[node] * zoom + view.x;
      const py = y[node] * zoom + view.y;
      const room = radii[node] * zoom + 4;
      return px > -room && py > -room && px < width + room && py < height + room;
    };
    brush.strokeStyle = style('--line');
    brush.lineWidth = 1;
    brush.beginPath();
    for (let node = 0; node < parents.length; node += 1) {
      const parent = parents[node];
      if (parent < 0 || !(isSeen(node) || isSeen(parent))) continue;
      brush.moveTo(x[node] * zoom + view.x, y[node] * zoom + view.y);
      brush.lineTo(x[parent] * zoom + view.x, y[parent] * zoom + view.y);
    }
    brush.stroke();
    for (let paint = 0; paint < paints.length; paint += 1) {
      brush.fillStyle = paints[paint];
      brush.beginPath();
      for (let node = 0; node < parents.length; node += 1) {
        if (colours[node] !== paint || !isSeen(node)) continue;
        const radius = Math.max(radii[node] * zoom, 1.2);
        const px = x[node] * zoom + view.x;
        const py = y[node] * zoom + view.y;
        if (radius < 2) brush.rect(px - radius, py - radius, 2 * radius, 2 * radius);
        else {
          brush.moveTo(px + radius, py);
          brush.arc(px, py, radius, 0, 7);
        }
      }
      brush.fill();
    }
  };
  const ask = repaint(canvas, draw);

  const zoomAt = (px, py, factor) => {
    const view = shown();
    moved = { zoom: view.zoom * factor, x: px - (px - view.x) * factor, y: py - (py - view.y) * factor };
    ask();
  };
  const nearest = (px, py) => {
    const view = shown();
    let best = -1;
    let least = Infinity;
    for (let node = 0; node < parents.length; node += 1) {
      const far = Math.hypot(x[node] * view.zoom + view.x - px, y[node] * view.zoom + view.y - py) - radii[node] * view.zoom;
      if (far < least) { least = far; best = node; }
    }
    return least < 8 ? best : -1;
  };
  const move = (across, down) => {
    const view = shown();
    moved = { ...view, x: view.x + across, y: view.y + down };
    ask();
  };
  const held = new Map();
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    held.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
  });
  canvas.addEventListener('pointermove', (event) => {
    const last = held.get(event.pointerId);
    if (!last) {
      const node = nearest(event.offsetX, event.offsetY);
      told.textContent = node < 0 ? '' : `${names[node]}${sizes[node] > 1 ? `: ${sizes[node].toLocaleString()} pages` : ''}`;
      return;
    }
    if (held.size === 1) {
      move(event.offsetX - last.x, event.offsetY - last.y);
    } else {
      const [one, other] = [...held.values()];
      const before = Math.hypot(one.x - other.x, one.y - other.y);
      last.x = event.offsetX;
      last.y = event.offsetY;
      const after = Math.hypot(one.x - other.x, one.y - other.y);
      zoomAt((one.x + other.x) / 2, (one.y + other.y) / 2, after / Math.max(before, 1));
    }
    held.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
  });
  for (const name of ['pointerup', 'pointercancel']) canvas.addEventListener(name, (event) => held.delete(event.pointerId));
  /* Whoever reads on past the tree goes on reading: the wheel is the tree's once it was clicked into. */
  canvas.addEventListener('wheel', (event) => {
    if (document.activeElement !== canvas && !event.ctrlKey) return;
    event.preventDefault();
    zoomAt(event.offsetX, event.offsetY, Math.exp(-event.deltaY / 400));
  }, { passive: false });
  const middle = (factor) => zoomAt(canvas.clientWidth / 2, canvas.clientHeight / 2, factor);
  const acts = { in: () => middle(1.5), out: () => middle(1 / 1.5), all: () => { moved = null; ask(); } };
  for (const button of figure.querySelectorAll('button')) button.addEventListener('click', () => acts[button.value]());
  canvas.addEventListener('keydown', (event) => {
    const way = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[event.key];
    if (way) { move(...way); event.preventDefault(); }
    if (event.key === '+' || event.key === '-') middle(event.key === '+' ? 1.5 : 1 / 1.5);
  });
};

/* Where a point stands among those of its type and directory, by URL, and how many there are of them. */
const rankPoints = (points) => {
  const counts = new Map();
  const ranks = points.map(([group, directory]) => {
    const cell = `${group} ${directory}`;
    counts.set(cell, (counts.get(cell) ?? 0) + 1);
    return counts.get(cell) - 1;
  });
  return { ranks, sizes: points.map(([group, directory]) => counts.get(`${group} ${directory}`)) };
};

/* Writes names that do not cover each other. */
const writeNames = (brush, named, height = 13) => {
  const taken = [];
  for (const [name, x, y, side] of named) {
    if (taken.some((each) => Math.abs(each.y - y) < height && (each.side === side || Math.abs(each.x - x) < 60))) continue;
    taken.push({ x, y, side });
    brush.textAlign = side;
    brush.fillText(name, x, y);
  }
};

const cutName = (brush, name, room) => {
  if (brush.measureText(name).width <= room) return name;
  let most = name.length - 1;
  while (most > 1 && brush.measureText(`${name.slice(0, most)}…`).width > room) most -= 1;
  return `${name.slice(0, most)}…`;
};

const drawScatter = (figure) => {
  const canvas = figure.querySelector('canvas');
  const told = figure.querySelector('output');
  const { groups, directories, points } = valuesOf(figure);
  const state = { isFlat: false, turn: 0.7, tilt: 0.45 };
  const { ranks, sizes } = rankPoints(points);
  const highest = sizes.reduce((most, each) => Math.max(most, each), 1);
  const share = (at, count) => (count > 1 ? at / (count - 1) : 0.5);
  let places = [];

  /* A corner of the cube, or a point in it: type, directory and height, each from zero to one. */
  const project = (width, height, a, b, c) => {
    const [px, py, pz] = [a - 0.5, c - 0.5, b - 0.5];
    const across = px * Math.cos(state.turn) - pz * Math.sin(state.turn);
    const deep = px * Math.sin(state.turn) + pz * Math.cos(state.turn);
    const up = py * Math.cos(state.tilt) - deep * Math.sin(state.tilt);
    const size = Math.min(width, height) * 0.62;
    return [width / 2 + across * size, height / 2 - up * size];
  };
  const drawCube = (brush, width, height) => {
    const at = (...corner) => project(width, height, ...corner);
    const corners = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];
    brush.beginPath();
    for (const [from, to] of [[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]]) {
      brush.moveTo(...at(...corners[from]));
      brush.lineTo(...at(...corners[to]));
    }
    brush.stroke();
    /* Names stand along the two edges of the floor that are nearest to who looks. */
    const near = at(0.5, 0, 0)[1] > at(0.5, 1, 0)[1] ? 0 : 1;
    const side = at(0, 0.5, 0)[1] > at(1, 0.5, 0)[1] ? 0 : 1;
    const beside = (x, y, name) => {
      const isRight = x > width / 2;
      const shown = cutName(brush, name, (isRight ? width - x : x) - 12);
      return [shown, x + (isRight ? 8 : -8), y + 12, isRight ? 'left' : 'right'];
    };
    writeNames(brush, [
      ...groups.map((name, one) => beside(...at(share(one, groups.length), near, 0), name)),
      ...directories.map((name, one) => beside(...at(side, share(one, directories.length), 0), name)),
    ]);
    places = points.map(([group, directory, change], one) =>
      [...at(share(group, groups.length), share(directory, directories.length), share(ranks[one], highest)), change, 3]);
  };
  /* A row for each directory, a column for each type; in each cell its resources side by side, row upon row. */
  const drawCells = (brush, width, height) => {
    const widest = directories.reduce((most, name) => Math.max(most, brush.measureText(name).width), 0);
    const left = Math.min(widest + 16, width * 0.3);
    const [wide, high] = [(width - left - 8) / groups.length, (height - 34) / directories.length];
    brush.beginPath();
    for (let row = 0; row <= directories.length; row += 1) {
      brush.moveTo(left, 8 + row * high);
      brush.lineTo(width - 8, 8 + row * high);
    }
    brush.stroke();
    writeNames(brush, directories.map((name, row) =>
      [cutName(brush, name, left - 12), left - 6, 12 + (row + 0.5) * high, 'right']), 11);
    brush.textAlign = 'left';
    groups.forEach((name, column) => brush.fillText(cutName(brush, name, wide - 6), left + column * wide + 2, height - 10));
    places = points.map(([group, directory, change], one) => {
      const step = Math.min(7, Math.sqrt(((wide - 8) * (high - 2)) / sizes[one]) * 0.9, high - 2);
      const columns = Math.max(1, Math.floor((wide - 8) / step));
      const x = left + group * wide + 4 + ((ranks[one] % columns) + 0.5) * step;
      const y = 9 + (directory + 1) * high - 2 - (Math.floor(ranks[one] / columns) + 0.5) * step;
      return [x, y, change, Math.max(1, step > 3 ? step - 1 : step)];
    });
  };
  const draw = () => {
    const { brush, width, height } = fit(canvas);
    const paints = palette(['--good', '--series0', '--series1', '--ink', '--series7']);
    brush.clearRect(0, 0, width, height);
    brush.strokeStyle = style('--line');
    brush.fillStyle = style('--soft');
    brush.font = '12px system-ui, sans-serif';
    (state.isFlat ? drawCells : drawCube)(brush, width, height);
    for (let paint = 0; paint < paints.length; paint += 1) {
      brush.fillStyle = paints[paint];
      brush.beginPath();
      for (const [px, py, change, size] of places) if (change === paint) brush.rect(px - size / 2, py - size / 2, size, size);
      brush.fill();
    }
  };
  const ask = repaint(canvas, draw);
  let last = null;
  canvas.addEventListener('pointerdown', (event) => { last = [event.offsetX, event.offsetY]; canvas.setPointerCapture(event.pointerId); });
  for (const name of ['pointerup', 'pointercancel']) canvas.addEventListener(name, () => { last = null; });
  canvas.addEventListener('pointermove', (event) => {
    if (last && !state.isFlat) {
      state.turn += (event.offsetX - last[0]) / 150;
      state.tilt = Math.min(1.5, Math.max(-1.5, state.tilt + (event.offsetY - last[1]) / 150));
      last = [event.offsetX, event.offsetY];
      ask();
      return;
    }
    let best = -1;
    let least = 8;
    places.forEach(([px, py], at) => {
      const far = Math.hypot(px - event.offsetX, py - event.offsetY);
      if (far < least) { least = far; best = at; }
    });
    told.textContent = best < 0 ? '' : points[best][3];
  });
  canvas.addEventListener('keydown', (event) => {
    const way = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
    if (!way || state.isFlat) return;
    state.turn += way[0];
    state.tilt = Math.min(1.5, Math.max(-1.5, state.tilt + way[1]));
    ask();
    event.preventDefault();
  });
  for (const button of figure.querySelectorAll('button')) {
    button.addEventListener('click', () => {
      state.isFlat = button.value === 'flat';
      for (const each of figure.querySelectorAll('button')) each.setAttribute('aria-pressed', String(each === button));
      ask();
    });
  }
};

for (const figure of document.querySelectorAll('figure.canvas-tree')) drawTree(figure);
for (const figure of document.querySelectorAll('figure.canvas-scatter')) drawScatter(figure);
