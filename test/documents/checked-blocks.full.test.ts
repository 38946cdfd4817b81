import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "../clients/system-program.ts";
import { CHECKS } from "./check-block.ts";
import { BLOCKS, blocksIn, placeOf, type Block } from "./fenced-blocks.ts";

/** Shell commands are run. */
const RUN = ["sh", "bash"];
/** Languages that are checked by the program that reads them, if it is installed. */
const PROGRAMS = ["python", "nginx", "haproxy"];

const inLanguage = (language: string): Block[] => BLOCKS.filter((block) => block.language === language);

test("finds blocks, also in lists, with the comments above them", () => {
  const markdown = "a\n\n<!-- not run: needs Docker -->\n```sh\none\n\ntwo\n```\n1. b\n\n   ```yaml\n   c:\n     d\n   ```\n";
  expect(blocksIn("a.md", markdown)).toEqual([
    { file: "a.md", line: 4, language: "sh", text: "one\n\ntwo", note: { kind: "not run", reason: "needs Docker" } },
    { file: "a.md", line: 11, language: "yaml", text: "c:\n  d", note: undefined },
  ]);
  expect(BLOCKS.length).toBeGreaterThan(150);
});

test("every block is run or checked: its language is known", () => {
  const known = new Set([...RUN, ...Object.keys(CHECKS), ...PROGRAMS]);
  expect(BLOCKS.filter(({ language }) => !known.has(language)).map((block) => `${placeOf(block)} ${block.language}`)).toEqual([]);
});

test("only blocks that are run are said not to be", () => {
  const marked = BLOCKS.filter(({ note, language }) => note && ![...RUN, "yaml"].includes(language));
  expect(marked.map(placeOf)).toEqual([]);
});

describe("a block is valid:", () => {
  for (const [language, check] of Object.entries(CHECKS)) {
    for (const block of inLanguage(language)) test(`${placeOf(block)} ${language}`, () => check(block));
  }
});

describe("a block that another program reads is valid:", () => {
  const python = findProgram(["python3"], "python3-minimal");
  test.skipIf(!python)("Python", () => {
    const texts = inLanguage("python").map((block) => [block.text, placeOf(block)]);
    const program = "import json, sys\nfor text, place in json.load(sys.stdin): compile(text, place, 'exec')";
    const { exitCode, stderr } = Bun.spawnSync([python!, "-c", program], { stdin: Buffer.from(JSON.stringify(texts)) });
    expect([exitCode, stderr.toString()]).toEqual([0, ""]);
  });

  const nginx = findProgram(["nginx", "/usr/sbin/nginx"], "nginx-light");
  for (const block of inLanguage("nginx")) {
    test.skipIf(!nginx)(placeOf(block), () =>
      expect(complaintsOf([nginx!, "-t", "-q", "-e", "stderr", "-c"], nginxConfig(block.text))).toBe(""),
    );
  }

  const haproxy = findProgram(["haproxy", "/usr/sbin/haproxy"], "haproxy");
  for (const block of inLanguage("haproxy")) {
    test.skipIf(!haproxy)(placeOf(block), () => expect(complaintsOf([haproxy!, "-c", "-q", "-f"], haproxyConfig(block.text))).toBe(""));
  }
});

/** Part of a server, or several servers. Certificates are not part of the examples. */
function nginxConfig(text: string): string {
  const servers = (text.startsWith("location") ? `server { ${text} }` : text).replaceAll(/listen 443 ssl;/g, "listen unix:socket;");
  return `events {} pid pid; http { access_log off; ${servers} }\n`;
}

function haproxyConfig(text: string): string {
  return `defaults\n  mode http\n  timeout connect 1s\n  timeout client 1s\n  timeout server 1s\n${text}\n`;
}

/** A program's messages about a config file. */
function complaintsOf(command: readonly string[], config: string): string {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-config-"));
  try {
    writeFileSync(join(folder, "config"), config);
    const { exitCode, stdout, stderr } = Bun.spawnSync([...command, join(folder, "config")], { cwd: folder });
    return exitCode === 0 ? "" : `${stdout.toString()}${stderr.toString()}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
