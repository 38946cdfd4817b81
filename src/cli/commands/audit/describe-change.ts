import type { ChangeView } from "../../views.ts";
import { describeFields } from "./describe-fields.ts";
import { describeReload } from "./describe-reload.ts";

/** What a change did, in a line for people. --json has all of it. */
export function describeChange({ action, before, after }: ChangeView): string {
  if (after === null) return "";
  const reload = action === "config.reload" && before !== null ? describeReload(before, after) : undefined;
  return reload ?? describeFields(before, after);
}
