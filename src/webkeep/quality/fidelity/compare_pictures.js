/* Two pictures of a page compared, as PNG in base64: structural dissimilarity, one minus the mean SSIM (Wang, Bovik,
   Sheikh, Simoncelli 2004) of luma over those blocks of 8 × 8 pixels in which anything is drawn in either. Pairs in
   `again` show the same page twice: blocks in which they differ vary by themselves and are left out. Both pictures come
   back small enough for a report, with the places in which they differ. */
async (first, second, again, wide, high) => {
  const SIDE = 8, C1 = 6.5025, C2 = 58.5225; // as published: (0.01 · 255)² and (0.03 · 255)²
  const NOTHING = 4; // the variance below which nothing is drawn
  const DIFFERENT = 0.9; // the SSIM of a block below which a reader sees a difference
  const PLAIN = 16; // the difference of brightness between blocks with nothing drawn in them that a reader sees
  const CELL = 8, MOST_REGIONS = 60; // blocks beside each other are told as one place
  const STRIP = 128 * SIDE; // rows that are read at once, so that a long page takes little memory
  const load = async (text) => createImageBitmap(await (await fetch('data:image/png;base64,' + text)).blob());
  const [one, other] = [await load(first), await load(second)];
  const width = Math.max(one.width, other.width), height = Math.max(one.height, other.height);
  const [columns, rows] = [Math.floor(width / SIDE), Math.floor(height / SIDE)];

  const luma = (bitmap, top, count) => {
    const canvas = new OffscreenCanvas(width, count);
    const brush = canvas.getContext('2d', { willReadFrequently: true });
    brush.fillStyle = '#fff';
    brush.fillRect(0, 0, width, count);
    brush.drawImage(bitmap, 0, -top);
    const dots = brush.getImageData(0, 0, width, count).data;
    const grey = new Float32Array(width * count);
    for (let at = 0; at < grey.length; at += 1) {
      grey[at] = 0.299 * dots[4 * at] + 0.587 * dots[4 * at + 1] + 0.114 * dots[4 * at + 2];
    }
    return grey;
  };
  /* The SSIM of every block, NaN where nothing is drawn; and which of them a reader sees to differ. */
  const compare = (left, right) => {
    const told = new Float32Array(columns * rows).fill(NaN);
    const unlike = [];
    const size = SIDE * SIDE;
    for (let top = 0; top < rows * SIDE; top += STRIP) {
      const count = Math.min(STRIP, rows * SIDE - top);
      const [a, b] = [luma(left, top, count), luma(right, top, count)];
      for (let y = 0; y < count; y += SIDE) {
        for (let column = 0; column < columns; column += 1) {
          let ma = 0, mb = 0, aa = 0, bb = 0, ab = 0;
          for (let dy = 0; dy < SIDE; dy += 1) {
            for (let dx = 0; dx < SIDE; dx += 1) {
              const at = (y + dy) * width + column * SIDE + dx;
              const p = a[at], q = b[at];
              ma += p; mb += q; aa += p * p; bb += q * q; ab += p * q;
            }
          }
          ma /= size; mb /= size;
          const va = aa / size - ma * ma, vb = bb / size - mb * mb, cov = ab / size - ma * mb;
          const place = ((top + y) / SIDE) * columns + column;
          if (va < NOTHING && vb < NOTHING) {
            if (Math.abs(ma - mb) >= PLAIN) unlike.push(place);
            continue;
          }
          told[place] = ((2 * ma * mb + C1) * (2 * cov + C2)) / ((ma * ma + mb * mb + C1) * (va + vb + C2));
          if (told[place] < DIFFERENT) unlike.push(place);
        }
      }
    }
    return { told, unlike };
  };

  /* Places made of blocks, as columns and rows: blocks in the same cell or in cells that touch are of one place. */
  const across = Math.ceil(columns / CELL);
  const group = (blocks) => {
    const cells = new Map();
    for (const at of blocks) {
      const [row, column] = [Math.floor(at / columns), at % columns];
      const cell = Math.floor(row / CELL) * across + Math.floor(column / CELL);
      const box = cells.get(cell) ?? [Infinity, Infinity, 0, 0];
      cells.set(cell, [Math.min(box[0], column), Math.min(box[1], row), Math.max(box[2], column + 1), Math.max(box[3], row + 1)]);
    }
    const places = [];
    const waiting = new Set(cells.keys());
    for (const start of cells.keys()) {
      if (!waiting.delete(start)) continue;
      const box = [...cells.get(start)];
      const next = [start];
      while (next.length) {
        const cell = next.pop();
        for (const [dy, dx] of [[0, 1], [0, -1], [1, 0], [-1, 0]]) {
          const column = (cell % across) + dx;
          const near = cell + dy * across + dx;
          if (column < 0 || column >= across || !waiting.delete(near)) continue;
          const more = cells.get(near);
          box[0] = Math.min(box[0], more[0]); box[1] = Math.min(box[1], more[1]);
          box[2] = Math.max(box[2], more[2]); box[3] = Math.max(box[3], more[3]);
          next.push(near);
        }
      }
      places.push(box);
    }
    return places;
  };
  /* A place that varies is left out as a whole: what is alike in it is so by chance. */
  const varying = new Uint8Array(columns * rows);
  for (const [before, after] of again) {
    const [left, right] = [await load(before), await load(after)];
    for (const [from, top, to, bottom] of group(compare(left, right).unlike)) {
      for (let row = top; row < bottom; row += 1) varying.fill(1, row * columns + from, row * columns + to);
    }
    left.close(); right.close();
  }
  const { told, unlike } = compare(one, other);
  let sum = 0, drawn = 0, left_out = 0;
  told.forEach((each, at) => {
    if (Number.isNaN(each)) return;
    if (varying[at]) { left_out += 1; return; }
    sum += each; drawn += 1;
  });
  const different = unlike.filter((at) => !varying[at]);
  const regions = group(different).map(([from, top, to, bottom]) => [from * SIDE, top * SIDE, (to - from) * SIDE, (bottom - top) * SIDE]);
  regions.sort((a, b) => b[2] * b[3] - a[2] * a[3]);

  const shrink = async (bitmap) => {
    const scale = Math.min(1, wide / width);
    const canvas = new OffscreenCanvas(Math.round(width * scale), Math.min(Math.round(height * scale), high));
    const brush = canvas.getContext('2d');
    brush.fillStyle = '#fff';
    brush.fillRect(0, 0, canvas.width, canvas.height);
    brush.drawImage(bitmap, 0, 0, bitmap.width * scale, bitmap.height * scale);
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.7 });
    const bytes = new Uint8Array(await blob.arrayBuffer());
    let text = '';
    for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
    return [blob.type, canvas.width, canvas.height, btoa(text)];
  };
  const pictures = wide ? [await shrink(one), await shrink(other)] : [];
  one.close(); other.close();
  return {
    dissimilarity: drawn ? 1 - sum / drawn : 0, drawn, different: different.length, varying: left_out, width, height,
    regions: regions.slice(0, MOST_REGIONS), pictures,
  };
}
