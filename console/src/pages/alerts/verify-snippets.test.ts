import { expect, test } from "bun:test";
import { join } from "node:path";
import { VERIFY_SNIPPETS } from "./verify-snippets.ts";

test("the signature checks are the ones in docs/alerts.md, which are tested there", async () => {
  const page = await Bun.file(join(import.meta.dir, "../../../../docs/alerts.md")).text();
  for (const { text } of VERIFY_SNIPPETS) expect(page).toContain(`\n${text}\n`);
});
