import { afterEach, expect, setSystemTime, test } from "bun:test";
import { Webhook as Receiver } from "standardwebhooks";
import { Secret } from "../../lib/secret/secret.ts";
import { makeWebhook, rotateSecret, secretsAt, type Webhook } from "../webhook.ts";
import { signedHeaders } from "./webhook-signature.ts";

const NOW = Date.parse("2027-03-10T12:00:00.900Z");
const MESSAGE = { id: "msg_1", atMs: NOW, body: '{"type":"credit.low","data":{"name":"Zoë’s \\"team\\""}}' };

afterEach(() => setSystemTime());

function webhook(): Webhook {
  return makeWebhook({ name: "a", url: "https://a.example", allowPrivate: false, kinds: null, paused: null }, NOW);
}

/** Verifies the message with the specification's official package, at this moment. */
function verify(headers: Record<string, string>, secret: Secret, body = MESSAGE.body, atMs = NOW): unknown {
  setSystemTime(new Date(atMs));
  return new Receiver(secret.reveal()).verify(body, headers);
}

test("signs the example of the specification as given there", () => {
  const secret = new Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  const message = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", atMs: 1_614_265_330_000, body: '{"test": 2432232314}' };
  expect(signedHeaders(message, [secret])).toEqual({
    "webhook-id": message.id,
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("the official receiver accepts signed messages, and rejects changed, old and foreign ones", () => {
  const { secret } = webhook();
  const headers = signedHeaders(MESSAGE, [secret]);
  expect(verify(headers, secret)).toEqual(JSON.parse(MESSAGE.body));
  expect(() => verify(headers, secret, MESSAGE.body.replace("low", "lot"))).toThrow();
  expect(() => verify({ ...headers, "webhook-id": "msg_2" }, secret)).toThrow();
  expect(() => verify(headers, secret, MESSAGE.body, NOW + 6 * 60_000)).toThrow();
  expect(() => verify(headers, webhook().secret)).toThrow();
});

test("after a rotation both secrets verify during the grace period, and then only the new one", () => {
  const before = webhook();
  const rotated = rotateSecret(before, 60_000, NOW);
  const during = signedHeaders(MESSAGE, secretsAt(rotated, NOW + 59_999));
  expect([verify(during, before.secret), verify(during, rotated.secret)]).toHaveLength(2);
  const later = signedHeaders(MESSAGE, secretsAt(rotated, NOW + 60_000));
  expect(verify(later, rotated.secret)).toBeObject();
  expect(() => verify(later, before.secret)).toThrow();
  expect(secretsAt(rotateSecret(before, 0, NOW), NOW)).toHaveLength(1);
});

test("secrets have the length of the specification and are unique", () => {
  const secrets = Array.from({ length: 50 }, () => webhook().secret.reveal());
  expect(new Set(secrets).size).toBe(50);
  for (const secret of secrets) expect(Uint8Array.fromBase64(secret.replace(/^whsec_/, ""))).toHaveLength(32);
});
