import { expect, test } from "bun:test";
import { redactSigningSecrets, makeWebhook, wants } from "./webhook.ts";

const WANTED = { name: "a", url: "https://a.example", allowPrivate: false, kinds: null, paused: null };

function told(changes: object): boolean {
  return wants({ ...makeWebhook(WANTED, 1), ...changes }, { kind: "cap.near" });
}

test("a webhook receives its chosen kinds, all kinds without a choice, and nothing while it is paused", () => {
  expect([told({}), told({ kinds: ["cap.near"] }), told({ kinds: ["cap.reached"] }), told({ paused: "so" })]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test("hides signing secrets in a text, also in URL encoding", () => {
  for (let at = 0; at < 50; at++) {
    const secret = makeWebhook(WANTED, 1).secret.reveal();
    expect(redactSigningSecrets(`a ${secret} b, c=${encodeURIComponent(secret)} d`)).toBe("a whsec_… b, c=whsec_… d");
  }
});
