import { Download, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import type { RequestExport } from "../../../../../platform-client/types.ts";
import { Badge } from "../../../parts/badge.tsx";
import { Button, buttonClass, IconButton } from "../../../parts/button.tsx";
import { bytes, count, inCount } from "../../../parts/format/format.ts";
import { Notice } from "../../../parts/notice.tsx";
import { Time } from "../../../parts/time.tsx";
import type { Tone } from "../../../parts/tone.ts";
import { urlOf } from "../../../platform/call.ts";
import { useApiMutation } from "../../../platform/use-api.ts";
import { describeFilters } from "./export-filters.ts";

const STATES: Readonly<Record<RequestExport["state"], readonly [label: string, tone: Tone]>> = {
  running: ["Running", "plain"],
  done: ["Done", "good"],
  failed: ["Failed", "bad"],
  cancelled: ["Cancelled", "plain"],
  interrupted: ["Interrupted", "warn"],
};

const FORMATS = { csv: "CSV", jsonl: "JSON Lines" } as const;

/** An export with its progress, and the buttons to download, cancel and delete it. */
export function ExportRow({ each }: { readonly each: RequestExport }): ReactNode {
  const { id, state, format, filters, error } = each;
  const cancel = useApiMutation("cancelExport");
  const remove = useApiMutation("removeExport");
  const refused = cancel.error ?? remove.error;
  const [label, tone] = STATES[state];
  return (
    <li className="flex flex-col gap-1.5 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={tone}>{label}</Badge>
        <span className="min-w-0 flex-1 basis-48 break-words">{describeFilters(filters)}</span>
        {state === "running" && (
          <Button small busy={cancel.isPending} onClick={() => cancel.mutate({ path: { id } })}>
            Cancel export
          </Button>
        )}
        {state === "done" && (
          <a href={urlOf("downloadExport", { path: { id } })} download className={buttonClass("plain", true)}>
            <Download size={14} aria-hidden />
            Download
          </a>
        )}
        {state !== "running" && (
          <IconButton
            small
            label={`Delete export: ${describeFilters(filters)}`}
            busy={remove.isPending}
            onClick={() => remove.mutate({ path: { id } })}
          >
            <Trash2 size={14} aria-hidden />
          </IconButton>
        )}
      </div>
      <p className="text-sm text-ink-2">
        {FORMATS[format]} · {formatProgress(each)} · started <Time at={each.created_at} />
      </p>
      {state === "running" && <Progress each={each} />}
      {state === "interrupted" && <p className="text-sm text-ink-2">The process that wrote it has stopped. Start the export again.</p>}
      {error !== null && <p className="text-sm text-bad">{error}</p>}
      {refused && <Notice tone="bad">{refused.message}</Notice>}
    </li>
  );
}

function formatProgress({ state, rows, total, bytes: size }: RequestExport): string {
  if (state === "done") return `${inCount(rows, "request")}, ${bytes(size)}`;
  return total === null ? inCount(rows, "request") : `${count(rows)} of ${inCount(total, "request")}`;
}

/** Without a total, there is no share to show. */
function Progress({ each }: { readonly each: RequestExport }): ReactNode {
  const { rows, total } = each;
  const share = total === null || total === 0 ? undefined : Math.min(1, rows / total);
  return (
    <div
      role="progressbar"
      aria-label="Progress of the export"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={share === undefined ? undefined : Math.floor(share * 100)}
      aria-valuetext={formatProgress(each)}
      className="h-1.5 overflow-hidden rounded-sm bg-line"
    >
      <div className="h-full rounded-sm bg-accent transition-[width]" style={{ width: `${(share ?? 0) * 100}%` }} />
    </div>
  );
}
