import { afterAll, beforeAll, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCloudVariables } from "../../config/read-cloud-variables.ts";
import { toUpstream, type DeclaredUpstream } from "../../models/declared-upstream.ts";
import { checkIdentityFiles } from "./check-identity-files.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-identity-files-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

async function problemOf(declared: Partial<DeclaredUpstream>): Promise<string | undefined> {
  const upstream = toUpstream({ id: "u", ...declared }, (path, message) => {
    throw new Error(`${path.join(".")} ${message}`);
  });
  const [problem] = await checkIdentityFiles([upstream], readCloudVariables({ AWS_CONFIG_FILE: join(folder, "config"), HOME: folder }));
  return problem;
}

const google = (credentials_file: string): Promise<string | undefined> =>
  problemOf({ preset: "vertex-gemini", google: { project: "acme-prod", location: "global", credentials_file } });

const KEY = { type: "service_account", client_email: "a@acme.iam.gserviceaccount.com" };

test("accepts the key of a service account, and a profile that exists", async () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const private_key = privateKey.export({ type: "pkcs8", format: "pem" });
  expect(await google(file("good.json", { ...KEY, private_key }))).toBeUndefined();
  file("config", "[profile prod]\nregion = us-east-1\n");
  expect(await problemOf({ preset: "bedrock-converse", aws: { region: "us-east-1", profile: "prod" } })).toBeUndefined();
  expect(await problemOf({ preset: "bedrock-converse", aws: { region: "us-east-1" } })).toBeUndefined();
});

test("names what is wrong with a file or a profile, and no part of its text", async () => {
  expect(await google(join(folder, "nope.json"))).toBe(
    `the upstream u: ${join(folder, "nope.json")} does not exist: google.credentials_file names it`,
  );
  for (const [name, content, problem] of [
    ["broken.json", "{canary", "is not JSON"],
    ["keyless.json", KEY, "has no private_key"],
    ["unreadable.json", { ...KEY, private_key: "canary" }, "has a private_key that cannot be read as PEM"],
    ["person.json", { type: "authorized_user", refresh_token: "canary" }, "has the sign-in of a person"],
  ] as const) {
    const found = await google(file(name, content));
    expect(found).toStartWith(`the upstream u: ${join(folder, name)} (google.credentials_file) ${problem}`);
    expect(found).not.toContain("canary");
  }
  expect(await problemOf({ preset: "bedrock-converse", aws: { region: "us-east-1", profile: "nope" } })).toContain(
    "the profile nope (aws.profile) is not in",
  );
});
