// A picture out of some twenty bytes, for the time before the real one is there: the Swift type ThumbHash once more,
// as far as it shows, tested against it. Source: Evan Wallace, "ThumbHash", 2023.

const bytesOf = (base64) => {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
};

/** Half waves 0 through `count` - 1 of the cosine transform, each at the middle of `size` samples. */
const waves = (count, size) => Array.from({ length: count }, (_, frequency) => Float64Array.from(
  { length: size }, (_, sample) => Math.cos(Math.PI / size * frequency * (sample + 0.5))));

/** Hands out the coefficients of one plane after the other, four bits each. */
class Coefficients {
  constructor(bytes, start) {
    this.bytes = bytes;
    this.index = start * 2;
  }

  /** `[column, row, value]` of a plane; in a finer row fewer columns are kept. The first is the mean, and not here. */
  plane(columns, rows, scale) {
    const terms = [];
    for (let row = 0; row < rows; row += 1) {
      for (let column = 0; column * rows < columns * (rows - row); column += 1) {
        if (column + row === 0) continue;
        const nibble = (this.bytes[this.index >> 1] >> (this.index % 2 * 4)) & 15;
        terms.push([column, row, (nibble / 7.5 - 1) * scale]);
        this.index += 1;
      }
    }
    return terms;
  }
}

function drawn(terms, mean, { width, height, across, down }) {
  const samples = new Float64Array(width * height).fill(mean);
  for (const [column, row, value] of terms) {
    for (let y = 0, at = 0; y < height; y += 1) {
      const here = 2 * value * down[row][y];
      for (let x = 0; x < width; x += 1, at += 1) samples[at] += here * across[column][x];
    }
  }
  return samples;
}

/** The picture, 32 pixels on its longer side: `{ width, height, rgba }`; null for what is no ThumbHash. */
export function thumbHashPicture(base64) {
  const bytes = bytesOf(base64);
  if (bytes.length < 5) return null;
  const first = bytes[0] | bytes[1] << 8 | bytes[2] << 16;
  const second = bytes[3] | bytes[4] << 8;
  const hasAlpha = first >> 23 === 1;
  if (hasAlpha && bytes.length < 6) return null;
  const longer = hasAlpha ? 5 : 7;
  const isWide = second >> 15 === 1;
  const columns = Math.max(3, isWide ? longer : second & 7);
  const rows = Math.max(3, isWide ? second & 7 : longer);

  const coefficients = new Coefficients(bytes, hasAlpha ? 6 : 5);
  const light = coefficients.plane(columns, rows, (first >> 18 & 31) / 31);
  const yellow = coefficients.plane(3, 3, (second >> 3 & 63) / 63 * 1.25);
  const red = coefficients.plane(3, 3, (second >> 9 & 63) / 63 * 1.25);
  const alpha = hasAlpha ? coefficients.plane(5, 5, (bytes[5] >> 4) / 15) : [];
  if (bytes.length * 2 < coefficients.index) return null;

  const shape = columns / rows;
  const width = Math.round(shape > 1 ? 32 : 32 * shape);
  const height = Math.round(shape > 1 ? 32 / shape : 32);
  const size = { width, height, across: waves(7, width), down: waves(7, height) };
  const l = drawn(light, (first & 63) / 63, size);
  const p = drawn(yellow, (first >> 6 & 63) / 31.5 - 1, size);
  const q = drawn(red, (first >> 12 & 63) / 31.5 - 1, size);
  const a = drawn(alpha, hasAlpha ? (bytes[5] & 15) / 15 : 1, size);
  const rgba = new Uint8ClampedArray(l.length * 4);
  for (let at = 0; at < l.length; at += 1) {
    const blue = l[at] - 2 / 3 * p[at];
    const r = (3 * l[at] - blue + q[at]) / 2;
    rgba.set([r * 255, (r - q[at]) * 255, blue * 255, a[at] * 255], at * 4);
  }
  return { width, height, rgba };
}

/** The same as the address of a PNG; null for what is no ThumbHash. */
export function thumbHashAddress(base64) {
  const picture = thumbHashPicture(base64);
  if (!picture) return null;
  const canvas = document.createElement('canvas');
  canvas.width = picture.width;
  canvas.height = picture.height;
  canvas.getContext('2d').putImageData(new ImageData(picture.rgba, picture.width), 0, 0);
  return canvas.toDataURL();
}
