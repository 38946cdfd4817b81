import { Stethoscope } from "lucide-react";
import type { ReactNode } from "react";
import type { DoctorCheck, DoctorReport, Model } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Mono } from "../../parts/code.tsx";
import { Notice, type Tone } from "../../parts/notice.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { summarizeResponses, formatCheckDuration } from "./format-doctor.ts";

export const DOCTOR_COST = "Sends a few small requests to the model, which cost a few tokens at the provider.";

const CHECKS: Record<DoctorCheck["name"], string> = {
  identity: "Identity",
  json: "Non-streaming",
  stream: "Streaming",
  tools: "Tool calls",
  json_schema: "JSON schema",
  embeddings: "Embeddings",
  order: "Order of the vectors",
  base64: "Base64",
  usage: "Token usage",
  cancel: "Cancellation",
  error: "Errors",
};

const TONES: Record<DoctorCheck["outcome"], Tone> = { passed: "good", warned: "warn", failed: "bad", skipped: "plain" };

const COLUMNS: readonly Column<DoctorCheck>[] = [
  { title: "Check", cell: ({ name }) => CHECKS[name] },
  { title: "Outcome", cell: ({ outcome }) => <Badge tone={TONES[outcome]}>{outcome}</Badge> },
  {
    title: "Details",
    cell: ({ detail }) => <span className="break-words whitespace-normal text-ink-2">{detail}</span>,
    className: "max-w-none! w-full",
  },
  { title: "Duration", cell: formatCheckDuration, figures: true, from: "sm" },
];

interface DoctorProps {
  readonly upstream: string;
  readonly model: string;
  /** Undefined for a model that may have no route: the platform decides. */
  readonly kind?: Model["kind"] | undefined;
}

/** The doctor's checks of one model at one upstream. They run only when the button is pressed. */
export function Doctor({ upstream, model, kind }: DoctorProps): ReactNode {
  const examine = useApiMutation("examineUpstream");
  return (
    <div className="flex flex-col">
      <div className="flex flex-wrap items-center justify-between gap-2 px-4 py-2.5">
        <p className="flex min-w-0 flex-wrap items-center gap-x-2">
          <Mono>{model}</Mono>
          <span className="text-ink-3">at {upstream}</span>
          {examine.data && <Score report={examine.data} />}
        </p>
        <Button
          small
          busy={examine.isPending}
          aria-label={`Run checks on ${model} at ${upstream}`}
          onClick={() => examine.mutate({ path: { id: upstream }, body: { model, ...(kind && { kind }) } })}
        >
          <Stethoscope size={14} aria-hidden />
          {examine.data ? "Run again" : "Run checks"}
        </Button>
      </div>
      {examine.error && (
        <div className="px-4 pb-3">
          <Notice tone="bad">{examine.error.message}</Notice>
        </div>
      )}
      {examine.data && <Report report={examine.data} />}
    </div>
  );
}

function Score({ report: { checks } }: { readonly report: DoctorReport }): ReactNode {
  const passed = checks.filter(({ outcome }) => outcome === "passed").length;
  const worst = (["failed", "warned"] as const).find((outcome) => checks.some((check) => check.outcome === outcome));
  return (
    <Badge tone={worst ? TONES[worst] : "good"}>
      {passed} of {checks.length} passed
    </Badge>
  );
}

function Report({ report }: { readonly report: DoctorReport }): ReactNode {
  const summary = summarizeResponses(report);
  return (
    <div className="border-t border-line">
      <Table label={`Checks of ${report.model}`} columns={COLUMNS} rows={report.checks} keyOf={({ name }) => name} />
      {summary && <p className="border-t border-line px-4 py-2 text-sm text-ink-3">{summary}</p>}
    </div>
  );
}
