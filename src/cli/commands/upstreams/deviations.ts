import type { DeviationCount } from "../../../../platform-client/types.ts";
import { UsageError, type Command, type Invocation } from "../../command.ts";
import { formatNumber } from "../../format/format-values.ts";
import { listCommand, readAll } from "../../list-command.ts";
import { text } from "../../options.ts";
import { asJson, printable, writeStdout, terminalWidth } from "../../output.ts";
import { formatTable, type Column } from "../../format/table.ts";
import { forEachUpstream, UPSTREAM_OR_ALL } from "./upstreams.ts";

type UpstreamDeviation = DeviationCount & { readonly upstream: string };

const COLUMNS: readonly Column<DeviationCount>[] = [
  { heading: "MODEL", cell: ({ model }) => model, isLong: true },
  { heading: "DEVIATION", cell: ({ deviation }) => deviation },
  { heading: "HANDLING", cell: ({ handling }) => handling },
  { heading: "RESPONSES", cell: ({ responses }) => formatNumber(responses), align: "right" },
];

const ofOne = listCommand<DeviationCount>({
  summary: "List the format deviations of an upstream, or of all, since startup.",
  details: "Mended deviations never reach a client; counted ones are passed on unchanged. tollgate doctor checks a model now.",
  examples: ["upstreams deviations", "upstreams deviations our-openai", "upstreams deviations our-openai --model gpt-4o"],
  options: { model: text("model", "only responses of this model", "MODEL") },
  operands: [UPSTREAM_OR_ALL],
  call: "GET /api/upstreams/{id}/deviations",
  columns: COLUMNS,
});

export const listDeviations: Command = {
  ...ofOne,
  run: (invocation) => (invocation.operands.length === 0 ? listAll(invocation) : ofOne.run(invocation)),
};

async function listAll({ json, options }: Invocation): Promise<void> {
  if (["limit", "cursor", "model"].some((name) => options[name] !== undefined)) {
    throw new UsageError("--limit, --cursor and --model need an UPSTREAM");
  }
  const data = (await forEachUpstream(deviationsOf)).flat();
  if (json) return writeStdout(asJson({ data, next: null }));
  const upstream: Column<UpstreamDeviation> = { heading: "UPSTREAM", cell: (row) => row.upstream, isLong: true };
  await writeStdout(printable(formatTable([upstream, ...COLUMNS], data, terminalWidth())));
}

async function deviationsOf(upstream: string): Promise<UpstreamDeviation[]> {
  const { data } = await readAll<DeviationCount>(ofOne, { operands: [upstream] });
  return data.map((row) => ({ upstream, ...row }));
}
