import { useId, useState, type FormEvent, type ReactNode } from "react";
import type { Upstream } from "../../../../platform-client/types.ts";
import { useApiQuery } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Input } from "../../parts/inputs/field.tsx";
import { Section } from "../../parts/page.tsx";
import { Doctor, DOCTOR_COST } from "./doctor.tsx";

interface UpstreamDoctorProps {
  readonly upstream: Upstream;
  /** The upstream's model list, if it was fetched. */
  readonly names: readonly string[];
}

/** The doctor for the models of an upstream: the ones with recent requests, and any model that is added by ID. */
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
