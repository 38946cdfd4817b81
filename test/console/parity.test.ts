import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS } from "../../src/cli/commands.ts";
import { ROOT } from "../support/gateway/start-gateway.ts";

test("docs/console.md names the place of every command in the console, or that it belongs to a shell", () => {
  const text = readFileSync(join(ROOT, "docs/console.md"), "utf8");
  const section = text.slice(text.indexOf("## What the console can do"), text.indexOf("## Keyboard shortcuts"));
  const named = [...section.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([^`]+)`/g)].map((match) => match[1]!),
  );
  expect(named.toSorted()).toEqual(Object.keys(COMMANDS).toSorted());
});
