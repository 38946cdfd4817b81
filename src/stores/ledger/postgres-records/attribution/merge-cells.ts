import { readCells, writeCells, type EncodedCells } from "../../usage/cells.ts";
import { addFigures, FIGURE_COUNT, type Figures } from "../../usage/figures.ts";

/** Adds sums to the cells of a row. Most cells do not change: their bytes are copied, which takes far less time than decoding them. */
export function mergeCells(stored: EncodedCells | undefined, added: ReadonlyMap<number, Figures>): Uint8Array {
  if (!stored) return writeCells(added);
  const { cells: bytes, figures: count } = stored;
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

function withMore(figures: Figures, more: Figures | undefined): Figures {
  const sums = figures.slice();
  if (more) addFigures(sums, more);
  return sums;
}
