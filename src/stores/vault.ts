import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { Secret } from "../lib/secret/secret.ts";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** An encryption key, and the name under which ciphertexts refer to it. */
interface SealingKey {
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * Encrypts upstream credentials and webhook secrets with AES-256-GCM, so that the database alone reveals none. A ciphertext is bound to its
 * purpose (additional authenticated data): moved to another row, it does not decrypt. The key is derived from a secret outside the
 * database. After a rotation, ciphertexts of the old secret decrypt as long as the old secret is configured, and are encrypted again at
 * startup.
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

  /** The plaintext. Undefined for another purpose, an unknown secret, or a damaged ciphertext. */
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

  /** Whether a ciphertext was encrypted with the old secret. */
  isOutdated(text: string): boolean {
    return text.split(".")[1] !== this.#current.name;
  }
}

function deriveKey(secret: Secret): SealingKey {
  const bytes = Buffer.from(hkdfSync("sha256", secret.reveal(), "", "tollgate: credentials at upstreams", 32));
  const name = new Bun.CryptoHasher("sha256").update(bytes).update("name").digest("hex").slice(0, 8);
  return { name, bytes };
}

/** The error for a ciphertext that none of the configured secrets decrypts. */
export class SecretLost extends Error {}
