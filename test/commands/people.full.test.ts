import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { commandRunner, type CommandRunner } from "./command-runner.ts";

let gateway: RunningGateway;
let tollgate: CommandRunner;

beforeAll(async () => {
  gateway = await startGateway();
  tollgate = commandRunner(gateway);
  await tollgate.text("accounts create acme");
});

afterAll(() => gateway.stop());

interface Invited {
  readonly id: string;
  readonly invitation: { readonly url: string };
}

function post(path: string, body: object, cookie = ""): Promise<Response> {
  const headers = { "content-type": "application/json", "x-tollgate-request": "1", cookie };
  return fetch(`${gateway.platformUrl}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

/** Accepts an invitation like a browser, and creates an access token. */
async function acceptAndMakeToken(link: string, scopes: readonly string[]): Promise<string> {
  const accepted = await post("/api/invitations/accept", { token: new URL(link).hash.slice(1), password: "correct horse battery" });
  const cookie = accepted.headers.get("set-cookie")!.split(";")[0]!;
  const expires = new Date(Date.now() + 3_600_000).toISOString();
  const made = await post("/api/me/access-tokens", { name: "laptop", scopes, expires_at: expires }, cookie);
  return ((await made.json()) as { token: string }).token;
}

describe("tollgate people", () => {
  test("invite prints a link once; list, show and update work", async () => {
    const invited = await tollgate.text("people invite Ada@Example.com --name 'Ada Lovelace' --role operator");
    expect(invited).toMatch(/^http:\/\/\S+\/welcome#\S+\n\nSend this invitation link to Ada Lovelace .* shown only once\.\n$/);
    await tollgate.text("people invite grace@example.com --name Grace --role operator");
    const listed = await tollgate.text("people list --role operator --search ada");
    const id = /^(person_\w+) +invited +operator +\d{4}-\d\d-\d\d +ada@example\.com +Ada Lovelace$/m.exec(listed)![1]!;
    expect(await tollgate.text(`people update ${id} --role member --account acme --name Ada`)).toMatch(/^Role +member of account acme$/m);
    expect(await tollgate.text(`people show ${id}`)).toMatch(/^Person +person_\w+ \(Ada\)\nEmail +ada@example\.com\n/);
    const again = await tollgate.json<Invited>(`people invitation ${id}`);
    expect(invited).not.toContain(again.invitation.url);
  });

  test("disable, enable and end-sessions change access", async () => {
    const { id } = await tollgate.json<Invited>("people invite bob@example.com --name Bob --role member --account acme");
    expect(await tollgate.text(`people disable ${id}`)).toBe(`Disabled ${id} (Bob).\n`);
    expect(await tollgate.text("people list --account acme")).toMatch(new RegExp(`^${id} +disabled +member +acme `, "m"));
    expect(await tollgate.text(`people enable ${id}`)).toBe(`Enabled ${id} (Bob).\n`);
    expect(await tollgate.json<object>(`people end-sessions ${id}`)).toMatchObject({ id, disabled_at: null });
  });

  test("tokens lists a person's access tokens, and revoke-token revokes one", async () => {
    const { id, invitation } = await tollgate.json<Invited>("people invite eve@example.com --name Eve --role operator");
    const token = await acceptAndMakeToken(invitation.url, ["people:read", "keys:read"]);
    const listed = await tollgate.text(`people tokens ${id}`);
    const tokenId = /^(\w+) +active +\d{4}-\d\d-\d\d +never +people:read,keys:read +laptop$/m.exec(listed)![1]!;
    const me = (): Promise<Response> => fetch(`${gateway.platformUrl}/api/me`, { headers: { authorization: `Bearer ${token}` } });
    expect([(await me()).status, listed.includes(token)]).toEqual([200, false]);
    expect(await tollgate.text(`people revoke-token ${id} ${tokenId}`)).toBe(`Revoked ${tokenId} (laptop).\n`);
    expect((await me()).status).toBe(401);
    expect(await tollgate.text(`people tokens ${id}`)).toMatch(new RegExp(`^${tokenId} +revoked `, "m"));
  });

  test("name the option in errors about missing or invalid values", async () => {
    const cases: [string, number, string][] = [
      ["people invite x@example.com --role member", 2, "give a name: --name"],
      ["people invite x@example.com --name X", 2, "give a role: --role operator"],
      ["people invite x@example.com --name X --role boss", 2, '--role must be one of operator, member, not "boss"'],
      ["people invite nobody --name X --role operator", 1, "tollgate: EMAIL must be "],
      ["people invite x@example.com --name X --role member", 1, "tollgate: --account is required"],
      ["people show person_nobody", 1, 'tollgate: There is no person with the id "person_nobody". See: npx tollgate people list\n'],
    ];
    for (const [line, code, words] of cases) {
      const outcome = await tollgate.run(line);
      expect([line, outcome.code, outcome.stdout, outcome.stderr]).toEqual([line, code, "", expect.stringContaining(words) as string]);
    }
  });
});

describe("a member with an access token and a platform URL", () => {
  test("needs no config file and no data folder, and has access to one account only", async () => {
    const { invitation } = await tollgate.json<Invited>("people invite max@example.com --name Max --role member --account acme");
    const token = await acceptAndMakeToken(invitation.url, ["accounts:read", "keys:read", "keys:write", "models:read"]);
    const home = mkdtempSync(join(tmpdir(), "tollgate-member-"));
    writeFileSync(join(home, "tollgate.yaml"), "this: is not a config file");
    const asMax = {
      cwd: home,
      env: { TOLLGATE_PLATFORM_URL: gateway.platformUrl, TOLLGATE_PLATFORM_PORT: "1", TOLLGATE_ACCESS_TOKEN: token },
    };
    const me = await tollgate.text("whoami", asMax);
    expect(me).toMatch(
      /^Token +access token\nPerson +person_\w+ \(Max, max@example\.com\)\nRole +member\nAccount +acme\nScopes +accounts:read, /,
    );
    expect(await tollgate.json<object>("keys create --name mine --models '*'", asMax)).toMatchObject({ account: "acme" });
    expect((await tollgate.json<{ data: object[] }>("keys list", asMax)).data).toMatchObject([{ name: "mine", account: "acme" }]);
    expect(await tollgate.text("models list", asMax)).toMatch(/^echo +available +\$1 \/ \$2 +tollgate$/m);
    const outcomes: [string, RegExp][] = [
      ["accounts show default", /^tollgate: There is no account with the id "default"\. See: npx tollgate accounts list\n$/],
      ["audit", /^tollgate: This is for operators\.\n$/],
      ["usage", /^tollgate: The access token does not have the scope usage:read\.\n$/],
    ];
    for (const [line, words] of outcomes)
      expect(await tollgate.run(line, asMax)).toMatchObject({ code: 1, stderr: expect.stringMatching(words) as string });
    rmSync(home, { recursive: true });
  });
});
