/** Formats 1234567.2 as 1,234,567. It does not use `Intl`, whose first use costs a command 40 ms. */
export function grouped(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
