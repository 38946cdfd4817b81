import { addFigures, FIGURE_COUNT, noFigures, type Figures } from "./figures.ts";

/**
 * Encodes the sums of one interval for one row of the database: for each series its id and figures, as variable-length integers (LEB128).
 * One row for each series would take ten times as long to read and write, and most figures are zero.
 */
export function writeCells(cells: ReadonlyMap<number, Figures>): Uint8Array {
  const writer = new IntegerWriter();
  for (const [series, figures] of cells) {
    writer.add(series);
    for (let at = 0; at < figures.length; at++) writer.add(figures[at]!);
  }
  return writer.bytes();
}

/** Cells, and the number of figures of each cell. Cells written by an earlier version may have fewer figures; the missing ones are zero. */
export interface EncodedCells {
  readonly cells: Uint8Array;
  readonly figures: number;
}

/** Decodes the cells. The array of figures is reused for each call of `take`. */
export function readCells({ cells: bytes, figures: count }: EncodedCells, take: (series: number, figures: Figures) => void): void {
  const figures = noFigures();
  for (let at = 0; at < bytes.length;) {
    let series = 0;
    for (let field = -1; field < count; field++) {
      let byte = bytes[at++]!;
      let value = byte & 127;
      for (let scale = 128; byte > 127; scale *= 128) {
        byte = bytes[at++]!;
        value += (byte & 127) * scale;
      }
      if (field < 0) series = value;
      else figures[field] = value;
    }
    take(series, figures);
  }
}

/** If a row has fewer bytes for each added sum, most of its cells change, and decoding all of them is faster. */
const MANY_CHANGED = 80;

/** Adds sums to the cells of a row. Most cells do not change: their bytes are copied, which takes far less time than decoding them. */
export function mergeCells(stored: EncodedCells | undefined, added: ReadonlyMap<number, Figures>): Uint8Array {
  if (!stored) return writeCells(added);
  const { cells: bytes, figures: count } = stored;
  if (bytes.length < MANY_CHANGED * added.size) return addToAll(stored, added);
  const changed = new Map(added);
  const merged = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length;) {
    const start = at;
    let cell = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++] ?? 0;
      cell += (byte & 127) * scale;
      if (byte < 128) break;
    }
    // The last byte of a number is below 128.
    for (let left = count; left > 0 && at < bytes.length;) if (bytes[at++]! < 128) left--;
    const more = added.get(cell);
    if (more || count !== FIGURE_COUNT) {
      readCells({ cells: bytes.subarray(start, at), figures: count }, (_, figures) => void changed.set(cell, withMore(figures, more)));
    } else {
      for (let from = start; from < at; from++) merged[length++] = bytes[from]!;
    }
  }
  return Buffer.concat([merged.subarray(0, length), writeCells(changed)]);
}

/** Adds sums where most cells change. */
function addToAll(stored: EncodedCells, added: ReadonlyMap<number, Figures>): Uint8Array {
  const sums = new Map<number, Figures>();
  readCells(stored, (cell, figures) => void sums.set(cell, figures.slice()));
  for (const [cell, more] of added) {
    const known = sums.get(cell);
    if (known) addFigures(known, more);
    else sums.set(cell, more);
  }
  return writeCells(sums);
}

function withMore(figures: Figures, more: Figures | undefined): Figures {
  const sums = figures.slice();
  if (more) addFigures(sums, more);
  return sums;
}

class IntegerWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;

  add(value: number): void {
    // An exact integer takes at most eight bytes.
    if (this.#length + 8 > this.#bytes.length) this.#grow();
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#bytes[this.#length++] = (rest % 128) + 128;
    this.#bytes[this.#length++] = rest;
  }

  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #grow(): void {
    const larger = new Uint8Array(this.#bytes.length * 2);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}
