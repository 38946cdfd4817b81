import type { Operation } from "../../src/platform/operation.ts";
import { Dice } from "./random.ts";
import { textFor, valueFor, type Known } from "./random-values.ts";
import type { RawRequest } from "./raw-connection.ts";
import type { Refreshed } from "./three-accounts.ts";

/** Fields that no request has, by which somebody might be made to act for another, or to be more than they are. */
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

/** Headers in which other servers are told who calls, or what is meant. */
const SPOOFED: readonly Record<string, string>[] = [
  { "x-forwarded-for": "127.0.0.1", "x-real-ip": "127.0.0.1" },
  { "x-http-method-override": "DELETE" },
  { "x-original-url": "/api/accounts/acct-b", "x-rewrite-url": "/api/accounts/acct-b" },
  { "x-account": "acct-b", "x-user": "operator", "x-remote-user": "ada@example.test" },
  { "openai-organization": "acct-b" },
];

/** A call of an operation with everything in it chosen at random, the same for the same seed. */
export function randomCall(operation: Operation, seed: number, member: Refreshed, known: Known): RawRequest {
  const dice = new Dice(seed);
  const path = randomPath(operation.path, dice, known) + randomQuery(operation, dice, known);
  const headers = { ...randomWay(dice, member), ...randomHeaders(dice) };
  if (operation.method === "GET") return { method: "GET", path, headers };
  const method = dice.happens(0.02) ? dice.pick(["POST", "PUT", "PATCH", "DELETE"]) : operation.method;
  return { method, path, headers: { "content-type": "application/json", ...headers }, body: randomBody(operation, dice, known) };
}

function randomPath(pattern: string, dice: Dice, known: Known): string {
  return pattern.replaceAll(/([\w-]+)\/:\w+/g, (_, part: string) => {
    const text = textFor(part, dice, known).toWellFormed();
    // As it is, it may be more than one step of the path; a space would end it.
    return `${part}/${dice.happens(0.1) ? text.replaceAll(/[^!-~]/g, "+") : encodeURIComponent(text)}`;
  });
}

function randomQuery({ query = {} }: Operation, dice: Dice, known: Known): string {
  const names = query === "any" ? ["code", "state"] : Object.keys(query).filter(() => dice.happens(0.3));
  if (dice.happens(0.03)) names.push(dice.pick(["account", "account", "role", "__proto__", "limit"]));
  const pairs = names.map((name) => {
    const value = query === "any" ? textFor(name, dice, known) : valueFor(query[name] ?? {}, name, dice, known);
    return `${name}=${encodeURIComponent(typeof value === "string" ? value.toWellFormed() : JSON.stringify(value))}`;
  });
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function randomWay(dice: Dice, { sessions, tokens }: Refreshed): Record<string, string> {
  if (dice.happens(0.03)) return {};
  if (dice.happens(0.4)) return { authorization: `Bearer ${dice.pick(tokens)}` };
  return { cookie: dice.pick(sessions), ...(dice.happens(0.97) && { "x-tollgate-request": "test" }) };
}

function randomHeaders(dice: Dice): Record<string, string> {
  return {
    ...(dice.happens(0.15) && { "idempotency-key": `shared-${Math.floor(dice.roll() * 40)}` }),
    ...(dice.happens(0.05) && dice.pick(SPOOFED)),
    ...(dice.happens(0.02) && { "content-type": dice.pick(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) }),
  };
}

function randomBody({ body = {} }: Operation, dice: Dice, known: Known): string {
  const text = JSON.stringify(valueFor(body, "", dice, known) ?? null).toWellFormed();
  const chance = dice.roll();
  if (chance < 0.01) return text.slice(0, -1);
  if (chance < 0.012) return `{"name":"${"x".repeat(300_000)}"}`;
  if (chance < 0.02) return "[".repeat(200) + "]".repeat(200);
  if (chance < 0.1 && text.startsWith("{")) {
    const smuggled = dice.pick(SMUGGLED);
    if (text === "{}") return `{${smuggled}}`;
    // Before what is meant or behind it: where a name is given twice, parsers differ in which they take.
    return dice.happens(0.5) ? `{${smuggled},${text.slice(1)}` : `${text.slice(0, -1)},${smuggled}}`;
  }
  return text;
}
