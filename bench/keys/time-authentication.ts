/** Measures authentication alone: with one key, and with the given number of keys in turn. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { authenticate } from "../../src/gateway/authentication.ts";
import type { Gateway } from "../../src/gateway/gateway.ts";
import type { Exchange } from "../../src/http/endpoint.ts";
import { STORE_OPTIONS } from "../../test/support/gateway/store-options.ts";
import { openStores } from "../../src/stores/open-stores.ts";
import { RequestNotes } from "../../src/requests/request-notes.ts";
import { Secret } from "../../src/lib/secret/secret.ts";
import { issueKeys } from "./issue-keys.ts";
import { shuffled } from "../protocol/shuffled.ts";

const COUNT = Number(process.argv[2]);
const TIMES = 200_000;
const ROUNDS = 9;
const hashSecret = new Secret("bench");

async function open(count: number): Promise<() => number> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-authentication-"));
  const texts = await issueKeys(folder, count, hashSecret);
  const stores = await openStores({ ...STORE_OPTIONS, dataFolder: folder });
  process.on("exit", () => rmSync(folder, { recursive: true }));
  const gateway = { ...stores, hashSecret, nowMs: Date.now } as unknown as Gateway;
  const exchanges = shuffled(texts).map((text) => ({
    request: new Request("http://x/", { headers: { authorization: `Bearer ${text}` } }),
    notes: new RequestNotes(),
  }));
  return () => {
    const begun = performance.now();
    for (let at = 0; at < TIMES; at++) authenticate(exchanges[at % exchanges.length] as unknown as Exchange, gateway, true);
    return ((performance.now() - begun) * 1000) / TIMES;
  };
}

const [one, many] = [await open(1), await open(COUNT)];
const rounds = Array.from({ length: ROUNDS }, (_, at) => (at % 2 ? [one(), many()] : [many(), one()].toReversed()));
process.stdout.write(`${JSON.stringify({ one: rounds.map((round) => round[0]), many: rounds.map((round) => round[1]) })}\n`);
process.exit();
