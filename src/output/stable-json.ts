/** JSON with the keys sorted at every level, one space of indent and a newline: equal values give equal bytes. */
export function stableJson(value: unknown): string {
  return `${JSON.stringify(sorted(value), null, 1)}\n`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
