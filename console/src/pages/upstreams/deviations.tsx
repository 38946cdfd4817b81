import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { DeviationCount } from "../../../../platform-client/types.ts";
import { usePages } from "../../platform/use-api.ts";
import { Badge } from "../../parts/badge.tsx";
import { count } from "../../parts/format/format.ts";
import { PagedTable, type Column } from "../../parts/table.tsx";
import { textLink } from "../../parts/text-link.ts";
import { formatDeviation } from "./format-deviation.ts";

const COLUMNS: readonly Column<DeviationCount>[] = [
  {
    title: "Model",
    cell: ({ model }) => (
      <Link to="/models/$id" params={{ id: model }} title={model} className={textLink}>
        {model}
      </Link>
    ),
    from: "sm",
  },
  { title: "Deviation", cell: ({ deviation }) => formatDeviation(deviation) },
  {
    title: "Handling",
    cell: ({ handling }) => (
      <Badge
        tone={handling === "mended" ? "good" : "warn"}
        title={handling === "mended" ? "Callers receive the corrected format." : "Callers receive it unchanged."}
      >
        {handling === "mended" ? "repaired" : "passed through"}
      </Badge>
    ),
  },
  { title: "Responses", cell: ({ responses }) => count(responses), figures: true },
];

/** The format deviations in the responses of an upstream: of all its models, or of one. */
export function Deviations({ upstream, model }: { readonly upstream: string; readonly model?: string }): ReactNode {
  const pages = usePages("listDeviations", { path: { id: upstream }, query: { limit: 50, ...(model !== undefined && { model }) } });
  return (
    <PagedTable
      label={`Format deviations of ${upstream}`}
      of={pages}
      columns={COLUMNS}
      keyOf={({ model: of, deviation }) => `${of} ${deviation}`}
      empty={<p className="px-4 py-3 text-ink-3">None at {upstream}.</p>}
    />
  );
}
