import type { Schema } from "../../src/lib/schema/schema.ts";
import type { Operation } from "../../src/platform/operation.ts";
import { SeededRandom } from "../support/random.ts";
import { textFor, valueFor, type KnownValues } from "./random-values.ts";
import type { RawRequest } from "./raw-connection.ts";
import type { RefreshedCredentials } from "./three-accounts.ts";

/** Fields that no request has, by which an attacker might try to act for another person, or with more rights. */
const SMUGGLED = [
  '"account":"acct-b"',
  '"account_id":"acct-b"',
  '"accountId":"acct-b"',
  '"role":"operator"',
  '"actor":"operator-token"',
  '"scopes":null',
  '"id":"acct-b"',
  '"hash":"00"',
  '"revoked_at":null',
  '"credit":"1000"',
  '"__proto__":{"role":"operator","accountId":"acct-b","scopes":null}',
  '"constructor":{"prototype":{"role":"operator"}}',
] as const;

/** Headers that tell other servers who calls, or which resource is meant. */
const SPOOFED: readonly Record<string, string>[] = [
  { "x-forwarded-for": "127.0.0.1", "x-real-ip": "127.0.0.1" },
  { "x-http-method-override": "DELETE" },
  { "x-original-url": "/api/accounts/acct-b", "x-rewrite-url": "/api/accounts/acct-b" },
  { "x-account": "acct-b", "x-user": "operator", "x-remote-user": "ada@example.test" },
  { "openai-organization": "acct-b" },
];

/** A call of an operation with random content, the same for the same seed. */
export function randomCall(operation: Operation, seed: number, member: RefreshedCredentials, known: KnownValues): RawRequest {
  const random = new SeededRandom(seed);
  const path = randomPath(operation.path, random, known) + randomQuery(operation, random, known);
  const headers = { ...randomWay(random, member), ...randomHeaders(random) };
  if (operation.method === "GET") return { method: "GET", path, headers };
  const method = random.happens(0.02) ? random.pick(["POST", "PUT", "PATCH", "DELETE"]) : operation.method;
  return { method, path, headers: { "content-type": "application/json", ...headers }, body: randomBody(operation, random, known) };
}

function randomPath(pattern: string, random: SeededRandom, known: KnownValues): string {
  return pattern.replaceAll(/([\w-]+)\/:\w+/g, (_, part: string) => {
    const text = textFor(part, random, known).toWellFormed();
    // The text may contain slashes, but a space would end the path.
    return `${part}/${random.happens(0.1) ? text.replaceAll(/[^!-~]/g, "+") : encodeURIComponent(text)}`;
  });
}

function randomQuery({ query = {} }: Operation, random: SeededRandom, known: KnownValues): string {
  const names = query === "any" ? ["code", "state"] : Object.keys(query).filter(() => random.happens(0.3));
  if (random.happens(0.03)) names.push(random.pick(["account", "account", "role", "__proto__", "limit"]));
  const pairs = names.map((name) => {
    const value = query === "any" ? textFor(name, random, known) : valueFor(query[name] ?? {}, name, random, known);
    return `${name}=${encodeURIComponent(typeof value === "string" ? value.toWellFormed() : JSON.stringify(value))}`;
  });
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function randomWay(random: SeededRandom, { sessions, tokens }: RefreshedCredentials): Record<string, string> {
  if (random.happens(0.03)) return {};
  if (random.happens(0.4)) return { authorization: `Bearer ${random.pick(tokens)}` };
  return { cookie: random.pick(sessions), ...(random.happens(0.97) && { "x-tollgate-request": "test" }) };
}

function randomHeaders(random: SeededRandom): Record<string, string> {
  return {
    ...(random.happens(0.15) && { "idempotency-key": `shared-${Math.floor(random.next() * 40)}` }),
    ...(random.happens(0.05) && random.pick(SPOOFED)),
    ...(random.happens(0.02) && {
      "content-type": random.pick(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]),
    }),
  };
}

/** The body schema of an operation without a body: only an object without fields is accepted. */
const NO_FIELDS: Schema = { type: "object", properties: {} };

function randomBody({ body = NO_FIELDS }: Operation, random: SeededRandom, known: KnownValues): string {
  const text = JSON.stringify(valueFor(body, "", random, known) ?? null).toWellFormed();
  const chance = random.next();
  if (chance < 0.01) return text.slice(0, -1);
  if (chance < 0.012) return `{"name":"${"x".repeat(300_000)}"}`;
  if (chance < 0.02) return "[".repeat(200) + "]".repeat(200);
  if (chance < 0.1 && text.startsWith("{")) {
    const smuggled = random.pick(SMUGGLED);
    if (text === "{}") return `{${smuggled}}`;
    // Before or after the real fields: parsers differ in which of two equal names they use.
    return random.happens(0.5) ? `{${smuggled},${text.slice(1)}` : `${text.slice(0, -1)},${smuggled}}`;
  }
  return text;
}
