import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { LoggedRequestInFull, Receipt } from "../../platform/interface.ts";
import { useLook } from "../../platform/use-platform.ts";
import { Mono } from "../../parts/code.tsx";
import { Facts } from "../../parts/facts.tsx";
import { count, exactMoney } from "../../parts/format.ts";
import { Fetched } from "../../parts/states.tsx";
import { textLink } from "../../parts/text-link.ts";
import { PanelSection } from "./panel-section.tsx";
import { PriceLines } from "./price-lines.tsx";

const COUNTED = {
  measured: "by the upstream",
  partial: "by the upstream, until the answer was cut",
  estimated: "estimated from the length of the text, because the upstream did not count",
} as const;

/** How the cost came about. */
export function CostSection({ request }: { readonly request: LoggedRequestInFull }): ReactNode {
  const hasReceipt = request.receipt !== null;
  const receipt = useLook("showReceipt", { path: { requestId: request.request_id } }, { enabled: hasReceipt });
  return (
    <PanelSection title="Tokens and cost">
      {hasReceipt ? (
        <Fetched of={receipt} lines={3}>
          {(data) => <ReceiptDetails receipt={data} />}
        </Fetched>
      ) : (
        <WithoutReceipt request={request} />
      )}
    </PanelSection>
  );
}

function ReceiptDetails({ receipt }: { readonly receipt: Receipt }): ReactNode {
  const { price, provenance, uncharged, model } = receipt;
  return (
    <div className="flex flex-col gap-3">
      {receipt.lines.length > 0 ? <PriceLines receipt={receipt} /> : <p className="text-ink-2">{withoutLines(receipt)}</p>}
      <Facts
        facts={[
          provenance == null ? undefined : ["Counted", COUNTED[provenance]],
          ["Held at first", exactMoney(receipt.held)],
          uncharged == null || Number(uncharged) === 0 ? undefined : ["Not charged", `${exactMoney(uncharged)}, beyond what was held`],
          price == null ? undefined : ["Price", <PriceName key="price" model={model} version={price.version} />],
        ]}
      />
    </div>
  );
}

function withoutLines({ state, held }: Receipt): string {
  if (state === "open") return `It is under way: ${exactMoney(held)} is held for it.`;
  if (state === "released") return "Nothing was charged. What was held for it was given back.";
  return "There is nothing to charge.";
}

function PriceName({ model, version }: { readonly model: string; readonly version: string }): ReactNode {
  return (
    <>
      version <Mono>{version}</Mono> of{" "}
      <Link to="/models/$id" params={{ id: model }} className={textLink}>
        {model}
      </Link>
    </>
  );
}

function WithoutReceipt({ request: { usage, outcome } }: { readonly request: LoggedRequestInFull }): ReactNode {
  return (
    <p className="text-ink-2">
      {usage && `${count(usage.prompt_tokens)} tokens in, ${count(usage.completion_tokens)} out. `}
      {outcome === "given_again" ? "The first request has paid for the answer." : "No money was set aside for it, so there is no receipt."}
    </p>
  );
}
