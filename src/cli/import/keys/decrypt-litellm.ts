import { createDecipheriv, createHash } from "node:crypto";
import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";
import { CommandFailed } from "../../command.ts";

/** The prefix of AES-256-GCM ciphertexts. It is followed, in base64url, by 12 bytes of nonce, the ciphertext and 16 bytes of tag. */
const GCM_PREFIX = "v2:gcm:";
const GCM_NONCE_BYTES = 12;
const GCM_TAG_BYTES = 16;
/** Other ciphertexts are a `SecretBox` of NaCl: 24 bytes of nonce, 16 bytes of tag and the ciphertext of XSalsa20-Poly1305. */
const { nonceLength: BOX_NONCE_BYTES, tagLength: BOX_TAG_BYTES } = xsalsa20poly1305;

/** base64url, or base64 in old versions. Text that mixes both alphabets, or has no padding, is not ciphertext. */
const BASE64 = /^(?:[\w-]+|[A-Za-z\d+/]+)={0,2}$/;

/**
 * Decrypts texts of LiteLLM's database. Each is encrypted with the SHA-256 of the salt key, which is `LITELLM_SALT_KEY`, or the master key
 * if that is not set.
 */
export class LiteLLMDecryption {
  readonly #key: Uint8Array;

  constructor(saltKey: string) {
    this.#key = createHash("sha256").update(saltKey).digest();
  }

  /**
   * The plaintext. A text that cannot be a ciphertext is returned unchanged, as LiteLLM does. Throws `CommandFailed`, which names `whose`.
   */
  read(text: string, whose: string): string {
    const plaintext = this.tryRead(text);
    if (plaintext !== undefined) return plaintext;
    throw new CommandFailed(
      `${whose} cannot be decrypted with this salt key: it is LITELLM_SALT_KEY of LiteLLM, or else its master key. Nothing was imported or written`,
    );
  }

  /** Undefined if the text may be encrypted with another key. */
  tryRead(text: string): string | undefined {
    const box = ciphertextIn(text);
    if (!box) return text;
    try {
      return new TextDecoder().decode(text.startsWith(GCM_PREFIX) ? this.#openGcm(box) : this.#openSecretBox(box));
    } catch {
      return undefined;
    }
  }

  #openGcm(box: Uint8Array): Uint8Array {
    const decipher = createDecipheriv("aes-256-gcm", this.#key, box.subarray(0, GCM_NONCE_BYTES));
    decipher.setAuthTag(box.subarray(-GCM_TAG_BYTES));
    return Buffer.concat([decipher.update(box.subarray(GCM_NONCE_BYTES, -GCM_TAG_BYTES)), decipher.final()]);
  }

  #openSecretBox(box: Uint8Array): Uint8Array {
    return xsalsa20poly1305(this.#key, box.subarray(0, BOX_NONCE_BYTES)).decrypt(box.subarray(BOX_NONCE_BYTES));
  }
}

export function isCiphertext(text: string): boolean {
  return ciphertextIn(text) !== undefined;
}

function ciphertextIn(text: string): Uint8Array | undefined {
  if (text.startsWith(GCM_PREFIX)) {
    const box = Buffer.from(text.slice(GCM_PREFIX.length), "base64url");
    return box.length < GCM_NONCE_BYTES + GCM_TAG_BYTES ? undefined : box;
  }
  if (text.length % 4 !== 0 || !BASE64.test(text)) return undefined;
  const box = Buffer.from(text, "base64");
  return box.length < BOX_NONCE_BYTES + BOX_TAG_BYTES ? undefined : box;
}
