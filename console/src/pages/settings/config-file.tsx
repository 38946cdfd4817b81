import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ConfigFile as Config, ReloadReport } from "../../../../platform-client/types.ts";
import { useApiMutation, useApiQuery } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Mono } from "../../parts/code.tsx";
import { Facts } from "../../parts/facts.tsx";
import { count } from "../../parts/format/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { Section } from "../../parts/page.tsx";
import { Fetched } from "../../parts/states.tsx";
import { textLink } from "../../parts/text-link.ts";
import { Time } from "../../parts/time.tsx";

type Changes = ReloadReport["changed"];
type Targets = Config["declared"];
type Kind = Targets[number]["kind"];

/** The config file: what it declares, its last load, what a reload would change, and a button to reload it. */
export function ConfigFile(): ReactNode {
  const config = useApiQuery("showConfig", {}, { every: 30_000 });
  const reload = useApiMutation("reloadConfig");
  return (
    <Section
      title="Config file"
      about="Changes are reloaded automatically. Reload to apply them immediately."
      actions={
        config.data?.file !== null && (
          // A rejected file changes the state too.
          <Button busy={reload.isPending} onClick={() => reload.mutate({}, { onError: () => void config.refetch() })}>
            Reload config file
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-3">
        {reload.error && config.data?.problem == null && <Notice tone="bad">{reload.error.message}</Notice>}
        {reload.data && <Outcome report={reload.data} />}
        <Fetched of={config} lines={4}>
          {(data) => <ConfigView config={data} />}
        </Fetched>
      </div>
    </Section>
  );
}

function ConfigView({ config: { file, loaded_at: loadedAt, declared, pending, problem } }: { readonly config: Config }): ReactNode {
  if (file === null) {
    return (
      <p className="text-ink-2">
        Tollgate was started without a config file. All resources are managed here, or come from the environment.
      </p>
    );
  }
  return (
    <>
      {problem !== null && (
        <Notice tone="bad">
          The file has an error, and the previous configuration stays active. <span className="wrap-anywhere">{problem}</span>
        </Notice>
      )}
      {pending && !isNothing(pending) && (
        <Notice tone="warn">
          The file differs from the active configuration. A reload would make these changes: {summarize(pending)}.
        </Notice>
      )}
      <Facts
        facts={[
          ["File", <Mono key="file">{file}</Mono>],
          ["Last loaded", loadedAt === null ? null : <Time key="time" at={loadedAt} />],
          ...KINDS.map(({ kind, label }) => [label, <Declared key={kind} ids={idsOf(kind, declared)} kind={kind} />] as const),
        ]}
      />
      <p className="text-ink-3">Resources that the file declares can be changed only there.</p>
    </>
  );
}

const KINDS: readonly { readonly kind: Kind; readonly label: string }[] = [
  { kind: "upstream", label: "Upstreams" },
  { kind: "model", label: "Models" },
  { kind: "price_list", label: "Price lists" },
  { kind: "account", label: "Accounts" },
  { kind: "endpoint", label: "Endpoints" },
];

const PAGES = { upstream: "/upstreams/$id", model: "/models/$id", price_list: "/price-lists/$id", account: "/accounts/$id" } as const;

const MAX_SHOWN = 30;

function Declared({ ids, kind }: { readonly ids: readonly string[]; readonly kind: Kind }): ReactNode {
  if (ids.length === 0) return <span className="text-ink-3">none</span>;
  if (kind === "endpoint") return ids.join(", ");
  return (
    <span className="flex flex-wrap gap-x-2 gap-y-1">
      {ids.slice(0, MAX_SHOWN).map((id) => (
        <Link key={id} to={PAGES[kind]} params={{ id }} className={`${textLink} max-w-full truncate`} title={id}>
          {id}
        </Link>
      ))}
      {ids.length > MAX_SHOWN && <span className="text-ink-3">and {count(ids.length - MAX_SHOWN)} more</span>}
    </span>
  );
}

function idsOf(kind: Kind, targets: Targets): string[] {
  return targets.filter((each) => each.kind === kind).map(({ id }) => id);
}

function Outcome({ report: { changed, warnings } }: { readonly report: ReloadReport }): ReactNode {
  return (
    <>
      <Notice tone="good">{isNothing(changed) ? "Reloaded. Nothing has changed." : `Reloaded: ${summarize(changed)}.`}</Notice>
      {warnings.map((warning) => (
        <Notice key={warning} tone="warn">
          {warning}
        </Notice>
      ))}
    </>
  );
}

function summarize({ added, changed, removed }: Changes): string {
  const parts = [part("added", added), part("changed", changed), part("removed", removed)];
  return parts.filter((each) => each !== undefined).join("; ");
}

function part(verb: string, targets: Targets): string | undefined {
  if (targets.length === 0) return undefined;
  const named = targets.slice(0, MAX_SHOWN).map(({ kind, id }) => `${kind.replace("_", " ")} ${id}`);
  const more = targets.length > MAX_SHOWN ? ` and ${count(targets.length - MAX_SHOWN)} more` : "";
  return `${verb} ${named.join(", ")}${more}`;
}

function isNothing({ added, changed, removed }: Changes): boolean {
  return added.length + changed.length + removed.length === 0;
}
