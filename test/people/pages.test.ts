import { afterAll, describe, expect, test } from "bun:test";
import { chromium, type Page } from "playwright-core";
import { findProgram } from "../clients/system-program.ts";
import { startOidcProvider } from "../oidc-provider.ts";
import { startGateway } from "../start-gateway.ts";
import { PASSWORD } from "./visitor.ts";

const executablePath = findProgram(["chromium-headless-shell", "chromium"], "chromium-headless-shell");
const browser = executablePath
  ? await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"] })
  : undefined;
const provider = await startOidcProvider();
const gateway = await startGateway({
  env: { TOLLGATE_OIDC_ISSUER: provider.issuer, TOLLGATE_OIDC_CLIENT_ID: provider.publicClientId },
});

afterAll(async () => {
  await browser?.close();
  await gateway.stop();
  await provider.stop();
});

/** A browser that nobody has used. Whatever the page complains of is a fault. */
async function openPage(): Promise<{ page: Page; complaints: string[] }> {
  const page = await (await browser!.newContext({ baseURL: gateway.platformUrl })).newPage();
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  // A refusal by the API is in the console too, and is no fault.
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().includes("the server responded with a status of 4")) complaints.push(message.text());
  });
  return { page, complaints };
}

describe.skipIf(!browser)("in a browser", () => {
  test("the first operator follows the link, chooses a password, and is signed in", async () => {
    const { page, complaints } = await openPage();
    await page.goto(gateway.signInUrl!);
    await page.getByLabel("Email").fill("ada@example.test");
    await page.getByLabel("Name").fill("Ada Lovelace");
    await page.getByLabel("Password").fill("ada@example.test");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("password must not be the email address or the name.").waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("password");

    await page.getByLabel("Password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Ada Lovelace" }).waitFor();
    await page.getByText("ada@example.test · operator").waitFor();
    expect(await page.getByRole("link", { name: "Read the documentation" }).getAttribute("href")).toBe("/docs");
    expect(page.url()).toBe(`${gateway.platformUrl}/`);

    await page.goBack();
    await page.goto(gateway.signInUrl!);
    await page.getByRole("heading", { name: "This link does not work" }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("a member accepts, signs out, mistypes, and signs in", async () => {
    const { invitation } = await gateway.platform<{ invitation: { url: string } }>("POST", "/api/people", {
      email: "bob@example.test",
      name: "Bob",
      role: "member",
      account: "default",
    });
    const { page, complaints } = await openPage();
    await page.goto(invitation.url);
    expect(await page.getByLabel("Email").inputValue()).toBe("bob@example.test");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("bob@example.test · member of default").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();

    await page.getByLabel("Email").fill("bob@example.test");
    await page.getByLabel("Password").fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").getByText("The email address or the password is wrong.").waitFor();
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Bob" }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("a name is shown as text, whatever is in it", async () => {
    const name = "<img src=x onerror=alert(1)>";
    const wanted = { email: "eve@example.test", name, role: "operator" };
    const { invitation } = await gateway.platform<{ invitation: { url: string } }>("POST", "/api/people", wanted);
    const { page, complaints } = await openPage();
    await page.goto(invitation.url);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("the way by the OpenID provider is offered, and what goes wrong there is told", async () => {
    const { page, complaints } = await openPage();
    await page.goto("/");
    const link = page.getByRole("link", { name: "Sign in with OpenID" });
    expect(await link.getAttribute("href")).toBe("/api/sign-in/oidc");
    await page.goto("/api/sign-in/oidc/callback");
    await page.getByRole("alert").getByText("Perhaps nobody has invited you yet.").waitFor();
    expect(complaints).toEqual([]);
  });
});

test("pages run nothing but their own script, cannot be framed, and are not kept", async () => {
  for (const path of ["/", "/welcome", "/pages.css", "/pages.js"]) {
    const { status, headers } = await fetch(`${gateway.platformUrl}${path}`);
    expect([status, headers.get("cache-control"), headers.get("x-content-type-options")]).toEqual([200, "no-store", "nosniff"]);
    expect(headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  }
});
