import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startOidcProvider, type Person, type RunningOidcProvider } from "../oidc/start-provider.ts";
import { startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { Visitor, type Answer } from "./visitor.ts";

let provider: RunningOidcProvider;
let gateway: RunningGateway;

beforeAll(async () => {
  provider = await startOidcProvider();
  gateway = await startGateway({
    env: {
      TOLLGATE_OIDC_ISSUER: provider.issuer,
      TOLLGATE_OIDC_CLIENT_ID: provider.clientId,
      TOLLGATE_OIDC_CLIENT_SECRET: provider.clientSecret,
    },
  });
});

afterAll(async () => {
  await gateway.stop();
  await provider.stop();
});

interface InvitedPerson {
  readonly id: string;
  readonly invitation: { readonly url: string };
}

const invite = (email: string): Promise<InvitedPerson> =>
  gateway.platform("POST", "/api/people", { email, name: "Bob", role: "member", account: "default" });

const newVisitor = (): Visitor => new Visitor(gateway.platformUrl);

/** Starts a sign-in at the provider. The cookie has the state of the sign-in. */
async function begin(visitor: Visitor): Promise<{ url: string; cookie: string }> {
  const { status, headers } = await visitor.call("GET", "/api/sign-in/oidc");
  const [cookie] = headers.getSetCookie();
  expect([status, cookie]).toEqual([
    302,
    expect.stringMatching(/^tollgate_oidc=[\w.-]+; Path=\/api\/sign-in\/oidc; HttpOnly; SameSite=Lax; Max-Age=600$/) as string,
  ]);
  return { url: headers.get("location")!, cookie: cookie!.split(";")[0]! };
}

/** Follows the provider's redirect back. */
const comeBack = (visitor: Visitor, url: string, cookie: string): Promise<Answer> =>
  visitor.call("GET", url.slice(gateway.platformUrl.length), undefined, { cookie });

async function signInAs(person: Person, visitor = newVisitor()): Promise<{ visitor: Visitor; answer: Answer }> {
  const { url, cookie } = await begin(visitor);
  return { visitor, answer: await comeBack(visitor, await provider.signInAs(url, person), cookie) };
}

/** A failed sign-in: the sign-in page shows it, and there is no session. */
function expectRefused({ visitor, answer }: { visitor: Visitor; answer: Answer }): void {
  expect([answer.status, answer.headers.get("location"), visitor.cookie]).toEqual([302, "/#sign_in_failed", undefined]);
}

describe("a person from the OpenID provider", () => {
  test("sees this sign-in method", async () => {
    expect((await newVisitor().call("GET", "/api/sign-in/methods")).text).toBe('{"password":true,"oidc":true}');
  });

  test("without an invitation is rejected, and not created", async () => {
    expectRefused(await signInAs({ sub: "stranger", email: "stranger@example.test", email_verified: true }));
    expect((await gateway.platform<{ data: unknown[] }>("GET", "/api/people?search=stranger")).data).toEqual([]);
  });

  test("with an invitation is signed in, and recognized by their identity from then on", async () => {
    const { id, invitation } = await invite("bob@example.test");
    const { visitor, answer } = await signInAs({ sub: "bob", email: "Bob@Example.test", email_verified: true });
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/"]);
    expect(answer.headers.getSetCookie()).toContain("tollgate_oidc=; Path=/api/sign-in/oidc; HttpOnly; SameSite=Lax; Max-Age=0");
    expect((await visitor.call("GET", "/api/me")).body).toMatchObject({ person: { id, has_identity: true, invited_until: null } });
    expect((await newVisitor().accept(invitation.url)).body.code).toBe("unknown_link");

    const later = await signInAs({ sub: "bob", email: "married@example.test", email_verified: false });
    expect((await later.visitor.call("GET", "/api/me")).body).toMatchObject({ person: { id } });
    const { data } = await gateway.platform<{ data: { action: string; target: { id: string } }[] }>("GET", "/api/audit-log");
    const actions = data.filter(({ target }) => target.id === id).map(({ action }) => action);
    expect(actions.toReversed()).toEqual(["person.create", "person.link_identity", "person.sign_in", "person.sign_in"]);
  });

  test("with an unverified address is rejected: anybody can enter one", async () => {
    await invite("carol@example.test");
    expectRefused(await signInAs({ sub: "carol", email: "carol@example.test", email_verified: false }));
    expectRefused(await signInAs({ sub: "carol", email: "carol@example.test" }));
    expectRefused(await signInAs({ sub: "carol" }));
  });

  test("with the address of a person with another identity is rejected", async () => {
    await invite("dave@example.test");
    await signInAs({ sub: "dave", email: "dave@example.test", email_verified: true });
    expectRefused(await signInAs({ sub: "mallory", email: "dave@example.test", email_verified: true }));
  });

  test("is rejected while disabled, linked or not", async () => {
    const { id } = await invite("erin@example.test");
    const erin = { sub: "erin", email: "erin@example.test", email_verified: true };
    await gateway.platform("PATCH", `/api/people/${id}`, { disabled: true });
    expectRefused(await signInAs(erin));
    await gateway.platform("PATCH", `/api/people/${id}`, { disabled: false });
    const { visitor } = await signInAs(erin);
    expect(await visitor.isSignedIn()).toBe(true);
    await gateway.platform("PATCH", `/api/people/${id}`, { disabled: true });
    expect(await visitor.isSignedIn()).toBe(false);
    expectRefused(await signInAs(erin));
  });

  test("is rejected in a browser that has not started this sign-in", async () => {
    await invite("frank@example.test");
    const frank = { sub: "frank", email: "frank@example.test", email_verified: true };
    const visitor = newVisitor();
    const { url } = await begin(visitor);
    const back = await provider.signInAs(url, frank);
    const { cookie: otherCookie } = await begin(visitor);
    for (const cookie of ["", "tollgate_oidc=nonsense", otherCookie]) {
      expectRefused({ visitor, answer: await comeBack(visitor, back, cookie) });
    }
  });

  test("is rejected after cancelling at the provider", async () => {
    const visitor = newVisitor();
    const { url, cookie } = await begin(visitor);
    expectRefused({ visitor, answer: await comeBack(visitor, await provider.refuse(url), cookie) });
  });

  test("leaves no secret of the sign-in in the log", async () => {
    const { headers } = await newVisitor().call("GET", "/api/me");
    await waitFor(() => gateway.output().includes(headers.get("x-request-id")!));
    expect(gateway.output()).toContain("nobody with this email was invited");
    expect(gateway.output()).not.toMatch(/code=|state=|client-secret-canary|stranger@/);
  });
});

test("without a provider the method is not offered", async () => {
  const plain = await startGateway();
  try {
    const visitor = new Visitor(plain.platformUrl);
    expect((await visitor.call("GET", "/api/sign-in/methods")).text).toBe('{"password":true,"oidc":false}');
    for (const path of ["/api/sign-in/oidc", "/api/sign-in/oidc/callback?code=a&state=b"]) {
      const { status, headers } = await visitor.call("GET", path);
      expect([status, headers.get("location"), headers.getSetCookie()]).toEqual([302, "/#unknown_url", []]);
    }
  } finally {
    await plain.stop();
  }
});
