import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { startOidcProvider } from "../oidc/start-provider.ts";
import { PASSWORD, tokenOf } from "../people/visitor.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { lookAgain, openBrowser, visit, visitAs, type Visit } from "./open-console.ts";

const browser = await openBrowser();
const provider = await startOidcProvider();
const gateway = await startGateway({
  env: { TOLLGATE_OIDC_ISSUER: provider.issuer, TOLLGATE_OIDC_CLIENT_ID: provider.publicClientId },
});

afterAll(async () => {
  await browser?.close();
  await gateway.stop();
  await provider.stop();
});

async function invite(wanted: object): Promise<string> {
  const { invitation } = await gateway.platform<{ invitation: { url: string } }>("POST", "/api/people", wanted);
  return invitation.url;
}

describe.skipIf(!browser)("in a browser", () => {
  let visitor: Visit;
  beforeAll(async () => {
    visitor = await visit(browser!, gateway);
  });
  // Signs out.
  afterEach(() => visitor.page.context().clearCookies());

  test("the first operator follows the link, chooses a password and is signed in", async () => {
    const { page, complaints } = visitor;
    await page.goto(gateway.signInUrl!);
    await page.getByLabel("Email").fill("ada@example.test");
    await page.getByLabel("Name").fill("Ada Lovelace");
    await page.getByLabel("Password").fill("ada@example.test");
    await page.getByRole("button", { name: "Continue" }).click();
    await page
      .getByRole("alert")
      .getByText(/^Must not be made of common passwords/)
      .waitFor();
    await page.locator("input[name=password]:focus").waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("Ada Lovelace");

    const missing: string[] = [];
    page.on("response", (response) => void (response.status() === 404 && missing.push(response.url())));
    await page.getByLabel("Password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/start");
    await page.getByText("Ada Lovelace").waitFor();
    await page.waitForLoadState("networkidle");
    // The used link is not fetched again, which would show it as invalid.
    expect(missing).toEqual([]);

    await page.goto(gateway.signInUrl!);
    await page.getByRole("heading", { name: "This link is not valid" }).waitFor();
    await page.getByRole("link", { name: "Go to sign-in" }).click();
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("a member accepts an invitation, and after a failed sign-in returns to the requested page", async () => {
    const { page, complaints } = visitor;
    await page.goto(await invite({ email: "bob@example.test", name: "Bob", role: "member", account: "default" }));
    expect(await page.getByLabel("Email").inputValue()).toBe("bob@example.test");
    expect(await page.getByLabel("Email").isEditable()).toBe(false);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("member of default").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();

    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.goto("/keys?search=none");
    await page.getByLabel("Email").fill("bob@example.test");
    // Simulates the return from a password manager's window.
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    await page.waitForLoadState("networkidle");
    await page.getByLabel("Password").fill("wrong");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("alert").getByText("The email address or the password is wrong.").waitFor();
    expect(await page.getByLabel("Email").inputValue()).toBe("bob@example.test");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Keys" }).waitFor();
    expect(page.url()).toBe(`${gateway.platformUrl}/keys?search=none`);
    expect(complaints).toEqual([]);
  });

  test("a person who signs in in another tab does not see the requests that were listed for the one before", async () => {
    await fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers: { authorization: "Bearer sk-unknown" } });
    const { page, complaints } = await visitAs(browser!, gateway, null);
    await page.goto("/requests");
    const rows = page.getByRole("table", { name: "Requests" }).locator("[data-row]");
    await rows.first().waitFor();
    await page.getByRole("link", { name: "Models", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Models" }).waitFor();
    await page.goBack();
    await rows.first().waitFor();
    const token = tokenOf(await invite({ email: "carol@example.test", name: "Carol", role: "member", account: "default" }));
    const headers = { "x-tollgate-request": "test" };
    await page.request.post("/api/invitations/accept", { headers, data: { token, password: PASSWORD } });
    await lookAgain(page, "/api/me");
    await page.getByText("No requests yet").waitFor();
    expect(complaints).toEqual([]);
  });

  test("a name with HTML is shown as text", async () => {
    const name = "<img src=x onerror=alert(1)>";
    const { page, complaints } = visitor;
    await page.goto(await invite({ email: "eve@example.test", name, role: "operator" }));
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText(name).waitFor();
    await page.goto("/people");
    await page.getByRole("link", { name }).click();
    await page.getByRole("heading", { name }).waitFor();
    expect(await page.locator("img").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("offers SSO and shows the provider's errors", async () => {
    const { page, complaints } = visitor;
    await page.goto("/");
    const link = page.getByRole("link", { name: "Sign in with SSO" });
    expect(await link.getAttribute("href")).toBe("/api/sign-in/oidc");
    await page.goto("/api/sign-in/oidc/callback");
    await page.getByRole("alert").getByText("You may not have been invited yet.").waitFor();
    expect(complaints).toEqual([]);
  });

  test("an unknown link is not valid, and says what to do", async () => {
    const { page, complaints } = visitor;
    for (const token of ["#made-up", ""]) {
      await page.goto(`/welcome${token}`);
      await page.getByRole("heading", { name: "This link is not valid" }).waitFor();
      await page.getByText("Ask an operator for a new one.").waitFor();
    }
    await page.getByRole("link", { name: "Go to sign-in" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(complaints).toEqual([]);
  });
});
