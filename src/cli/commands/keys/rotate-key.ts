import { duration } from "../../options.ts";
import { platformCommand } from "../../platform-command.ts";
import type { KeyView } from "../../views.ts";
import { inTime } from "../../words.ts";
import { KEY } from "./key-operand.ts";

export const rotateKey = platformCommand<KeyView & { readonly key: string }>({
  summary: "Makes a key anew under its id and shows it, this once. The key as it was works on for a while.",
  details: "Give the new one to whoever uses it, within the overlap: nothing stops meanwhile. Limits, caps and spending stay as they are.",
  examples: ["keys rotate 4fQ8sLm2XyZ1", "keys rotate 4fQ8sLm2XyZ1 --overlap 7d", "keys rotate 4fQ8sLm2XyZ1 --overlap 0"],
  operands: [KEY],
  options: {
    overlap: duration(
      "overlap_seconds",
      "how long the key as it was works on: 30m, 24h, 7d, up to 30d; 0 ends it at once; 24h, if not given",
    ),
  },
  call: "POST /api/keys/{id}/rotate",
  print({ key, id, previous_key_works_until: until }) {
    const before = until === null ? "The key as it was works no more." : `The key as it was works until ${inTime(until)} UTC.`;
    return `${key}\n\nKey ${id} is this from now on. It is shown this once: only a hash of it is kept. ${before}\n`;
  },
});
