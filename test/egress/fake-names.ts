import { join } from "node:path";

/** The environment of a gateway for which names resolve to these answers, one after the other. The last answer is repeated forever. */
export function fakeNames(names: Readonly<Record<string, readonly (readonly string[])[]>>): Record<string, string> {
  return { BUN_OPTIONS: `--preload=${join(import.meta.dir, "fake-resolver.ts")}`, FAKE_NAMES: JSON.stringify(names) };
}
