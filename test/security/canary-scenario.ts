import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS } from "../../src/cli/commands.ts";
import { operations } from "../../src/platform/operations.ts";
import type { Platform } from "../../src/platform/platform.ts";
import { isLong } from "../support/long.ts";
import { TEST_PRICE } from "../support/upstreams/mock-upstream.ts";
import type { ScriptedProvider } from "../oidc/scripted-provider.ts";
import { runTollgate } from "../support/gateway/run-tollgate.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import type { EchoingUpstream } from "./echoing-upstream.ts";
import { cookieIn, type RecordedPlatform, type RecordedReply } from "./recorded-platform.ts";
import type { LeakDetector } from "./leak-detector.ts";

/** The objects that the steps need. Each step creates secrets of a kind, and then triggers everything that might repeat them. */
export interface Scene {
  readonly gateway: RunningGateway;
  readonly platform: RecordedPlatform;
  readonly detector: LeakDetector;
  readonly upstream: EchoingUpstream;
  readonly provider: ScriptedProvider;
}

const SESSION = "tollgate_session";
const PENDING = "tollgate_oidc";
const newSession = (name: string) => (reply: RecordedReply) => ({ [name]: cookieIn(reply, SESSION) });
const newKey = (name: string) => (reply: RecordedReply) => ({ [name]: reply.body["key"] as string });
const cookieOf = (reply: RecordedReply): Record<string, string> => ({ cookie: `${SESSION}=${cookieIn(reply, SESSION)}` });
const printedKey = (stdout: string): string => /sk-service-\w{50}/.exec(stdout)![0];
const linkIn = ({ body }: RecordedReply): string => (body["invitation"] as { url: string }).url.split("#")[1]!;

/** Passwords, sessions, invitations and access tokens: valid ones, ones that are no longer valid, and invalid ones. */
export async function playPeople({ gateway, platform, detector }: Scene): Promise<void> {
  const first = detector.keep("first operator's link", gateway.signInUrl!.split("#")[1]!);
  const chosen = detector.invent("first operator's password");
  await platform.call("POST", "/api/invitations/show", { token: first });
  await platform.call("POST", "/api/invitations/accept", {
    token: first,
    password: detector.keep("a short password", "canary short").slice(0, 11),
  });
  const about = { email: "ada@example.test", name: "Ada" };
  const accepted = await platform.call(
    "POST",
    "/api/invitations/accept",
    { token: first, password: chosen, ...about },
    {},
    newSession("session by link"),
  );
  await platform.call("POST", "/api/invitations/accept", { token: first, password: chosen, ...about });

  const wrong = detector.invent("a wrong password");
  await platform.call("POST", "/api/sign-in", { email: "ada@example.test", password: wrong });
  await platform.call("POST", "/api/sign-in", { email: wrong, password: 12 });
  await platform.call("POST", "/api/sign-in", { email: "ada@example.test", password: [wrong] });
  await platform.call("POST", "/api/sign-in", `{"email":"ada@example.test","password":${JSON.stringify(wrong)}, }`);
  await platform.call("POST", "/api/sign-in", { email: "ada@example.test", password: chosen }, {}, newSession("session by password"));
  const next = detector.invent("a changed password");
  await platform.call("POST", "/api/me/password", { current: wrong, new: next }, cookieOf(accepted));
  const changed = await platform.call(
    "POST",
    "/api/me/password",
    { current: chosen, new: next },
    cookieOf(accepted),
    newSession("renewed session"),
  );

  const expires = new Date(Date.now() + 3_600_000).toISOString();
  const wanted = { name: "canary", scopes: ["keys:read"], expires_at: expires };
  const named = { "idempotency-key": "canary-token", ...cookieOf(changed) };
  const token = await platform.call("POST", "/api/me/access-tokens", wanted, named, ({ body }) => ({
    "access token": body["token"] as string,
  }));
  await platform.call("POST", "/api/me/access-tokens", wanted, named);
  await platform.call("GET", "/api/keys", undefined, { authorization: `Bearer ${token.body["token"] as string}` });
  await platform.call("GET", "/api/audit-log", undefined, { authorization: `Bearer ${token.body["token"] as string}` });
  await platform.call("DELETE", `/api/me/access-tokens/${token.body["id"] as string}`, undefined, cookieOf(changed));

  const member = { email: "bob@example.test", name: "Bob", role: "member", account: "default" };
  const invited = await platform.call("POST", "/api/people", member, { "idempotency-key": "canary-person" }, (reply) => ({
    invitation: linkIn(reply),
  }));
  await platform.call("POST", "/api/people", member, { "idempotency-key": "canary-person" });
  await platform.call("POST", `/api/people/${invited.body["id"] as string}/invitation`, undefined, {}, (reply) => ({
    "second invitation": linkIn(reply),
  }));
  await platform.call("GET", `/welcome%23${linkIn(invited)}`);
  await platform.call("GET", `/welcome/${linkIn(invited)}`);
}

/** Keys: created, used, rotated, put into wrong places, and revoked by their holder. */
export async function playKeys({ gateway, platform, upstream }: Scene): Promise<void> {
  await platform.call("POST", "/api/accounts/default/grants", { amount: "10", reference: "canary", reason: "canary" });
  const wanted = { name: "canary", models: ["*"] };
  const made = await platform.call("POST", "/api/keys", wanted, { "idempotency-key": "canary-key" }, newKey("model key"));
  await platform.call("POST", "/api/keys", wanted, { "idempotency-key": "canary-key" });
  const { id, key } = made.body as { id: string; key: string };
  const rotated = await platform.call("POST", `/api/keys/${id}/rotate`, { grace_period_seconds: 600 }, {}, newKey("rotated model key"));
  for (const model of upstream.models) {
    for (const stream of [false, true]) await platform.chat(key, { model, stream, messages: [{ role: "user", content: "hello" }] });
  }
  for (const model of upstream.models) {
    for (const stream of [false, true]) {
      await platform.call("POST", `/api/keys/${id}/chat/completions`, { model, stream, messages: [{ role: "user", content: "hello" }] });
    }
  }
  await platform.chat(key, { model: `${"x".repeat(150)}${key}`, messages: [{ role: "user", content: "hello" }] });
  const { baseUrl } = gateway;
  for (const path of [`/${key}`, `/models/${key}?key=${key}`, `/${"x".repeat(150)}${key}`]) await platform.send(`${baseUrl}${path}`, "GET");
  await platform.send(`${baseUrl}/chat/completions`, "POST", { [key]: 1 }, { authorization: `Bearer ${key}` });
  await platform.call("GET", `/api/keys?${key}=1`);
  await platform.call("PUT", `/api/keys/${key}`);
  await platform.call("GET", `/api/keys/${key}`);
  await platform.call("GET", "/api/me", undefined, { authorization: `Bearer ${key}` });
  await platform.call("POST", "/api/keys/revoke", { key: `${key}x` });
  await platform.call("POST", "/api/keys/revoke", { key: [key] });
  await platform.call("POST", "/api/keys/revoke", { key: rotated.body["key"] });
}

/** Credentials of upstreams, which repeat them in responses, and of the OpenID provider, which does the same. */
export async function playCredentials({ gateway, platform, detector, upstream, provider }: Scene): Promise<void> {
  const credential = detector.invent("credential by API");
  const wanted = { id: "by-api", dialect: "openai", base_url: upstream.baseUrl, allow_private: true };
  await platform.call("POST", "/api/upstreams", { ...wanted, credential: [credential] });
  await platform.call("POST", "/api/upstreams", { ...wanted, credentials: credential });
  await platform.call("POST", "/api/upstreams", {
    ...wanted,
    credential: detector.keep("credential with spaces", "canary with spaces 0123"),
  });
  await platform.call("POST", "/api/upstreams", { ...wanted, credential, dialect: "echo" });
  await platform.call("POST", "/api/upstreams", {
    ...wanted,
    credential,
    base_url: `https://user:${encodeURIComponent(credential)}@upstream.test`,
  });
  await platform.call("POST", "/api/upstreams", { ...wanted, credential });
  await platform.call("POST", "/api/upstreams/by-api/test");
  for (const model of upstream.models) await platform.call("POST", "/api/upstreams/by-api/doctor", { model });
  const route = { routes: [{ upstream: "by-api", model: "bad-request" }], free: true };
  await platform.call("POST", "/api/models", { id: "api-model", ...route });
  const again = detector.invent("replaced credential");
  await platform.call("POST", "/api/upstreams/by-api/credential/test", { credential: detector.invent("tried credential") });
  await platform.call("PUT", "/api/upstreams/by-api/credential", { credentials: again });
  await platform.call("PUT", "/api/upstreams/by-api/credential", { credentials: [again, again] });
  await platform.call("PUT", "/api/upstreams/by-api/credential", { credentials: [`${again} `] });
  await platform.call("PUT", "/api/upstreams/by-api/credential", { credentials: [again] });
  await platform.call("PATCH", "/api/upstreams/by-api", { base_url: "https://upstream.test", credential: { a: again } });
  for (const id of ["by-api", "by-file", "by-env"]) await platform.call("POST", `/api/upstreams/${id}/test`);
  await platform.call("DELETE", "/api/upstreams/by-api/credential");

  for (const methods of [["client_secret_basic"], ["client_secret_post"]]) {
    provider.script = { metadata: { token_endpoint_auth_methods_supported: methods }, answers: { "/token": () => echoOf(provider) } };
    await platform.call("GET", "/api/sign-in/methods");
    const begun = await platform.call("GET", "/api/sign-in/oidc", undefined, {}, (reply) => ({
      "sign-in under way": cookieIn(reply, PENDING),
    }));
    const { pathname, search } = new URL(provider.agree(begun.headers.get("location")!));
    await platform.send(`${gateway.platformUrl}${pathname}${search}`, "GET", undefined, {
      cookie: `${PENDING}=${cookieIn(begun, PENDING)}`,
    });
  }
}

/** Everything that the provider received and that contains the gateway's secret. */
function echoOf(provider: ScriptedProvider): Response {
  const { headers, form } = provider.calls.at(-1)!;
  const secret = new URLSearchParams({ client_secret: form.get("client_secret") ?? "" }).toString();
  const description = `you sent ${headers.get("authorization")} and ${secret}, which is ${form.get("client_secret")}`;
  return Response.json({ error: "invalid_grant", error_description: description }, { status: 400 });
}

/** Loads invalid config files, each with a secret in it, and finally the valid one again. */
export async function playReloads(
  { gateway, platform, detector }: Scene,
  good: string,
  environment: Record<string, string>,
): Promise<void> {
  const file = join(gateway.folder, "tollgate.yaml");
  for (const [at, broken] of brokenFiles(detector.invent("credential in a broken file")).entries()) {
    writeFileSync(file, broken);
    const { status } = await platform.call("POST", "/api/config/reload");
    process.kill(gateway.pid, "SIGHUP");
    if (status !== 400) throw new Error(`this file should be refused: ${broken}`);
    // A start reports the same errors.
    if (!isLong && at % 4 > 0) continue;
    const { code, stdout, stderr } = await runTollgate(gateway, ["start"], { env: environment });
    if (code === 0) throw new Error(`this file should be refused: ${broken}`);
    detector.record("a start with a broken file", stdout + stderr);
  }
  writeFileSync(file, good);
  await platform.call("POST", "/api/config/reload");
}

function brokenFiles(secret: string): string[] {
  const quoted = JSON.stringify(secret);
  const variable = `"\${${FROM_ENVIRONMENT}}"`;
  return [
    withUpstream(`credential: ${quoted.slice(0, -1)}`),
    withUpstream(`credential: [${quoted}]`),
    withUpstream(`credential: { value: ${quoted} }`),
    withUpstream(`credentials: ${quoted}`),
    withUpstream(`credentials: [[${quoted}]]`),
    withUpstream(`credentials: [${quoted}, ${quoted}]`),
    withUpstream(`credentials: [${JSON.stringify(`${secret} `)}]`),
    withUpstream(`credential: ${quoted}, credentials: [${quoted}]`),
    withUpstream(`credential: ${JSON.stringify(`${secret} `)}`),
    withUpstream(`credential: ${quoted}, credential: ${quoted}`),
    withUpstream(`base_url: ${JSON.stringify(`https://x:${encodeURIComponent(secret)}@a.test`)}`, ""),
    `upstreams:\n  - id: a\n    credential: ${secret}: ${secret}\n`,
    `upstreams:\n\t- credential: ${quoted}\n`,
    withUpstream(`base_url: ${variable}`, ""),
    withUpstream(`allow_private: ${variable}`),
    withModel(`routes: [{ upstream: ${variable}, model: c }]`),
    withModel(`routes: [{ upstream: a, model: c }], state: ${variable}`),
    withModel(`routes: [{ upstream: a, model: c }], price: ${variable}`),
  ];
}

function withUpstream(more: string, address = "base_url: https://a.test, "): string {
  return `models: []\nupstreams: [{ id: a, dialect: openai, ${address}${more} }]\n`;
}

function withModel(more: string): string {
  return `upstreams: [{ id: a, dialect: echo }]\nmodels: [{ id: b, ${more} }]\n`;
}

/** Calls every operation with too few and too many fields, as a person with and without the permission. */
export async function playEverything({ platform }: Scene): Promise<void> {
  for (const { method, path } of operations({} as Platform)) {
    if (path === "/api/sign-out") continue;
    const target = path.replaceAll(/:\w+/g, "none-such");
    const body = method === "GET" ? undefined : {};
    await platform.call(method, target, body);
    await platform.call(method, target, body && { ...body, unknown: "field" }, { authorization: "Bearer junk" });
  }
}

/** Runs commands of the command line, with a valid token and an invalid one. */
export async function playCommands({ gateway, detector }: Scene): Promise<void> {
  const run = async (words: readonly string[], env: Record<string, string> = {}, shown?: (stdout: string) => string): Promise<void> => {
    const { stdout, stderr } = await runTollgate(gateway, words, { env });
    const secret = shown?.(stdout);
    if (secret !== undefined) detector.keep(`key by ${words.join(" ")}`, secret);
    detector.record(`the output of ${words.join(" ")}`, stdout + stderr, secret === undefined ? [] : [secret]);
  };
  await run(["keys", "create", "--name", "cli", "--models", "*"], {}, printedKey);
  await run(["keys", "create", "--name", "cli", "--models", "*", "--json"], {}, printedKey);
  const wrong = detector.keep("a wrong operator token", "canary-wrong-operator-token");
  const wordsOfAll = Object.keys(COMMANDS).filter((words) => words !== "start");
  // One command per resource in the short run, because each command starts a process.
  const chosen = isLong ? wordsOfAll : [...Map.groupBy(wordsOfAll, (words) => words.split(" ")[0]!).values()].map(([words]) => words!);
  for (const words of chosen) await run([...words.split(" "), "none-such", "--json"]);
  for (const words of [
    ["keys", "list"],
    ["keys", "list", "--json"],
    ["accounts", "list"],
  ])
    await run(words, { TOLLGATE_OPERATOR_TOKEN: wrong });
}

/** The environment variable of one of the credentials. */
export const FROM_ENVIRONMENT = "UPSTREAM_CREDENTIAL";

/** The credentials in the gateway's config: one is written in the file, one comes from the environment. */
export function configWith(upstream: EchoingUpstream, literal: string): string {
  const at = `dialect: openai, base_url: "${upstream.baseUrl}", allow_private: true`;
  const models = upstream.models.map((model, index) => {
    const by = index % 2 === 0 ? "by-file" : "by-env";
    return `  - { id: ${model}, routes: [{ upstream: ${by}, model: ${model} }], price: ${TEST_PRICE} }`;
  });
  return `upstreams:
  - { id: by-file, ${at}, credential: ${JSON.stringify(literal)} }
  - { id: by-env, ${at}, credential: "\${${FROM_ENVIRONMENT}}" }
models:
${models.join("\n")}
`;
}
