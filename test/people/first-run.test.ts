import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { greetingIn } from "../support/gateway/read-greeting.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { firstOperator, invite, Visitor } from "./visitor.ts";

test("a first start prints a setup link; its user stays signed in after a restart, which prints none", async () => {
  const first = await startGateway();
  const { folder } = first;
  try {
    const ada = await firstOperator(first.platformUrl, first.signInUrl!);
    const { visitor: bob, id } = await invite(ada, first.platformUrl, { email: "bob@example.test" });
    await first.end();
    expect(first.output()).not.toContain(ada.cookie!);

    const second = await startGateway({ folder });
    try {
      expect(second.signInUrl).toBeNull();
      expect(second.output()).not.toContain("welcome#");
      const moved = (visitor: Visitor): Visitor => new Visitor(second.platformUrl, visitor.cookie);
      expect((await moved(ada).call("GET", "/api/me")).body).toMatchObject({ role: "operator", person: { email: "ada@example.test" } });
      expect((await moved(bob).call("GET", "/api/me")).body).toMatchObject({ role: "member", account: "default", person: { id } });
      expect((await moved(ada).call("POST", "/api/sign-out")).status).toBe(204);
      expect([await moved(ada).isSignedIn(), await moved(bob).isSignedIn()]).toEqual([false, true]);
    } finally {
      await second.end();
    }
  } finally {
    await first.end();
    rmSync(folder, { recursive: true });
  }
}, 300_000);

test("while there are no people, every start has a new link, and the old one is invalid", async () => {
  const first = await startGateway();
  const lost = first.signInUrl!;
  await first.end();
  const second = await startGateway({ folder: first.folder });
  try {
    expect(second.signInUrl).not.toBeNull();
    const stranger = new Visitor(second.platformUrl);
    expect((await stranger.accept(lost, { email: "eve@example.test", name: "Eve" })).body.code).toBe("unknown_link");
    await firstOperator(second.platformUrl, second.signInUrl!);
  } finally {
    await second.stop();
  }
}, 300_000);

test("with TLS, links use the public URL and the cookie cannot be set by a neighbouring host", async () => {
  const gateway = await startGateway({ env: { TOLLGATE_PLATFORM_URL: "https://console.example.test" } });
  try {
    expect(gateway.signInUrl).toStartWith("https://console.example.test/welcome#");
    const ada = new Visitor(gateway.platformUrl);
    const { headers } = await ada.accept(gateway.signInUrl!, { email: "ada@example.test", name: "Ada" });
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-tollgate=[0-9A-Za-z]{43}; Secure; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800$/) as string,
    ]);
    // A request as a proxy forwards it: the browser's origin is the published one, `Host` is the gateway's.
    const sent = { origin: "https://console.example.test", "sec-fetch-site": "same-origin" };
    expect((await ada.call("PATCH", "/api/me", { name: "Ada L." }, sent)).status).toBe(200);
    expect((await ada.call("PATCH", "/api/me", { name: "Eve" }, { origin: "https://evil.example.test" })).status).toBe(403);
  } finally {
    await gateway.stop();
  }
}, 300_000);

test("the greeting has the setup link, once, and the OpenID provider", async () => {
  const gateway = await startGateway();
  await gateway.end();
  const oidc = { TOLLGATE_OIDC_ISSUER: "https://id.example.test/realms/acme", TOLLGATE_OIDC_CLIENT_ID: "tollgate" };
  const text = await greetingIn(gateway.folder, oidc);
  const platform = /^ {2}Platform +(http:\S+),/m.exec(text)![1]!;
  expect(text).toMatch(
    new RegExp(`^  Console {7}${platform}/welcome#[0-9A-Za-z]{43}  \\(open it to choose a password; works once, for one hour\\)$`, "m"),
  );
  expect(text).toContain("\n  Sign-in       password, SSO at https://id.example.test/realms/acme\n");
  rmSync(gateway.folder, { recursive: true });
}, 300_000);

test("the greeting explains how to create a key and grant credit while there is none", async () => {
  const yaml = "upstreams: [{ id: e, dialect: echo }]\nmodels: [{ id: m, routes: [{ upstream: e, model: x }], free: true }]\n";
  const gateway = await startGateway({ yaml });
  await gateway.platform("POST", "/api/keys", { name: "of a test", models: ["*"] });
  await gateway.end();
  const poor = await greetingIn(gateway.folder);
  expect([poor.includes("keys create"), poor.includes("credits grant")]).toEqual([false, true]);
  const again = await startGateway({ folder: gateway.folder });
  await again.makeKey();
  await again.end();
  expect(await greetingIn(gateway.folder)).toMatch(/^ {2}Keys +2; npx tollgate keys list\n\n$/m);
  rmSync(gateway.folder, { recursive: true });
}, 300_000);
