/**
 * Records the data folder that a version of Tollgate leaves, as text, for upgrades.full.test.ts:
 * `bun test/upgrades/record-folder.ts <checkout> <name>` writes test/upgrades/folders/<name>. The checkout needs its node_modules.
 * Record a folder before a migration is added or a file's format changes. A recorded folder is never recorded again: it holds what that
 * version wrote.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import {
  chunk,
  completion,
  events,
  GOOD_CHUNKS,
  manualStream,
  rawEvents,
  startMockUpstream,
  type MockUpstream,
} from "../support/upstreams/mock-upstream.ts";
import { Visitor } from "../people/visitor.ts";
import { waitFor } from "../support/gateway/start-gateway.ts";
import { dumpFolder } from "./dump-folder.ts";
import { RecordedGateway, SECRET } from "./recorded-gateway.ts";

/** Long enough for what a gateway writes every second or so: the progress of a stream, the use of keys, the request log. */
const SETTLE_MS = 2500;

function startUpstream(): MockUpstream {
  return startMockUpstream({
    steady: ({ body }) => (body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion())),
    broken: () => new Response("no", { status: 500 }),
    stalled: () => {
      const { stream, write } = manualStream();
      write(`data: ${chunk({ role: "assistant", content: "One word" })}\n\n`);
      return rawEvents(stream);
    },
  });
}

function configure(folder: string, { baseUrl }: MockUpstream, more: string): void {
  const price = "price: { input_per_million: 1, output_per_million: 2 }";
  const models = ["steady", "broken", "stalled"].map((id) => `  - { id: ${id}, routes: [{ upstream: mock, model: ${id} }], ${price} }`);
  const upstream = `{ id: mock, dialect: openai, base_url: "${baseUrl}", credential: c${more} }`;
  writeFileSync(join(folder, "tollgate.yaml"), `upstreams: [${upstream}]\nmodels:\n${models.join("\n")}\n`);
}

/** The first versions know no `allow_private`, and later ones need it. */
async function startEither(checkout: string, folder: string, mock: MockUpstream): Promise<RecordedGateway> {
  configure(folder, mock, ", allow_private: true");
  return RecordedGateway.start(checkout, folder).catch(() => {
    configure(folder, mock, "");
    return RecordedGateway.start(checkout, folder);
  });
}

async function createPeople(gateway: RecordedGateway): Promise<void> {
  const invited = await gateway.platform("POST", "/api/people", { email: "op@example.com", name: "Op", role: "operator" });
  await gateway.platform("POST", "/api/people", { email: "member@example.com", name: "Member", role: "member", account: "acme" });
  if (!invited) return;
  const visitor = new Visitor(gateway.platformUrl);
  await visitor.accept((invited["invitation"] as { url: string }).url);
  const expiresAt = new Date(Date.now() + 30 * 86_400_000).toISOString();
  await visitor.call("POST", "/api/me/access-tokens", { name: "deploy", scopes: ["accounts:read"], expires_at: expiresAt });
}

async function createCatalog(gateway: RecordedGateway, { baseUrl }: MockUpstream): Promise<void> {
  const upstream = { id: "created", dialect: "openai", base_url: baseUrl, credential: "credential-of-created" };
  const created = await gateway.platform("POST", "/api/upstreams", { ...upstream, allow_private: true });
  if (!created) await gateway.platform("POST", "/api/upstreams", upstream);
  await gateway.platform("POST", "/api/models", { id: "of-operators", routes: [{ upstream: "created", model: "steady" }], free: true });
  await gateway.platform("POST", "/api/models/of-operators/deprecate", { shutdown_date: "2099-01-01", replacement: "steady" });
  const webhook = await gateway.platform("POST", "/api/webhooks", { name: "receiver", url: `${baseUrl}/hook`, allow_private: true });
  if (webhook) await gateway.platform("POST", `/api/webhooks/${String(webhook["id"])}/test`, {});
}

/** A few rows of everything that the version has. Returns the plaintext of the keys that work. */
async function fill(gateway: RecordedGateway, mock: MockUpstream): Promise<string[]> {
  await gateway.platform("POST", "/api/accounts", { id: "acme", name: "Acme", caps: { day: "5", month: "50" } });
  for (const account of ["default", "acme"]) {
    await gateway.platform("POST", `/api/accounts/${account}/grants`, { amount: "20", reference: "first", reason: "a start" });
  }
  await gateway.platform("POST", "/api/accounts/acme/adjustments", { amount: "-1.5", reference: "second", reason: "a mistake" });
  await gateway.platform("PATCH", "/api/accounts/acme", { low_credit: "5", log_bodies: true });
  const plain = await gateway.platform("POST", "/api/keys", { name: "plain", models: ["*"] });
  const capped = await gateway.platform("POST", "/api/keys", { name: "capped", models: ["*"], account: "acme", caps: { day: "1" } });
  const revoked = await gateway.platform("POST", "/api/keys", { name: "revoked", models: ["steady"] });
  await gateway.platform("DELETE", `/api/keys/${String(revoked!["id"])}`);
  await createPeople(gateway);
  await createCatalog(gateway, mock);
  return [plain, capped].flatMap((created) => (created ? [String(created["key"])] : []));
}

/** Requests of every kind, each with an end. */
async function useKeys(gateway: RecordedGateway, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    for (const more of [{}, { stream: true }]) await (await gateway.ask(key, "steady", more)).text();
    await (await gateway.ask(key, "steady", {}, { "idempotency-key": "once" })).text();
    await (await gateway.ask(key, "broken")).text();
    await (await gateway.ask(key, "of-operators")).text();
  }
  await (await gateway.ask("sk-nobody", "steady")).text();
}

/** Two streams without an end: the next start finds their holds. The second is in the journal, where there is one. */
async function leaveOpen(gateway: RecordedGateway, keys: readonly string[], mock: MockUpstream): Promise<void> {
  const stream = await gateway.ask(keys.at(-1)!, "stalled", { stream: true });
  await stream.body!.getReader().read();
  await Bun.sleep(SETTLE_MS);
  void gateway.ask(keys[0]!, "stalled", { stream: true }).catch(() => undefined);
  await waitFor(() => mock.requests.filter(({ body }) => body["model"] === "stalled").length >= 2);
}

async function record(checkout: string, name: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-record-"));
  const mock = startUpstream();
  const recordedOn = new Date().toISOString().slice(0, 10);
  try {
    const first = await startEither(checkout, folder, mock);
    const keys = await fill(first, mock);
    await useKeys(first, keys);
    // A clean shutdown writes the tallies and the usage rollups.
    await Bun.sleep(SETTLE_MS);
    await first.end("SIGTERM");
    const second = await RecordedGateway.start(checkout, folder);
    await useKeys(second, keys);
    await leaveOpen(second, keys, mock);
    await second.end("SIGKILL");
    const hide = (text: string): string =>
      text.replaceAll(folder, "/srv/tollgate").replaceAll(new URL(mock.baseUrl).host, "127.0.0.1:9000");
    dumpFolder(join(folder, "data"), join(import.meta.dir, "folders", name), { recordedOn, secret: SECRET, keys }, hide);
  } finally {
    await mock.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

await record(resolve(process.argv[2]!), process.argv[3]!);
process.exit(0);
