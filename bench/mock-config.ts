/** A config file with one model, `m`, of a mock upstream, at the price of a small model. */
export function mockConfig(upstreamUrl: string): string {
  return `
upstreams:
  - { id: mock, dialect: openai, base_url: ${upstreamUrl}, allow_private: true }
models:
  - id: m
    routes: [{ upstream: mock, model: m }]
    price: { input_per_million: 0.15, output_per_million: 0.60, cached_input_per_million: 0.075 }
`;
}
