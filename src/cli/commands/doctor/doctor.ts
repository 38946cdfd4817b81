import type { DoctorReport, Model } from "../../../../platform-client/types.ts";
import type { Exclusion } from "../../../models/route-exclusion.ts";
import { CommandFailed, type Command, type Invocation } from "../../command.ts";
import { formatCount } from "../../format-values.ts";
import { asJson, printable, writeStdout, terminalWidth } from "../../output.ts";
import { callPlatform } from "../../platform-client.ts";
import { OMITTED } from "../models/format-model.ts";
import { describeReport } from "./format-report.ts";

/** Where one model is to be examined. */
interface Place {
  readonly upstream: string;
  readonly model: string;
  readonly left_out?: Exclusion | null;
}

export const runDoctor: Command = {
  summary: "Attempts live how a model answers, at each upstream that serves it. It costs a few tokens there.",
  details:
    "It makes seven small calls at each: JSON, a stream, a tool, a JSON schema, token counts, a call that is broken off, and one that must be refused. It fails, with exit code 1, where a check fails.",
  examples: ["doctor fast-chat", "doctor gpt-4o-mini --upstream our-openai", "doctor fast-chat --json"],
  operands: [{ name: "MODEL", meaning: "the model's id; with --upstream, the upstream's own name for a model", field: "model" }],
  options: {
    upstream: { meaning: "examine a model of this upstream, which need not be in the catalog", value: "UPSTREAM" },
  },
  call: "POST /api/upstreams/{id}/doctor",
  async run(invocation) {
    const reports: DoctorReport[] = [];
    for (const place of await placesFor(invocation)) {
      const report = await examine(place);
      reports.push(report);
      const words = `${describeReport(report, terminalWidth())}${describeUse(place, invocation)}`;
      if (!invocation.json) await writeStdout(`${reports.length > 1 ? "\n" : ""}${printable(words)}`);
    }
    if (invocation.json) await writeStdout(asJson({ reports }));
    const failed = reports.flatMap(({ checks }) => checks.filter(({ outcome }) => outcome === "failed")).length;
    if (failed > 0) throw new CommandFailed(`${formatCount(failed, "check")} failed`);
  },
};

async function placesFor({ operands, options }: Invocation): Promise<readonly Place[]> {
  const [model] = operands as [string];
  if (options["upstream"] !== undefined) return [{ upstream: options["upstream"], model }];
  const { answer } = await callPlatform({ method: "GET", path: `/api/models/${encodeURIComponent(model)}` });
  const { routes } = answer as Model;
  if (!routes) throw new CommandFailed("only operators are told where a model is served");
  return routes;
}

/** However well it answers, nobody is sent there. */
function describeUse({ left_out: problem }: Place, { operands }: Invocation): string {
  return problem ? `As a route of ${operands[0]} it is ${OMITTED[problem]}.\n` : "";
}

async function examine({ upstream, model }: Place): Promise<DoctorReport> {
  const path = `/api/upstreams/${encodeURIComponent(upstream)}/doctor`;
  return (await callPlatform({ method: "POST", path, body: { model } })).answer as DoctorReport;
}
