import { getRouteApi, Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { ShownModel, Announcement, Model } from "../../../../platform-client/types.ts";
import { useApiQuery, usePages, useApiMutation } from "../../platform/use-api.ts";
import { CopyIcon } from "../../parts/copy.tsx";
import { ManagedNotice } from "../../parts/managed-by.tsx";
import { moment, compactCount, count, money, percent } from "../../parts/format/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { Fetched, Empty } from "../../parts/states.tsx";
import { Tabs, type Tab } from "../../parts/tabs.tsx";
import { UsageSection } from "../../breakdown/usage-section.tsx";
import { useMe } from "../../shell/me.ts";
import { SavedViews } from "../../shell/saved-views.tsx";
import { NoPriceBadge, StateBadge } from "./model-columns.tsx";
import { ModelFacts } from "./model-facts.tsx";
import { ModelKeys } from "./model-keys.tsx";
import { LifecycleNotice } from "./model-lifecycle.tsx";
import { ModelPrices } from "./model-prices.tsx";
import { ModelRoutes } from "./model-routes.tsx";
import { PagedTable, type Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { Button } from "../../parts/button.tsx";
import { Menu, type MenuItem } from "../../parts/overlays/menu.tsx";
import { DeprecateDialog } from "./deprecate-dialog.tsx";
import { ModelForm } from "./model-form.tsx";
import { isEditable, rate, daysUntil, formatDays } from "./format-model.ts";
import { ArchiveModel, CloneModel, DeleteModel, RestoreModel } from "./model-archive.tsx";
import { Stat } from "../../parts/facts.tsx";
import { textLink } from "../../parts/text-link.ts";
import { describeDays, spanOf } from "../../breakdown/range.ts";
import { useLast30Days } from "../../breakdown/use-last-30-days.ts";
import { usePreview } from "../../platform/use-preview.ts";
import { calendarDay } from "../../parts/format/calendar-day.ts";
import { PreviewOf } from "../../parts/change-preview.tsx";
import { Cancel, Dialog, DialogBody, DialogFooter } from "../../parts/overlays/dialog.tsx";
import { toast } from "../../parts/overlays/toasts.tsx";

const BREAKDOWNS = ["key", "account", "upstream", "endpoint", "user", "tag"] as const;

const route = getRouteApi("/signed-in/models/$id");

export function ModelPage(): ReactNode {
  const { id } = route.useParams();
  const { isOperator } = useMe();
  const model = useApiQuery("showModel", { path: { id } });
  return (
    <Page
      title={id}
      docs="routing"
      above={<Link to="/models">Models</Link>}
      heading={
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 break-all">{id}</span>
          <CopyIcon text={id} label="Copy the model ID" />
          {model.data && <StateBadge state={model.data.state} />}
          {model.data && <NoPriceBadge {...model.data} />}
        </span>
      }
      actions={
        model.data && (
          <>
            <SavedViews />
            {isOperator && <ModelActions model={model.data} />}
          </>
        )
      }
    >
      <Fetched of={model}>{(data) => <ModelView model={data} isOperator={isOperator} />}</Fetched>
    </Page>
  );
}

function ModelView({ model, isOperator }: { readonly model: ShownModel; readonly isOperator: boolean }): ReactNode {
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const tabs: readonly Tab[] = [
    { id: "about", label: "Details", content: <ModelFacts model={model} /> },
    { id: "usage", label: "Usage", content: <UsageSection of={{ model: model.id }} dimensions={BREAKDOWNS} isOperator={isOperator} /> },
    ...(isOperator ? [{ id: "routes", label: "Routes", content: <ModelRoutes model={model} /> }] : []),
    { id: "prices", label: "Prices", content: <ModelPrices model={model} isOperator={isOperator} /> },
    { id: "keys", label: "Keys", content: <ModelKeys id={model.id} /> },
    { id: "announcements", label: "Announcements", content: <ModelAnnouncements id={model.id} /> },
  ];
  const open = tabs.some(({ id }) => id === tab) ? tab! : "about";
  return (
    <>
      {model.archived_at != null && <Notice>Archived on {moment(model.archived_at)}. It is hidden from lists.</Notice>}
      <LifecycleNotice model={model} />
      {isOperator && model.state !== "retired" && <ManagedNotice by={model.managed_by} kind="model" />}
      <ModelUsage model={model} />
      <Tabs
        label="Model sections"
        tabs={tabs}
        open={open}
        onOpen={(id) => void navigate({ search: (before) => ({ ...before, tab: id }), replace: true })}
      />
    </>
  );
}

const COLUMNS: readonly Column<Announcement>[] = [
  { title: "Time", cell: ({ at }) => <Time at={at} /> },
  { title: "State", cell: ({ state }) => <StateBadge state={state} />, from: "sm" },
  { title: "Announcement", cell: ({ text }) => <span className="whitespace-normal">{text}</span>, className: "max-w-none!" },
  { title: "By", cell: ({ by }) => by ?? "–", from: "md" },
];

/** The announcements of a model in the changelog. */
export function ModelAnnouncements({ id }: { readonly id: string }): ReactNode {
  const pages = usePages("listAnnouncements", { query: { model: id, limit: 50 } });
  return (
    <Section title="Announcements" about="Published to callers in the changelog and its feed." flush>
      <PagedTable
        label="Announcements"
        of={pages}
        columns={COLUMNS}
        keyOf={({ at, state }) => `${at} ${state}`}
        empty={<Empty title="No announcements">A model from the environment is announced when an operator takes it over.</Empty>}
      />
    </Section>
  );
}

type OpenDialog = "edit" | "deprecate" | "retire" | keyof typeof MORE_DIALOGS;

const MORE_DIALOGS = { clone: CloneModel, archive: ArchiveModel, restore: RestoreModel, delete: DeleteModel } as const;

/** The buttons for operators on the page of a model. */
export function ModelActions({ model }: { readonly model: ShownModel }): ReactNode {
  const [dialog, setDialog] = useState<OpenDialog>();
  const close = (): void => setDialog(undefined);
  const More = dialog !== undefined && dialog in MORE_DIALOGS ? MORE_DIALOGS[dialog as keyof typeof MORE_DIALOGS] : undefined;
  const item = (label: string, opens: OpenDialog, danger = false): MenuItem => ({ label, onSelect: () => setDialog(opens), danger });
  const isOwn = model.managed_by === "operator";
  const isArchived = model.archived_at != null;
  return (
    <>
      {isEditable(model) && (
        <>
          <Button onClick={() => setDialog("edit")}>Edit</Button>
          <Button onClick={() => setDialog("deprecate")}>{model.state === "available" ? "Deprecate" : "Change shutdown date"}</Button>
          <Button onClick={() => setDialog("retire")}>Retire</Button>
        </>
      )}
      <Menu
        label={`More actions for ${model.id}`}
        items={[
          item("Clone", "clone"),
          ...(isOwn && isArchived ? [item("Restore", "restore")] : []),
          ...(isOwn && !isArchived ? [item("Archive", "archive")] : []),
          ...(isOwn ? [item("Delete", "delete", true)] : []),
        ]}
      />
      {dialog === "edit" && <ModelForm model={model} onClose={close} />}
      {dialog === "deprecate" && <DeprecateDialog model={model} onClose={close} />}
      {dialog === "retire" && <RetireDialog model={model} onClose={close} onDeprecate={() => setDialog("deprecate")} />}
      {More && <More model={model} onClose={close} />}
    </>
  );
}

/** The key figures of a model. */
export function ModelUsage({ model: { id, price } }: { readonly model: Model }): ReactNode {
  const range = useLast30Days();
  const { data, error } = useApiQuery("showUsage", { query: { by: "model", model: id, ...spanOf(range), limit: 1 } });
  const total = data?.total;
  const unknown = error ? "–" : "…";
  const days = describeDays(range, Date.now());
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Stat
        label={`Succeeded, ${days}`}
        value={total ? compactCount(total.requests) : unknown}
        note={
          total && (
            <Link
              to="/requests"
              search={{ model: id, from: spanOf(range).from, ...(total.failed > 0 && { outcome: "failed" }) }}
              className={textLink}
            >
              {total.failed === 0
                ? total.requests === 0
                  ? "none yet"
                  : "none failed"
                : `${count(total.failed)} failed, ${percent(total.failed, total.requests + total.failed)}`}
            </Link>
          )
        }
      />
      <Stat
        label={`Spend, ${days}`}
        value={total ? money(total.cost) : unknown}
        note={total && `${compactCount(total.prompt_tokens + total.completion_tokens)} tokens`}
      />
      <Stat label="Input, $/M tokens" value={rate(price?.input_per_million)} note={price ? cachedNote(price) : "no price, not callable"} />
      <Stat label="Output, $/M tokens" value={rate(price?.output_per_million)} note={price && tiersNote(price.tiers.length)} />
    </div>
  );
}

function cachedNote(price: NonNullable<Model["price"]>): string {
  return price.cached_input_per_million === price.input_per_million ? "same when cached" : `${rate(price.cached_input_per_million)} cached`;
}

function tiersNote(tiers: number): string {
  return tiers === 0 ? "no long-context surcharge" : "tiered by input length";
}

interface RetireDialogProps {
  readonly model: Model;
  readonly onClose: () => void;
  /** Opens the deprecation dialog, which sets the shutdown date and the replacement that retirement requires. */
  readonly onDeprecate: () => void;
}

/** Retires a model. The preview is requested first. If the server rejects it, the retirement cannot be confirmed. */
export function RetireDialog({ model, onClose, onDeprecate }: RetireDialogProps): ReactNode {
  const { id, state } = model;
  const retire = useApiMutation("retireModel");
  const preview = usePreview("retireModel", { path: { id } }, !retire.isPending && !retire.isSuccess);
  const confirm = (): void =>
    retire.mutate(
      { path: { id } },
      {
        onSuccess: () => {
          toast(`${id} is retired.`);
          onClose();
        },
      },
    );
  const next = (
    <Button small onClick={onDeprecate}>
      {state === "available" ? "Deprecate first" : "Change replacement"}
    </Button>
  );
  return (
    <Dialog open wide onClose={onClose} title={`Retire ${id}?`}>
      <DialogBody>
        {!preview.error && (
          <p className="text-ink-2">
            New requests are rejected permanently, with {model.replacement} as the suggested replacement. Requests in flight complete. The
            ID cannot be reused.
          </p>
        )}
        <EarlyWarning model={model} />
        <PreviewOf of={preview} next={next} />
        {retire.error && <Notice tone="bad">{retire.error.message}</Notice>}
      </DialogBody>
      <DialogFooter>
        <Cancel onClick={onClose}>{preview.error ? "Close" : "Cancel"}</Cancel>
        {!preview.error && (
          <Button weight="danger" busy={retire.isPending} disabled={!preview.data} onClick={confirm}>
            Retire {id.length <= 40 && id}
          </Button>
        )}
      </DialogFooter>
    </Dialog>
  );
}

/** A warning before the announced shutdown date. */
function EarlyWarning({ model: { shutdown_date: day } }: { readonly model: Model }): ReactNode {
  const days = day === null ? 0 : daysUntil(day);
  if (day === null || days <= 0) return null;
  return (
    <Notice tone="warn">
      The announced shutdown date is {calendarDay(day)}, {formatDays(days)}.
    </Notice>
  );
}
