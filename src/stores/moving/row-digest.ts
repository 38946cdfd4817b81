import type { MovedRow } from "./moved-table.ts";

const MODULUS = 1n << 128n;

/** The number of rows, and a digest of them that does not depend on their order, to compare two databases. */
export class RowDigest {
  rows = 0;
  #sum = 0n;

  add(row: MovedRow): void {
    const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify(row)).digest();
    this.#sum = (this.#sum + (hash.readBigUInt64LE(0) << 64n) + hash.readBigUInt64LE(8)) % MODULUS;
    this.rows++;
  }

  equals(other: RowDigest): boolean {
    return this.rows === other.rows && this.#sum === other.#sum;
  }
}
