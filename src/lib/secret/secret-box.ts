import { timingSafeEqual } from "node:crypto";

const NONCE_BYTES = 24;
const TAG_BYTES = 16;
const BLOCK_BYTES = 64;
/** The first bytes of the key stream are the key of the authenticator. */
const AUTHENTICATOR_KEY_BYTES = 32;

/** The bytes that a box adds to its text. */
export const SECRET_BOX_OVERHEAD = NONCE_BYTES + TAG_BYTES;

/**
 * Opens a `SecretBox` of NaCl: nonce, tag and ciphertext of XSalsa20-Poly1305, which Node's crypto does not have. Undefined if the box was
 * sealed with another key, or was changed.
 */
export function openSecretBox(box: Uint8Array, key: Uint8Array): Uint8Array | undefined {
  if (box.length < SECRET_BOX_OVERHEAD) return undefined;
  const nonce = box.subarray(0, NONCE_BYTES);
  const tag = box.subarray(NONCE_BYTES, SECRET_BOX_OVERHEAD);
  const ciphertext = box.subarray(SECRET_BOX_OVERHEAD);
  const stream = keyStream(key, nonce, AUTHENTICATOR_KEY_BYTES + ciphertext.length);
  if (!timingSafeEqual(tag, poly1305(ciphertext, stream.subarray(0, AUTHENTICATOR_KEY_BYTES)))) return undefined;
  return ciphertext.map((byte, at) => byte ^ stream[AUTHENTICATOR_KEY_BYTES + at]!);
}

/** XSalsa20: Salsa20 with a key that HSalsa20 derives from the first 16 bytes of the nonce. */
function keyStream(key: Uint8Array, nonce: Uint8Array, length: number): Uint8Array {
  const derived = salsaRounds(salsaInput(wordsOf(key), wordsOf(nonce.subarray(0, 16))));
  const subkey = Uint32Array.of(...[0, 5, 10, 15, 6, 7, 8, 9].map((at) => derived[at]!));
  const stream = new Uint8Array(Math.ceil(length / BLOCK_BYTES) * BLOCK_BYTES);
  const view = new DataView(stream.buffer);
  for (let block = 0; block * BLOCK_BYTES < length; block++) {
    const input = salsaInput(subkey, Uint32Array.of(...wordsOf(nonce.subarray(16)), block, 0));
    salsaRounds(input).forEach((word, at) => view.setUint32(block * BLOCK_BYTES + at * 4, word + input[at]!, true));
  }
  return stream;
}

/** "expand 32-byte k", on the diagonal of the state. */
const CONSTANTS = Uint32Array.of(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574);

function salsaInput(key: Uint32Array, input: Uint32Array): Uint32Array {
  const [c, k, n] = [CONSTANTS, key, input];
  return Uint32Array.of(c[0]!, k[0]!, k[1]!, k[2]!, k[3]!, c[1]!, n[0]!, n[1]!, n[2]!, n[3]!, c[2]!, k[4]!, k[5]!, k[6]!, k[7]!, c[3]!);
}

const COLUMNS = [
  [0, 4, 8, 12],
  [5, 9, 13, 1],
  [10, 14, 2, 6],
  [15, 3, 7, 11],
] as const;
const ROWS = [
  [0, 1, 2, 3],
  [5, 6, 7, 4],
  [10, 11, 8, 9],
  [15, 12, 13, 14],
] as const;

function salsaRounds(input: Uint32Array): Uint32Array {
  const state = input.slice();
  for (let round = 0; round < 20; round++) for (const [a, b, c, d] of round % 2 === 0 ? COLUMNS : ROWS) quarterRound(state, a, b, c, d);
  return state;
}

function quarterRound(s: Uint32Array, a: number, b: number, c: number, d: number): void {
  s[b]! ^= rotated(s[a]! + s[d]!, 7);
  s[c]! ^= rotated(s[b]! + s[a]!, 9);
  s[d]! ^= rotated(s[c]! + s[b]!, 13);
  s[a]! ^= rotated(s[d]! + s[c]!, 18);
}

function rotated(sum: number, bits: number): number {
  return (sum << bits) | ((sum | 0) >>> (32 - bits));
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Uint32Array.from({ length: bytes.length / 4 }, (_, at) => view.getUint32(at * 4, true));
}

const PRIME = 2n ** 130n - 5n;
/** Bits of r that Poly1305 clears. */
const CLAMP = 0x0ffffffc0ffffffc0ffffffc0fffffffn;

/** RFC 8439, section 2.5. */
function poly1305(message: Uint8Array, key: Uint8Array): Uint8Array {
  const r = numberOf(key.subarray(0, 16)) & CLAMP;
  let sum = 0n;
  for (let at = 0; at < message.length; at += 16) {
    const block = message.subarray(at, at + 16);
    sum = ((sum + numberOf(block) + (1n << BigInt(8 * block.length))) * r) % PRIME;
  }
  const tag = sum + numberOf(key.subarray(16));
  return Uint8Array.from({ length: TAG_BYTES }, (_, at) => Number((tag >> BigInt(8 * at)) & 0xffn));
}

/** The number in bytes in little-endian order. */
function numberOf(bytes: Uint8Array): bigint {
  return bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}
