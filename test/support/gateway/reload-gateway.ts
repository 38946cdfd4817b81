import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { RunningGateway } from "./start-gateway.ts";

interface Target {
  readonly kind: string;
  readonly id: string;
}

/** The reply of POST /api/config/reload. */
export interface ReloadReply {
  readonly file: string;
  readonly upstreams: number;
  readonly models: number;
  readonly price_lists: number;
  readonly accounts: number;
  readonly changed: { readonly added: readonly Target[]; readonly changed: readonly Target[]; readonly removed: readonly Target[] };
  readonly warnings: readonly string[];
}

/** Writes another config file for a running gateway. */
export function replace(gateway: RunningGateway, yaml: string): void {
  writeFileSync(join(gateway.folder, "tollgate.yaml"), yaml);
}

/** Reloads the file now, even if the gateway has already noticed the change. */
export function requestReload(gateway: RunningGateway): Promise<ReloadReply> {
  return gateway.platform<ReloadReply>("POST", "/api/config/reload");
}

/**
 * Writes another config file, and reloads it only by this call. The gateway checks the file twice a second and would reload it by itself if
 * the machine stalls in between, so the gateway is stopped until the call is in its socket.
 */
export async function reloadWith(gateway: RunningGateway, yaml: string): Promise<ReloadReply> {
  const { hostname, port, host } = new URL(gateway.platformUrl);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const received = text(socket);
  process.kill(gateway.pid, "SIGSTOP");
  try {
    replace(gateway, yaml);
    const head = [
      "POST /api/config/reload HTTP/1.1",
      `host: ${host}`,
      `authorization: Bearer ${gateway.operatorToken}`,
      "connection: close",
    ];
    await new Promise<void>((sent) => socket.write(`${head.join("\r\n")}\r\ncontent-length: 0\r\n\r\n`, () => sent()));
  } finally {
    process.kill(gateway.pid, "SIGCONT");
  }
  const [, status, body] = /^HTTP\/1\.1 (\d+)[^]*?\r\n\r\n([^]*)$/.exec(await received)!;
  if (status !== "200") throw new Error(body);
  return JSON.parse(body!) as ReloadReply;
}

/** The audit records of reloads, newest first. */
export async function reloadsOf(gateway: RunningGateway): Promise<readonly object[]> {
  const { data } = await gateway.platform<{ data: object[] }>("GET", "/api/audit-log?action=config.reload&limit=100");
  return data;
}
