import type { DoctorReport, Model } from "../../../../platform-client/types.ts";
import { MODEL_KINDS } from "../../../models/catalog.ts";
import type { Exclusion } from "../../../models/route-exclusion.ts";
import { CommandFailed, type Command, type Invocation } from "../../command.ts";
import { formatCount } from "../../format/format-values.ts";
import { choice } from "../../options.ts";
import { asJson, printable, writeStdout, terminalWidth } from "../../output.ts";
import { callPlatform } from "../../platform-client.ts";
import { EXCLUSIONS } from "../models/format-model.ts";
import { describeReport } from "./format-report.ts";

/** A model at an upstream. */
interface Target {
  readonly upstream: string;
  readonly model: string;
  readonly kind?: string | undefined;
  readonly excluded?: Exclusion | null;
}

export const runDoctor: Command = {
  summary: "Check how a model responds, live, at each of its upstreams. It uses a few tokens.",
  details:
    "It makes seven small calls at each upstream: JSON, streaming, a tool call, a JSON schema, token counts, a cancelled call, and an invalid one that must be rejected. For an embedding model it makes four: two texts as numbers, in the other order, as base64, and an invalid call. Exit code 1 if a check fails.",
  examples: ["doctor fast-chat", "doctor gpt-4o-mini --upstream our-openai", "doctor fast-chat --json"],
  operands: [{ name: "MODEL", meaning: "model ID; with --upstream, the upstream's name for the model", field: "model" }],
  options: {
    upstream: { meaning: "upstream to check; the model need not be in the catalog", value: "UPSTREAM" },
    kind: choice("kind", MODEL_KINDS, "with --upstream: what the model is for (default: by its routes or its name)"),
  },
  call: "POST /api/upstreams/{id}/doctor",
  async run(invocation) {
    const reports: DoctorReport[] = [];
    for (const target of await targetsFor(invocation)) {
      const report = await examine(target);
      reports.push(report);
      const text = `${describeReport(report, terminalWidth())}${describeUse(target, invocation)}`;
      if (!invocation.json) await writeStdout(`${reports.length > 1 ? "\n" : ""}${printable(text)}`);
    }
    if (invocation.json) await writeStdout(asJson({ reports }));
    const failed = reports.flatMap(({ checks }) => checks.filter(({ outcome }) => outcome === "failed")).length;
    if (failed > 0) throw new CommandFailed(`${formatCount(failed, "check")} failed`);
  },
};

async function targetsFor({ operands, options }: Invocation): Promise<readonly Target[]> {
  const [model] = operands as [string];
  if (options["upstream"] !== undefined) return [{ upstream: options["upstream"], model, kind: options["kind"] }];
  const { body } = await callPlatform({ method: "GET", path: `/api/models/${encodeURIComponent(model)}` });
  const { routes, kind } = body as Model;
  if (!routes) throw new CommandFailed("only operators can see where a model is served");
  return routes.map((route) => ({ ...route, kind }));
}

/** Why the route receives no traffic, whatever the checks say. */
function describeUse({ excluded: problem }: Target, { operands }: Invocation): string {
  return problem ? `As a route of ${operands[0]} it is ${EXCLUSIONS[problem]}.\n` : "";
}

async function examine({ upstream, model, kind }: Target): Promise<DoctorReport> {
  const path = `/api/upstreams/${encodeURIComponent(upstream)}/doctor`;
  return (await callPlatform({ method: "POST", path, body: { model, ...(kind !== undefined && { kind }) } })).body as DoctorReport;
}
