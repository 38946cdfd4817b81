import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { SCOPES } from "../../src/access/access.ts";
import { CREDENTIAL_VARIABLES } from "../../src/models/presets.ts";
import { makeAccessToken } from "../metrics/access-token.ts";
import { PASSWORD } from "../people/visitor.ts";
import { makeCertificate, openssl } from "../support/tls/certificates.ts";
import { ROOT, startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import type { Block } from "./fenced-blocks.ts";
import { completion, startMockUpstream } from "../support/upstreams/mock-upstream.ts";

/** What the documents assume a reader to have: upstreams, models, a key, a request, a person and credentials of providers. */
export interface Examples {
  /** The data folder of a stopped gateway, to be copied. */
  readonly dataFolder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  readonly key: string;
  readonly keyId: string;
  readonly requestId: string;
  readonly webhookId: string;
  /** The URL on this machine that receives webhook messages. */
  readonly webhookUrl: string;
  readonly accessToken: string;
  stop(): Promise<void>;
}

/** The first operator, created by `makeAccessToken`. */
const OPERATOR = "ada@example.test";

/** The upstreams and models that the examples name but do not create. */
const UPSTREAMS = ["openai", "our-openai", "azure", "rack", "gpu-box"];
const MODELS = ["fast-chat", "faster-chat", "small-chat", "old-chat", "house-model", "claude"];
/** The names of models at the upstreams, which the examples use in routes. */
const UPSTREAM_MODELS = ["gpt-4o-mini", "llama-3.3-70b", "llama3.2"];

const respond = (): Response => Response.json(completion());

export async function prepareExamples(): Promise<Examples> {
  const upstream = startMockUpstream(Object.fromEntries(UPSTREAM_MODELS.map((model) => [model, respond])));
  const receiver = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(null, { status: 204 }) });
  const gateway = await startGateway();
  const at = { dialect: "openai", base_url: upstream.baseUrl, allow_private: true, credential: "canary" };
  for (const id of UPSTREAMS) await gateway.platform("POST", "/api/upstreams", { id, ...at });
  const price = { input_per_million: 1, output_per_million: 2 };
  for (const id of MODELS)
    await gateway.platform("POST", "/api/models", { id, routes: [{ upstream: "openai", model: UPSTREAM_MODELS[0] }], price });
  const webhook = { name: "on call", url: receiver.url.href, allow_private: true };
  const { id: webhookId } = await gateway.platform<{ id: string }>("POST", "/api/webhooks", webhook);
  await gateway.platform("PATCH", "/api/accounts/default", { log_bodies: true });
  const { id: keyId, key } = await gateway.makeKey();
  const requestId = await callModel(gateway, key);
  const accessToken = await makeAccessToken(gateway, SCOPES);
  await gateway.end();
  return {
    dataFolder: join(gateway.folder, "data"),
    env: Object.fromEntries([...CREDENTIAL_VARIABLES, "OPENAI_2_API_KEY"].map((name) => [name, `${name}-of-a-test`])),
    files: { "found.txt": key, ...(openssl && certificateFiles(gateway.folder)) },
    key,
    keyId,
    requestId,
    webhookId,
    webhookUrl: webhook.url,
    accessToken,
    async stop() {
      await upstream.stop();
      await receiver.stop(true);
      rmSync(gateway.folder, { recursive: true });
    },
  };
}

/** A certificate and its key, at the paths that the examples use. */
function certificateFiles(folder: string): Record<string, string> {
  const { cert, key } = makeCertificate(folder, "gateway");
  return {
    "etc/tollgate/tls/fullchain.pem": readFileSync(cert, "utf8"),
    "etc/tollgate/tls/privkey.pem": readFileSync(key, "utf8"),
  };
}

async function callModel({ baseUrl }: RunningGateway, key: string): Promise<string> {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "fast-chat", messages: [{ role: "user", content: "Hello!" }] }),
  });
  await response.text();
  return response.headers.get("x-request-id")!;
}

/** The files that a reader of the page has. */
export function filesOf(blocks: readonly Block[], examples: Examples): Record<string, string> {
  const litellm = blocks.find(({ language, text }) => language === "yaml" && text.startsWith("model_list:"));
  return { ...examples.files, ...(litellm && { "config.yaml": litellm.text }) };
}

/** The values that differ for each page. */
export interface Surroundings {
  readonly folder: string;
  /** The host and port of each listener. */
  readonly gateway: string;
  readonly platform: string;
  /** A PostgreSQL server with an empty database, for a page that uses one. */
  readonly database: { readonly port: number; readonly url: string } | undefined;
}

/** Folders of the system, which are replaced by folders inside the page's folder, so that its commands change nothing outside of it. */
export const SYSTEM_FOLDERS = ["backup", "etc/tollgate", "opt", "run/tollgate", "srv", "var/lib/tollgate"];
const IN_SYSTEM = /(?<=["'\s=])(?=\/(?:backup|etc|opt|run|srv|usr|var)(?:\/|\s|$))/gm;

/** Replaces what a reader would also replace: URLs, keys, IDs, secrets, and folders of the system. */
export function fillIn(text: string, examples: Examples, { folder, gateway, platform, database }: Surroundings): string {
  const replacements: readonly (readonly [string | RegExp, string])[] = [
    ["TOLLGATE_HOST=0.0.0.0", "TOLLGATE_HOST=127.0.0.1"],
    ["127.0.0.1:8700", gateway],
    ["127.0.0.1:8701", platform],
    [/https:\/\/(tollgate|console|ops)\.example\.com/g, `http://${platform}`],
    // Otherwise the gateway would send the alert to this URL.
    ["https://hooks.example.com/tollgate", `${examples.webhookUrl} --allow-private yes`],
    // Otherwise the gateway would fetch the discovery document from this URL. Nothing listens here.
    ["https://keycloak.example.com", "http://127.0.0.1:9"],
    [/postgres:\/\/tollgate:password@db\.example:5432\/tollgate(\?sslmode=verify-full)?/g, database?.url ?? ""],
    // All pages create databases on the same server.
    ["createdb tollgate", `createdb ${basename(folder)}`],
    ["tollgate:password@db.internal/tollgate", `tollgate@127.0.0.1:${database?.port}/${basename(folder)}`],
    ["sk-service-…", examples.key],
    [/tollgate-access-…|\$TOLLGATE_ACCESS_TOKEN\b/g, examples.accessToken],
    ["1t8M70XpfTe0", examples.keyId],
    ["keys revoke ID", `keys revoke ${examples.keyId}`],
    ["webhook_4fQ8sLm2XyZ1", examples.webhookId],
    [/req_(…|01a1df51[0-9a-f-]+)/g, examples.requestId],
    ['"email": "ada@example.com", "password": "…"', `"email": "${OPERATOR}", "password": "${PASSWORD}"`],
    // The newest backup.
    ["/backup/tollgate-2027-01-31T021500Z.backup", `$(ls -t ${folder}/backup/tollgate-*.backup | head -n 1)`],
    ["/path/to/the/clone", ROOT],
    ["/srv/tollgate", folder],
    // Dates in the examples stay in the future.
    [/\b2027-(?=\d\d-\d\d\b)/g, `${new Date().getUTCFullYear() + 1}-`],
    // A reader would end it with Ctrl-C.
    [" --follow", ""],
  ];
  const filled = replacements.reduce((all, [from, to]) => all.replaceAll(from, () => to), text).replaceAll(IN_SYSTEM, () => folder);
  return filled.replaceAll(/\b(TOLLGATE_\w+)=…/g, (_, name: string) => `${name}=${createHash("sha256").update(name).digest("hex")}`);
}
