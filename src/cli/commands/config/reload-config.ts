import { platformCommand } from "../../platform-command.ts";
import { inSentences } from "../../words.ts";
import { describeCounts, type DeclaredCounts } from "./declared-counts.ts";

type Targets = readonly { readonly kind: string; readonly id: string }[];

interface ReloadView extends DeclaredCounts {
  readonly file: string;
  readonly changed: { readonly added: Targets; readonly changed: Targets; readonly removed: Targets };
  readonly remarks: readonly string[];
}

export const reloadConfig = platformCommand<ReloadView>({
  summary: "Has the gateway read its config file again, and says what has changed.",
  details: "A file with a mistake in it is refused, with its line and column, and what was in force stays. No stream is cut.",
  examples: ["config reload"],
  call: "POST /api/config/reload",
  print({ file, changed, remarks, ...counts }) {
    const lines = [...linesOf("added", changed.added), ...linesOf("changed", changed.changed), ...changed.removed.map(lineOfRemoved)];
    const what = lines.length === 0 ? "Nothing has changed.\n" : lines.join("");
    return `${file} declares ${describeCounts(counts)}.\n${what}${inSentences(remarks)}`;
  },
});

function linesOf(verb: string, targets: Targets): string[] {
  return targets.map(({ kind, id }) => `  ${verb} ${kind} ${id}\n`);
}

/** An account has credit and keys, which do not end because a file forgets it. */
function lineOfRemoved({ kind, id }: Targets[number]): string {
  return kind === "account" ? `  no longer in the file: account ${id}, which stays as it is\n` : `  removed ${kind} ${id}\n`;
}
