import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const GATEWAY = join(import.meta.dir, "..");

test("only settle.ts ends an admission", () => {
  const files = readdirSync(GATEWAY, { recursive: true, encoding: "utf8" }).filter((file) => /(?<!\.test)\.ts$/.test(file));
  const enders = files.filter((file) => /\badmission\.(settle|release)\(/.test(readFileSync(join(GATEWAY, file), "utf8")));
  expect(enders).toEqual(["settlement/settle.ts"]);
});
