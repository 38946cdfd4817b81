import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Model } from "../../../../platform-client/types.ts";
import { calendarDay } from "../../parts/format/calendar-day.ts";
import { day, moment } from "../../parts/format/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { textLink } from "../../parts/text-link.ts";
import { daysUntil, formatDays } from "./format-model.ts";

/** A notice on deprecated and retired models. */
export function LifecycleNotice({ model }: { readonly model: Model }): ReactNode {
  if (model.state === "available") return null;
  const instead = model.replacement && (
    <>
      {" "}
      Use{" "}
      <Link to="/models/$id" params={{ id: model.replacement }} className={textLink}>
        {model.replacement}
      </Link>{" "}
      instead.
    </>
  );
  if (model.state === "retired") {
    return <Notice title="Retired">Requests for this model are rejected permanently.{instead}</Notice>;
  }
  return (
    <Notice tone="warn" title={model.shutdown_date ? formatShutdown(model.shutdown_date) : "Deprecated"}>
      The model still works.{instead}
    </Notice>
  );
}

function formatShutdown(date: string): string {
  const days = daysUntil(date);
  const when = `${calendarDay(date)}, ${formatDays(days)}`;
  return days < 0 ? `Retirement was planned for ${when}` : `Retirement planned for ${when}`;
}

interface Step {
  readonly name: string;
  readonly when: string | undefined;
  readonly title?: string | undefined;
  readonly by?: string | null | undefined;
  readonly isReached: boolean;
}

function dayOf(at: string): Pick<Step, "when" | "title"> {
  return { when: day(at), title: moment(at) };
}

function stepsOf(model: Model): readonly Step[] {
  const { state, created_at, deprecated_at, retired_at, shutdown_date } = model;
  const isRetired = state === "retired";
  return [
    { name: "Available", ...dayOf(created_at), isReached: true },
    {
      name: "Deprecated",
      ...(deprecated_at ? dayOf(deprecated_at) : { when: undefined }),
      by: model.deprecated_by,
      isReached: state !== "available",
    },
    isRetired
      ? { name: "Retired", ...(retired_at ? dayOf(retired_at) : { when: undefined }), by: model.retired_by, isReached: true }
      : { name: "Retired", when: shutdown_date ? `planned for ${calendarDay(shutdown_date)}` : undefined, isReached: false },
  ];
}

/** The lifecycle states in order: available, deprecated, retired. A model never returns to an earlier state. */
export function Lifecycle({ model }: { readonly model: Model }): ReactNode {
  return (
    <ol className="flex flex-col gap-3 sm:flex-row sm:gap-0">
      {stepsOf(model).map(({ name, when, title, by, isReached }) => (
        <li key={name} aria-current={name.toLowerCase() === model.state ? "step" : undefined} className="min-w-0 flex-1 sm:pr-4">
          <div className="mb-1.5 flex items-center max-sm:hidden" aria-hidden>
            <span className={isReached ? "size-2.5 rounded-full bg-accent-fill" : "size-2.5 rounded-full border-2 border-line-strong"} />
            {name !== "Retired" && <span className="ml-1 h-px flex-1 bg-line" />}
          </div>
          <p className={isReached ? "font-medium" : "text-ink-3"}>{name}</p>
          <p className="text-sm text-ink-3" title={title}>
            {when ?? (isReached ? "" : "not planned")}
            {by && ` by ${by}`}
          </p>
        </li>
      ))}
    </ol>
  );
}
