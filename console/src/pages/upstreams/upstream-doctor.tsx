import { useId, useState, type FormEvent, type ReactNode } from "react";
import type { Upstream } from "../../platform/interface.ts";
import { useLook } from "../../platform/use-platform.ts";
import { Button } from "../../parts/button.tsx";
import { Input } from "../../parts/field.tsx";
import { Section } from "../../parts/page.tsx";
import { Doctor, WHAT_IT_COSTS } from "./doctor.tsx";

interface UpstreamDoctorProps {
  readonly upstream: Upstream;
  /** What it lists, as far as it was asked. */
  readonly names: readonly string[];
}

/** The doctor for any model of an upstream: those that it was called for, and one that is typed. */
export function UpstreamDoctor({ upstream: { id }, names }: UpstreamDoctorProps): ReactNode {
  const list = useId();
  const { data } = useLook("showUpstreamHealth", { path: { id } });
  const [typed, setTyped] = useState<readonly string[]>([]);
  const models = [...new Set([...typed, ...(data?.models.map(({ model }) => model) ?? [])])];
  const add = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const model = new FormData(event.currentTarget).get("model") as string;
    event.currentTarget.reset();
    if (model.trim() !== "") setTyped([model.trim(), ...typed]);
  };
  return (
    <Section title="Doctor" about={WHAT_IT_COSTS} flush>
      <form onSubmit={add} className="flex gap-2 border-b border-line px-4 py-2.5">
        <Input
          name="model"
          list={list}
          aria-label="Another model, by its name there"
          placeholder="Another model, by its name there"
          className="max-w-72"
        />
        <datalist id={list}>
          {names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <Button type="submit">Add</Button>
      </form>
      {models.length === 0 && <p className="px-4 py-3 text-ink-3">Name a model of this upstream to examine it.</p>}
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
