import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { Secret } from "../lib/secret/secret.ts";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A key that seals, and the name by which what it sealed finds it again. */
interface SealingKey {
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * Seals our credentials at upstreams, AES-256-GCM, so that the database alone gives none away. What is sealed is bound to what
 * it is for: put in another's place it does not open. The key comes from a secret that is not in the database; what an older
 * secret sealed can still be opened while that one is known, and is to be sealed anew.
 */
export class Vault {
  readonly #current: SealingKey;
  readonly #keys: ReadonlyMap<string, SealingKey>;

  constructor(secret: Secret, oldSecret?: Secret) {
    this.#current = deriveKey(secret);
    const all = [...(oldSecret ? [deriveKey(oldSecret)] : []), this.#current];
    this.#keys = new Map(all.map((key) => [key.name, key]));
  }

  seal(secret: Secret, purpose: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#current.bytes, nonce).setAAD(Buffer.from(purpose));
    const sealed = Buffer.concat([nonce, cipher.update(secret.reveal(), "utf8"), cipher.final(), cipher.getAuthTag()]);
    return `v1.${this.#current.name}.${sealed.toString("base64url")}`;
  }

  /** What was sealed, or undefined where it was for another purpose, with another secret, or is damaged. */
  open(text: string, purpose: string): Secret | undefined {
    const [version, name, body] = text.split(".");
    const key = this.#keys.get(name ?? "");
    if (version !== "v1" || !key || body === undefined) return undefined;
    const bytes = Buffer.from(body, "base64url");
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv("aes-256-gcm", key.bytes, bytes.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(purpose));
    try {
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const opened = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
      return new Secret(opened.toString("utf8"));
    } catch {
      return undefined;
    }
  }

  /** Whether it was sealed with an older secret. */
  isOutdated(text: string): boolean {
    return text.split(".")[1] !== this.#current.name;
  }
}

function deriveKey(secret: Secret): SealingKey {
  const bytes = Buffer.from(hkdfSync("sha256", secret.reveal(), "", "tollgate: credentials at upstreams", 32));
  const name = new Bun.CryptoHasher("sha256").update(bytes).update("name").digest("hex").slice(0, 8);
  return { name, bytes };
}

/** What was sealed cannot be opened with the secrets that are known. */
export class SecretLost extends Error {}
