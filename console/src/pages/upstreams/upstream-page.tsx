import { TIMEOUTS } from "../../../../src/models/timeouts.ts";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState, useId, type FormEvent } from "react";
import type { Upstream } from "../../../../platform-client/types.ts";
import { useApiMutation, useApiQuery } from "../../platform/use-api.ts";
import { Facts } from "../../parts/facts.tsx";
import { Mono } from "../../parts/code.tsx";
import { count, duration } from "../../parts/format/format.ts";
import { ManagedBadge, ManagedNotice } from "../../parts/managed-by.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { Fetched } from "../../parts/states.tsx";
import { Tabs, type Tab } from "../../parts/tabs.tsx";
import { ModelLinks } from "../../parts/model-links.tsx";
import { ConnectionSection } from "./connection-section.tsx";
import { CredentialsSection } from "./credentials-section.tsx";
import { Deviations } from "./deviations.tsx";
import { HealthCell } from "./health-cells.tsx";
import { HealthSections } from "./health-sections.tsx";
import { providerOf } from "./format-upstream.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/overlays/confirm.tsx";
import { toast } from "../../parts/overlays/toasts.tsx";
import { EditUpstream } from "./edit-upstream.tsx";
import { Input } from "../../parts/inputs/field.tsx";
import { Doctor, DOCTOR_COST } from "./doctor.tsx";

const route = getRouteApi("/signed-in/upstreams/$id");

export function UpstreamPage(): ReactNode {
  const { id } = route.useParams();
  const upstream = useApiQuery("showUpstream", { path: { id } });
  return (
    <Page
      title={id}
      docs="providers"
      above={<Link to="/upstreams">Upstreams</Link>}
      heading={
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 break-all">{id}</span>
          {upstream.data && <HealthCell id={id} />}
        </span>
      }
      actions={upstream.data && <UpstreamActions upstream={upstream.data} />}
    >
      <Fetched of={upstream}>{(data) => <UpstreamView upstream={data} />}</Fetched>
    </Page>
  );
}

function UpstreamView({ upstream }: { readonly upstream: Upstream }): ReactNode {
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const tabs: readonly Tab[] = [
    { id: "health", label: "Health", content: <HealthSections upstream={upstream} /> },
    { id: "about", label: "Details", content: <Details upstream={upstream} /> },
    ...(upstream.dialect === "echo"
      ? []
      : [{ id: "credentials", label: "Credentials", content: <CredentialsSection upstream={upstream} /> }]),
    { id: "test", label: "Test", content: <Tests upstream={upstream} /> },
  ];
  const open = tabs.some(({ id }) => id === tab) ? tab! : "health";
  return (
    <>
      <ManagedNotice by={upstream.managed_by} kind="upstream" />
      <Tabs label="Upstream sections" tabs={tabs} open={open} onOpen={(id) => void navigate({ search: { tab: id }, replace: true })} />
    </>
  );
}

function Tests({ upstream }: { readonly upstream: Upstream }): ReactNode {
  const test = useApiMutation("testUpstream");
  return (
    <div className="flex flex-col gap-5">
      <ConnectionSection test={test} onTest={() => test.mutate({ path: { id: upstream.id } })} />
      <UpstreamDoctor upstream={upstream} names={test.data?.names ?? []} />
      <Section title="Format deviations since startup" about="Responses that did not follow the API format." flush>
        <Deviations upstream={upstream.id} />
      </Section>
    </div>
  );
}

function Details({ upstream }: { readonly upstream: Upstream }): ReactNode {
  const { data: about } = useApiQuery("showAbout", {});
  const { concurrency, timeouts } = upstream;
  return (
    <div className="grid gap-5 lg:grid-cols-2">
      <Section title="Connection">
        <Facts
          facts={[
            ["Provider", providerOf(upstream, about?.providers)],
            ["Base URL", upstream.base_url === null ? "built in" : <Mono key="base-url">{upstream.base_url}</Mono>],
            ["API version", upstream.api_version ?? undefined],
            ["Private network addresses", upstream.allow_private ? "allowed" : "not allowed"],
            ["Managed by", <ManagedBadge key="by" by={upstream.managed_by} />],
            ["Models", <ModelLinks key="models" ids={upstream.models} />],
          ]}
        />
      </Section>
      <Section title="Concurrency and timeouts">
        <Facts
          facts={[
            ["Max concurrent requests", concurrency?.max_calls === undefined ? null : count(concurrency.max_calls)],
            ["Max queued requests", concurrency?.max_queued === undefined ? null : count(concurrency.max_queued)],
            ["Max queue time", formatOptional(concurrency?.max_wait_ms)],
            ...TIMEOUTS.map(({ field, label, defaultMs }) => {
              const ms = timeouts?.[field];
              return [`${label} timeout`, ms === undefined && defaultMs === undefined ? undefined : formatOptional(ms)] as const;
            }),
            ["Unknown parameters", upstream.unknown_parameters ?? "as the API format does"],
            upstream.headers.length > 0 ? ["Request headers", upstream.headers.join(", ")] : undefined,
            ["OpenAI organization", upstream.organization ?? undefined],
            ["OpenAI project", upstream.project ?? undefined],
          ]}
        />
      </Section>
    </div>
  );
}

function formatOptional(ms: number | undefined): string | null {
  return ms === undefined ? null : duration(ms);
}

/** The buttons on the page of an upstream that operators manage. */
export function UpstreamActions({ upstream }: { readonly upstream: Upstream }): ReactNode {
  const [dialog, setDialog] = useState<"edit" | "remove">();
  const close = (): void => setDialog(undefined);
  if (upstream.managed_by !== "operator") return null;
  return (
    <>
      {upstream.dialect !== "echo" && <Button onClick={() => setDialog("edit")}>Edit</Button>}
      <Button onClick={() => setDialog("remove")}>Remove</Button>
      {dialog === "edit" && <EditUpstream upstream={upstream} onClose={close} />}
      {dialog === "remove" && <RemoveUpstream upstream={upstream} onClose={close} />}
    </>
  );
}

function RemoveUpstream({ upstream: { id }, onClose }: { readonly upstream: Upstream; readonly onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const remove = useApiMutation("removeUpstream");
  const done = (): void => {
    toast(`${id} was removed.`);
    onClose();
    void navigate({ to: "/upstreams" });
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Remove the upstream ${id}?`}
      action={id.length <= 40 ? `Remove ${id}` : "Remove"}
      change={remove}
      onConfirm={() => remove.mutate({ path: { id } }, { onSuccess: done })}
    >
      Its credentials are deleted. Past charges stay in the ledger. An upstream that still serves models cannot be removed.
    </Confirm>
  );
}

interface UpstreamDoctorProps {
  readonly upstream: Upstream;
  /** The upstream's model list, if it was fetched. */
  readonly names: readonly string[];
}

/** The doctor for the models of an upstream: models with recent requests, and any model that is added by ID. */
export function UpstreamDoctor({ upstream: { id }, names }: UpstreamDoctorProps): ReactNode {
  const list = useId();
  const { data } = useApiQuery("showUpstreamHealth", { path: { id } });
  const [added, setAdded] = useState<readonly string[]>([]);
  const models = [...new Set([...added, ...(data?.models.map(({ model }) => model) ?? [])])];
  const add = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const model = new FormData(event.currentTarget).get("model") as string;
    event.currentTarget.reset();
    if (model.trim() !== "") setAdded([model.trim(), ...added]);
  };
  return (
    <Section title="Doctor" about={DOCTOR_COST} flush>
      <form onSubmit={add} className="flex gap-2 border-b border-line px-4 py-2.5">
        <Input name="model" list={list} aria-label="Upstream model" placeholder="Upstream model" className="max-w-72" />
        <datalist id={list}>
          {names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <Button type="submit">Add</Button>
      </form>
      {models.length === 0 && <p className="px-4 py-3 text-ink-3">Add an upstream model to run checks on it.</p>}
      <ul className="divide-y divide-line">
        {models.map((model) => (
          <li key={model}>
            <Doctor upstream={id} model={model} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
