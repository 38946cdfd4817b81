import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadHashSecret } from "../../../src/main/load-hash-secret.ts";
import { endedAt } from "../../request-log/ended-samples.ts";
import { hold } from "../money/ledger-samples.ts";
import { openPlatform, type PlatformInProcess } from "./platform-in-process.ts";
import { STORE_OPTIONS } from "./store-options.ts";
import { writeEverywhere } from "./write-everywhere.ts";

const KEEPS_A_LOG = { ...STORE_OPTIONS.requestLog, days: 30, maxBytes: 1e9 };

export interface FilledFolder {
  readonly path: string;
  /** The number of requests in its log. */
  readonly loggedRequests: number;
}

/**
 * A data folder with records of every kind, like the folder of a gateway that was killed during a request: the latest entry is only in the
 * journal.
 */
export async function fillFolder(): Promise<FilledFolder> {
  const [served, path] = [newFolder(), newFolder()];
  const open = (): Promise<PlatformInProcess> => openPlatform(new Map(), { folder: served, requestLog: KEEPS_A_LOG });
  const nowMs = Date.now();
  const first = await open();
  loadHashSecret(served, undefined, first.stores.keys);
  await writeEverywhere(first, nowMs);
  const statuses = [200, 502, 429];
  for (const status of statuses) first.stores.requestLog.note(endedAt(nowMs, status));
  await first.stop();
  const second = await open();
  const [keyId] = second.stores.keys.ids();
  const { version } = second.stores.catalog.snapshot().get("new")!.prices[0]!;
  const names = { accountId: "default", keyId: keyId!, actor: keyId!, model: "new", priceVersion: version, atMs: nowMs };
  await second.stores.ledger.hold(hold("req_open", 100_000n, names));
  cpSync(served, path, { recursive: true });
  await second.stop();
  rmSync(served, { recursive: true });
  return { path, loggedRequests: statuses.length };
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), "tollgate-filled-"));
}
