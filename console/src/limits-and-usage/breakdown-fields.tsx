import { Plus, Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { PeriodCaps, RateLimits } from "../../../platform-client/types.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { TextField } from "../parts/inputs/field.tsx";
import { refusalAt } from "../parts/refusal.ts";
import { byName, PERIOD_CAPS, RATE_LIMITS } from "../../../src/money/limits.ts";
import { readCaps, readLimits, readPart, readTagParts, type Caps, type Limits } from "./access-policy.ts";
import { CapField, LimitField } from "./policy-field.tsx";

/** The maximum number of tags of a request. */
const MAX_TAGS = 8;

interface BreakdownFieldsProps {
  readonly limits?: Limits | undefined;
  readonly caps?: Caps | undefined;
  readonly refusal: Error | null;
}

/** The rate limits and spend caps of each end user, and of each value of a tag, of a key or an account. */
export function BreakdownFields({ limits, caps, refusal }: BreakdownFieldsProps): ReactNode {
  return (
    <>
      <fieldset>
        <legend className="font-medium">Each end user</legend>
        <p className="mb-2 text-sm text-ink-3">
          Limits and spend caps of each end user in requests. Requests with no end user share one limit. Leave a field empty for no limit.
        </p>
        <div className="grid items-end gap-3 sm:grid-cols-3">
          <PartFields
            kind="user"
            labelOf={(label) => `${label} of an end user`}
            limits={limits?.per_user}
            caps={caps?.per_user}
            errorAt={(part, name) => refusalAt(refusal, `${part}.per_user.${name}`)}
          />
        </div>
      </fieldset>
      <TagFields limits={limits} caps={caps} />
    </>
  );
}

interface PartFieldsProps {
  /** The prefix of the field names. */
  readonly kind: "user" | "tag";
  readonly labelOf?: (label: string) => string;
  readonly limits: RateLimits | undefined;
  readonly caps: PeriodCaps | undefined;
  readonly errorAt?: (part: "limits" | "caps", name: string) => string | undefined;
}

function PartFields({ kind, labelOf = (label) => label, limits, caps, errorAt }: PartFieldsProps): ReactNode {
  return (
    <>
      {RATE_LIMITS.map(({ name, label }) => (
        <LimitField key={name} label={labelOf(label)} name={`${kind}_${name}`} value={limits?.[name]} error={errorAt?.("limits", name)} />
      ))}
      {PERIOD_CAPS.map(({ name, label }) => (
        <CapField
          key={name}
          label={labelOf(`Spend cap ${label.toLowerCase()} (USD)`)}
          name={`${kind}_${name}`}
          value={caps?.[name]}
          error={errorAt?.("caps", name)}
        />
      ))}
    </>
  );
}

interface TagDraft {
  readonly key: number;
  readonly name: string;
  /** The current name of the tag; undefined for a new tag. */
  readonly was?: string;
}

/** Errors of the platform name the tag, and are shown below the form. */
function TagFields({ limits, caps }: Omit<BreakdownFieldsProps, "refusal">): ReactNode {
  const [tags, setTags] = useState<readonly TagDraft[]>(() => {
    const names = new Set([...Object.keys(limits?.per_tag ?? {}), ...Object.keys(caps?.per_tag ?? {})]);
    return [...names].map((name, key) => ({ key, name, was: name }));
  });
  const add = (): void => setTags([...tags, { key: (tags.at(-1)?.key ?? -1) + 1, name: "" }]);
  return (
    <fieldset>
      <legend className="font-medium">Each value of a tag</legend>
      <p className="mb-2 text-sm text-ink-3">
        Limits and spend caps of each value of a tag, such as each team. Requests without the tag count as one value.
      </p>
      {tags.map((tag, at) => (
        <div
          key={tag.key}
          role="group"
          aria-label={`Tag ${at + 1}`}
          className="mb-3 grid grid-cols-[1fr_2rem] gap-3 rounded-md border border-line p-3 sm:grid-cols-3"
        >
          <TagNameField
            name={tag.name}
            isTaken={tags.some(({ name }, other) => other < at && name === tag.name)}
            onChange={(name) => setTags(tags.with(at, { ...tag, name }))}
          />
          <IconButton label={`Remove tag ${at + 1}`} onClick={() => setTags(tags.toSpliced(at, 1))} className="mt-6 sm:col-span-2">
            <Trash2 size={16} aria-hidden />
          </IconButton>
          <div className="col-span-full grid items-end gap-3 sm:grid-cols-3">
            <PartFields kind="tag" limits={partOf(limits?.per_tag, tag)} caps={partOf(caps?.per_tag, tag)} />
          </div>
        </div>
      ))}
      {tags.length < MAX_TAGS && (
        <div>
          <Button small onClick={add}>
            <Plus size={14} aria-hidden />
            Add tag
          </Button>
        </div>
      )}
    </fieldset>
  );
}

function partOf<Part>(parts: Readonly<Record<string, Part>> | null | undefined, { was }: TagDraft): Part | undefined {
  return was === undefined ? undefined : parts?.[was];
}

interface TagNameFieldProps {
  readonly name: string;
  readonly isTaken: boolean;
  readonly onChange: (name: string) => void;
}

function TagNameField({ name, isTaken, onChange }: TagNameFieldProps): ReactNode {
  const error = isTaken ? "This tag is in the list already." : undefined;
  return (
    <TextField
      ref={(input) => input?.setCustomValidity(error ?? "")}
      label="Tag"
      name="tag_name"
      required
      pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,31}"
      title="Up to 32 letters, digits, dots, dashes and underscores, with a letter or digit first"
      placeholder="team"
      value={name}
      onChange={({ target }) => onChange(target.value)}
      error={error}
    />
  );
}

type BreakdownsOf<Settings> = Pick<Settings, Extract<keyof Settings, "per_user" | "per_tag">>;

/** Reads the limits and spend caps per end user and tag. `before`: the current settings. */
export function readBreakdowns(
  form: HTMLFormElement,
  before?: { readonly limits: Limits; readonly caps: Caps },
): { readonly limits: BreakdownsOf<Limits>; readonly caps: BreakdownsOf<Caps> } {
  const data = new FormData(form);
  const [user] = readPartsOf(data, "user");
  const tags = readPartsOf(data, "tag");
  const names = data.getAll("tag_name") as string[];
  return {
    limits: {
      per_user: user!.limits,
      per_tag: readTagParts(
        names.map((name, at) => [name, tags[at]!.limits]),
        before?.limits.per_tag,
      ),
    },
    caps: {
      per_user: user!.caps,
      per_tag: readTagParts(
        names.map((name, at) => [name, tags[at]!.caps]),
        before?.caps.per_tag,
      ),
    },
  };
}

/** The groups of fields of this kind, in order. */
function readPartsOf(data: FormData, kind: "user" | "tag"): { readonly limits: RateLimits; readonly caps: PeriodCaps }[] {
  const typed = (name: string): readonly string[] => data.getAll(`${kind}_${name}`) as string[];
  const limits = RATE_LIMITS.map(({ name }) => typed(name));
  const caps = PERIOD_CAPS.map(({ name }) => typed(name));
  return limits[0]!.map((_, group) => ({
    limits: readPart(readLimits(byName(RATE_LIMITS, (at) => limits[at]![group]!))),
    caps: readPart(
      readCaps(
        PERIOD_CAPS,
        byName(PERIOD_CAPS, (at) => caps[at]![group]!),
      ),
    ),
  }));
}
