import { afterEach, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { chatBody, postChat } from "../money/post-chat.ts";
import { firstOperator, invite } from "../people/visitor.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { launcherWithFewFiles } from "./launcher-with-few-files.ts";

/** Connections of a single key, or of a single member: whatever their number, they must not lock out anyone else. */

const FILES = 1024;
/** More connections than either listener accepts. */
const ATTACKERS = 400;

let gateway: RunningGateway;
let launcher: string;
let folder: string;
let attackers: Attacker[] = [];
afterEach(async () => {
  for (const each of attackers) each.socket.destroy();
  attackers = [];
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

interface Attacker {
  readonly socket: Socket;
  received: string;
  isClosed: boolean;
}

/** Sends a request on a new connection, and leaves it open. */
function attack(url: string, head: string): Attacker {
  const { port, hostname } = new URL(url);
  const attacker: Attacker = { socket: connect({ port: Number(port), host: hostname }), received: "", isClosed: false };
  attacker.socket.on("data", (data) => (attacker.received += String(data)));
  attacker.socket.on("error", () => undefined).on("close", () => (attacker.isClosed = true));
  attacker.socket.write(`${head}\r\nHost: ${hostname}:${port}\r\n\r\n`);
  return attacker;
}

async function attackWith(url: string, head: string): Promise<void> {
  while (attackers.length < ATTACKERS) {
    const some = Array.from({ length: 20 }, () => attack(url, head));
    attackers.push(...some);
    await eventually(
      () => some.every(({ received, isClosed }) => received !== "" || isClosed),
      (areAnswered) => areAnswered,
    );
  }
}

/** The status of a request on a new connection: `fetch` would reuse an open connection. */
async function statusOf(url: string, path: string, header = "Accept: */*"): Promise<number> {
  const caller = attack(url, `GET ${path} HTTP/1.1\r\n${header}`);
  await eventually(
    () => caller.received !== "" || caller.isClosed,
    (isAnswered) => isAnswered,
  );
  caller.socket.destroy();
  return Number(/^HTTP\/1\.1 (\d+)/.exec(caller.received)?.[1] ?? 0);
}

test.skipIf(process.platform !== "linux")(
  "idle connections of a key without credit keep out neither callers nor health checks, and close when the key is revoked",
  async () => {
    ({ launcher, folder } = launcherWithFewFiles(FILES));
    gateway = await startGateway({ launcher });
    await gateway.platform("POST", "/api/accounts", { id: "poor", name: "Poor" });
    const poor = await gateway.platform<{ id: string; key: string }>("POST", "/api/keys", { name: "poor", account: "poor", models: ["*"] });
    const { key } = await gateway.makeKey(["echo"]);
    expect((await postChat(gateway, poor.key, chatBody("echo"))).status).toBe(402);
    await attackWith(gateway.baseUrl, `GET /v1/models HTTP/1.1\r\nAuthorization: Bearer ${poor.key}`);
    for (let call = 0; call < 20; call++) {
      expect(await statusOf(gateway.baseUrl, "/v1/models", `Authorization: Bearer ${key}`)).toBe(200);
      expect(await statusOf(gateway.baseUrl, "/healthz")).toBe(200);
    }
    expect((await postChat(gateway, key, chatBody("echo"))).status).toBe(200);

    expect(attackers.filter(({ isClosed }) => !isClosed).length).toBeGreaterThan(200);
    await gateway.platform("DELETE", `/api/keys/${poor.id}`);
    await eventually(
      () => attackers.filter(({ isClosed }) => !isClosed).length,
      (open) => open === 0,
    );
  },
  120_000,
);

test.skipIf(process.platform !== "linux")(
  "connections of a member do not keep the operator out of the platform, idle or with half a request",
  async () => {
    ({ launcher, folder } = launcherWithFewFiles(FILES));
    gateway = await startGateway({ launcher });
    const operator = await firstOperator(gateway.platformUrl, gateway.signInUrl!);
    const { visitor } = await invite(operator, gateway.platformUrl, { email: "member@example.test", name: "Member", account: "default" });
    await attackWith(gateway.platformUrl, `GET /api/me HTTP/1.1\r\nCookie: ${visitor.cookie}`);
    expect(attackers[0]!.received).toStartWith("HTTP/1.1 200");
    for (const { socket, isClosed } of attackers) if (!isClosed) socket.write("GET /api");
    for (let call = 0; call < 20; call++) {
      expect(await statusOf(gateway.platformUrl, "/api/accounts", `Authorization: Bearer ${gateway.operatorToken}`)).toBe(200);
    }
  },
  120_000,
);
