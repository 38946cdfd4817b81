import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "../../src/lib/http1/server/free-port.ts";
import { PageGateway } from "./page-gateway.ts";

const free = (): number => findFreePort("127.0.0.1", 0);

test("the gateway of a page is started again where another program took one of its ports meanwhile", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-page-"));
  const taker = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  // The ports of two attempts: in the first the gateway's port is taken, in the second the platform's port.
  const ports = [taker.port!, free(), free(), taker.port!];
  const gateway = new PageGateway(() => ports.shift() ?? free());
  try {
    const addresses = await gateway.open();
    await gateway.start(["start"], { PATH: process.env["PATH"]!, PWD: folder });
    expect(ports).toEqual([]);
    expect((await fetch(`http://${addresses.gateway}/readyz`)).status).toBe(200);
  } finally {
    await gateway.close();
    await taker.stop(true);
    rmSync(folder, { recursive: true });
  }
});
