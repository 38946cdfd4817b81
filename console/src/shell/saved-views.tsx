import { useRouter } from "@tanstack/react-router";
import { Bookmark } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { SavedView } from "../../../platform-client/types.ts";
import { Button } from "../parts/button.tsx";
import { Menu } from "../parts/overlays/menu.tsx";
import { base } from "../platform/base.ts";
import { useApiQuery } from "../platform/use-api.ts";
import { ManageViews, SaveView } from "./saved-view-dialogs.tsx";

/** The saved views of the person: opens, renames and deletes a view, or saves the current page. The views of this page come first. */
export function SavedViews(): ReactNode {
  const router = useRouter();
  const views = useApiQuery("listViews", {});
  const [open, setOpen] = useState<"save" | "manage">();
  const all = views.data?.data ?? [];
  const { page } = currentView();
  const inOrder = [...all.filter((view) => view.page === page), ...all.filter((view) => view.page !== page)];
  return (
    <>
      <Menu
        label="Saved views"
        trigger={
          <Button>
            <Bookmark size={14} aria-hidden />
            Views
          </Button>
        }
        items={[
          ...inOrder.map((view) => ({ label: view.name, onSelect: () => router.history.push(addressOf(view)) })),
          { label: "Save this view…", onSelect: () => setOpen("save") },
          { label: "Manage views…", onSelect: () => setOpen("manage"), disabled: all.length === 0 },
        ]}
      />
      {open === "save" && <SaveView view={currentView()} onClose={() => setOpen(undefined)} />}
      {open === "manage" && <ManageViews views={all} onClose={() => setOpen(undefined)} />}
    </>
  );
}

/** Read from the address bar, because the router decodes parts of the path, such as a slash in the ID of a model. */
function currentView(): Pick<SavedView, "page" | "query"> {
  return { page: location.pathname.slice(base.length) || "/", query: location.search.slice(1) };
}

function addressOf({ page, query }: SavedView): string {
  return `${base}${page}${query && `?${query}`}`;
}
