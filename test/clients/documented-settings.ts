import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/gateway/start-gateway.ts";

/** A gateway and a key, which replace those on the page. */
export interface Access {
  readonly baseUrl: string;
  readonly key: string;
}

/** The model that the settings of the page name. */
export const MODEL = "fast-chat";

const PAGE = readFileSync(join(ROOT, "docs/clients.md"), "utf8");

/** The code block in this language under a heading of docs/clients.md, with this gateway and this key filled in. */
export function settingsOf(heading: string, language: string, { baseUrl, key }: Access): string {
  const section = PAGE.split(`\n### ${heading}\n`)[1]?.split(/\n##+ /)[0] ?? "";
  const block = section.split(`\n\`\`\`${language}\n`)[1]?.split("\n```")[0];
  if (block === undefined) throw new Error(`docs/clients.md has no block in ${language} under "${heading}".`);
  const settings = block.replaceAll("http://127.0.0.1:8700/v1", baseUrl).replaceAll("sk-service-…", key);
  if (settings === block) throw new Error(`The block under "${heading}" has neither the base URL nor a key.`);
  return `${settings}\n`;
}

/** The versions in the tables of the page, by the name of the client. */
export function documentedVersions(): Map<string, string> {
  return new Map([...PAGE.matchAll(/^\| \[([^\]]+)\]\(#[^)]+\) \| ([^|]+) \|/gm)].map(([, name, version]) => [name!, version!.trim()]));
}
