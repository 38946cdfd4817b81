import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COMMANDS } from "../../src/cli/commands.ts";
import { findProgram } from "../clients/system-program.ts";
import { isLong } from "../support/long.ts";
import { launcher } from "../support/gateway/launcher.ts";

/** Runs a shell script that prints the completions of each line, one line each. */
type Ask = (script: string, lines: readonly string[]) => string;

const SHELLS: readonly { readonly name: string; readonly program: string | undefined; readonly ask: Ask }[] = [
  { name: "bash", program: findProgram(["bash"], "bash"), ask: askBash },
  { name: "zsh", program: findProgram(["zsh"], "zsh"), ask: askZsh },
  { name: "fish", program: findProgram(["fish"], "fish"), ask: askFish },
];

function askBash(script: string, lines: readonly string[]): string {
  const asked = lines.map(
    (line) => `COMP_WORDS=(${wordsIn(line)}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _tollgate; echo "\${COMPREPLY[*]}"`,
  );
  return `source ${script}\n${asked.join("\n")}\n`;
}

/** Zsh completes only in its line editor, so its completions are printed instead. */
function askZsh(script: string, lines: readonly string[]): string {
  const asked = lines.map((line) => `words=(${wordsIn(line)}); CURRENT=$#words; offered=(); _tollgate; print -r -- $offered`);
  return `compdef() {}
_describe() { local each; for each in "\${(@P)2}"; do [[ $each == \${words[CURRENT]}* ]] && offered+=("\${each%%:*}"); done }
_message() {}
_files() { offered+=(\${words[CURRENT]}*(N)) }
source ${script}
${asked.join("\n")}
`;
}

function askFish(script: string, lines: readonly string[]): string {
  return `source ${script}\n${lines.map((line) => `echo (complete -C '${line}' | string split -f1 \\t)`).join("\n")}\n`;
}

function wordsIn(line: string): string {
  return line
    .split(" ")
    .map((word) => `'${word}'`)
    .join(" ");
}

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-completion-"));
  writeFileSync(join(folder, "litellm.yaml"), "");
});

afterAll(() => rmSync(folder, { recursive: true }));

const CASES: readonly [line: string, offered: string][] = [
  ["tollgate ke", "keys"],
  ["tollgate keys re", "remove restore resume revoke revoke-leaked"],
  ["tollgate keys list --st", "--state"],
  ["tollgate keys list --state ", "active expired paused revoked"],
  ["tollgate keys list --account ", ""],
  ["tollgate keys list --account acme --state re", "revoked"],
  ["tollgate people invite --role ", "member operator"],
  ["tollgate people invite --role member --acc", "--account"],
  ["tollgate audit lo", "log"],
  ["tollgate completion z", "zsh"],
  ["tollgate import litellm lite", "litellm.yaml"],
  ["tollgate import litellm --out lite", "litellm.yaml"],
  ["tollgate keys show 4fQ8sLm2XyZ1 --js", "--json"],
  ["tollgate nonsense --st", ""],
];

/** The commands whose completion is tested: every third command in a short run, because the scripts list all of them in the same way. */
const COMPLETED = Object.keys(COMMANDS).filter((_, at) => isLong || at % 3 === 0);

describe("tollgate completion", () => {
  for (const { name, program, ask } of SHELLS) {
    test.skipIf(program === undefined)(`in ${name} offers commands, options and their values`, async () => {
      const script = join(folder, name);
      const printed = await run([launcher(), "completion", name]);
      expect(printed.stderr).toBe("");
      writeFileSync(script, printed.stdout);
      expect((await run([program!, "-n", script])).stderr).toBe("");
      const names = COMPLETED.map((command): [string, string] => [`tollgate ${command}`, command.split(" ").at(-1)!]);
      const lines = [...CASES, ...names].map(([line]) => line);
      const asked = join(folder, `ask-${name}`);
      writeFileSync(asked, ask(script, lines));
      const { stdout, stderr } = await run([program!, asked]);
      expect(stderr).toBe("");
      const offered = stdout.trimEnd().split("\n").map(sorted);
      expect(CASES.map(([line], at) => [line, offered[at]])).toEqual(CASES.map(([line, words]) => [line, sorted(words)]));
      // A complete command is still suggested.
      expect(names.filter(([, last], at) => !offered[CASES.length + at]!.includes(last))).toEqual([]);
    });
  }
});

function sorted(words: string): string[] {
  return words.split(" ").filter(Boolean).toSorted();
}

async function run(command: string[]): Promise<{ stdout: string; stderr: string }> {
  const child = Bun.spawn(command, { cwd: folder, env: { PATH: process.env["PATH"]!, HOME: folder }, stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { stdout, stderr };
}
