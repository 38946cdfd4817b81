import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { firstOperator, Visitor, type Answer } from "./visitor.ts";

const NOT_BELIEVED = "198.51.100.1";

let gateway: RunningGateway;
let ada: Visitor;

async function start(env: Record<string, string>): Promise<void> {
  gateway = await startGateway({ env });
  ada = await firstOperator(gateway.platformUrl, gateway.signInUrl!);
}

/** A request as a proxy forwards it from this address, with a client's own header. */
const behind = (address: string): Record<string, string> => ({ "x-forwarded-for": `${NOT_BELIEVED}, ${address}` });

function signIn(address: string, email = "ada@example.test", password?: string): Promise<Answer> {
  const body = { email, password: password ?? "correct horse battery" };
  return new Visitor(gateway.platformUrl).call("POST", "/api/sign-in", body, behind(address));
}

async function newest(path: string): Promise<Record<string, unknown>> {
  return (await ada.call("GET", path)).body.data[0]!;
}

describe("behind a trusted proxy", () => {
  beforeAll(() => start({ TOLLGATE_TRUSTED_PROXIES: "10.0.0.0/8, 127.0.0.1", TOLLGATE_PLATFORM_URL: "https://console.example.test" }));
  afterAll(() => gateway.stop());

  test("the audit log and the sessions have the client's address, not a forged one", async () => {
    expect((await signIn("192.0.2.7, 10.0.0.1")).status).toBe(200);
    expect(await newest("/api/audit-log")).toMatchObject({ action: "person.sign_in", address: "192.0.2.7" });
    expect(await newest("/api/me/sessions")).toMatchObject({ address: "192.0.2.7" });
  });

  test("only the guessing client is throttled", async () => {
    for (let at = 0; at < 20; at++) expect((await signIn("192.0.2.66", `victim-${at}@example.test`, "wrong")).status).toBe(401);
    // The first wait is a second, and each further failure doubles it: on a busy machine, some more attempts come after their wait.
    let status = 401;
    for (let at = 20; status === 401 && at < 30; at++) ({ status } = await signIn("192.0.2.66", `victim-${at}@example.test`, "wrong"));
    expect(status).toBe(429);
    expect((await signIn("192.0.2.67", "victim@example.test", "wrong")).status).toBe(401);
  });

  test("with TLS, every reply has Strict-Transport-Security", async () => {
    for (const path of ["/", "/api/me", "/nothing"]) {
      const { headers } = await ada.call("GET", path);
      expect([path, headers.get("strict-transport-security")]).toEqual([path, "max-age=15768000"]);
    }
  });
});

describe("without a trusted proxy", () => {
  beforeAll(() => start({}));
  afterAll(() => gateway.stop());

  test("forwarded addresses are ignored", async () => {
    expect((await signIn("192.0.2.7")).status).toBe(200);
    expect(await newest("/api/audit-log")).toMatchObject({ action: "person.sign_in", address: "127.0.0.1" });
  });

  test("and without TLS, there is no Strict-Transport-Security", async () => {
    expect((await ada.call("GET", "/")).headers.has("strict-transport-security")).toBe(false);
  });
});
