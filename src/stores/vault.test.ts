import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../test/support/long.ts";
import { Secret } from "../lib/secret/secret.ts";
import { Vault } from "./vault.ts";

const vault = new Vault(new Secret("the secret of this installation, long"));
const another = new Vault(new Secret("the secret of another installation"));

const CREDENTIAL = new Secret("sk-upstream-credential-canary");
const text = fc.string({ unit: "binary" });

test("decrypts for the same purpose, and for no other", () => {
  fc.assert(
    fc.property(text, text, text, (credential, purpose, other) => {
      const sealed = vault.seal(new Secret(credential), purpose);
      // Text that is not valid Unicode cannot be a credential: halves of surrogate pairs become replacement characters.
      expect(vault.open(sealed, purpose)?.reveal()).toBe(credential.toWellFormed());
      if (other.toWellFormed() !== purpose.toWellFormed()) expect(vault.open(sealed, other)).toBeUndefined();
    }),
    runs(300),
  );
});

test("encrypts the same credential to different ciphertexts, which reveal nothing of it", () => {
  const sealed = Array.from({ length: 100 }, () => vault.seal(CREDENTIAL, "upstream a"));
  expect(new Set(sealed).size).toBe(100);
  for (const each of sealed) {
    const bytes = Buffer.from(each.split(".")[2]!, "base64url").toString("latin1");
    expect(each + bytes).not.toContain("canary");
  }
});

test("decrypts nothing with another secret", () => {
  expect(another.open(vault.seal(CREDENTIAL, "upstream a"), "upstream a")).toBeUndefined();
});

test("returns undefined for a changed, truncated or forged ciphertext", () => {
  const sealed = vault.seal(CREDENTIAL, "p");
  const [version, name, body] = sealed.split(".") as [string, string, string];
  const bytes = Buffer.from(body, "base64url");
  for (let at = 0; at < bytes.length; at++) {
    const damaged = Buffer.from(bytes);
    damaged[at]! ^= 1;
    expect(vault.open(`${version}.${name}.${damaged.toString("base64url")}`, "p")).toBeUndefined();
    expect(vault.open(`${version}.${name}.${bytes.subarray(0, at).toString("base64url")}`, "p")).toBeUndefined();
  }
  for (const madeUp of ["", "v1", `v1.${name}`, `v1.${name}.`, `v1..${body}`, `v2.${name}.${body}`, body]) {
    expect(vault.open(madeUp, "p")).toBeUndefined();
  }
});

test("the old secret decrypts its ciphertexts, which are outdated until they are encrypted again", () => {
  const old = new Secret("the secret of this installation, long");
  const rotated = new Vault(new Secret("the secret that takes its place now"), old);
  const sealed = vault.seal(CREDENTIAL, "p");
  expect([rotated.open(sealed, "p")?.reveal(), rotated.isOutdated(sealed)]).toEqual([CREDENTIAL.reveal(), true]);
  const resealed = rotated.seal(CREDENTIAL, "p");
  expect([rotated.open(resealed, "p")?.reveal(), rotated.isOutdated(resealed), vault.open(resealed, "p")]).toEqual([
    CREDENTIAL.reveal(),
    false,
    undefined,
  ]);
});
