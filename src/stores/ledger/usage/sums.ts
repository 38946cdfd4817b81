import type { RankedMeasure } from "../ledger-record-store.ts";
import { addFigures, compareCosts, compareMeasures, FIGURE_COUNT, noFigures, subtractFigures, usesIn, type Figures } from "./figures.ts";
import { EXCLUDED } from "./report-groups.ts";

const FIRST_SIZE = 64;
/**
 * Sums in one array. A single array for all sums would be copied whenever it grows, and one array for each sum takes as long to create as
 * to add up.
 */
const IN_CHUNK = 512;

/** The sums of the groups of a report in one bucket. Each sum has a place, in the order in which the groups were first added to. */
export class Sums {
  /** The place of a group's sum, plus one; 0 if it has none. */
  #places = new Int32Array(FIRST_SIZE);
  readonly #groups: number[] = [];
  readonly #chunks: Figures[] = [];

  /** The number of groups with sums. */
  get size(): number {
    return this.#groups.length;
  }

  add(group: number, figures: Figures): void {
    if (group === EXCLUDED) return;
    const place = this.#placeOf(group);
    addFigures(this.#chunkOf(place), figures, startOf(place));
  }

  subtract(group: number, figures: Figures): void {
    if (group === EXCLUDED) return;
    const place = this.#placeOf(group);
    subtractFigures(this.#chunkOf(place), figures, startOf(place));
  }

  /** Subtracts the sum at a place of `sums`. */
  subtractSum(group: number, sums: Sums, from: number): void {
    const place = this.#placeOf(group);
    subtractFigures(this.#chunkOf(place), sums.#chunkOf(from), startOf(place), startOf(from));
  }

  /** Subtracts all sums in `sums` from the sum of one group. */
  subtractAll(group: number, sums: Sums): void {
    for (let place = 0; place < sums.size; place++) this.subtractSum(group, sums, place);
  }

  groupAt(place: number): number {
    return this.#groups[place]!;
  }

  usesAt(place: number): number {
    return usesIn(this.#chunkOf(place), startOf(place));
  }

  figuresAt(place: number): Figures {
    const figures = noFigures();
    this.addTo(figures, place);
    return figures;
  }

  /** Adds the sum at a place to `total`. */
  addTo(total: Figures, place: number): void {
    addFigures(total, this.#chunkOf(place), 0, startOf(place));
  }

  /** Orders by cost, highest first. */
  compareCosts(place: number, other: Sums, otherPlace: number): number {
    return compareCosts(this.#chunkOf(place), other.#chunkOf(otherPlace), startOf(place), startOf(otherPlace));
  }

  /** Orders by a measure, highest first, then by cost. */
  compareMeasures(place: number, other: Sums, otherPlace: number, measure: RankedMeasure): number {
    return compareMeasures(this.#chunkOf(place), other.#chunkOf(otherPlace), startOf(place), startOf(otherPlace), measure);
  }

  #chunkOf(place: number): Figures {
    return this.#chunks[Math.floor(place / IN_CHUNK)]!;
  }

  #placeOf(group: number): number {
    const known = this.#places[group] ?? 0;
    return known > 0 ? known - 1 : this.#addPlace(group);
  }

  #addPlace(group: number): number {
    if (group >= this.#places.length) {
      const larger = new Int32Array(2 * group);
      larger.set(this.#places);
      this.#places = larger;
    }
    const place = this.#groups.push(group) - 1;
    if (place % IN_CHUNK === 0) this.#chunks.push(new Float64Array(IN_CHUNK * FIGURE_COUNT));
    this.#places[group] = place + 1;
    return place;
  }
}

/** The offset of a sum's figures in its chunk. */
function startOf(place: number): number {
  return (place % IN_CHUNK) * FIGURE_COUNT;
}
