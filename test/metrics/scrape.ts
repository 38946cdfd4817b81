import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { parseExposition, type ParsedFamily } from "./parse-exposition.ts";

/** The metrics of a gateway. */
export class Scrape {
  readonly text: string;
  readonly families: readonly ParsedFamily[];

  constructor(text: string) {
    this.text = text;
    this.families = parseExposition(text);
  }

  static async of({ platformUrl, operatorToken }: RunningGateway): Promise<Scrape> {
    const response = await fetch(`${platformUrl}/metrics`, { headers: { authorization: `Bearer ${operatorToken}` } });
    if (!response.ok) throw new Error(await response.text());
    return new Scrape(await response.text());
  }

  /** All series, without their values. */
  get series(): string[] {
    return this.families.flatMap(({ samples }) => samples.map(({ series }) => series)).toSorted();
  }

  /** The values of a metric, by label values. */
  values(metric: string): Map<string, number> {
    const samples = this.families.flatMap((family) => family.samples).filter(({ name }) => name === metric);
    return new Map(samples.map(({ labels, value }) => [Object.values(labels).join(" "), value]));
  }

  sum(metric: string): number {
    return [...this.values(metric).values()].reduce((sum, value) => sum + value, 0);
  }
}
