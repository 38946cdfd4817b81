import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { Actor } from "../access/access.ts";
import type { Secret } from "../lib/secret/secret.ts";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Positions are padded to a multiple of this length, so that the length of a cursor does not reveal the size of a number in it. */
const BLOCK_BYTES = 64;

/**
 * Pagination cursors of one list (an operation and its path) for one account. A position may be a number that counts the activity of all
 * accounts, so it is encrypted with AES-256-GCM. The key is derived from the secret of the data folder, so a cursor survives a restart, and
 * nothing is stored. A cursor is valid only for its own list and account. The nonce is random: otherwise a client could observe by polling
 * how often a position changes.
 */
export class Cursors {
  readonly #secret: Secret;
  readonly #purpose: Buffer;

  constructor(
    secret: Secret,
    list: readonly [operationId: string, params?: Readonly<Record<string, string>>],
    { role, accountId }: Pick<Actor, "role" | "accountId">,
  ) {
    this.#secret = secret;
    this.#purpose = Buffer.from(JSON.stringify([list, role, role === "operator" ? null : accountId]));
  }

  seal(place: readonly (string | number)[]): string {
    const text = Buffer.from(JSON.stringify(place));
    const padded = Buffer.alloc(Math.ceil(text.length / BLOCK_BYTES) * BLOCK_BYTES, " ");
    text.copy(padded);
    const nonce = makeNonce();
    const cipher = createCipheriv("aes-256-gcm", this.#key(), nonce).setAAD(this.#purpose);
    return Buffer.concat([nonce, cipher.update(padded), cipher.final(), cipher.getAuthTag()]).toString("base64url");
  }

  /** The position in a cursor, or undefined if it is not valid for this list and account. */
  open(cursor: string): unknown {
    const bytes = Buffer.from(cursor, "base64url");
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv("aes-256-gcm", this.#key(), bytes.subarray(0, NONCE_BYTES)).setAAD(this.#purpose);
    try {
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString());
    } catch {
      return undefined;
    }
  }

  #key(): Buffer {
    return Buffer.from(hkdfSync("sha256", this.#secret.reveal(), "", "tollgate: cursors of lists", 32));
  }
}

const HYPHEN_IN_BASE64URL = 62;

/** No cursor begins with a hyphen: in a command line, such as `--cursor CURSOR`, it would be parsed as an option. */
function makeNonce(): Buffer {
  let nonce: Buffer;
  do nonce = randomBytes(NONCE_BYTES);
  while (nonce[0]! >> 2 === HYPHEN_IN_BASE64URL);
  return nonce;
}
