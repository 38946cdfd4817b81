import { useState, type ReactNode } from "react";
import type { Price, ShownModel } from "../../../../platform-client/types.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { calendarDay } from "../../parts/format/calendar-day.ts";
import { Mono } from "../../parts/code.tsx";
import { count, moment } from "../../parts/format/format.ts";
import { Section } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { ModelForm } from "./model-form.tsx";
import { isEditable, rate } from "./format-model.ts";

/** A row of the price table: a price version, or one of its tiers. */
interface Line {
  readonly key: string;
  readonly price: Price;
  readonly when: "scheduled" | "current" | "past";
  readonly tier?: Price["tiers"][number];
}

const COLUMNS: readonly Column<Line>[] = [
  { title: "Effective from", cell: (line) => <EffectiveFrom line={line} /> },
  { title: "Input", cell: ({ price, tier }) => rate((tier ?? price).input_per_million), figures: true },
  { title: "Cached input", cell: ({ price, tier }) => rate((tier ?? price).cached_input_per_million), figures: true, from: "md" },
  { title: "Cache write", cell: ({ price, tier }) => rate((tier ?? price).cache_write_per_million), figures: true, from: "lg" },
  { title: "Output", cell: ({ price, tier }) => rate((tier ?? price).output_per_million), figures: true },
  { title: "Reasoning", cell: ({ price, tier }) => rate((tier ?? price).reasoning_per_million), figures: true, from: "lg" },
  { title: "Options and tools", cell: ({ price, tier }) => <Premium of={tier ?? price} price={tier ? undefined : price} />, from: "xl" },
  { title: "Source", cell: ({ price, tier }) => (tier ? "" : price.source), from: "md" },
  { title: "Version", cell: ({ price, tier }) => (tier ? "" : <Mono>{price.version}</Mono>), from: "xl" },
];

function EffectiveFrom({ line: { price, tier, when } }: { readonly line: Line }): ReactNode {
  if (tier)
    return <span className="block pl-4 whitespace-normal text-ink-3">above {count(tier.above_input_tokens ?? 0)} input tokens</span>;
  const isAlways = Date.parse(price.effective_at) === 0;
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <span title={isAlways ? undefined : moment(price.effective_at)}>{isAlways ? "initial" : calendarDay(price.effective_at)}</span>
      <Badge tone={when === "current" ? "good" : "plain"}>{when}</Badge>
    </span>
  );
}

/** What a price has besides the usual rates: for caching for an hour, for options and for tools at the provider. */
function Premium({ of, price }: { readonly of: Price | Price["tiers"][number]; readonly price: Price | undefined }): ReactNode {
  const forHour = of.cache_write_1h_per_million;
  const parts = [
    ...(forHour === undefined ? [] : [`cache write for 1 h ${rate(forHour)}`]),
    ...Object.entries(price?.multipliers ?? {}).map(([option, factor]) => `${option} ×${factor}`),
    ...Object.entries(price?.tool_fees ?? {}).map(([tool, fee]) => (fee === 0 ? `${tool} free` : `${tool} $${fee} each`)),
  ];
  return <span className="block max-w-64 whitespace-normal text-ink-3">{parts.join(", ")}</span>;
}

function linesOf({ price, upcoming_prices: coming, past_prices: past = [] }: ShownModel): Line[] {
  const versions = [
    ...coming.toReversed().map((each) => ({ price: each, when: "scheduled" as const })),
    ...(price ? [{ price, when: "current" as const }] : []),
    ...past.toReversed().map((each) => ({ price: each, when: "past" as const })),
  ];
  return versions.flatMap((version) => [
    { ...version, key: version.price.version + version.price.effective_at },
    ...version.price.tiers.map((tier) => ({
      ...version,
      tier,
      key: `${version.price.version}${version.price.effective_at}-${tier.above_input_tokens}`,
    })),
  ]);
}

/** The current, scheduled and past prices of a model. */
export function ModelPrices({ model, isOperator }: { readonly model: ShownModel; readonly isOperator: boolean }): ReactNode {
  const lines = linesOf(model);
  const set = isOperator && isEditable(model) && <SetPrice model={model} />;
  return (
    <div className="flex flex-col gap-5">
      <Section
        title="Prices"
        about="US dollars per million tokens. Each receipt records the price version that was charged."
        actions={lines.length > 0 && set}
        flush
      >
        {lines.length === 0 ? (
          <Empty title="No price" action={set}>
            The model cannot be called until it has a price or is marked as free.
          </Empty>
        ) : (
          <Table label="Prices" columns={COLUMNS} rows={lines} keyOf={({ key }) => key} />
        )}
      </Section>
      {model.price_changes && model.price_changes.length > 0 && <PriceChanges changes={model.price_changes} />}
    </div>
  );
}

function SetPrice({ model }: { readonly model: ShownModel }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        Set price
      </Button>
      {isOpen && <ModelForm model={model} pricing="set" onClose={() => setOpen(false)} />}
    </>
  );
}

type PriceChange = NonNullable<ShownModel["price_changes"]>[number];

const CHANGE_COLUMNS: readonly Column<PriceChange>[] = [
  { title: "Time", cell: ({ at }) => <Time at={at} /> },
  { title: "Price", cell: ({ declared }) => <span title={formatDeclared(declared)}>{formatDeclared(declared)}</span> },
  { title: "By", cell: ({ by }) => by, from: "sm" },
];

function PriceChanges({ changes }: { readonly changes: readonly PriceChange[] }): ReactNode {
  return (
    <Section title="Price changes" about="Prices that operators declared, newest first." flush>
      <Table label="Price changes" columns={CHANGE_COLUMNS} rows={changes} keyOf={({ at }) => at} />
    </Section>
  );
}

interface DeclaredPricing {
  readonly free?: boolean;
  readonly price?: Pick<Price, "input_per_million" | "output_per_million">;
  readonly prices?: readonly unknown[];
}

function formatDeclared({ free, price, prices }: DeclaredPricing): string {
  if (free) return "free";
  if (price) return `${rate(price.input_per_million)} input, ${rate(price.output_per_million)} output`;
  return prices ? `${prices.length} prices by date` : "provider list price";
}
