import { Download } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Button } from "../../../parts/button.tsx";
import { Menu } from "../../../parts/overlays/menu.tsx";
import { urlOf } from "../../../platform/call.ts";
import type { RequestFilters } from "../filters/request-search.ts";
import { BackgroundExports } from "./background-exports.tsx";

/** Exports the requests that match: at once as a download, or in the background, which suits large sets. */
export function ExportMenu({ filters }: { readonly filters: RequestFilters }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Menu
        label="Export"
        trigger={
          <Button>
            <Download size={14} aria-hidden />
            Export
          </Button>
        }
        items={[
          { label: "CSV", download: urlOf("exportRequests", { query: { ...filters, format: "csv" } }) },
          { label: "JSON Lines", download: urlOf("exportRequests", { query: { ...filters, format: "jsonl" } }) },
          { label: "In the background…", onSelect: () => setOpen(true) },
        ]}
      />
      {isOpen && <BackgroundExports filters={filters} onClose={() => setOpen(false)} />}
    </>
  );
}
