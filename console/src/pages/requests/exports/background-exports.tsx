import { useState, type ReactNode } from "react";
import { Button } from "../../../parts/button.tsx";
import { Cancel, Dialog, DialogBody, DialogFooter } from "../../../parts/overlays/dialog.tsx";
import { Notice } from "../../../parts/notice.tsx";
import { Radios } from "../../../parts/inputs/radios.tsx";
import { useApiMutation, useApiQuery } from "../../../platform/use-api.ts";
import type { RequestFilters } from "../filters/request-search.ts";
import { describeFilters, toExportRequest } from "./export-filters.ts";
import { ExportRow } from "./export-row.tsx";

const POLL_MS = 1000;

/** Starts a background export of the requests that match, and lists one's own. They go on when the dialog is closed or the page is left. */
export function BackgroundExports({ filters, onClose }: { readonly filters: RequestFilters; readonly onClose: () => void }): ReactNode {
  const [format, setFormat] = useState<"csv" | "jsonl">("csv");
  const create = useApiMutation("createExport");
  const exports = useApiQuery("listExports", {}, { every: POLL_MS });
  const all = exports.data?.data;
  return (
    <Dialog
      open
      onClose={onClose}
      wide
      title="Background exports"
      about="An export goes on when you leave the page. You can download its file for a day."
    >
      <DialogBody>
        <p>
          <span className="text-ink-2">Export: </span>
          <span className="break-words">{describeFilters(filters)}</span>
        </p>
        <Radios
          label="Format"
          name="format"
          value={format}
          choices={[
            { value: "csv", label: "CSV" },
            { value: "jsonl", label: "JSON Lines" },
          ]}
          onPick={(value) => setFormat(value === "csv" ? "csv" : "jsonl")}
        />
        {(create.error ?? exports.error) && <Notice tone="bad">{(create.error ?? exports.error)!.message}</Notice>}
        <section aria-labelledby="own-exports" className="flex flex-col gap-2">
          <h3 id="own-exports" className="font-semibold">
            Your exports
          </h3>
          {all?.length === 0 && <p className="text-ink-2">None yet.</p>}
          <ul className="flex flex-col divide-y divide-line">
            {all?.map((each) => (
              <ExportRow key={each.id} each={each} />
            ))}
          </ul>
        </section>
      </DialogBody>
      <DialogFooter>
        <Cancel onClick={onClose}>Close</Cancel>
        <Button weight="primary" busy={create.isPending} onClick={() => create.mutate({ body: toExportRequest(filters, format) })}>
          Start export
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
