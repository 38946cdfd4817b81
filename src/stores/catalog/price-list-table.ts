/** A row of `price_lists`: what an operator has declared, as JSON. */
export interface PriceListTable {
  id: string;
  declared: string;
  created_at_ms: number;
}
